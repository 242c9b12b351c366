/* Estimates from the counts of a sample, with intervals that also hold for clustered events.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A profiler that counts in bursts gives each count a weight. Calls are clustered: one burst may
 * contain all calls of a context. So a count is treated as a number of clumps with a Poisson
 * distribution; each clump has the calls of the largest possible burst. For calls at random times,
 * clumps of the largest size are the worst case. Narrower intervals would require data on the
 * distribution of calls in time.
 *
 * Example: if a burst represents up to 5 000 calls and 500 000 calls were counted, there were at
 * least 100 clumps. Twice the square root of 100 is 20, so the lower limit is 20 clumps below the
 * count: 400 000. The upper limit is about 22 clumps above the count: 610 500.
 */
#ifndef LIB_REPORT_ESTIMATE_H
#define LIB_REPORT_ESTIMATE_H

#include "lib/report/report.h"

struct estimate {
    bool known;       /* whether the options contain the factors; merged options of several files
                       * may lack them */
    bool sampled;     /* whether counts are estimates; otherwise counts are exact */
    bool few;         /* whether bursts are so few that there is no upper bound */
    bool exact_total; /* whether the number of all calls is exact, although only some calls were
                       * recorded */
    double lowest, highest; /* factors for the sum of all counts */
    double clump;
};

/* Makes an estimate from the options bursts=, clump= and total=exact of a report. Older reports
 * have the options lowest= and highest= instead. */
struct estimate estimate_of(const string_list *options);

/* Makes an estimate from the options made=, seen= and sampling= of a report of events. The estimate
 * is known if the rate was constant and no burst was lost. Bursts are lost while the program is
 * busy, so the remaining bursts are not representative. */
struct estimate estimate_of_events(const string_list *options);

/* Describes the total of a profile with bursts, for example "an estimate: it is from L to H". The
 * caller frees the text. */
char *estimate_words(const struct estimate *estimate, uint64_t total);

/* The lower and the upper bound of an estimated count. In addition to the error of the estimate,
 * the count may be too large by `error`. Each bound is correct with a probability of 97.7 %. */
double estimate_low(const struct estimate *estimate, uint64_t count, uint64_t error);
double estimate_high(const struct estimate *estimate, uint64_t count);

#endif
