/* Atomic instructions of arm64 as reads and writes: exclusive loads and stores.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each comment gives the input in cells of 4 bytes. atomics.c tests in another thread whether an
 * instruction wrote. Each routine has the name of the corresponding instruction of amd64.
 */
#include "tests/regress/regress_asm.h"

/* long cmpxchg(int *at, int old, int new): 1, it reads in any case; writes only if it succeeds */
BEGIN(cmpxchg)
1:  ldaxr w3, [x0]
    cmp w3, w1
    b.ne 2f
    stlxr w4, w2, [x0]
    cbnz w4, 1b
2:  mov w0, w3
    ret
END(cmpxchg)

/* 16 bytes: 4 */
BEGIN(cmpxchg_16)
    mov x5, #1
1:  ldaxp x2, x3, [x0]
    cmp x2, x1
    b.ne 2f
    cmp x3, x1
    b.ne 2f
    stlxp w4, x5, x5, [x0]
    cbnz w4, 1b
2:  ret
END(cmpxchg_16)

/* 8 bytes: 2 */
BEGIN(cmpxchg_8)
    mov x5, #1
    add x1, x1, x1, lsl #32
1:  ldaxr x2, [x0]
    cmp x2, x1
    b.ne 2f
    stlxr w4, x5, [x0]
    cbnz w4, 1b
2:  ret
END(cmpxchg_8)

/* 1 */
BEGIN(lock_add)
1:  ldxr w1, [x0]
    add w1, w1, #1
    stxr w2, w1, [x0]
    cbnz w2, 1b
    ret
END(lock_add)

/* 1 */
BEGIN(lock_xadd)
1:  ldaxr w1, [x0]
    add w2, w1, #1
    stlxr w3, w2, [x0]
    cbnz w3, 1b
    mov w0, w1
    ret
END(lock_xadd)

/* 1 */
BEGIN(exchange)
    mov w1, #5
1:  ldaxr w2, [x0]
    stlxr w3, w1, [x0]
    cbnz w3, 1b
    mov w0, w2
    ret
END(exchange)

/* 1 byte of it is 1 cell: 1 */
BEGIN(lock_bts)
1:  ldaxrb w1, [x0]
    orr w1, w1, #8
    stlxrb w2, w1, [x0]
    cbnz w2, 1b
    ret
END(lock_bts)

/* 8 bytes: 2 */
BEGIN(lock_inc_8)
1:  ldxr x1, [x0]
    add x1, x1, #1
    stxr w2, x1, [x0]
    cbnz w2, 1b
    ret
END(lock_inc_8)
