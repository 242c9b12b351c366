/* A jump to another routine's entry is a call that returns together with its caller.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each routine is one block that ends with its jump or return, unless its comment gives another
 * number. A comment gives the routine's cost in blocks and its input in cells.
 */
#include "tests/regress/regress_asm.h"

/* 1, reads one cell */
BEGIN(tail_leaf)
    ldr w2, [x0]
    add w1, w1, w2
    ret
END(tail_leaf)

/* 1 + 1, input 1 */
BEGIN(tail_direct)
    b tail_leaf
END(tail_direct)

/* 1 + 1, input 1 */
BEGIN(tail_indirect)
    adr x2, tail_leaf
    br x2
END(tail_indirect)

/* 1 + 2: a chain of three; input 2, as tail_middle's */
BEGIN(tail_chain)
    b tail_middle
END(tail_chain)

/* reads another cell, then goes on by a computed jump: 1 + 1, input 2 */
BEGIN(tail_middle)
    ldr w3, [x0, #64]
    add w1, w1, w3
    adr x2, tail_leaf
    br x2
END(tail_middle)

/* conditional: called with 0 it jumps (1 + 1, input 1), called with 1 it returns (2, input 0) */
BEGIN(tail_conditional)
    cbz w1, tail_leaf
    ret
END(tail_conditional)

/* no return is a jump on arm64; a linker's veneer takes x16 instead: 1 + 1, input 1 */
BEGIN(push_ret)
    adr x16, tail_leaf
    br x16
END(push_ret)

/* Own blocks: 7 that end with the calls and the last: 8. Children: direct 2, indirect 2, chain
 * 3, conditional 2 and 2, push_ret 2, leaf 1: 14; total 22. Input: the cells at 0 and 64, 2. */
BEGIN(tail_caller)
    stp x19, x30, [sp, #-16]!
    mov x19, x0
    bl tail_direct
    mov x0, x19
    bl tail_indirect
    mov x0, x19
    bl tail_chain
    mov x0, x19
    mov w1, #0
    bl tail_conditional
    mov x0, x19
    mov w1, #1
    bl tail_conditional
    mov x0, x19
    bl push_ret
    mov x0, x19
    bl tail_leaf
    ldp x19, x30, [sp], #16
    ret
END(tail_caller)

/* even and odd tail-call each other: a jump back into a routine of the same chain is a loop in
 * it. even(100): 101 entries of 2 blocks each, 202; odd is entered 50 times for 2 blocks: 100;
 * even's own are 102. */
BEGIN(even)
    cbz w0, 1f
    sub w0, w0, #1
    b odd
1:  ret
END(even)

BEGIN(odd)
    cbz w0, 1f
    sub w0, w0, #1
    b even
1:  ret
END(odd)

/* a jump to its own entry is a loop: n + 1 blocks [cbz] and n [sub, b], ret 1: 2n + 2; one call */
BEGIN(self_tail)
    cbz w0, 1f
    sub w0, w0, #1
    b self_tail
1:  ret
END(self_tail)

/* computed jumps inside a routine are no calls: 3 blocks, one call */
BEGIN(inner_jump)
    adr x0, 1f
    br x0
    nop
1:  b 2f
2:  ret
END(inner_jump)
