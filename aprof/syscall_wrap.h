/* System calls as events: what the kernel reads and writes, maps and unmaps.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_SYSCALL_WRAP_H
#define APROF_SYSCALL_WRAP_H

/* What happens around exec: `before` when it is called, `failed` if it returns. */
struct exec_actions {
    void (*before)(void);
    void (*failed)(void);
};

/* Registers the callbacks with Valgrind's core. */
void syscall_wrap_register(const struct exec_actions *exec);

#endif
