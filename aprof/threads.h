/* Threads, signals and forks, as events.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_THREADS_H
#define APROF_THREADS_H

/* Registers the callbacks with Valgrind's core. `forked` is called in a child, after the events;
 * `stopped`, unless it is NULL, whenever the client has stopped between superblocks: for each
 * system call, and after 100 000 blocks at most. */
void threads_register(void (*forked)(void), void (*stopped)(void));

/* The records that follow are the thread's. */
void threads_switch(ThreadId tid);

/* How many threads the program has. */
UInt threads_count(void);

/* The signal whose default action has ended the process; 0: none, it has exited. */
Int threads_fatal_signal(void);

/* Calls `action` now, or, if the client is in the midst of a superblock, as soon as it is not. One
 * action can wait at a time; another replaces it. */
void threads_when_stopped(void (*action)(void));

#endif
