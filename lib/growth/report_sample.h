/* Makes estimates from sampled reports.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_GROWTH_REPORT_SAMPLE_H
#define LIB_GROWTH_REPORT_SAMPLE_H

#include "lib/report/report.h"

/* The recorded part as text: "1829 of about 825806 calls recorded, ..."; NULL if all calls were
 * recorded. The caller frees the text. */
char *report_share_words(const struct report *report);

/* Replaces calls and costs of profiles by estimates for the whole run, with standard errors; the
 * run's cost is the sum of the estimated costs. Points remain as recorded. Does nothing if all
 * calls were recorded. */
void report_estimate(struct report *report);

/* Returns false if the command needs costs of whole runs, which a sample does not provide. */
bool report_is_whole(const struct report *report, struct failure *why);

#endif
