/* Routines that are interrupted; their cost in blocks does not depend on the handlers that run.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress_asm.h"

/* long send_signal(pid, thread, signal): tgkill; 1 block */
BEGIN(send_signal)
    mov x8, #131
    svc #0
    ret
END(send_signal)

/* The same for a handler that injects a call: 2 blocks, because the second begins again */
BEGIN(send_preempting)
    mov x8, #131
    svc #0
    ret
END(send_preempting)

/* Called by nobody: a handler pushes the link register, which then has the return address; 11 blocks */
BEGIN(injected)
    str x0, [sp, #-16]!
    mov x0, #10
1:  sub x0, x0, #1
    cbnz x0, 1b
    ldr x0, [sp], #16
    mov x9, x30
    ldr x30, [sp], #16
    br x9
END(injected)

/* subs+b.ne n times, ret: n + 1 blocks */
BEGIN(busy)
    subs x0, x0, #1
    b.ne busy
    ret
END(busy)
