/* What `aprof report` shows: lines of a report, chosen and sorted, and how they are written.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * report_lines.c chooses and sorts, report_columns.c makes the table, report_explain.c has what is
 * told of one routine, and cmd_report.c puts them together.
 */
#ifndef TOOLS_REPORT_VIEW_H
#define TOOLS_REPORT_VIEW_H

#include "lib/summary.h"

#include <stdio.h>

#define REPORT_CALLERS_SHOWN 8 /* behind a routine's name; tsv has all */

enum report_format { REPORT_TEXT, REPORT_TSV };
enum report_by { REPORT_BY_ROUTINE, REPORT_BY_CONTEXT };

struct report_settings {
    int sort, format, by;
    unsigned long top;
    const char *routine, *filter, *metric_name, *output;
    bool threads;
};

/* What may be shown, and where it stands: small, because there may be millions of contexts. */
struct report_line {
    const struct report_profile *profile;
    const struct report_routine *routine;
    const struct report_context *context; /* NULL: all activations of the routine */
    double value, tie;
    bool claimed; /* of one call's growth something may be said */
};

/* What is shown, and what the shares refer to. */
struct report_view {
    const struct report_settings *settings;
    struct report report;
    enum report_metric metric;
    VECTOR(struct report_line) lines;
    size_t all;       /* lines before any were left out */
    u128 total_input; /* of all activations: the base of each routine's share of the input */
};

/* Ends with an entry without a name; the first is the default. */
struct report_sort_key {
    const char *name, *words;
    double (*value)(const struct summary *);
};
extern const struct report_sort_key report_sort_keys[];

/* Fills the lines from the report that was read, as the settings want them. */
bool report_view_make(struct report_view *view, struct failure *why);

struct summary report_line_summary(const struct report_view *view, size_t index);

void report_view_write_table(const struct report_view *view, FILE *to, size_t lines);

/* All that is known of one routine: what may be claimed of its growth, why, and its points. */
void report_explain(const struct report_view *view, const struct summary *s, FILE *to);

#endif
