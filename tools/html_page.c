/* The page of `aprof html`: the template, filled with the data of reports.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The build bundles the template. The data are inserted in the middle of the template as script
 * elements: one has the JSON text, and the others have the packed points, one element for each
 * report and metric. No browser executes these elements.
 */
#include "tools/html_page.h"
#include "tools/model.h"
#include "tools/report_view.h"
#include "lib/base/json.h"
#include "lib/base/page_template.h"
#include "lib/base/progress.h"
#include "lib/base/short_name.h"
#include "lib/growth/report_sample.h"
#include "lib/load/report_set.h"
#include "lib/page/page_changes.h"
#include "lib/page/page_code.h"
#include "lib/page/page_data.h"
#include "lib/page/page_scale.h"
#include "lib/report/select.h"
#include "tools/report_load.h"

#include <string.h>

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

static void add_sources(const struct report *report, const struct html_settings *settings,
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

/* Moves the sentences to `to`, which becomes their owner. */
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

/* The sentences that `aprof report` writes before and after its table; none if the report has no
 * routines. */
static void find(const struct report_view *view, string_list *findings, string_list *advice)
{
    struct report_known known = report_known_of(view, REPORT_TOP_DEFAULT);
    text_list first = {0}, last = {0};
    report_findings(view, REPORT_TOP_DEFAULT, &known, &first);
    report_advice(view, &known, &last);
    move_texts(&first, findings);
    move_texts(&last, advice);
}

static bool add_report(struct json *json, const char *path, const struct html_settings *settings,
                       struct page *page, struct page_points *points, struct failure *why)
{
    struct report_settings as_report = {.mine = settings->mine};
    struct report report;
    struct report_view view = {.settings = &as_report, .report = &report};
    string_list findings = {0}, advice = {0};
    bool is_sum = settings->parts && page->points == points;
    if (!(is_sum ? report_set_read_sum(settings->parts, path, &report, why)
                 : report_set_read(path, &report, why)))
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
                        const struct html_settings *settings, struct page *page,
                        struct failure *why)
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

static bool page_make(const string_list *paths, const struct html_settings *settings,
                      struct page *page, struct failure *why)
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
    if (good && !settings->parts)
        page_changes_write(&json, paths);
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

void html_write_json(const char *json, size_t bytes, FILE *to)
{
    const char *at = json, *end = json + bytes;
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

const char *html_write_head(const char *page, FILE *to)
{
    const char *mark = strstr(page, data_mark);
    fwrite(page, 1, (size_t)(mark - page), to);
    return mark + strlen(data_mark);
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

bool html_has_page(struct failure *why)
{
    return page_template_bytes > 0 ||
           failure_set(why, "html: this aprof was built without the page; rebuild "
                            "aprof with node, npm and a network");
}

bool html_page_write(const string_list *paths, const struct html_settings *settings, FILE *to,
                     struct failure *why)
{
    struct page page = {0};
    bool good = html_has_page(why) && page_make(paths, settings, &page, why);
    if (good) {
        const char *rest = html_write_head(page_template, to);
        html_write_json(page.json, page.json_bytes, to);
        write_points(&page, to);
        fputs(rest, to);
    }
    page_free(&page);
    return good;
}

bool html_page_save(const string_list *paths, const struct html_settings *settings,
                    const char *path, struct failure *why)
{
    struct output output;
    return output_open(&output, path, why) &&
           model_close(&output, html_page_write(paths, settings, output.stream, why), why);
}
