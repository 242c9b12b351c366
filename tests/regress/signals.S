/* Routines that are interrupted; their cost in blocks is exact whatever handlers run meanwhile.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress_asm.h"

/* long send_signal(pid, thread, signal): tgkill; 1 block */
BEGIN(send_signal)
    mov $234, %eax
    syscall
    ret
END(send_signal)

/* dec+jnz n times, ret: n + 1 blocks */
BEGIN(busy)
    dec %rdi
    jnz busy
    ret
END(busy)
