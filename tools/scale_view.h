/* The results of `aprof scale`, and the functions that write them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * cmd_scale.c has the command and the gate, and profiles or reads the runs; scale_formats.c writes
 * the results.
 */
#ifndef TOOLS_SCALE_VIEW_H
#define TOOLS_SCALE_VIEW_H

#include "lib/report/report.h"
#include "lib/growth/scale.h"

enum scale_format { SCALE_TEXT, SCALE_TSV, SCALE_JSON };

#define SCALE_TOP_NOT_GIVEN ((unsigned long)-1)

/* A share of the cost, in percent. A routine is called a riser only if it has at least this share,
 * either now or at ten times the size. */
#define SCALE_SHARE_NAMED 1.0

struct scale_settings {
    const char *sizes, *run, *keep, *metric_name, *output, *plot;
    double max_share, max_growth;
    unsigned long top, width;
    int format;
    bool mine, no_inlined;
};

struct prediction {
    const struct scale_settings *settings;
    const string_list *operands;
    struct report *reports;
    size_t count; /* names of the reports that were read */
    enum report_metric metric;
    struct scale scale;
};

/* Writes the prediction in the format of the settings. */
bool scale_view_write(const struct prediction *prediction, struct failure *why);

#endif
