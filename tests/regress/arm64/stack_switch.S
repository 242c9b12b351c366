/* A stack switch as coroutine libraries write it: save registers, exchange pointers, return.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress_asm.h"

/* void stack_switch(void **save, void *to); preserves x9, too */
BEGIN(stack_switch)
    stp x29, x30, [sp, #-112]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    str x9, [sp, #96]
    mov x10, sp
    str x10, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldr x9, [sp, #96]
    ldp x29, x30, [sp], #112
    ret
END(stack_switch)

/* The same, without a frame: 1 block before the switch, 1 after it */
BEGIN(stack_pause)
    mov x9, x30
    bl stack_switch
    ret x9
END(stack_pause)

/* where a new coroutine begins: its routine waits in x19 */
BEGIN(stack_begin)
    blr x19
    brk #0
END(stack_begin)
