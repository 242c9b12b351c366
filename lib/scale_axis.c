/* How large each of several runs was; see scale_axis.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/scale_axis.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    const struct scale_run *left = a, *right = b;
    return (left->size > right->size) - (left->size < right->size);
}

static double carried_size(const struct report *r)
{
    return (double)r->size;
}

static double external_input(const struct report *r)
{
    return (double)r->totals.induced_external;
}

/* Fills in the sizes and sorts; false if they are no axis. */
static bool take_axis(struct scale_run *runs, size_t count, double (*size)(const struct report *))
{
    double least = 1;
    for (size_t i = 0; i < count; i++) {
        runs[i].size = size ? size(runs[i].report) : runs[i].size;
        least = fmin(least, runs[i].size);
    }
    qsort(runs, count, sizeof *runs, by_size);
    for (size_t i = 1; i < count; i++)
        least = fmin(least, runs[i].size > runs[i - 1].size ? 1 : 0);
    return least > 0 && runs[count - 1].size >= SCALE_GROWTH_MIN * runs[0].size;
}

bool scale_axis_find(struct scale_run *runs, size_t count, const double *sizes, const char **axis,
                     struct failure *why)
{
    for (size_t i = 0; sizes && i < count; i++)
        runs[i].size = sizes[i];
    *axis = "the given sizes";
    if (sizes)
        return take_axis(runs, count, NULL) ||
               failure_set(why, "sizes: must differ, and the largest be %g times the least or more",
                           SCALE_GROWTH_MIN);
    *axis = "the sizes that the reports carry";
    if (take_axis(runs, count, carried_size))
        return true;
    *axis = "external input, in cells";
    return take_axis(runs, count, external_input) ||
           failure_set(why,
                       "%s: not known how much larger this run is: its external input did not grow "
                       "%g times; give --sizes, or profile with --size",
                       runs[count - 1].report->path, SCALE_GROWTH_MIN);
}
