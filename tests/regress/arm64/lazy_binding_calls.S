/* The program's side of lazy_binding.c: calls through the procedure linkage table.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress_asm.h"

/* 2 blocks of its own and the callee's 1; input 1, however the symbol is bound */
BEGIN(caller)
    stp x29, x30, [sp, #-16]!
    bl callee
    ldp x29, x30, [sp], #16
    ret
END(caller)

/* a tail call through the table: 1 + 1; input 2 */
BEGIN(tail_caller)
    b callee_two
END(tail_caller)
