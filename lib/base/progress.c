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
    clock_gettime(CLOCK_MONOTONIC, &progress.next);
    progress.next.tv_sec += QUIET_SECONDS;
    return progress;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

void progress_step(struct progress *progress, size_t done)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (is_before(&now, &progress->next) || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r%zu of %zu %s ", done, progress->total, progress->what);
    progress->shown = true;
    now.tv_nsec += NANOSECONDS_STEP;
    if (now.tv_nsec >= NANOSECONDS_WHOLE) {
        now.tv_nsec -= NANOSECONDS_WHOLE;
        now.tv_sec++;
    }
    progress->next = now;
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
