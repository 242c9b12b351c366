/* Describes the processor of 64-bit PCs, as machine.h requires.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_MACHINE_AMD64_H
#define APROF_MACHINE_AMD64_H

#include "aprof/machine_jumps.h"

#define MACHINE_NAME  "amd64"
#define MACHINE_LINKS False
/* After a jump to a routine's entry, the stack pointer is the address of the return address. Before
 * PLT0 begins, the stub has pushed the number of the routine. */
#define MACHINE_SLOT             0
#define MACHINE_RESOLVER_SLOT    8
#define MACHINE_PAGE_BYTES_LEAST 4096
#define MACHINE_AUDIT            0xc000003eu
#define MACHINE_NR_MMAP          __NR_mmap
#define MACHINE_DATA_CALLS       __NR_sendto, __NR_sendmsg, __NR_sendmmsg
#define MACHINE_COUNT_REGISTER   offsetof(VexGuestArchState, guest_RCX)
#define MACHINE_GO_ARGUMENTS                                                                       \
    {                                                                                              \
        offsetof(VexGuestArchState, guest_RAX), offsetof(VexGuestArchState, guest_RBX)             \
    }
#define MACHINE_RESERVE_BYTES ((SizeT)256 << 20)

static inline Bool machine_is_jump(const UChar *code)
{
    return is_jump_behind_prefixes(code, 0x40);
}

static inline Bool machine_is_call(const UChar *code)
{
    return True;
}

static inline Bool machine_is_return(const UChar *code)
{
    return False;
}

#endif
