/* `aprof events`: the model (model.h) of reports of analyses.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/events_command.h"
#include "tools/model.h"
#include "lib/events/events_reader.h"
#include "lib/events/events_writer.h"

#include <string.h>

#define TOP_DEFAULT 30 /* default number of rows in text; scripts get all rows */

static void (*const writers[])(const struct events_view *, FILE *) = {
    [TABLE_TEXT] = events_write_text,     [TABLE_TSV] = events_write_separated,
    [TABLE_CSV] = events_write_separated, [TABLE_JSON] = events_write_json,
    [EVENTS_DOT] = events_write_dot,
};

/* Sorts larger counts first; equal counts keep their order. */
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

static bool check_format(int format, const struct events_report *r, struct failure *why)
{
    if (format != EVENTS_DOT || strcmp(r->analysis, "callgraph") == 0)
        return true;
    return failure_set(why, "%s: only call graphs can be drawn, this is the analysis %s", r->path,
                       r->analysis);
}

static bool write_rows(struct events_report *r, int format, const struct common_options *s,
                       FILE *to, struct failure *why)
{
    if (!check_format(format, r, why))
        return false;
    events_resolve(r, s);
    size_t *order = sorted_rows(r);
    size_t shown = common_top(s, format == TABLE_TEXT ? TOP_DEFAULT : 0, r->rows.count);
    struct events_view view = {r, order, shown, (enum table_format)format};
    writers[format](&view, to);
    free(order);
    return true;
}

static bool read_file(void *report, const char *path, const struct common_options *settings,
                      struct failure *why)
{
    (void)settings;
    return events_read_file(report, path, why);
}

static void free_report(void *report)
{
    events_free(report);
}

static bool write_report(void *report, const struct report_settings *s, FILE *to,
                         struct failure *why)
{
    return write_rows(report, s->format, &s->common, to, why);
}

static bool write_export(const struct export_settings *s, const string_list *paths,
                         struct output *output, struct failure *why)
{
    struct events_report r;
    if (!events_read_file(&r, paths->at[0], why))
        return false;
    bool good = write_rows(&r, s->format, &s->common, output->stream, why);
    events_free(&r);
    return good;
}

/* Sums ----------------------------------------------------------------------------------------- */

static bool add_files(void *sum, const path_list *paths, const struct common_options *settings,
                      struct failure *why)
{
    struct events_report *all = memory_get_zeroed(paths->count, sizeof *all);
    const struct events_report **list = memory_get_zeroed(paths->count, sizeof *list);
    bool good = true;
    (void)settings;
    for (size_t i = 0; good && i < paths->count; i++) {
        list[i] = &all[i];
        good = events_read_file(&all[i], paths->at[i], why);
    }
    good = good && events_sum(list, paths->count, sum, why);
    for (size_t i = 0; i < paths->count; i++)
        events_free(&all[i]);
    free(list);
    free(all);
    return good;
}

static void write_sum(const void *sum, FILE *to)
{
    events_write(sum, to);
}

/* The commands --------------------------------------------------------------------------------- */

#define ONE_REPORT                                                                                 \
    .kinds = FOR_EVENTS, .operands_least = 1, .operands_most = 1,                                  \
    .operands = "one report of an analysis"

static const struct command report_step = {
    .name = "report",
    .summary = "shows the largest counts, with names",
    .usage = "[options] FILE",
    .details =
        "Shows the counts of a report as rows of a table with the names of routines, beginning\n"
        "with the largest counts. The formats tsv, csv and json have all columns, for scripts;\n"
        "dot is for Graphviz.",
    .options = report_options,
    ONE_REPORT,
    .run = report_run,
};

static const struct command export_step = {
    .name = "export",
    .summary = "writes tables, json or Graphviz",
    .usage = "[options] FILE",
    .details =
        "Writes the counts of a report as rows of a table with the names of routines, beginning\n"
        "with the largest counts. The formats tsv, csv and json have all columns, for scripts;\n"
        "dot is for Graphviz.",
    .options = export_options,
    ONE_REPORT,
    .run = export_run,
};

static const struct command merge_step = {
    .name = "merge",
    .summary = "adds the reports of several processes",
    .usage = "[options] FILE|FOLDER...",
    .details =
        "Adds reports of the same analysis, for example from all processes of a run. A folder\n"
        "means all files in the folder. The order of the files does not matter. Two routines\n"
        "are equal if their offsets and the paths and build ids of their objects are equal.",
    .options = merge_options,
    .kinds = FOR_EVENTS,
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .operands = "at least one file",
    .run = merge_run,
};

static const struct command compare_step = {
    .name = "compare",
    .summary = "shows the error of a sampled report",
    .usage = "[options] REFERENCE NEW",
    .details =
        "Shows how accurately NEW, a sampled report, represents REFERENCE, a full report. The\n"
        "error of a count is |reference - new / rate| / reference. The output shows the\n"
        "average of all errors and the counts that differ most. The exit status is 0 if all\n"
        "given limits are kept, 1 if a limit is broken, and 2 on errors.",
    .options = diff_options,
    .kinds = FOR_EVENTS,
    .operands_least = 2,
    .operands_most = 2,
    .operands = "two reports of an analysis",
    .wrong = events_compare_wrong,
    .run = diff_run,
};

const struct report_model model_events = {
    .kind = REPORT_EVENTS,
    .report_bytes = sizeof(struct events_report),
    .read = read_file,
    .free = free_report,
    .add = add_files,
    .write = write_sum,
    .rows = write_report,
    .compare = events_compare,
    .gate = events_gate,
    .export = write_export,
    .export_format = TABLE_CSV,
    .commands[VERB_REPORT] = &report_step,
    .commands[VERB_MERGE] = &merge_step,
    .commands[VERB_DIFF] = &compare_step,
    .commands[VERB_EXPORT] = &export_step,
    .commands[VERB_GATE] = &gate_events,
};

static const struct command *const steps[] = {
    &report_step, &compare_step, &merge_step, &export_step, NULL,
};

const struct command command_events = {
    .name = "events",
    .summary = "shows, compares and adds reports of event analyses",
    .usage = "report|compare|merge|export ...",
    .details =
        "Reads the reports of programs that were built with aprof-cc --aprof=events. A report\n"
        "counts entries of routines, calls by caller and callee, calling patterns, executed\n"
        "paths, or hits and misses of a cache.",
    .steps = steps,
};
