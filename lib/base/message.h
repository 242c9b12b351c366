/* Messages for users, of the form `aprof: what: why`, and failures passed to the caller.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Library code never prints and never exits: a function that fails fills in a `struct failure` and
 * returns false. The sub-command chooses the message and the exit status. Only the functions of
 * memory.h end the program, if memory runs out.
 */
#ifndef LIB_BASE_MESSAGE_H
#define LIB_BASE_MESSAGE_H

#include <stdbool.h>

/* The exit statuses of all sub-commands. */
enum exit_status { STATUS_OK = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

struct failure {
    char text[1024]; /* "what: why", without the program's name */
};

/* Stores the text of a failure and returns false, for `return failure_set(...)`. */
bool failure_set(struct failure *why, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints "aprof: " and the text on standard error; bytes that could disturb a terminal become
 * '?'. */
void message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the text of a failure; returns STATUS_FAILED. */
int message_failure(const struct failure *why);

#endif
