/* Threads, signals and forks, as events.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_THREADS_H
#define APROF_THREADS_H

/* Registers the callbacks with Valgrind's core. `forked` is called in a child, after the events;
 * `stopped`, unless it is NULL, whenever the client has stopped between superblocks: for each
 * system call, and after 100 000 blocks at most. */
void threads_register(void (*forked)(void), void (*stopped)(void));

/* Makes the following records belong to the thread. */
void threads_switch(ThreadId tid);

/* The number of the program's threads. */
UInt threads_count(void);

/* The signal whose default action ended the process; 0: the process exited. */
Int threads_fatal_signal(void);

/* Calls `action` now, or after the current superblock if the client is inside one. Only one action
 * can be pending; a later one replaces it. */
void threads_when_stopped(void (*action)(void));

#endif
