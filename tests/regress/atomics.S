/* Atomic instructions as reads and writes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each comment gives the input in cells of 4 bytes. atomics.c tests in another thread whether an
 * instruction wrote.
 */
#include "tests/regress/regress_asm.h"

/* long cmpxchg(int *at, int old, int new): 1, it reads in any case; writes only if it succeeds */
BEGIN(cmpxchg)
    mov %esi, %eax
    lock cmpxchg %edx, (%rdi)
    ret
END(cmpxchg)

/* 16 bytes: 4 */
BEGIN(cmpxchg_16)
    push %rbx
    mov %rsi, %rax
    mov %rsi, %rdx
    mov $1, %ebx
    mov $1, %ecx
    lock cmpxchg16b (%rdi)
    pop %rbx
    ret
END(cmpxchg_16)

/* 8 bytes: 2 */
BEGIN(cmpxchg_8)
    push %rbx
    mov %rsi, %rax
    mov %rsi, %rdx
    mov $1, %ebx
    mov $1, %ecx
    lock cmpxchg8b (%rdi)
    pop %rbx
    ret
END(cmpxchg_8)

/* 1 */
BEGIN(lock_add)
    lock addl $1, (%rdi)
    ret
END(lock_add)

/* 1 */
BEGIN(lock_xadd)
    mov $1, %eax
    lock xaddl %eax, (%rdi)
    ret
END(lock_xadd)

/* 1 */
BEGIN(exchange)
    mov $5, %eax
    xchg %eax, (%rdi)
    ret
END(exchange)

/* 1 byte of it is 1 cell: 1 */
BEGIN(lock_bts)
    lock btsl $3, (%rdi)
    ret
END(lock_bts)

/* 2 of 8 bytes: 2 */
BEGIN(lock_inc_8)
    lock incq (%rdi)
    ret
END(lock_inc_8)
