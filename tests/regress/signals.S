/* Routines that are interrupted; their cost in blocks does not depend on the handlers that run.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress_asm.h"

/* long send_signal(pid, thread, signal): tgkill; 1 block */
BEGIN(send_signal)
    mov $234, %eax
    syscall
    ret
END(send_signal)

/* The same for a handler that injects a call: 2 blocks, because the second begins again */
BEGIN(send_preempting)
    mov $234, %eax
    syscall
    ret
END(send_preempting)

/* Called by nobody: a handler pushes its return address below the red zone; 11 blocks */
BEGIN(injected)
    pushfq
    push %rax
    mov $10, %eax
1:  dec %eax
    jnz 1b
    pop %rax
    popfq
    ret $128
END(injected)

/* dec+jnz n times, ret: n + 1 blocks */
BEGIN(busy)
    dec %rdi
    jnz busy
    ret
END(busy)
