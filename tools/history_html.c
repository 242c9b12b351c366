/* `aprof history html`: a history as a static site.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The page web/history.html shows the data; this file does all computations. If the report of a
 * commit was kept, the folder also gets the page of this commit.
 *
 *     runs      [[label, date, cost, cost of the level, mark, file of its page or ""]...]
 *     routines  [[name, short name, place, [entry...]]...]
 *     entry     [run (index), self cost, inclusive cost, calls, growth, mark, words, self cost of
 *               the level]
 *
 * The mark of an entry is 0 (no change), a value of enum history_mark, MARK_NEW or MARK_GONE; its
 * words describe the change. A routine that has disappeared has an entry of zeroes. Each cost is
 * compared with the level, which is the cost at the latest change point.
 */
#include "tools/history_command.h"
#include "tools/html_page.h"
#include "tools/model.h"
#include "lib/base/json.h"
#include "lib/base/output.h"
#include "lib/base/page_template.h"
#include "lib/base/progress.h"
#include "lib/base/short_name.h"
#include "lib/compare/history.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTPUT_DEFAULT "aprof-history"
#define NAME_BYTES     60

enum { MARK_NEW = HISTORY_CALLS + 1, MARK_GONE };

struct settings {
    const char *database, *workload, *reports, *title, *output;
    double threshold, share;
};

struct site {
    const struct settings *settings;
    struct history_view view;
    struct history_series series;
    char **pages; /* for each run, the name of its page's file; NULL: the run has no page */
};

/* The routines --------------------------------------------------------------------------------- */

/* The change as text: "growth n to n^2, self cost +31.0%, calls new"; the caller frees the text. */
static char *words_of_change(const struct history_entry *level, const struct history_entry *now,
                             double threshold)
{
    struct history_entry costs = *level, calls = *level;
    costs.growth = calls.growth = "";
    calls.own = now->own;
    bool grown = *level->growth && *now->growth && strcmp(level->growth, now->growth) != 0;
    bool cost = level->own != now->own && history_step(&costs, now, threshold) == HISTORY_COST;
    bool number = history_step(&calls, now, threshold) == HISTORY_CALLS;
    char *by_cost = history_change_words(level->own, now->own);
    char *by_calls = history_change_words(level->calls, now->calls);
    char *words = memory_format(
        "%s%s%s%s%s%s%s%s%s", grown ? "growth " : "", grown ? level->growth : "",
        grown ? " to " : "", grown ? now->growth : "", grown && cost ? ", " : "",
        cost ? "self cost " : "", cost ? by_cost : "",
        number ? (grown || cost ? ", calls " : "calls ") : "", number ? by_calls : "");
    free(by_cost);
    free(by_calls);
    return words;
}

static void write_entry(struct json *json, const struct history_entry *entry, int mark,
                        const char *words, uint64_t level)
{
    json_open_compact(json, NULL, '[');
    json_number(json, NULL, entry->run);
    json_number(json, NULL, entry->own);
    json_number(json, NULL, entry->total);
    json_number(json, NULL, entry->calls);
    json_text(json, NULL, entry->growth);
    json_number(json, NULL, (unsigned)mark);
    json_text(json, NULL, words);
    json_number(json, NULL, level);
    json_close(json);
}

static void write_gone(struct json *json, size_t run, const struct history_entry *last)
{
    const struct history_entry none = {run, 0, 0, 0, ""};
    write_entry(json, &none, MARK_GONE, "gone", last->own);
}

/* A routine that is missing in a run costs 0 in this run. */
static void write_entries(struct json *json, const struct site *site,
                          const struct history_routine *routine)
{
    const struct history_entry *all = site->series.entries.at + routine->begin;
    struct history_entry level = all[0];
    size_t next = 0; /* index of the run after the run of the previous entry */
    for (size_t i = 0; i < routine->count; i++) {
        const struct history_entry *now = &all[i], old = level;
        if (now->run > next && i > 0)
            write_gone(json, next, now - 1);
        if (now->run > next) {
            level = *now;
            write_entry(json, now, MARK_NEW, "new", 0);
        } else {
            enum history_mark mark = history_step(&level, now, site->settings->threshold);
            char *words = mark ? words_of_change(&old, now, site->settings->threshold)
                               : memory_copy_string("");
            write_entry(json, now, (int)mark, words, old.own);
            free(words);
        }
        next = now->run + 1;
    }
    if (next < site->view.runs.count)
        write_gone(json, next, &all[routine->count - 1]);
}

static void write_routine(struct json *json, const struct site *site,
                          const struct history_routine *routine)
{
    char *brief = short_name(routine->name, NAME_BYTES);
    json_open_compact(json, NULL, '[');
    json_text(json, NULL, routine->name);
    json_text(json, NULL, brief);
    json_text(json, NULL, routine->place);
    json_open_compact(json, NULL, '[');
    if (routine->count > 0)
        write_entries(json, site, routine);
    json_close(json);
    json_close(json);
    free(brief);
}

/* The runs ------------------------------------------------------------------------------------- */

static void write_runs(struct json *json, const struct site *site)
{
    const struct history_view *view = &site->view;
    struct history_entry level = {0, 0, view->runs.at[0].cost, 0, ""};
    for (size_t i = 0; i < view->runs.count; i++) {
        const struct history_run *run = &view->runs.at[i];
        const struct history_entry now = {i, 0, run->cost, run->cost, ""};
        uint64_t old = level.own;
        char *date = history_date_words(run->moment);
        json_open_compact(json, NULL, '[');
        json_text(json, NULL, run->label);
        json_text(json, NULL, date);
        json_number(json, NULL, run->cost);
        json_number(json, NULL, old);
        json_number(json, NULL, history_step(&level, &now, site->settings->threshold));
        json_text(json, NULL, site->pages[i] ? site->pages[i] : "");
        json_close(json);
        free(date);
    }
}

static void write_data(const struct site *site, FILE *to)
{
    struct json json = json_start(to);
    json_open(&json, NULL, '{');
    json_text(&json, "title", site->settings->title ? site->settings->title : site->view.workload);
    json_text(&json, "workload", site->view.workload);
    json_text(&json, "unit",
              strcmp(site->view.cost_unit, "bb") == 0 ? "basic blocks" : "instructions");
    json_real(&json, "threshold", site->settings->threshold);
    json_real(&json, "share", site->settings->share);
    json_number(&json, "omitted", site->series.omitted);
    json_open(&json, "runs", '[');
    write_runs(&json, site);
    json_close(&json);
    json_open(&json, "routines", '[');
    for (size_t i = 0; i < site->series.routines.count; i++)
        write_routine(&json, site, &site->series.routines.at[i]);
    json_close(&json);
    json_close(&json);
}

/* The pages of commits ------------------------------------------------------------------------- */

/* The report of a commit in the folder, LABEL.aprof or LABEL; NULL if the folder has none. The
 * database is not trusted, so a label must not name a file outside of the folder. The caller frees
 * the path. */
static char *report_of(const char *folder, const char *label)
{
    static const char *const endings[] = {".aprof", ""};
    if (*label == '.' || *label == 0 || strchr(label, '/'))
        return NULL;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *path = memory_format("%s/%s%s", folder, label, endings[i]);
        if (access(path, R_OK) == 0)
            return path;
        free(path);
    }
    return NULL;
}

/* Writes the page of a run and returns its name. Returns NULL if the run has no report. If the
 * report cannot be read, prints a message and returns NULL. */
static char *write_page(const struct settings *s, const struct history_run *run)
{
    struct failure why;
    struct html_settings settings = {.title = NULL};
    char *report = report_of(s->reports, run->label);
    if (!report)
        return NULL;
    string_list paths = {0};
    vector_push(&paths, report);
    char *name = memory_format("commit-%lld.html", (long long)run->id);
    char *path = memory_format("%s/%s", s->output, name);
    if (!html_page_save(&paths, &settings, path, &why)) {
        message_error("history html: no page is written for the commit: %s", why.text);
        free(name);
        name = NULL;
    }
    vector_free(&paths);
    free(path);
    free(report);
    return name;
}

static void write_pages(struct site *site)
{
    struct progress progress = progress_start("commits", site->view.runs.count);
    for (size_t i = 0; i < site->view.runs.count; i++) {
        site->pages[i] = write_page(site->settings, &site->view.runs.at[i]);
        progress_step(&progress, i + 1);
    }
    progress_end(&progress);
}

/* The command ---------------------------------------------------------------------------------- */

/* Writes the page. All data of the page are gathered before anything is written. */
static bool write_page_of(const struct site *site, FILE *to, struct failure *why)
{
    char *json = NULL;
    size_t bytes;
    FILE *data = open_memstream(&json, &bytes);
    if (data)
        write_data(site, data);
    bool good = data && fclose(data) == 0;
    if (good) {
        const char *rest = html_write_head(history_template, to);
        html_write_json(json, bytes, to);
        fputs(rest, to);
    }
    free(json);
    return good || failure_set(why, "history html: out of memory");
}

static bool write_index(const struct site *site, struct failure *why)
{
    char *path = memory_format("%s/index.html", site->settings->output);
    struct output output;
    bool good = output_open(&output, path, why) &&
                model_close(&output, write_page_of(site, output.stream, why), why);
    free(path);
    return good;
}

static bool make_folder(const char *path, struct failure *why)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           failure_set(why, "%s: cannot be created: %s", path, strerror(errno));
}

static bool write_site(struct site *site, struct failure *why)
{
    if (!make_folder(site->settings->output, why))
        return false;
    if (site->settings->reports)
        write_pages(site);
    return write_index(site, why);
}

/* Writes the whole site; if a stream for the page is given, writes only the page to it. */
static bool make_site(struct history *history, const struct settings *settings, FILE *to,
                      struct failure *why)
{
    struct site site = {.settings = settings};
    bool good = history_read(history, settings->workload, NULL, &site.view, why) &&
                history_read_series(history, &site.view, settings->share, &site.series, why);
    if (good) {
        site.pages = memory_get_zeroed(site.view.runs.count, sizeof *site.pages);
        good = to ? write_page_of(&site, to, why) : write_site(&site, why);
    }
    for (size_t i = 0; site.pages && i < site.view.runs.count; i++)
        free(site.pages[i]);
    free(site.pages);
    history_series_free(&site.series);
    history_view_free(&site.view);
    return good;
}

static bool open_and_make(const struct settings *settings, FILE *to, struct failure *why)
{
    struct history *history =
        html_has_page(why) ? history_open(settings->database, false, why) : NULL;
    bool good = history && make_site(history, settings, to, why);
    if (history)
        history_close(history);
    return good;
}

static const struct settings defaults = {.database = HISTORY_DATABASE,
                                         .output = OUTPUT_DEFAULT,
                                         .threshold = HISTORY_THRESHOLD,
                                         .share = HISTORY_SHARE};

bool history_html_write(const char *database, FILE *to, struct failure *why)
{
    struct settings settings = defaults;
    settings.database = database;
    return open_and_make(&settings, to, why);
}

static int run_html(const struct command *command, char **argv)
{
    struct settings settings = defaults;
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    if (!open_and_make(&settings, NULL, &why))
        return message_failure(&why);
    message_error("history html: open %s/index.html in a browser", settings.output);
    return STATUS_OK;
}

static const struct option_entry html_options[] = {
    {'d', "database", "FILE", "database [" HISTORY_DATABASE "]",
     OPTION_INTO(struct settings, database)},
    {'w', "workload", "TEXT", "workload to show [the workload of the last added run]",
     OPTION_INTO(struct settings, workload)},
    {'t', "threshold", "PERCENT", "smallest change that is a change point [5]",
     OPTION_INTO(struct settings, threshold)},
    {0, "share", "PERCENT",
     "omits routines whose self cost is below this share of the cost in every run [0.1]",
     OPTION_INTO(struct settings, share)},
    {'r', "reports", "FOLDER", "folder of the commits' reports, named LABEL.aprof or LABEL",
     OPTION_INTO(struct settings, reports)},
    {0, "title", "TEXT", "title of the site [the workload]", OPTION_INTO(struct settings, title)},
    {'o', "output", "FOLDER", "folder of the site [" OUTPUT_DEFAULT "]",
     OPTION_INTO(struct settings, output)},
    {0},
};

const struct command history_html_step = {
    .name = "html",
    .summary = "writes the history as a static site",
    .usage = "[options]",
    .details =
        "Writes a folder with a page that shows the change points, and the cost and growth of\n"
        "each routine in each commit. With --reports, also writes the page of each commit's\n"
        "report. The folder can be published by a web server, or opened in a browser.",
    .options = html_options,
    .run = run_html,
};
