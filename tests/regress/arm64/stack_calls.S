/* Switches of the stack by moving the stack pointer and then calling.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress_asm.h"

/* void call_on(void *stack, void (*routine)(void)): as split stacks and Go's systemstack do */
BEGIN(call_on)
    stp x29, x30, [sp, #-16]!
    mov x29, sp
    mov sp, x0
    blr x1
    mov sp, x29
    ldp x29, x30, [sp], #16
    ret
END(call_on)

/* void stack_enter(void **save, void *stack, void (*routine)(void)): begins a coroutine */
BEGIN(stack_enter)
    stp x29, x30, [sp, #-96]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    blr x2
    brk #0
END(stack_enter)

/* void leave_by_call(void **save, void *to, void (*routine)(void)): as Go's mcall does; `routine`
 * does not return */
BEGIN(leave_by_call)
    stp x29, x30, [sp, #-96]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    blr x2
    brk #0
END(leave_by_call)

/* void go_on(void *to): leaves this stack for good */
BEGIN(go_on)
    mov sp, x0
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp x29, x30, [sp], #96
    ret
END(go_on)
