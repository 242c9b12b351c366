/* How large each of several runs was: what `aprof scale` sets costs against.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_GROWTH_SCALE_AXIS_H
#define LIB_GROWTH_SCALE_AXIS_H

#include "lib/report/report.h"

/* An axis that grows by less from the first run to the last is no axis. */
#define SCALE_GROWTH_MIN 2.0

struct scale_run {
    double size;
    const struct report *report;
};

/* Fills in the sizes and sorts the runs by them: `sizes` as given, or if NULL what the reports carry, else
 * the external input. Of that, what start-up reads (the loader, a locale, a script) is left out if one routine
 * reads, with all that it calls, whatever a run reads more than a smaller one: its input is the axis. `axis` is what the sizes are. False if there is no axis. */
bool scale_axis_find(struct scale_run *runs, size_t count, const double *sizes, const char **axis,
                     struct failure *why);

#endif
