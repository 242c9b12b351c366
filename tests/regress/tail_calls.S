/* A jump to another routine's entry is a call that returns together with its caller.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each routine is one block that ends with its jump or return, unless its comment gives another
 * number. A comment gives the routine's cost in blocks and its input in cells.
 */
#include "tests/regress/regress_asm.h"

/* 1, reads one cell */
BEGIN(tail_leaf)
    mov (%rdi), %eax
    add %eax, %esi
    ret
END(tail_leaf)

/* 1 + 1, input 1 */
BEGIN(tail_direct)
    jmp tail_leaf
END(tail_direct)

/* 1 + 1, input 1 */
BEGIN(tail_indirect)
    lea tail_leaf(%rip), %rax
    jmp *%rax
END(tail_indirect)

/* 1 + 2: a chain of three; input 2, as tail_middle's */
BEGIN(tail_chain)
    jmp tail_middle
END(tail_chain)

/* reads another cell, then goes on by a computed jump: 1 + 1, input 2 */
BEGIN(tail_middle)
    add 64(%rdi), %esi
    lea tail_leaf(%rip), %rax
    jmp *%rax
END(tail_middle)

/* conditional: called with 0 it jumps (1 + 1, input 1), called with 1 it returns (2, input 0) */
BEGIN(tail_conditional)
    test %esi, %esi
    jz tail_leaf
    ret
END(tail_conditional)

/* push;ret is a jump to what was pushed: 1 + 1, input 1; the pushed cells are written first */
BEGIN(push_ret)
    lea tail_leaf(%rip), %rax
    push %rax
    ret
END(push_ret)

/* Own blocks: 7 that end with the calls and the last: 8. Children: direct 2, indirect 2, chain
 * 3, conditional 2 and 2, push_ret 2, leaf 1: 14; total 22. Input: the cells at 0 and 64, 2. */
BEGIN(tail_caller)
    push %rbx
    mov %rdi, %rbx
    call tail_direct
    mov %rbx, %rdi
    call tail_indirect
    mov %rbx, %rdi
    call tail_chain
    mov %rbx, %rdi
    xor %esi, %esi
    call tail_conditional
    mov %rbx, %rdi
    mov $1, %esi
    call tail_conditional
    mov %rbx, %rdi
    call push_ret
    mov %rbx, %rdi
    call tail_leaf
    pop %rbx
    ret
END(tail_caller)

/* even and odd tail-call each other: a jump back into a routine of the same chain is a loop in
 * it. even(100): 101 entries of 2 blocks each, 202; odd is entered 50 times for 2 blocks: 100;
 * even's own are 102. */
BEGIN(even)
    test %edi, %edi
    jz 1f
    dec %edi
    jmp odd
1:  ret
END(even)

BEGIN(odd)
    test %edi, %edi
    jz 1f
    dec %edi
    jmp even
1:  ret
END(odd)

/* a jump to its own entry is a loop: n + 1 blocks [test, jz] and n [dec, jmp], ret 1: 2n + 2;
 * one call */
BEGIN(self_tail)
    test %edi, %edi
    jz 1f
    dec %edi
    jmp self_tail
1:  ret
END(self_tail)

/* computed jumps inside a routine are no calls: 3 blocks, one call */
BEGIN(inner_jump)
    lea 1f(%rip), %rax
    jmp *%rax
    nop
1:  jmp 2f
2:  ret
END(inner_jump)
