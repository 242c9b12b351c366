/* `aprof top`: the most expensive routines of a running program, in the terminal.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each table compares two reports of the program; the costs and calls of an interval are the
 * differences between them. In the first table, the interval is the whole run so far.
 */
#include "tools/command.h"
#include "tools/live_process.h"
#include "lib/base/short_name.h"
#include "lib/base/table.h"
#include "lib/growth/report_sample.h"
#include "lib/growth/summary.h"
#include "lib/report/pairing.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define EVERY_DEFAULT 1
#define TICK_NS       100000000
#define LINES_DEFAULT 20
#define LINES_OTHER   5 /* lines other than rows: heading, blank line, table head, cursor */
#define NAME_BYTES    60

/* Terminal sequences: move to the top left, erase the rest of the line, erase the rest of the
 * screen. SCREEN_START hides the cursor and makes the terminal cut long lines; SCREEN_END undoes
 * both. */
#define SCREEN_HOME  "\033[H"
#define SCREEN_LINE  "\033[K"
#define SCREEN_REST  "\033[J"
#define SCREEN_START "\033[?25l\033[?7l\033[2J"
#define SCREEN_END   "\033[?7h\033[?25h"

struct settings {
    unsigned long lines;
    double every;
    bool once;
};

/* A routine, with its costs and calls in the interval. */
struct top_row {
    const struct report_profile *now;
    uint64_t self, calls;
};

struct top {
    const struct settings *settings;
    struct live_process process;
    struct report last; /* the previously shown report */
    bool has_last, on_screen;
    char *stamp; /* result of stamp_of() for the report that was shown last */
};

/* Rows ----------------------------------------------------------------------------------------- */

static uint64_t rise(uint64_t before, uint64_t after)
{
    return after > before ? after - before : 0;
}

static int most_expensive_first(const void *a, const void *b)
{
    const struct top_row *left = a, *right = b;
    if (left->self != right->self)
        return left->self > right->self ? -1 : 1;
    if (left->now->cost_self != right->now->cost_self)
        return left->now->cost_self > right->now->cost_self ? -1 : 1;
    return left->now->routine < right->now->routine ? -1 : 1;
}

/* One row for each routine of the report, sorted by the cost in the interval, the highest cost
 * first. The caller frees the rows. */
static struct top_row *make_rows(const struct top *top, const struct report *report)
{
    struct top_row *rows = memory_get_zeroed(report->profiles.count + 1, sizeof *rows);
    struct pairing_entry *now = pairing_sort(report);
    struct pairing_entry *before = top->has_last ? pairing_sort(&top->last) : NULL;
    pairing_list pairs = {0};
    size_t count = 0;
    pairing_make(before, before ? top->last.profiles.count : 0, now, report->profiles.count,
                 &pairs);
    for (size_t i = 0; i < pairs.count; i++) {
        const struct report_profile *base = pairs.at[i].base ? pairs.at[i].base->profile : NULL;
        if (!pairs.at[i].new)
            continue;
        const struct report_profile *profile = pairs.at[i].new->profile;
        rows[count++] =
            (struct top_row){profile, rise(base ? base->cost_self : 0, profile->cost_self),
                             rise(base ? base->calls : 0, profile->calls)};
    }
    vector_free(&pairs);
    free(now);
    free(before);
    qsort(rows, count, sizeof *rows, most_expensive_first);
    return rows;
}

static const struct table_column columns[] = {
    {"self_percent", "self %", false},  {"self", "self cost", false}, {"calls", "calls", false},
    {"run_percent", "% of run", false}, {"growth", "growth", true},   {"routine", "routine", true},
};

static void add_row(struct table *table, const struct report *report, enum report_metric metric,
                    const struct top_row *row, uint64_t interval)
{
    struct summary summary = summary_of(report, row->now, metric);
    summary_add_growth(report, metric, &summary);
    table_add_percent(table, (double)row->self, (double)interval, 1);
    table_add_number(table, row->self);
    table_add_number(table, row->calls);
    table_add_percent(table, (double)row->now->cost_self, (double)report->totals.cost, 1);
    table_add(table, growth_claim_or_trend_brief(&summary.growth.average_claim));
    table_add(table, short_name(report->routines.at[row->now->routine].name, NAME_BYTES));
}

/* The number of rows that fit on the screen below the heading. */
static size_t rows_wanted(const struct top *top)
{
    struct winsize size;
    if (top->settings->lines > 0)
        return top->settings->lines;
    if (top->on_screen && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
        size.ws_row > LINES_OTHER + 1)
        return (size_t)size.ws_row - LINES_OTHER;
    return LINES_DEFAULT;
}

/* Writing -------------------------------------------------------------------------------------- */

static void write_table(const struct top *top, const struct report *report,
                        enum report_metric metric, FILE *to)
{
    static const unsigned ranks[] = {0, 2, 3, 4, 1, 0};
    struct top_row *rows = make_rows(top, report);
    struct table table = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
    uint64_t interval = rise(top->has_last ? top->last.totals.cost : 0, report->totals.cost);
    size_t wanted = rows_wanted(top);
    fprintf(to, "process %d, ", (int)top->process.pid);
    table_write_safe(report_program(report), to);
    fprintf(to, ": %llu %s%s\n\n", (unsigned long long)interval, report_cost_words(report),
            top->has_last ? " since the last table" : " so far");
    for (size_t i = 0; i < wanted && i < report->profiles.count && rows[i].self > 0; i++)
        add_row(&table, report, metric, &rows[i], interval);
    table_fit(&table, ranks, table.column_count - 1, 16,
              top->on_screen ? table_width(TABLE_WIDTH_NOT_GIVEN, stdout) : 0);
    table_write_text(&table, to, false);
    table_free(&table);
    free(rows);
}

/* Writes the text on the screen, over the previous text. */
static void draw(const char *text)
{
    fputs(SCREEN_HOME, stdout);
    for (const char *end; (end = strchr(text, '\n')); text = end + 1)
        printf("%.*s" SCREEN_LINE "\n", (int)(end - text), text);
    fputs(SCREEN_REST, stdout);
}

static bool show(struct top *top, const struct report *report, struct failure *why)
{
    enum report_metric metric;
    char *text = NULL;
    size_t bytes;
    if (!report_choose_metric(report, NULL, &metric, why))
        return false;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        return failure_set(why, "top: out of memory");
    write_table(top, report, metric, to);
    if (!top->on_screen)
        fputc('\n', to);
    if (fclose(to) != 0) {
        free(text);
        return failure_set(why, "top: out of memory");
    }
    if (top->on_screen)
        draw(text);
    else
        fputs(text, stdout);
    free(text);
    return fflush(stdout) == 0 || failure_set(why, "(standard output): cannot write");
}

/* Reports -------------------------------------------------------------------------------------- */

/* Returns a text that identifies the state of the files: the text changes with each change of a
 * file. The caller frees it. */
static char *stamp_of(const path_list *paths)
{
    struct stat status;
    if (paths->count == 0 || stat(paths->at[paths->count - 1], &status) != 0)
        return memory_copy_string("");
    return memory_format("%zu %lld.%ld %lld", paths->count, (long long)status.st_mtim.tv_sec,
                         status.st_mtim.tv_nsec, (long long)status.st_ino);
}

static bool read_and_show(struct top *top, const path_list *paths, struct failure *why)
{
    struct report report;
    if (!report_set_read_sum(paths, paths->at[paths->count - 1], &report, why))
        return false;
    report_merge_threads(&report);
    bool good = show(top, &report, why);
    if (top->has_last)
        report_free(&top->last);
    top->last = report;
    top->has_last = true;
    return good;
}

/* Shows the report if it is new; false after a failure. */
static bool look(struct top *top, bool *shown, struct failure *why)
{
    path_list paths = {0};
    live_process_files(&top->process, &paths);
    char *stamp = stamp_of(&paths);
    bool good = true;
    *shown = paths.count > 0 && (!top->stamp || strcmp(stamp, top->stamp) != 0);
    if (*shown) {
        good = read_and_show(top, &paths, why);
        free(top->stamp);
        top->stamp = stamp;
    } else {
        free(stamp);
    }
    report_set_free(&paths);
    return good;
}

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Shows tables until the program ends or a signal arrives. */
static bool watch(struct top *top, const sigset_t *ends, struct failure *why)
{
    const struct timespec tick = {0, TICK_NS};
    double next = 0;
    do {
        bool shown, runs = live_process_runs(&top->process);
        if (now_seconds() < next)
            continue;
        if (!look(top, &shown, why))
            return false;
        if (!runs)
            return top->has_last || failure_set(why, "process %d: has ended without a report",
                                                (int)top->process.pid);
        if (shown && top->settings->once)
            return true;
        live_process_request(&top->process);
        if (shown)
            next = now_seconds() + live_process_interval(&top->process, top->settings->every);
    } while (sigtimedwait(ends, NULL, &tick) < 0);
    return true;
}

/* The command ---------------------------------------------------------------------------------- */

static bool run_top(struct top *top, struct failure *why)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    const char *hint = live_process_hint(&top->process);
    if (hint)
        message_error("top: process %d: %s", (int)top->process.pid, hint);
    if (top->on_screen)
        fputs(SCREEN_START, stdout);
    bool good = watch(top, &ends, why);
    if (top->on_screen)
        fputs(SCREEN_END, stdout);
    return good;
}

static int run(const struct command *command, char **argv)
{
    struct settings settings = {.every = EVERY_DEFAULT};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    const char *operand = options.operands.at[0];
    struct top top = {.settings = &settings, .on_screen = !settings.once && isatty(STDOUT_FILENO)};
    if (!live_process_is_pid(operand))
        return options_usage_error(&options, "not a process id:", operand);
    bool good = live_process_find(&top.process, operand, &why) && run_top(&top, &why);
    live_process_free(&top.process);
    if (top.has_last)
        report_free(&top.last);
    free(top.stamp);
    return good ? STATUS_OK : message_failure(&why);
}

static const struct option_entry top_options[] = {
    {'n', "top", "N", "shows N routines [as many as fit on the screen, or 20]",
     OPTION_INTO(struct settings, lines)},
    {'e', "every", "SECONDS", "shortest interval between tables [1]",
     OPTION_INTO(struct settings, every), .most = 86400},
    {0, "once", NULL, "prints one table, which covers the run since its beginning, and ends",
     OPTION_INTO(struct settings, once)},
    {0},
};

const struct command command_top = {
    .name = "top",
    .summary = "shows the most expensive routines of a running program",
    .usage = "[options] PID",
    .details =
        "Shows tables of the routines with the highest self cost since the previous table,\n"
        "with their calls and growth, until the program ends. The program must be profiled,\n"
        "and its reports are obtained as by `aprof serve`. On a terminal, each table replaces\n"
        "the previous table.",
    .options = top_options,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "one process id",
    .run = run,
};
