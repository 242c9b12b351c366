/* What counts of a sample say of the whole: intervals that hold however events clump.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A profiler that looks in bursts counts what it sees with a weight. Calls come in clumps: all that
 * one burst shows of a context may be all that there is. So a count is taken for a number of clumps
 * of the largest size that a burst had, and that number for Poisson's: the widest spread that bursts
 * at random moments can have. Narrower intervals would need to know how evenly calls are spread.
 *
 * Example: a burst weighs up to 5 000 calls; 500 000 were counted, so at least 100 clumps; twice the
 * square root of that is 20: 400 000 to 615 000.
 */
#ifndef LIB_REPORT_ESTIMATE_H
#define LIB_REPORT_ESTIMATE_H

#include "lib/report/report.h"

struct estimate {
    bool known;             /* the options say so; those of several files may not */
    bool sampled;           /* else counts are what they are */
    bool few;               /* so few bursts that there is no upper bound */
    bool exact_total;       /* all calls were counted, though not all looked at */
    double lowest, highest; /* factors for all counts together */
    double clump;
};

/* From the options of a report: bursts=, clump=, total=exact; of older ones lowest=, highest=. */
struct estimate estimate_of(const string_list *options);

/* From those of a report of events: made=, seen=, sampling=. Known if the rate was one and the same:
 * bursts that were lost were lost where the program was busy, and stand for nothing else. */
struct estimate estimate_of_events(const string_list *options);

/* "an estimate: it is from L to H", or how else the total of a profile with bursts is to be read.
 * The caller frees it. */
char *estimate_words(const struct estimate *estimate, uint64_t total);

/* The interval of a count that may be too large by `error` besides. 97.7 % on either side. */
double estimate_low(const struct estimate *estimate, uint64_t count, uint64_t error);
double estimate_high(const struct estimate *estimate, uint64_t count);

#endif
