/* The data of a page about runs of several sizes; see page_scale.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/page/page_scale.h"
#include "lib/load/report_set.h"
#include "lib/growth/scale.h"

#define ROUTINES_MOST 100 /* number of rows: the most expensive routines at ten times the size */

static void write_routine(struct json *json, const struct scale_routine *r,
                          const struct report *reports)
{
    char *growth = scale_growth_words(r), *why = scale_reason_words(r);
    json_open_compact(json, NULL, '[');
    json_number(json, NULL, (size_t)(r->report - reports));
    json_number(json, NULL, (size_t)(r->routine - r->report->routines.at));
    json_real(json, NULL, r->share);
    json_real(json, NULL, r->share_later);
    json_real(json, NULL, r->share_low);
    json_real(json, NULL, r->share_high);
    json_text(json, NULL, growth);
    json_text(json, NULL, why);
    json_number(json, NULL, r->rises);
    if (r->inlined)
        json_text(json, NULL, r->inlined);
    json_close(json);
    free(growth);
    free(why);
}

static void write_scale(struct json *json, const struct scale *scale, const struct report *reports)
{
    json_open(json, "scale", '{');
    json_text(json, "axis", scale->axis);
    json_open_compact(json, "sizes", '[');
    for (size_t i = 0; i < scale->runs; i++)
        json_real(json, NULL, scale->size[i]);
    json_close(json);
    json_open(json, "routines", '[');
    for (size_t i = 0; i < scale->list.count && i < ROUTINES_MOST; i++)
        write_routine(json, &scale->list.at[i], reports);
    json_close(json);
    json_close(json);
}

/* Writes the prediction only if all sizes differ; otherwise the reports are runs of one size. */
static void write_if_sized(struct json *json, const struct report *reports, size_t count)
{
    const struct report **all = memory_get_zeroed(count, sizeof *all);
    struct scale scale = {0};
    struct failure unused;
    enum report_metric metric;
    bool sized = true;
    for (size_t i = 0; i < count; i++) {
        all[i] = &reports[i];
        sized = sized && reports[i].size > 0;
    }
    sized = sized && report_choose_metric(&reports[0], NULL, &metric, &unused);
    if (sized && scale_make(&scale, all, NULL, count, metric, true, &unused))
        write_scale(json, &scale, reports);
    scale_free(&scale);
    free(all);
}

bool page_scale_write(struct json *json, const string_list *paths, struct failure *why)
{
    struct report *reports = memory_get_zeroed(paths->count, sizeof *reports);
    bool good = true;
    for (size_t i = 0; good && i < paths->count && paths->count > 1; i++) {
        good = report_set_read(paths->at[i], &reports[i], why);
        if (good)
            report_merge_threads(&reports[i]);
    }
    if (good && paths->count > 1)
        write_if_sized(json, reports, paths->count);
    for (size_t i = 0; i < paths->count; i++)
        report_free(&reports[i]);
    free(reports);
    return good;
}
