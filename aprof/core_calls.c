/* Intercepts system calls of Valgrind's core: exec, and calls that a seccomp filter forbids.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The linker redirects VG_(do_syscall) to this file. Most of the program's own calls do not pass
 * through this file. Only exec and memory mappings do, because the core makes these calls for the
 * program.
 */
#include "aprof/valgrind_core.h"

#include "aprof/exec.h"
#include "aprof/sandbox.h"

static __attribute__((noinline)) SysRes call_with_care(UWord number, UWord a1, UWord a2, UWord a3,
                                                       UWord a4, UWord a5, UWord a6, UWord a7,
                                                       UWord a8)
{
    const UWord args[] = {a1, a2, a3, a4, a5, a6};

    if (sandbox_is_active && sandbox_refuses(&number, args))
        return VG_(mk_SysRes_Error)(VKI_EPERM);
    if (number == __NR_execve)
        a1 = (UWord)exec_resolve((const HChar *)a1, (const HChar **)a2);
    return __real_vgPlain_do_syscall(number, a1, a2, a3, a4, a5, a6, a7, a8);
}

/* This function is hot, because the core makes several calls for each call of the program. The
 * function stores nothing on the stack, so the compiler turns the calls that it makes into
 * jumps. */
SysRes __wrap_vgPlain_do_syscall(UWord number, UWord a1, UWord a2, UWord a3, UWord a4, UWord a5,
                                 UWord a6, UWord a7, UWord a8)
{
    if (LIKELY(!sandbox_is_active && number != __NR_execve))
        return __real_vgPlain_do_syscall(number, a1, a2, a3, a4, a5, a6, a7, a8);
    return call_with_care(number, a1, a2, a3, a4, a5, a6, a7, a8);
}
