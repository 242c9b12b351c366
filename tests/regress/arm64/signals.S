/* Routines that are interrupted; their cost in blocks is exact whatever handlers run meanwhile.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress_asm.h"

/* long send_signal(pid, thread, signal): tgkill; 1 block */
BEGIN(send_signal)
    mov x8, #131
    svc #0
    ret
END(send_signal)

/* subs+b.ne n times, ret: n + 1 blocks */
BEGIN(busy)
    subs x0, x0, #1
    b.ne busy
    ret
END(busy)
