/* `aprof html`: an interactive page for reports, in one file.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The page is a template bundled by the build. The data are in its middle, as script elements that
 * no browser executes: one JSON text, and the packed points of each report and metric.
 */
#include "tools/model.h"
#include "tools/report_load.h"
#include "tools/report_view.h"
#include "lib/base/json.h"
#include "lib/base/output.h"
#include "lib/base/progress.h"
#include "lib/growth/report_sample.h"
#include "lib/load/report_set.h"
#include "lib/page/page_code.h"
#include "lib/page/page_data.h"
#include "lib/page/page_scale.h"
#include "lib/base/page_template.h"
#include "lib/report/select.h"
#include "lib/base/short_name.h"

#include <string.h>

struct settings {
    const char *output, *title, *source_path;
    bool threads, embed_source, mine;
};

/* The data of all reports, kept until the page is written. */
struct page {
    char *json;
    size_t json_bytes;
    struct page_points *points;
    struct page_sources sources;
    size_t reports;
};

static const char data_mark[] = "<!-- data -->";

/* Collecting ----------------------------------------------------------------------------------- */

static void add_sources(const struct report *report, const struct settings *settings,
                        struct page_sources *sources)
{
    if (!settings->embed_source)
        return;
    size_t missing = page_sources_add(sources, report, settings->source_path);
    if (missing > 0)
        message_error(
            "html: %s: %zu source file%s not found; give the folder with --source-path=FROM=TO",
            report->path, missing, missing == 1 ? "" : "s");
}

/* Moves the sentences to `to`, which frees them. */
static void move_texts(text_list *from, string_list *to)
{
    for (size_t i = 0; i < from->count; i++)
        vector_push(to, from->at[i]);
    vector_free(from);
}

static void free_texts(string_list *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free((char *)(uintptr_t)texts->at[i]);
    vector_free(texts);
}

/* The first and last sentences of `aprof report`; none if the report has no routines. */
static void find(const struct report_view *view, string_list *findings, string_list *advice)
{
    struct report_known known = report_known_of(view, REPORT_TOP_DEFAULT);
    text_list first = {0}, last = {0};
    report_findings(view, REPORT_TOP_DEFAULT, &known, &first);
    report_advice(view, &known, &last);
    move_texts(&first, findings);
    move_texts(&last, advice);
}

static bool add_report(struct json *json, const char *path, const struct settings *settings,
                       struct page *page, struct page_points *points, struct failure *why)
{
    struct report_settings as_report = {.mine = settings->mine};
    struct report report;
    struct report_view view = {.settings = &as_report, .report = &report};
    string_list findings = {0}, advice = {0};
    if (!report_set_read(path, &report, why))
        return false;
    report_load_lines(&report);
    report_estimate(&report);
    as_report.threads = settings->threads && report.threads_separate;
    bool good = report_view_make(&view, why);
    if (good) {
        find(&view, &findings, &advice);
        page_data_write(json, &report, short_path(path), &findings, &advice, points);
        add_sources(&report, settings, &page->sources);
    }
    free_texts(&findings);
    free_texts(&advice);
    report_view_free(&view);
    report_free(&report);
    return good;
}

static bool add_reports(struct json *json, const string_list *paths,
                        const struct settings *settings, struct page *page, struct failure *why)
{
    struct progress progress = progress_start("reports", paths->count);
    bool good = true;
    json_open(json, "reports", '[');
    for (size_t i = 0; good && i < paths->count; i++) {
        good = add_report(json, paths->at[i], settings, page, &page->points[i], why);
        progress_step(&progress, i + 1);
    }
    json_close(json);
    progress_end(&progress);
    return good;
}

static bool page_make(const string_list *paths, const struct settings *settings, struct page *page,
                      struct failure *why)
{
    FILE *stream = open_memstream(&page->json, &page->json_bytes);
    if (!stream)
        return failure_set(why, "html: out of memory");
    struct json json = json_start(stream);
    page->reports = paths->count;
    page->points = memory_get_zeroed(paths->count, sizeof *page->points);
    json_open(&json, NULL, '{');
    json_text(&json, "title", settings->title ? settings->title : "");
    page_data_write_classes(&json);
    json_text(&json, "startup", SELECT_STARTUP_NAME);
    json_bool(&json, "mine", settings->mine);
    bool good = add_reports(&json, paths, settings, page, why);
    page_sources_write(&json, &page->sources);
    good = good && page_scale_write(&json, paths, why);
    json_close(&json);
    bool whole = !ferror(stream);
    if (fclose(stream) != 0 || !whole)
        return failure_set(why, "html: out of memory");
    return good;
}

static void page_free(struct page *page)
{
    for (size_t i = 0; i < page->reports; i++)
        page_points_free(&page->points[i]);
    free(page->points);
    page_sources_free(&page->sources);
    free(page->json);
}

/* Writing -------------------------------------------------------------------------------------- */

/* In JSON `<` occurs only inside strings; it is escaped, so that no name can end the script
 * element. */
static void write_json(const struct page *page, FILE *to)
{
    const char *at = page->json, *end = page->json + page->json_bytes;
    fputs("<script type=\"application/json\" id=\"data\">\n", to);
    while (at < end) {
        const char *mark = memchr(at, '<', (size_t)(end - at));
        const char *stop = mark ? mark : end;
        fwrite(at, 1, (size_t)(stop - at), to);
        if (mark)
            fputs("\\u003c", to);
        at = mark ? mark + 1 : end;
    }
    fputs("</script>\n", to);
}

static void write_points(const struct page *page, FILE *to)
{
    for (size_t i = 0; i < page->reports; i++) {
        for (int m = 0; m < METRIC_COUNT; m++) {
            fprintf(to, "<script type=\"text/plain\" id=\"points-%zu-%s\">", i, metric_names[m]);
            if (page->points[i].text[m].count > 0)
                fwrite(page->points[i].text[m].at, 1, page->points[i].text[m].count, to);
            fputs("</script>\n", to);
        }
    }
}

static bool page_write(const struct page *page, const char *path, struct failure *why)
{
    const char *mark = strstr(page_template, data_mark);
    const char *rest = mark + strlen(data_mark);
    struct output output;
    if (!output_open(&output, path, why))
        return false;
    fwrite(page_template, 1, (size_t)(mark - page_template), output.stream);
    write_json(page, output.stream);
    write_points(page, output.stream);
    fputs(rest, output.stream);
    return output_close(&output, why);
}

/* The command ---------------------------------------------------------------------------------- */

static bool make_and_write(const string_list *paths, const struct settings *settings,
                           struct failure *why)
{
    struct page page = {0};
    if (page_template_bytes == 0)
        return failure_set(why, "html: this aprof was built without the page; rebuild "
                                "aprof with node, npm and a network");
    bool good = page_make(paths, settings, &page, why) && page_write(&page, settings->output, why);
    page_free(&page);
    return good;
}

static const struct option_entry html_options[] = {
    {'o', "output", "FILE", "writes the page to a file [standard output]",
     OPTION_INTO(struct settings, output)},
    {0, "title", "TEXT", "the page's title [the command that was profiled]",
     OPTION_INTO(struct settings, title)},
    {0, "embed-source", NULL, "embeds source files, to show the costs of their lines",
     OPTION_INTO(struct settings, embed_source)},
    {0, "source-path", "FROM=TO", "replaces FROM at the beginning of source paths with TO",
     OPTION_INTO(struct settings, source_path)},
    COMMON_ENTRY_MINE(OPTION_INTO(struct settings, mine), 0),
    {'t', "threads", NULL, "shows each thread separately", OPTION_INTO(struct settings, threads)},
    {0},
};

/* Makes a page of the newest report of the folder, because none is named. */
static bool make_of_newest(const struct settings *settings, struct failure *why)
{
    char *newest = report_set_newest(why);
    if (!newest)
        return false;
    string_list paths = {0};
    vector_push(&paths, newest);
    bool good = make_and_write(&paths, settings, why);
    if (good)
        message_error("html: %s is the newest report here", short_path(newest));
    vector_free(&paths);
    free(newest);
    return good;
}

static int run(const struct command *command, char **argv)
{
    struct settings settings = {0};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    bool good = options.operands.count > 0 ? make_and_write(&options.operands, &settings, &why)
                                           : make_of_newest(&settings, &why);
    return good ? STATUS_OK : message_failure(&why);
}

const struct command command_html = {
    .name = "html",
    .summary = "makes a page to explore reports in a browser",
    .usage = "[options] [REPORT|FOLDER...]",
    .details =
        "Writes one HTML file that needs no network: a table of routines, and the points of\n"
        "each routine with the fitted curves. If there are several reports, any two reports\n"
        "can be compared. A folder stands for the sum of its reports. Without arguments, the\n"
        "newest report in this folder is used.",
    .options = html_options,
    .operands_most = OPERANDS_ANY,
    .verb = VERB_OF_POINTS,
    .run = run,
};
