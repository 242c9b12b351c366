/* `aprof history`: the cost of each routine, commit by commit.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/model.h"
#include "tools/history_command.h"
#include "lib/base/gnuplot.h"
#include "lib/compare/history.h"
#include "lib/base/json.h"
#include "lib/base/output.h"
#include "lib/growth/report_sample.h"
#include "lib/load/report_set.h"
#include "lib/base/short_name.h"
#include "lib/base/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#define CHANGES_NAMED 3
#define NAME_BYTES    40

struct settings {
    const char *database, *label, *workload, *metric_name, *output;
    double threshold;
    int format;
};

#define ENTRY_DATABASE                                                                             \
    {                                                                                              \
        'd', "database", "FILE", "database [" HISTORY_DATABASE "]",                                \
            OPTION_INTO(struct settings, database)                                                 \
    }

/* Adding --------------------------------------------------------------------------------------- */

/* The output of `git describe` in the current folder; NULL if the folder is in no repository. The
 * caller frees the text. */
static char *commit_of_folder(void)
{
    char line[128];
    FILE *git = popen("git describe --always --dirty 2>/dev/null", "r");
    char *commit = git && fgets(line, sizeof line, git) ? memory_copy_string(line) : NULL;
    if (git)
        pclose(git);
    if (commit)
        commit[strcspn(commit, "\n")] = 0;
    return commit;
}

static bool add_report(const struct settings *s, const char *label, const char *path,
                       struct failure *why)
{
    struct report report = {0};
    enum report_metric metric;
    const struct history_key key = {label, s->workload};
    bool good = report_set_read(path, &report, why) && report_is_whole(&report, why) &&
                report_choose_metric(&report, s->metric_name, &metric, why);
    struct history *history = good ? history_open(s->database, true, why) : NULL;
    if (history) {
        report_merge_threads(&report);
        good = history_add(history, &report, metric, &key, HISTORY_SHARE, why);
        history_close(history);
    }
    report_free(&report);
    return good && history;
}

static int run_add(const struct command *command, char **argv)
{
    struct settings settings = {.database = HISTORY_DATABASE};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    char *commit = settings.label ? NULL : commit_of_folder();
    const char *label = settings.label ? settings.label : commit;
    bool good = label
                    ? add_report(&settings, label, options.operands.at[0], &why)
                    : failure_set(&why, "history add: not in a git repository; give --label=TEXT");
    if (!good)
        message_failure(&why);
    free(commit);
    return good ? STATUS_OK : label ? STATUS_FAILED : STATUS_USAGE;
}

static const struct option_entry add_options[] = {
    ENTRY_DATABASE,
    {'l', "label", "TEXT", "name of the commit [from git describe]",
     OPTION_INTO(struct settings, label)},
    {'w', "workload", "TEXT", "name of the workload [the profiled command]",
     OPTION_INTO(struct settings, workload)},
    {'m', "metric", "trms|rms", "measures input sizes by this metric [trms]",
     OPTION_INTO(struct settings, metric_name), OPTION_CHOICES(metric_names)},
    {0},
};

static const struct command history_add_step = {
    .name = "add",
    .summary = "adds a report to the history",
    .usage = "[options] REPORT",
    .details =
        "Adds a report, or the sum of a folder's reports, to the database under the name of a\n"
        "commit. An existing entry with the same commit and workload is replaced.",
    .options = add_options,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "one report",
    .verb = VERB_OF_POINTS,
    .run = run_add,
};

/* Showing -------------------------------------------------------------------------------------- */

enum format { FORMAT_TEXT, FORMAT_TSV, FORMAT_MARKDOWN, FORMAT_JSON };
static const char *const format_names[] = {"text", "tsv", "markdown", "json", NULL};

char *history_change_words(uint64_t before, uint64_t after)
{
    if (before == 0)
        return memory_copy_string(after ? "new" : "-");
    return memory_format("%+.1f%%", 100 * ((double)after / (double)before - 1));
}

char *history_date_words(int64_t moment)
{
    char words[32] = "-";
    time_t seconds = (time_t)moment;
    /* `date` is NULL if gmtime() cannot represent the year */
    const struct tm *date = gmtime(&seconds);
    if (date)
        strftime(words, sizeof words, "%Y-%m-%d", date);
    return memory_copy_string(words);
}

static const struct table_column routine_columns[] = {
    {"label", "commit", true},      {"date", "added", true},   {"own", "self cost", false},
    {"change", "change", false},    {"calls", "calls", false}, {"total", "inclusive", false},
    {"growth", "worst case", true}, {"changed", "", true},
};

static void add_entry(struct table *table, const struct history_view *view, size_t i,
                      enum history_mark mark)
{
    static const char *const words[] = {"", "<- growth", "<- cost", "<- calls"};
    const struct history_entry *now = &view->entries.at[i], *old = i ? now - 1 : NULL;
    const struct history_run *run = &view->runs.at[now->run];
    table_add_text(table, run->label);
    table_add(table, history_date_words(run->moment));
    table_add_number(table, now->own);
    table_add(table, old ? history_change_words(old->own, now->own) : memory_copy_string("-"));
    table_add_number(table, now->calls);
    table_add_number(table, now->total);
    table_add_text(table, *now->growth ? now->growth : "-");
    table_add_text(table, words[mark]);
}

static void add_entries(struct table *table, const struct settings *s,
                        const struct history_view *view)
{
    if (view->entries.count == 0)
        return;
    struct history_entry level = view->entries.at[0];
    for (size_t i = 0; i < view->entries.count; i++)
        add_entry(table, view, i, history_step(&level, &view->entries.at[i], s->threshold));
}

static const struct table_column run_columns[] = {
    {"label", "commit", true},
    {"date", "added", true},
    {"cost", "cost", false},
    {"change", "change", false},
    {"routines", "most changed", true},
};

/* The changes of a run, such as "parse +12.0%, scan new". A routine is in the list if its cost
 * changed by more than the threshold, which is a percentage of the total cost. */
static char *changed_words(struct history *history, const struct settings *s,
                           struct history_view *view, size_t run, struct failure *why)
{
    history_changes changes = {0};
    char *words = memory_copy_string("");
    bool good = history_changed(history, view, run - 1, run, CHANGES_NAMED, &changes, why);
    double least = s->threshold / 100 * (double)view->runs.at[run - 1].cost;
    for (size_t i = 0; good && i < changes.count; i++) {
        const struct history_change *c = &changes.at[i];
        if (fabs((double)c->after - (double)c->before) <= least)
            break;
        char *brief = short_name(c->name, NAME_BYTES),
             *by = history_change_words(c->before, c->after);
        char *longer = memory_format("%s%s%s %s", words, *words ? ", " : "", brief, by);
        free(words);
        free(brief);
        free(by);
        words = longer;
    }
    vector_free(&changes);
    if (good)
        return words;
    free(words);
    return NULL;
}

static bool add_run(struct table *table, struct history *history, const struct settings *s,
                    struct history_view *view, size_t i, struct failure *why)
{
    const struct history_run *run = &view->runs.at[i];
    char *changed = i ? changed_words(history, s, view, i, why) : memory_copy_string("");
    if (!changed)
        return false;
    table_add_text(table, run->label);
    table_add(table, history_date_words(run->moment));
    table_add_number(table, run->cost);
    table_add(table, i ? history_change_words(run[-1].cost, run->cost) : memory_copy_string("-"));
    table_add(table, changed);
    return true;
}

static void write_json(const struct history_view *view, const struct table *table, FILE *to)
{
    struct json json = json_open_document(to, "aprof-history-1");
    json_text(&json, "workload", view->workload);
    json_text(&json, "cost_unit", view->cost_unit);
    if (view->routine)
        json_text(&json, "routine", view->routine);
    table_write_json(table, "runs", &json);
    json_close(&json);
}

static void write_table(const struct settings *s, const struct history_view *view,
                        const struct table *table)
{
    if (s->format == FORMAT_TSV) {
        table_write_separated(table, TABLE_TSV, stdout);
    } else if (s->format == FORMAT_MARKDOWN) {
        table_write_markdown(table, stdout);
    } else if (s->format == FORMAT_JSON) {
        write_json(view, table, stdout);
    } else {
        table_write_safe(view->routine ? view->routine : view->workload, stdout);
        printf(": cost in %s\n\n",
               strcmp(view->cost_unit, "bb") == 0 ? "basic blocks" : "instructions");
        table_write_text(table, stdout, table_may_style(stdout));
    }
}

/* Draws the values of the runs as a line; each run has a label. */
static bool draw(const struct settings *s, const struct history_view *view, struct failure *why)
{
    struct gnuplot_data data;
    if (!gnuplot_may_write(s->output, why) || !gnuplot_data_create(&data, why))
        return false;
    char *title = short_name(view->routine ? view->routine : view->workload, 2 * NAME_BYTES);
    const char *arguments[] = {data.path, s->output, title,
                               view->routine ? "self cost" : "cost of the run", NULL};
    for (size_t i = 0; i < (view->routine ? view->entries.count : view->runs.count); i++) {
        const struct history_entry *entry = view->routine ? &view->entries.at[i] : NULL;
        const struct history_run *run = &view->runs.at[entry ? entry->run : i];
        fprintf(data.stream, "%zu\t", entry ? entry->run : i);
        table_write_safe(run->label, data.stream);
        fprintf(data.stream, "\t%" PRIu64 "\n", entry ? entry->own : run->cost);
    }
    bool good = gnuplot_data_finish(&data, why) && gnuplot_run("history.gp", arguments, why) &&
                gnuplot_has_drawn(s->output, why);
    gnuplot_data_remove(&data);
    free(title);
    return good;
}

static bool show(struct history *history, const struct settings *s, const char *routine,
                 struct failure *why)
{
    struct history_view view;
    struct table table = {.columns = routine ? routine_columns : run_columns,
                          .column_count = routine ? sizeof routine_columns / sizeof *routine_columns
                                                  : sizeof run_columns / sizeof *run_columns};
    bool good = history_read(history, s->workload, routine, &view, why);
    if (good)
        add_entries(&table, s, &view);
    for (size_t i = 0; good && !routine && i < view.runs.count; i++)
        good = add_run(&table, history, s, &view, i, why);
    if (good && s->output)
        good = draw(s, &view, why);
    else if (good)
        write_table(s, &view, &table);
    table_free(&table);
    history_view_free(&view);
    return good;
}

static int run_show(const struct command *command, char **argv)
{
    struct settings settings = {.database = HISTORY_DATABASE, .threshold = HISTORY_THRESHOLD};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    if (settings.output && !gnuplot_is_picture(settings.output))
        return options_usage_error(
            &options, "the picture's name must end in .svg, .png or .pdf, not", settings.output);
    struct history *history = history_open(settings.database, false, &why);
    const char *routine = options.operands.count ? options.operands.at[0] : NULL;
    bool good = history && show(history, &settings, routine, &why);
    if (!good)
        message_failure(&why);
    if (history)
        history_close(history);
    return good ? STATUS_OK : STATUS_FAILED;
}

static const struct option_entry show_options[] = {
    ENTRY_DATABASE,
    {'w', "workload", "TEXT", "workload to show [the workload of the last added run]",
     OPTION_INTO(struct settings, workload)},
    {'t', "threshold", "PERCENT", "smallest change of a cost that is shown [5]",
     OPTION_INTO(struct settings, threshold)},
    {'f', "format", "FORMAT", "* [text]", OPTION_INTO(struct settings, format),
     OPTION_CHOICES(format_names)},
    {'o', "output", "FILE", "draws a picture instead of a table: .svg, .png or .pdf",
     OPTION_INTO(struct settings, output)},
    {0},
};

static const struct command history_show_step = {
    .name = "show",
    .summary = "shows the cost of all runs, or of one routine",
    .usage = "[options] [ROUTINE]",
    .details =
        "Shows the runs from the oldest to the newest, with their costs and the routines whose\n"
        "cost changed most. If a routine is given, shows its cost, calls and growth in each\n"
        "run, and marks changes.",
    .options = show_options,
    .operands_most = 1,
    .operands = "at most one routine",
    .run = run_show,
};

/* The command ---------------------------------------------------------------------------------- */

static const struct command *const steps[] = {&history_add_step, &history_show_step,
                                              &history_html_step, NULL};

const struct command command_history = {
    .name = "history",
    .summary = "records costs commit by commit; for CI",
    .usage = "add|show|html ...",
    .details = "Records the cost of each routine in a database, commit by commit, and shows the\n"
               "commits in which a routine's cost changed.",
    .steps = steps,
};
