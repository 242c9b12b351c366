/* The register with which the C library finds the variables of the calling thread.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef NATIVE_BASE_THREAD_POINTER_H
#define NATIVE_BASE_THREAD_POINTER_H

#include "native/base/syscalls.h"

#if defined(__x86_64__)
#include <asm/prctl.h>

/* According to the ABI, fs:0 contains the base address of fs. */
APROF_INLINE uintptr_t native_thread_pointer(void)
{
    uintptr_t pointer;
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
    return pointer;
}

APROF_INLINE void native_set_thread_pointer(uintptr_t pointer)
{
    native_syscall(SYS_arch_prctl, ARCH_SET_FS, pointer);
}
#else
APROF_INLINE uintptr_t native_thread_pointer(void)
{
    uintptr_t pointer;
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
    return pointer;
}

APROF_INLINE void native_set_thread_pointer(uintptr_t pointer)
{
    __asm__ volatile("msr tpidr_el0, %0" : : "r"(pointer) : "memory");
}
#endif

#endif
