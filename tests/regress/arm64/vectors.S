/* Wide loads and stores, and pairs of registers.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each comment gives the input in cells of 4 bytes. Results are stored to x1, which is never read
 * before. Each routine has the name of the corresponding routine of
 * amd64.
 */
#include "tests/regress/regress_asm.h"

/* 16 bytes: 4 */
BEGIN(load_16)
    ldr q0, [x0]
    str q0, [x1]
    ret
END(load_16)

/* 16 bytes at 2 beyond a cell's begin touch 5 cells: 5 */
BEGIN(load_16_across)
    ldur q0, [x0, #2]
    str q0, [x1]
    ret
END(load_16_across)

/* what was stored is read: 0 */
BEGIN(store_load_16)
    str q0, [x1]
    ldr q1, [x1]
    str q1, [x1, #16]
    ret
END(store_load_16)

/* 8 bytes of a register's low half, 4 of a scalar, three scalars: 2 + 1 + 3 = 6 */
BEGIN(load_parts)
    ldr d0, [x0]
    ldr s1, [x0, #16]
    ldp s2, s3, [x0, #32]
    ldr s4, [x0, #40]
    stp s1, s2, [x1]
    stp s3, s4, [x1, #8]
    str d0, [x1, #16]
    ret
END(load_parts)

/* The bytes that a mask selects are merged: 4 for the mask, and 4. */
BEGIN(mask_store_bytes)
    ld1 {v1.16b}, [x0]
    ld1 {v0.16b}, [x1]
    cmeq v2.16b, v2.16b, v2.16b
    bsl v1.16b, v2.16b, v0.16b
    st1 {v1.16b}, [x1]
    ret
END(mask_store_bytes)

/* writes 64 bytes, of which some 4 cells are read then: 0 */
BEGIN(fxsave)
    stp q0, q1, [x0]
    st1 {v2.16b, v3.16b}, [x0]
    stp q2, q3, [x0, #32]
    ldr w1, [x0]
    ldr w2, [x0, #24]
    ldp w3, w4, [x0, #56]
    ret
END(fxsave)

/* what was saved is restored: 0; between the two nothing else */
BEGIN(fxsave_fxrstor)
    stp d8, d9, [x0, #64]
    stp x19, x20, [x0, #80]
    ldp d8, d9, [x0, #64]
    ldp x19, x20, [x0, #80]
    ret
END(fxsave_fxrstor)
