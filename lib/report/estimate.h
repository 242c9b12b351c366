/* Estimates from the counts of a sample, with intervals that hold for clustered events, too.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A profiler that counts in bursts gives each count a weight. Calls are clustered: one burst may
 * contain all calls of a context. Therefore a count is treated as a Poisson-distributed number of
 * clumps, each as large as a burst can be. Clumps of the largest size are the worst case for calls
 * at random times. Narrower intervals would require knowledge of how evenly calls are distributed.
 *
 * Example: a burst weighs up to 5 000 calls; 500 000 were counted, so at least 100 clumps. Twice
 * the square root of 100 is 20, so the interval is 400 000 to 615 000.
 */
#ifndef LIB_REPORT_ESTIMATE_H
#define LIB_REPORT_ESTIMATE_H

#include "lib/report/report.h"

struct estimate {
    bool known;       /* the options contain them; the merged options of several files may not */
    bool sampled;     /* otherwise counts are exact */
    bool few;         /* so few bursts that there is no upper bound */
    bool exact_total; /* all calls were counted, but not all were followed */
    double lowest, highest; /* factors for all counts together */
    double clump;
};

/* Makes an estimate from the options of a report: bursts=, clump=, total=exact; in older reports
 * lowest=, highest=. */
struct estimate estimate_of(const string_list *options);

/* Makes an estimate from the options of a report of events: made=, seen=, sampling=. Known if the
 * rate was constant and no burst was lost. Bursts are lost while the program is busy, so the
 * remaining bursts are not representative. */
struct estimate estimate_of_events(const string_list *options);

/* "an estimate: it is from L to H", or another description of the total of a profile with
 * bursts. The caller frees it. */
char *estimate_words(const struct estimate *estimate, uint64_t total);

/* The interval of a count that may also be too large by `error`. Each bound holds with 97.7 %. */
double estimate_low(const struct estimate *estimate, uint64_t count, uint64_t error);
double estimate_high(const struct estimate *estimate, uint64_t count);

#endif
