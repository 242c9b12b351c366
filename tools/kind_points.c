/* Reports of points as a kind of report (model.h).
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/model.h"
#include "tools/report_load.h"
#include "lib/export/report_flame.h"
#include "lib/growth/report_sample.h"
#include "lib/report/report_writer.h"
#include "lib/symbols/report_symbols.h"

static bool points_read(void *report, const char *path, const struct common_options *settings,
                        struct failure *why)
{
    (void)settings;
    return report_load(report, path, why);
}

static void points_free(void *report)
{
    report_free(report);
}

static bool points_add(void *sum, const path_list *paths, const struct common_options *settings,
                       struct failure *why)
{
    (void)settings;
    if (!report_set_sum(paths, sum, why))
        return false;
    report_find_unread(sum);
    report_load_notes(sum);
    return true;
}

static void points_write(const void *sum, FILE *to)
{
    report_write(sum, to);
}

static void points_frames(void *report, void *base, struct contexts_flame *flame, FILE *to)
{
    void *const both[] = {report, base};
    for (int i = 0; i < 2 && both[i]; i++) {
        report_merge_threads(both[i]);
        report_estimate(both[i]);
    }
    report_flame_write(report, base, flame, to);
}

const struct report_model model_points = {
    .kind = REPORT_POINTS,
    .report_bytes = sizeof(struct report),
    .read = points_read,
    .free = points_free,
    .add = points_add,
    .write = points_write,
    .rows = points_rows,
    .compare = points_compare,
    .frames = points_frames,
    .export = points_export,
};
