/* Finds the size of each of several runs: the axis of `aprof scale`.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_GROWTH_SCALE_AXIS_H
#define LIB_GROWTH_SCALE_AXIS_H

#include "lib/report/report.h"

/* Sizes that grow by less than this factor from the first run to the last are not used. */
#define SCALE_GROWTH_MIN 2.0

struct scale_run {
    double size;
    const struct report *report;
};

/* Finds the sizes of the runs and sorts the runs by size. The sizes are `sizes`; if `sizes` is
 * NULL, they are the sizes in the reports, or else the external input. If one routine and its
 * callees read all additional input of each larger run, the size is this routine's input. This
 * input excludes start-up (the loader, a locale, a script). `axis` describes the sizes. Returns
 * false if no sizes of the runs can be found. */
bool scale_axis_find(struct scale_run *runs, size_t count, const double *sizes, const char **axis,
                     struct failure *why);

#endif
