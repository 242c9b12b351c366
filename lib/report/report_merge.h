/* Adds reports: of threads, processes, runs and hosts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The sum does not depend on order or grouping, to the byte: numbers are added (and stay at their
 * largest value rather than wrap), extremes compared, and whatever cannot be added becomes the same
 * word from all sides: two different endings give "several", and that and any other give "several"
 * again. Threads are always merged, for thread numbers of two processes have nothing in common. The
 * process of a sum is `merged` and the number of reports in it.
 *
 * Reports of different programs, machine codes, metrics, resolutions or cost units are refused, and
 * so are those in which the same place of the same object file is not the same routine.
 */
#ifndef LIB_REPORT_REPORT_MERGE_H
#define LIB_REPORT_REPORT_MERGE_H

#include "lib/report/report.h"

/* Adds up any number of reports. Start with zeroes. */
struct report_merge {
    /* Each about twice as large as the next, so that the work stays linear in what is read. */
    VECTOR(struct report) sums;
};

/* Takes the report over, also on failure; the message names both reports. */
bool report_merge_add(struct report_merge *merge, struct report *report, struct failure *why);

/* The sum of all that were added, at least one. The merge is empty afterwards. */
bool report_merge_finish(struct report_merge *merge, struct report *sum, struct failure *why);

void report_merge_free(struct report_merge *merge);

#endif
