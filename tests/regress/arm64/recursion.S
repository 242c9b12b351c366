/* A recursive routine with known costs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * descend(k): k = 0 takes the branch (1 block) and returns (1): 2. k > 0: the branch is not taken
 * (1), sub..bl (1), ldp..ret (1) and what descend(k - 1) costs: cost(k) = 2 + 3k. Self cost is 3
 * for each k > 0, and 2 for 0.
 */
#include "tests/regress/regress_asm.h"

BEGIN(descend)
    cbz w0, 1f
    sub w0, w0, #1
    stp x29, x30, [sp, #-16]!
    bl descend
    ldp x29, x30, [sp], #16
1:  ret
END(descend)
