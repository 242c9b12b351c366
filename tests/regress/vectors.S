/* Wide loads and stores, and the instructions that save the processor's state.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each comment gives the input in cells of 4 bytes. Results are stored to rsi, which is never read
 * before.
 */
#include "tests/regress/regress_asm.h"

/* 16 bytes: 4 */
BEGIN(load_16)
    movups (%rdi), %xmm0
    movups %xmm0, (%rsi)
    ret
END(load_16)

/* 16 bytes at 2 beyond a cell's begin touch 5 cells: 5 */
BEGIN(load_16_across)
    movups 2(%rdi), %xmm0
    movups %xmm0, (%rsi)
    ret
END(load_16_across)

/* what was stored is read: 0 */
BEGIN(store_load_16)
    movups %xmm0, (%rsi)
    movups (%rsi), %xmm1
    movups %xmm1, 16(%rsi)
    ret
END(store_load_16)

/* 8 bytes of a register's low half, 4 of a scalar, 10 of the old coprocessor (3 cells): 2 + 1 +
 * 3 = 6 */
BEGIN(load_parts)
    movq (%rdi), %xmm0
    addss 16(%rdi), %xmm0
    fldt 32(%rdi)
    fstpt (%rsi)
    movq %xmm0, 16(%rsi)
    ret
END(load_parts)

/* A store of the bytes that a mask selects: 4 for the mask, and 4 that the instruction does not
 * read but the translator does: it makes a load, a merge and a store of all 16 bytes of it. */
BEGIN(mask_store_bytes)
    movups (%rdi), %xmm1
    pcmpeqb %xmm0, %xmm0
    xchg %rdi, %rsi
    maskmovdqu %xmm1, %xmm0
    ret
END(mask_store_bytes)

/* fxsave writes 512 bytes, of which some 4 cells are read then: 0 */
BEGIN(fxsave)
    fxsave (%rdi)
    mov (%rdi), %eax
    add 24(%rdi), %eax
    add 160(%rdi), %eax
    add 164(%rdi), %eax
    ret
END(fxsave)

/* what fxsave wrote is restored: 0; between the two nothing else */
BEGIN(fxsave_fxrstor)
    fxsave (%rdi)
    fxrstor (%rdi)
    ret
END(fxsave_fxrstor)
