/* A whole program of 9 instructions: everything in its report is known.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * _start: adr, bl (1 block, 2 instructions), and after the call a jump to `last` (1, 1); f: two
 * loads and ret (1, 3); last: mov, mov, system call (1, 3). Blocks: 4, instructions: 9.
 * Activations: f, _start, which nobody has called, and last, a tail call: 3. Input of f and so of
 * _start: 2 cells; 2 first accesses in all.
 */
#include "tests/regress/regress_asm.h"

BEGIN(_start)
    adr x0, cells
    bl f
    b last
END(_start)

BEGIN(f)
    ldr w1, [x0]
    ldr w2, [x0, #4]
    ret
END(f)

BEGIN(last)
    mov x8, #93
    mov x0, #0
    svc #0
END(last)

    .data /* Valgrind reads no symbols of an object that has no data */
    .balign 64
cells:
    .fill 16, 4, 1
