/* Writes CSV, with one line for each point.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The column of the context is empty for points of a routine. If the report has contexts, the
 * points of the contexts follow, with a context such as "main;parse;insert". Users' scripts rely on
 * the heading, so columns may only be added at the end.
 */
#include "lib/base/csv.h"
#include "lib/export/export.h"
#include "lib/report/report_contexts.h"

#include <inttypes.h>

static bool csv_start(struct export_writer *w, struct failure *why)
{
    (void)why;
    fputs("process,thread,routine,object,file,line,context,metric,input_size,calls,cost_sum,"
          "cost_min,cost_max,cost_sumsq,self_cost_sum,induced_thread,induced_external\n",
          w->stream);
    return true;
}

static void csv_point(FILE *to, const struct report_point *p)
{
    char sum[WIDE_DIGITS], squares[WIDE_DIGITS];
    fprintf(to,
            ",%" PRIu64 ",%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64
            ",%" PRIu64 "\n",
            p->input, p->calls, u128_format(p->cost_sum, sum), p->cost_min, p->cost_max,
            u128_format(p->cost_squares, squares), p->self_sum, p->induced_thread,
            p->induced_external);
}

/* Writes the columns up to the metric, which are the same for all points of a profile. */
static void csv_identity(FILE *to, const char *process, const struct report *r,
                         const struct report_profile *profile, const char *context)
{
    const struct report_routine *routine = &r->routines.at[profile->routine];
    csv_write_text(to, process);
    fprintf(to, ",%" PRIu32 ",", profile->thread);
    csv_write_text(to, routine->name);
    putc(',', to);
    csv_write_text(to, r->objects.at[routine->object]);
    putc(',', to);
    csv_write_text(to, routine->file);
    fprintf(to, ",%" PRIu32 ",", routine->line);
    csv_write_text(to, context);
    putc(',', to);
}

static void csv_profile(FILE *to, const struct export_job *job, const char *process,
                        const struct report_profile *profile, const char *context)
{
    const struct report *r = &job->report;
    for (int m = 0; m < METRIC_COUNT && export_wanted(job, profile); m++) {
        const struct report_point *points = profile_points(r, profile, (enum report_metric)m);
        for (size_t p = 0; p < profile->count[m] && job->metrics[m]; p++) {
            csv_identity(to, process, r, profile, context);
            fputs(metric_names[m], to);
            csv_point(to, &points[p]);
        }
    }
}

static bool csv_report(struct export_writer *w, const struct export_job *job, struct failure *why)
{
    (void)why;
    const struct report *r = &job->report;
    char *process = report_process_words(r);
    for (size_t i = 0; i < r->profiles.count; i++)
        csv_profile(w->stream, job, process, &r->profiles.at[i], "");
    for (size_t i = 0; i < r->contexts.all.count; i++) {
        char *context = context_path(r, &r->contexts.all.at[i], ';', CONTEXT_ROUTINES_MOST);
        csv_profile(w->stream, job, process, &r->contexts.all.at[i].profile, context);
        free(context);
    }
    free(process);
    return true;
}

const struct export_format export_csv = {"csv", csv_start, csv_report, export_nothing, false};
