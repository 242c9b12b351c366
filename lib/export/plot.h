/* The kinds of pictures: the required input of each kind, and the numbers for gnuplot.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_EXPORT_PLOT_H
#define LIB_EXPORT_PLOT_H

#include "lib/report/report.h"

#include <stdio.h>

/* A picture to be drawn. */
struct plot_request {
    const struct plot_kind *kind;
    enum report_metric metric;
    unsigned long groups; /* number of groups into which sizes are merged; 0: no groups */
    /* whether all groups span the same ratio of sizes; otherwise, they span the same difference */
    bool log_x;
    bool mine; /* whether pictures of whole reports omit system libraries */
    const struct report *reports;
    size_t report_count;
    uint32_t routine; /* routine of the first report, for kinds that show one routine */
};

struct plot_kind {
    const char *name;
    const char *script;
    bool of_routine;     /* whether the kind needs a routine and one report */
    bool both_metrics;   /* whether the kind needs trms and rms points */
    const char *title;   /* title; a routine's name precedes it if the kind shows one routine */
    const char *x_label; /* label of the x axis; NULL: the axis is the input size */
    const char *y_label;
    bool y_is_cost;    /* whether the unit of cost is added to the label */
    const char *style; /* last argument of the script; NULL: there is none */
    bool (*write)(const struct plot_request *, FILE *to); /* writes the data; returns false if there
                                                           * is nothing to draw */
};

/* The table of kinds ends with an entry without a name. The first kind of picture is the default.
 */
extern const struct plot_kind plot_kinds[];

/* Returns the names of the axes that are logarithmic by default. An axis is logarithmic if its
 * largest number is far from the median, because most points would overlap on a linear axis. For
 * kinds whose axes are not sizes and costs, the text is "".
 */
const char *plot_choose_log(const struct plot_request *q);

/* Begins a block of columns with its name in quotes. */
void plot_start_block(FILE *to, const char *name, bool first);

#endif
