/* Converts system calls to events about the memory that the kernel reads, writes, maps and unmaps.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_SYSCALL_WRAP_H
#define APROF_SYSCALL_WRAP_H

/* Registers the callbacks with Valgrind's core. */
void syscall_wrap_register(void (*write_report_now)(const HChar *end));

/* Prints the counts for --stats=yes. */
void syscall_wrap_print_stats(void);

#endif
