/* A return while the shadow stack is empty: the program's first routine returns to another routine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * _start: lea, push, ret (1 block); last: mov, xor, system call (1 block): cost 2 in all, and each
 * of the two routines has one activation. What was pushed is popped again: no input.
 */
#include "tests/regress/regress_asm.h"

BEGIN(_start)
    lea last(%rip), %rax
    push %rax
    ret
END(_start)

BEGIN(last)
    mov $60, %eax
    xor %edi, %edi
    syscall
END(last)

    .data /* Valgrind reads no symbols of an object that has no data */
    .long 1
