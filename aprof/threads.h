/* Converts threads, signals and forks to events.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_THREADS_H
#define APROF_THREADS_H

/* Registers the callbacks with Valgrind's core. `forked` is called in a forked child, after the
 * events of the fork. The function `stopped` is called whenever the client stops between
 * superblocks: for each system call, and after at most 100 000 blocks. `stopped` may be NULL. */
void threads_register(void (*forked)(void), void (*stopped)(void));

/* Assigns all records from this call on, until the next call, to thread `tid`. */
void threads_switch(ThreadId tid);

/* Returns the number of the program's threads. */
UInt threads_count(void);

/* Returns the signal that ended the process by its default action; 0: the process exited. */
Int threads_fatal_signal(void);

/* Calls `action` now, or after the current superblock if the client is inside one. Only one action
 * can be pending; a later action replaces an earlier one. */
void threads_when_stopped(void (*action)(void));

#endif
