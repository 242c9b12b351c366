/* Reports of which not all activations were recorded.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_REPORT_SAMPLE_H
#define LIB_REPORT_SAMPLE_H

#include "lib/report.h"

/* "1829 of at least 825806 calls recorded, ..."; the caller frees it. NULL: all were recorded. */
char *report_share_words(const struct report *report);

/* Calls and costs of profiles become what they were in the run, as far as the recorded activations are
 * like the others; the run's cost is their sum. Points stay what was recorded. Nothing if all was. */
void report_estimate(struct report *report);

/* Costs of whole runs are asked for, which a sample does not have. */
bool report_is_whole(const struct report *report, struct failure *why);

#endif
