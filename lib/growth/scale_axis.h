/* Finds the size of each of several runs: the axis of `aprof scale`.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_GROWTH_SCALE_AXIS_H
#define LIB_GROWTH_SCALE_AXIS_H

#include "lib/report/report.h"

/* If the sizes grow by less from the first run to the last, they are no axis. */
#define SCALE_GROWTH_MIN 2.0

struct scale_run {
    double size;
    const struct report *report;
};

/* Fills in the sizes and sorts the runs by them: `sizes` as given, or if NULL the sizes in the reports, else
 * the external input. The input of start-up (the loader, a locale, a script) is excluded if one routine, with
 * its callees, reads all additional input of each larger run: then that routine's input is the axis. `axis`
 * describes the sizes. False if there is no axis. */
bool scale_axis_find(struct scale_run *runs, size_t count, const double *sizes, const char **axis,
                     struct failure *why);

#endif
