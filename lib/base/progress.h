/* Shows the progress of long work on a terminal.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Nothing is shown in the first two seconds, or if standard error is not a terminal.
 */
#ifndef LIB_BASE_PROGRESS_H
#define LIB_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct progress {
    const char *what;   /* "reports" */
    size_t done, total; /* total 0: the total is not known */
    struct timespec start;
    struct timespec next; /* time of the next update of the progress line */
    bool shown;
};

struct progress progress_start(const char *what, size_t total);
void progress_step(struct progress *progress, size_t done);

/* Shows the elapsed seconds while another process works: "2 of 3 runs, 14 s". The progress line
 * ends with a carriage return, so that messages of the process overwrite it. */
void progress_wait(struct progress *progress);
void progress_end(struct progress *progress); /* removes the progress line from the terminal */

#endif
