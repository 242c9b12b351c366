/* Shows the progress of long work on a terminal; see progress.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/base/progress.h"

#include <stdio.h>
#include <unistd.h>

#define QUIET_SECONDS     2
#define NANOSECONDS_STEP  200000000L
#define NANOSECONDS_WHOLE 1000000000L

struct progress progress_start(const char *what, size_t total)
{
    struct progress progress = {.what = what, .total = total};
    clock_gettime(CLOCK_MONOTONIC, &progress.start);
    progress.next = progress.start;
    progress.next.tv_sec += QUIET_SECONDS;
    return progress;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Whether to write the progress line again; also computes the time of the next update. */
static bool is_due(struct progress *progress)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (is_before(&now, &progress->next) || !isatty(STDERR_FILENO))
        return false;
    progress->shown = true;
    now.tv_nsec += NANOSECONDS_STEP;
    if (now.tv_nsec >= NANOSECONDS_WHOLE) {
        now.tv_nsec -= NANOSECONDS_WHOLE;
        now.tv_sec++;
    }
    progress->next = now;
    return true;
}

void progress_step(struct progress *progress, size_t done)
{
    progress->done = done;
    if (is_due(progress))
        fprintf(stderr, "\r%zu of %zu %s ", done, progress->total, progress->what);
}

void progress_wait(struct progress *progress)
{
    if (!is_due(progress))
        return;
    putc('\r', stderr);
    if (progress->total)
        fprintf(stderr, "%zu of %zu ", progress->done, progress->total);
    fprintf(stderr, "%s, %ld s\r", progress->what,
            (long)(progress->next.tv_sec - progress->start.tv_sec));
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
