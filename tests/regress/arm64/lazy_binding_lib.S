/* The library's side of lazy_binding.c: one block, one cell (two cells: `callee_two`).
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress_asm.h"

BEGIN(callee)
    ldr w2, [x0]
    add w0, w2, w1
    ret
END(callee)

BEGIN(callee_two)
    ldr w1, [x0]
    ldr w2, [x0, #4]
    add w0, w1, w2
    ret
END(callee_two)
