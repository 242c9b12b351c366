/* `aprof events report`: what an analysis has counted, the largest counts first.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/events_command.h"
#include "lib/events_reader.h"
#include "lib/output.h"

#include <string.h>

#define TOP_DEFAULT 30 /* rows for people; scripts get all */

typedef void write_view(const struct events_view *view, FILE *to);
static const struct {
    const char *name;
    write_view *write;
} formats[] = {
    {"text", events_write_text},
    {"csv", events_write_csv},
    {"json", events_write_json},
    {"dot", events_write_dot},
    {0},
};
enum { FORMAT_TEXT, FORMAT_CSV, FORMAT_DOT = 3 };

#define TOP_NOT_GIVEN ((unsigned long)-1)

struct settings {
    struct events_settings common;
    int format;
};

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

static size_t shown_rows(const struct settings *s, const struct events_report *r)
{
    unsigned long top = s->common.top;
    if (top == TOP_NOT_GIVEN)
        top = s->format == FORMAT_TEXT ? TOP_DEFAULT : 0;
    return top && top < r->rows.count ? top : r->rows.count;
}

static bool write_report(const struct settings *s, struct events_report *r, struct failure *why)
{
    struct output output;
    if (!output_open(&output, s->common.output, why))
        return false;
    events_resolve(r, &s->common);
    size_t *order = sorted_rows(r);
    struct events_view view = {r, order, shown_rows(s, r)};
    formats[s->format].write(&view, output.stream);
    free(order);
    return output_close(&output, why);
}

static bool check_format(const struct settings *s, const struct events_report *r,
                         struct failure *why)
{
    if (s->format != FORMAT_DOT || strcmp(r->analysis, "callgraph") == 0)
        return true;
    return failure_set(why, "%s: only call graphs can be drawn, this is the analysis %s", r->path,
                       r->analysis);
}

static bool report(const struct settings *s, const char *path, struct failure *why)
{
    struct events_report r;
    if (!events_read_file(&r, path, why))
        return false;
    bool good = check_format(s, &r, why) && write_report(s, &r, why);
    events_free(&r);
    return good;
}

static const struct option_entry report_options[] = {
    EVENTS_ENTRY_TOP("shows the N largest counts, 0 shows all [30; other formats all]"),
    {'f', "format", "FORMAT", "*; dot is for call graphs [text]",
     OPTION_INTO(struct settings, format), OPTION_CHOICES(formats)},
    EVENTS_ENTRY_DEBUG,
    EVENTS_ENTRY_OUT,
    {0},
};

static const struct option_entry export_options[] = {
    EVENTS_ENTRY_TOP("writes the N largest counts, 0 writes all [0]"),
    {'f', "format", "FORMAT", "*; dot is for call graphs [csv]",
     OPTION_INTO(struct settings, format), OPTION_CHOICES(formats)},
    EVENTS_ENTRY_DEBUG,
    EVENTS_ENTRY_OUT,
    {0},
};

static int run(char **argv, const struct command *command, int format)
{
    struct settings settings = {.common.top = TOP_NOT_GIVEN, .format = format};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    return report(&settings, options.operands.at[0], &why) ? STATUS_OK : message_failure(&why);
}

static int run_report(char **argv)
{
    return run(argv, &events_report_step, FORMAT_TEXT);
}

static int run_export(char **argv)
{
    return run(argv, &events_export_step, FORMAT_CSV);
}

const struct command events_report_step = {
    .name = "report",
    .summary = "the rows with the largest counts, with names",
    .usage = "[options] FILE",
    .details = "Shows the rows of a report with the names of routines, the largest counts first;\n"
               "csv and json have all columns, for scripts, and dot is for Graphviz.",
    .options = report_options,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "one report of an analysis",
    .run = run_report,
};

const struct command events_export_step = {
    .name = "export",
    .summary = "the same for other programs: csv, json or Graphviz",
    .usage = "[options] FILE",
    .details = "Shows the rows of a report with the names of routines, the largest counts first;\n"
               "csv and json have all columns, for scripts, and dot is for Graphviz.",
    .options = export_options,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "one report of an analysis",
    .run = run_export,
};
