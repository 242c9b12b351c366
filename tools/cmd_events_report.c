/* `aprof events report`: what an analysis has counted, the largest counts first.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/events_command.h"
#include "tools/export_command.h"
#include "tools/report_view.h"
#include "lib/events/events_reader.h"
#include "lib/base/output.h"

#include <string.h>

#define TOP_DEFAULT 30 /* rows for people; scripts get all */

const struct events_format events_formats[] = {
    {"text", events_write_text},
    {"csv", events_write_csv},
    {"json", events_write_json},
    {"dot", events_write_dot},
    {0},
};
enum { FORMAT_TEXT, FORMAT_CSV, FORMAT_DOT = 3 };

/* The larger count comes first; equal ones stay as they are in the file. */
static int by_count(const void *left, const void *right, void *user)
{
    const struct events_report *r = user;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    uint64_t count_a = r->rows.at[a].counts[0], count_b = r->rows.at[b].counts[0];
    if (count_a != count_b)
        return count_a > count_b ? -1 : 1;
    return a < b ? -1 : a > b;
}

static size_t *sorted_rows(struct events_report *r)
{
    size_t *order = memory_get_zeroed(r->rows.count + 1, sizeof *order);
    for (size_t i = 0; i < r->rows.count; i++)
        order[i] = i;
    qsort_r(order, r->rows.count, sizeof *order, by_count, r);
    return order;
}

static bool write_report(const struct common_options *s, int format, struct events_report *r,
                         struct failure *why)
{
    struct output output;
    if (!output_open(&output, s->output, why))
        return false;
    events_resolve(r, s);
    size_t *order = sorted_rows(r);
    struct events_view view = {
        r, order, common_top(s, format == FORMAT_TEXT ? TOP_DEFAULT : 0, r->rows.count)};
    events_formats[format].write(&view, output.stream);
    free(order);
    return output_close(&output, why);
}

static bool check_format(int format, const struct events_report *r, struct failure *why)
{
    if (format != FORMAT_DOT || strcmp(r->analysis, "callgraph") == 0)
        return true;
    return failure_set(why, "%s: only call graphs can be drawn, this is the analysis %s", r->path,
                       r->analysis);
}

static bool report(const struct common_options *s, int format, const char *path,
                   struct failure *why)
{
    struct events_report r;
    if (!events_read_file(&r, path, why))
        return false;
    bool good = check_format(format, &r, why) && write_report(s, format, &r, why);
    events_free(&r);
    return good;
}

static int run_report(char **argv)
{
    struct report_settings settings = REPORT_SETTINGS;
    struct options options;
    struct failure why;
    if (!options_parse(&options, &events_report_step, argv, &settings))
        return options.status;
    return report(&settings.common, settings.format, options.operands.at[0], &why)
               ? STATUS_OK
               : message_failure(&why);
}

static int run_export(char **argv)
{
    struct export_settings settings = EXPORT_SETTINGS;
    struct options options;
    struct failure why;
    settings.format = FORMAT_CSV;
    if (!options_parse(&options, &events_export_step, argv, &settings))
        return options.status;
    return report(&settings.common, settings.format, options.operands.at[0], &why)
               ? STATUS_OK
               : message_failure(&why);
}

const struct command events_report_step = {
    .name = "report",
    .summary = "shows the largest counts, with names",
    .usage = "[options] FILE",
    .details =
        "Shows the rows of a report with the names of routines, the largest counts first. csv\n"
        "and json have all columns, for scripts; dot is for Graphviz.",
    .options = report_options,
    .kinds = FOR_EVENTS,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "one report of an analysis",
    .run = run_report,
};

const struct command events_export_step = {
    .name = "export",
    .summary = "writes csv, json or Graphviz",
    .usage = "[options] FILE",
    .details = "Writes the rows of a report with the names of routines, the largest counts first.\n"
               "csv and json have all columns, for scripts; dot is for Graphviz.",
    .options = export_options,
    .kinds = FOR_EVENTS,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "one report of an analysis",
    .run = run_export,
};
