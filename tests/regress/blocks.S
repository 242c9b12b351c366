/* Routines whose cost in blocks and in instructions is known by counting.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A block ends with a control transfer: jmp, jcc (taken or not), call, ret, loop. A system call, a
 * rep string instruction, cpuid and the translator's size limit end none. A rep string instruction
 * is one instruction, and costs one more for each 128 bytes. Each comment says: blocks, instructions [,
 * input in cells of 4 bytes where it is not 0].
 */
#include "tests/regress/regress_asm.h"

/* 1, 194 */
BEGIN(straight_194)
    .rept 193
    add $1, %eax
    .endr
    ret
END(straight_194)

/* 1, 5000 */
BEGIN(straight_5000)
    .rept 4999
    add $1, %eax
    .endr
    ret
END(straight_5000)

/* 1, 301, input 300: an access in every instruction, so that the translator must cut it */
BEGIN(straight_loads)
    .set offset, 0
    .rept 300
    add offset(%rdi), %eax
    .set offset, offset + 4
    .endr
    ret
END(straight_loads)

/* dec+jnz 1000 times, the first with the mov before it, then ret: 1001, 1 + 2000 + 1 = 2002 */
BEGIN(loop_1000)
    mov $1000, %ecx
1:  dec %ecx
    jnz 1b
    ret
END(loop_1000)

/* the body is cut by the translator but is one block: 50 + 1 = 51, 1 + 50 * 200 + 1 = 10002 */
BEGIN(loop_long_body)
    mov $50, %ecx
1:  .rept 198
    add $1, %eax
    .endr
    dec %ecx
    jnz 1b
    ret
END(loop_long_body)

/* inner jnz 100, outer jnz 10, ret: 111, 1 + 10 * (1 + 20 + 2) + 1 = 232 */
BEGIN(loop_nested)
    mov $10, %edx
1:  mov $10, %ecx
2:  dec %ecx
    jnz 2b
    dec %edx
    jnz 1b
    ret
END(loop_nested)

/* 3, 3 */
BEGIN(jumps)
    jmp 1f
    nop
1:  jmp 2f
    nop
2:  ret
END(jumps)

/* branches that are not taken end blocks as well: 3, 5 */
BEGIN(not_taken)
    xor %eax, %eax
    jnz 1f
    test %eax, %eax
    js 1f
1:  ret
END(not_taken)

/* `loop` is a conditional jump: 10 + 1 = 11, 1 + 10 + 1 = 12 */
BEGIN(loop_instruction)
    mov $10, %ecx
1:  loop 1b
    ret
END(loop_instruction)

/* jrcxz taken: 2, 3 */
BEGIN(jump_on_zero)
    xor %ecx, %ecx
    jrcxz 1f
    nop
1:  ret
END(jump_on_zero)

/* its first block is a loop head: dec+jnz n times, ret: n + 1, 2n + 1; one call */
BEGIN(entry_loop)
    dec %edi
    jnz entry_loop
    ret
END(entry_loop)

/* a conditional move transfers no control: 1, 4 */
BEGIN(cmov)
    test %edi, %edi
    cmovz %esi, %eax
    cmovnz %edi, %eax
    ret
END(cmov)

/* 1000 bytes: 1 + 7, 3 + 7, input bytes/4 */
BEGIN(rep_movsb)
    mov %rdx, %rcx
    rep movsb
    ret
END(rep_movsb)

/* 4000 bytes: 1 + 31, 4 + 31 */
BEGIN(rep_stosl)
    mov $1000, %ecx
    xor %eax, %eax
    rep stosl
    ret
END(rep_stosl)

/* 0 repetitions: 1, 3 */
BEGIN(rep_zero)
    xor %ecx, %ecx
    rep movsb
    ret
END(rep_zero)

/* a string of 99 bytes and its end: 1, 4, input 25 */
BEGIN(repne_scasb)
    xor %eax, %eax
    mov $-1, %rcx
    repne scasb
    ret
END(repne_scasb)

/* 64 equal bytes in each of two arrays: 1, 3, input 32 */
BEGIN(repe_cmpsb)
    mov $64, %ecx
    repe cmpsb
    ret
END(repe_cmpsb)

/* two of them in one block: 1, 5, input 4 (the 16 bytes at rsi) */
BEGIN(rep_twice)
    mov $16, %ecx
    rep stosb
    mov $16, %ecx
    rep movsb
    ret
END(rep_twice)

/* ten blocks with a rep inside: 10 + 1 = 11, 1 + 10 * 4 + 1 = 42 */
BEGIN(rep_in_loop)
    mov $10, %r8d
1:  mov $16, %ecx
    rep stosb
    dec %r8d
    jnz 1b
    ret
END(rep_in_loop)

/* getpid in the middle: 1, 4 */
BEGIN(block_syscall)
    mov $39, %eax
    syscall
    add $1, %eax
    ret
END(block_syscall)

/* 1, 5 */
BEGIN(block_cpuid)
    push %rbx
    xor %eax, %eax
    cpuid
    pop %rbx
    ret
END(block_cpuid)

/* 1, 2 */
BEGIN(block_rdtsc)
    rdtsc
    ret
END(block_rdtsc)

/* 1, 2, input 1 */
BEGIN(block_lock_add)
    lock addl $1, (%rdi)
    ret
END(block_lock_add)

/* 1, 4, input 1 (it fails or succeeds, it reads) */
BEGIN(block_cmpxchg)
    xor %eax, %eax
    mov $7, %ecx
    lock cmpxchg %ecx, (%rdi)
    ret
END(block_cmpxchg)

/* 1, 5, the divide is a helper call: no block */
BEGIN(block_divide)
    mov $100, %eax
    xor %edx, %edx
    mov $7, %ecx
    div %ecx
    ret
END(block_divide)

/* 1, 1 */
BEGIN(one_ret)
    ret
END(one_ret)

/* sub..call, call, add..ret are 3 of its own and one for each leaf: total 5 and self 3,
 * instructions 5 + 2 */
BEGIN(two_calls)
    sub $8, %rsp
    call one_ret
    call one_ret
    add $8, %rsp
    ret
END(two_calls)

/* the callee pops 8 bytes of arguments: 2, 3 with the callee's block and instruction 3 and 4 */
BEGIN(pop_callee)
    ret $8
END(pop_callee)

BEGIN(pop_caller)
    push $1
    call pop_callee
    ret
END(pop_caller)

/* reads its own address off the stack: no call; what it pops it has pushed: input 0 */
BEGIN(call_next)
    call 1f
1:  pop %rax
    ret
END(call_next)
