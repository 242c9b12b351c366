/* A stack switch as coroutine libraries write it: save registers, exchange pointers, return.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress_asm.h"

/* void stack_switch(void **save, void *to) */
BEGIN(stack_switch)
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret
END(stack_switch)

/* The same: 1 block before the switch, 1 after it */
BEGIN(stack_pause)
    call stack_switch
    ret
END(stack_pause)

/* where a new coroutine begins: its routine waits in rbx */
BEGIN(stack_begin)
    call *%rbx
    ud2
END(stack_begin)
