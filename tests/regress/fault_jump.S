/* A setjmp and a jump to where it was called from, with nothing at the end of the jump.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress_asm.h"

/* long remember(long place[9]): 0; 1 when the handler has gone on from `place` */
BEGIN(remember)
    mov %rbx, 0(%rdi)
    mov %rbp, 8(%rdi)
    mov %r12, 16(%rdi)
    mov %r13, 24(%rdi)
    mov %r14, 32(%rdi)
    mov %r15, 40(%rdi)
    lea 8(%rsp), %rax
    mov %rax, 48(%rdi)
    mov (%rsp), %rax
    mov %rax, 56(%rdi)
    xor %eax, %eax
    ret
END(remember)

/* void fall_back(const long place[9]): to the stack pointer of `place`, and to its last word */
BEGIN(fall_back)
    mov 48(%rdi), %rsp
    jmp *64(%rdi)
END(fall_back)
