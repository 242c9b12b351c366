/* A return while the shadow stack is empty: the program's first routine returns to another routine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * _start: adr, ret (1 block); last: mov, mov, system call (1 block): cost 2 in all, and each of the
 * two routines has one activation. No input.
 */
#include "tests/regress/regress_asm.h"

BEGIN(_start)
    adr x30, last
    ret
END(_start)

BEGIN(last)
    mov x8, #93
    mov x0, #0
    svc #0
END(last)

    .data /* Valgrind reads no symbols of an object that has no data */
    .long 1
