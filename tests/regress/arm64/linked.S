/* Uses of the link register: calls without a frame, returns by jumps, and tables of jumps.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each comment gives the routine's own blocks, and its input in cells of 4 bytes.
 */
#include "tests/regress/regress_asm.h"

/* 1 block, input 1 */
BEGIN(leaf)
    ldr w0, [x0]
    ret
END(leaf)

/* Calls with the stack pointer that it was called with: 2 blocks, then reads one more cell than
 * its callee: input 2. */
BEGIN(frameless)
    mov x9, x30
    mov x10, x0
    bl leaf
    ldr w1, [x10, #64]
    add w0, w0, w1
    ret x9
END(frameless)

/* The same twice, each with its own register, and in a loop of 3: 1 + 3 + 1 blocks, input 3. */
BEGIN(frameless_outer)
    mov x11, x30
    mov x12, x0
    mov x13, #3
1:  mov x0, x12
    bl frameless
    subs x13, x13, #1
    b.ne 1b
    ldr w1, [x12, #128]
    ret x11
END(frameless_outer)

/* A tail call behind a call without a frame: 2 blocks, input 1; tail_of_frameless has 1. */
BEGIN(frameless_tail)
    mov x9, x30
    mov x10, x0
    bl tail_of_frameless
    ret x9
END(frameless_tail)

BEGIN(tail_of_frameless)
    b leaf
END(tail_of_frameless)

/* Returns by a jump to the link register, as longjmp does: 1 block, input 1 */
BEGIN(return_by_jump)
    ldr w0, [x0]
    br x30
END(return_by_jump)

/* A table of jumps in a routine without a frame: 3 blocks, input 1. */
BEGIN(table)
    adr x2, 1f
    add x2, x2, x1, lsl #3
    br x2
1:  mov w3, #0
    b 2f
    mov w3, #1
    b 2f
    mov w3, #2
    b 2f
2:  ldr w0, [x0]
    ret
END(table)

/* A pointer is called, and tail-calls through another: 2 blocks; input 1. */
BEGIN(by_pointer)
    stp x29, x30, [sp, #-16]!
    adr x2, through_pointer
    blr x2
    ldp x29, x30, [sp], #16
    ret
END(by_pointer)

BEGIN(through_pointer)
    adr x3, leaf
    br x3
END(through_pointer)
