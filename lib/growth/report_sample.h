/* Estimates from sampled reports.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_GROWTH_REPORT_SAMPLE_H
#define LIB_GROWTH_REPORT_SAMPLE_H

#include "lib/report/report.h"

/* "1829 of about 825806 calls recorded, ..."; the caller frees it. NULL: all were recorded. */
char *report_share_words(const struct report *report);

/* Replaces calls and costs of profiles by estimates for the whole run, with standard errors; the
 * run's cost is their sum. Points remain as recorded. Does nothing if all calls were recorded. */
void report_estimate(struct report *report);

/* False if costs of whole runs are needed, which a sample does not have. */
bool report_is_whole(const struct report *report, struct failure *why);

#endif
