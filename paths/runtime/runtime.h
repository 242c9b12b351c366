/* Functions of the runtime that count paths and start threads.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef PATHS_RUNTIME_RUNTIME_H
#define PATHS_RUNTIME_RUNTIME_H

#include <pthread.h>
#include <stdint.h>

typedef int pthread_creator(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Starts a thread that counts in its own lane, or ends the program with a message if its plan does
 * not allow threads. */
int aprof_paths_start_thread(pthread_creator *create, pthread_t *thread,
                             const pthread_attr_t *attributes, void *(*routine)(void *),
                             void *argument);

/* Counts a finished path; instrumented code calls this function. */
void aprof_paths_count(uint32_t procedure, uint64_t value);
void aprof_paths_next_interval(uint64_t place);

#endif
