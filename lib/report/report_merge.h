/* Adds reports: of threads, processes, runs and hosts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Invariant: the bytes of the sum do not depend on order or grouping. Numbers are added and
 * saturate; the sum has the larger of two maxima and the smaller of two minima. Different values
 * that cannot be added become the word "several"; "several" and any other value become "several".
 * Threads are always merged, because thread numbers of two processes are unrelated. The record
 * `process` of a sum has the word `merged` and the number of reports.
 *
 * The functions reject reports of different programs, machine codes, metrics, resolutions or cost
 * units. They also reject reports in which one address of an object file belongs to different
 * routines.
 */
#ifndef LIB_REPORT_REPORT_MERGE_H
#define LIB_REPORT_REPORT_MERGE_H

#include "lib/report/report.h"

/* Adds up any number of reports. A zeroed `struct report_merge` contains no report. */
struct report_merge {
    /* Each partial sum is about twice as large as the next, so the total work is nearly linear in
     * the size of the reports. */
    VECTOR(struct report) sums;
};

/* Takes ownership of the report, also on failure. The message of a failure names both reports that
 * contradict each other. */
bool report_merge_add(struct report_merge *merge, struct report *report, struct failure *why);

/* The sum of all added reports. Call this function only after at least one report was added. The
 * merge is empty afterwards. */
bool report_merge_finish(struct report_merge *merge, struct report *sum, struct failure *why);

void report_merge_free(struct report_merge *merge);

#endif
