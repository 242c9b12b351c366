/* `aprof diff`: the settings and the table of options for all kinds of reports.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_DIFF_COMMAND_H
#define TOOLS_DIFF_COMMAND_H

#include "tools/common_options.h"
#include "lib/compare/comparison.h"

#include <math.h>

/* The exit status, as in aprof-diff(1). */
enum diff_status { DIFF_WITHIN = 0, DIFF_BEYOND = 1, DIFF_FAILED = 2 };

#define DIFF_SHARES_MAX 16
/* Default number of contexts or counts to show; those with the largest differences come first. In
 * reports of points, all differences are shown. */
#define DIFF_TOP_DEFAULT 10

/* formats of `aprof diff` for all kinds of reports except points */
enum diff_format { DIFF_TEXT, DIFF_CSV, DIFF_JSON };

struct diff_shares {
    double at[DIFF_SHARES_MAX];
    size_t count;
};

/* The limits for differences in reports of contexts and events. A limit that is not given is never
 * exceeded. */
struct diff_limits {
    double rise_most; /* largest allowed rise of a count, in percent */
    double overlap_least, coverage_least;
    double uncovered_most, error_most, average_error_most, single_error_most;
    double false_most, missed_most;
};

struct diff_settings {
    struct common_options common;
    int format; /* index of the format in the list of the kind's formats */
    struct comparison_options options;
    bool all; /* for points only */
    struct diff_limits limits;
    bool scale;
    struct diff_shares phis, taus; /* for contexts only */
    bool ignore_sites;
    double rate_percent; /* sampling rate of events; below 0: the rate of the report NEW */
};

#define DIFF_RATE_NOT_GIVEN (-1)
#define DIFF_SETTINGS                                                                              \
    ((struct diff_settings){.common = COMMON_OPTIONS,                                              \
                            .options = COMPARISON_DEFAULTS,                                        \
                            .limits = {.rise_most = INFINITY,                                      \
                                       .uncovered_most = INFINITY,                                 \
                                       .error_most = INFINITY,                                     \
                                       .average_error_most = INFINITY,                             \
                                       .single_error_most = INFINITY,                              \
                                       .false_most = INFINITY,                                     \
                                       .missed_most = INFINITY},                                   \
                            .taus = {{0.01, 0.05, 0.1}, 3},                                        \
                            .rate_percent = DIFF_RATE_NOT_GIVEN})

/* Whether a count is larger in the new report by more than the limit; false if both counts are
 * smaller than --min-share of the total. */
bool diff_is_rise(const struct diff_settings *settings, double base, double now, double total);

extern const struct option_entry diff_options[];

#endif
