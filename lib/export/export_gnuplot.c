/* Writes columns for gnuplot, with a block of points for each routine, thread and metric.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     # routine work, trms, 4-byte cells, basic blocks
 *     # input calls mean min max variance self induced_thread induced_external
 *     10 2 55 50 60 25 55 0 0
 *
 * Two blank lines separate blocks, so that gnuplot's `index` finds them.
 */
#include "lib/export/export.h"
#include "lib/base/control.h"

#include <inttypes.h>

static void write_point(FILE *to, const struct report_point *p)
{
    double calls = (double)p->calls, mean = (double)p->cost_sum / calls;
    double variance = (double)p->cost_squares / calls - mean * mean;
    fprintf(to,
            "%" PRIu64 " %" PRIu64 " %.10g %" PRIu64 " %" PRIu64 " %.10g %.10g %" PRIu64 " %" PRIu64
            "\n",
            p->input, p->calls, mean, p->cost_min, p->cost_max, variance > 0 ? variance : 0,
            (double)p->self_sum / calls, p->induced_thread, p->induced_external);
}

static void write_block(FILE *to, const struct report *r, const struct report_profile *profile,
                        enum report_metric m)
{
    const struct report_point *points = profile_points(r, profile, m);
    char *words = report_input_words(r, m);
    fputs("# routine ", to);
    control_write(r->routines.at[profile->routine].name, ' ', to);
    if (profile->thread)
        fprintf(to, ", thread %" PRIu32, profile->thread);
    fprintf(to, ", %s, %s\n", words, report_cost_words(r));
    fputs("# input calls mean min max variance self induced_thread induced_external\n", to);
    for (size_t i = 0; i < profile->count[m]; i++)
        write_point(to, &points[i]);
    free(words);
}

static bool gnuplot_report(struct export_writer *w, const struct export_job *job,
                           struct failure *why)
{
    const struct report *r = &job->report;
    bool first = w->reports == 0;
    (void)why;
    for (size_t i = 0; i < r->profiles.count; i++) {
        const struct report_profile *profile = &r->profiles.at[i];
        for (int m = 0; m < METRIC_COUNT; m++) {
            if (!export_wanted(job, profile) || !job->metrics[m] || profile->count[m] == 0)
                continue;
            fputs(first ? "" : "\n\n", w->stream);
            first = false;
            write_block(w->stream, r, profile, (enum report_metric)m);
        }
    }
    return true;
}

const struct export_format export_gnuplot = {"gnuplot", export_nothing, gnuplot_report,
                                             export_nothing, false};
