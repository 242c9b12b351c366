/* The library's side of lazy_binding.c: one block, one cell (two cells: `callee_two`).
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress_asm.h"

BEGIN(callee)
    mov (%rdi), %eax
    add %esi, %eax
    ret
END(callee)

BEGIN(callee_two)
    mov (%rdi), %eax
    add 4(%rdi), %eax
    ret
END(callee_two)
