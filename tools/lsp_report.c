/* The report that the language server shows, and stale lines; see lsp.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A document is compared with the text that was profiled. The text of a file is the profiled text
 * if the file is older than the profiled program and the program's report. The server keeps this
 * text, so lines keep their costs while the file is edited and saved. If the file was newer when it
 * was opened, the profiled text is unknown, and all lines are stale.
 */
#include "tools/lsp.h"
#include "lib/base/short_name.h"
#include "lib/base/source.h"
#include "lib/growth/report_sample.h"
#include "lib/growth/summary.h"
#include "lib/load/report_set.h"
#include "lib/report/report_reader.h"
#include "lib/symbols/report_symbols.h"

#include <string.h>
#include <sys/stat.h>

/* Versions of files ---------------------------------------------------------------------------- */

struct lsp_version lsp_version_of(const char *path)
{
    struct stat status;
    if (!path || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return (struct lsp_version){0};
    return (struct lsp_version){status.st_mtim, status.st_size, status.st_ino};
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

bool lsp_version_same(const struct lsp_version *a, const struct lsp_version *b)
{
    return !is_later(&a->time, &b->time) && !is_later(&b->time, &a->time) && a->bytes == b->bytes &&
           a->number == b->number;
}

/* Reading -------------------------------------------------------------------------------------- */

static void free_growth(struct lsp_report *r)
{
    for (size_t i = 0; r->growth && i < r->report.profiles.count; i++)
        free(r->growth[i]);
    free(r->growth);
    r->growth = NULL;
}

void lsp_report_free(struct lsp_report *r)
{
    free_growth(r);
    vector_free(&r->lines);
    report_free(&r->report);
    free(r->path);
    r->path = NULL;
    r->loaded = false;
}

/* Reads the report as `aprof report` does, with threads merged. */
static bool read_report(struct lsp_report *r, const char *path, struct failure *why)
{
    struct lsp_report new = {.generation = r->generation + 1, .version = lsp_version_of(path)};
    if (!report_read_file(&new.report, path, why))
        return false;
    if (!report_choose_metric(&new.report, NULL, &new.metric, why)) {
        report_free(&new.report);
        return false;
    }
    report_find_lines(&new.report);
    report_estimate(&new.report);
    report_merge_threads(&new.report);
    new.growth = memory_get_zeroed(new.report.profiles.count + 1, sizeof *new.growth);
    code_lines_of(&new.report, REPORT_NONE, &new.lines);
    new.path = memory_copy_string(path);
    new.loaded = true;
    lsp_report_free(r);
    *r = new;
    return true;
}

bool lsp_report_update(struct lsp_server *server, struct failure *why)
{
    struct lsp_report *r = &server->report;
    const char *given = server->options->report;
    char *path = given ? memory_copy_string(given) : report_set_newest(why);
    struct lsp_version now = lsp_version_of(path), none = {0};
    bool is_known =
        !path || lsp_version_same(&now, &server->failed) ||
        (r->loaded && lsp_version_same(&now, &r->version) && strcmp(path, r->path) == 0);
    bool is_read = false;
    *why->text = 0;
    if (!is_known && lsp_version_same(&now, &none)) {
        failure_set(why, "%s: no such report", path);
    } else if (!is_known) {
        is_read = read_report(r, path, why);
        if (is_read)
            *why->text = 0;
    }
    server->failed = is_known ? server->failed : is_read ? none : now;
    free(path);
    return is_read;
}

const char *lsp_growth(struct lsp_report *r, size_t profile)
{
    if (!r->growth[profile]) {
        struct summary s = summary_of(&r->report, &r->report.profiles.at[profile], r->metric);
        summary_add_growth(&r->report, r->metric, &s);
        r->growth[profile] = growth_claim_or_trend_brief(&s.growth.average_claim);
    }
    return r->growth[profile];
}

/* Stale lines ---------------------------------------------------------------------------------- */

bool lsp_is_file(const struct lsp_server *server, const struct lsp_document *document,
                 const char *name)
{
    if (!document->path || strcmp(short_path(name), short_path(document->path)) != 0)
        return false;
    char *place = source_place(name, server->options->source_path);
    char *real = realpath(place, NULL);
    bool is_same = strcmp(place, document->path) == 0 ||
                   (real && document->real && strcmp(real, document->real) == 0);
    free(place);
    free(real);
    return is_same;
}

/* The time of the profiled program: the time of the report, or the time of an object file with code
 * of the document if that time is earlier. An object file that is newer than the report was built
 * again after the run. */
static struct timespec profiled_time(const struct lsp_server *server,
                                     const struct lsp_document *document)
{
    const struct report *r = &server->report.report;
    struct timespec earliest = server->report.version.time;
    for (size_t i = 0; i < r->routines.count; i++) {
        const struct report_routine *routine = &r->routines.at[i];
        if (!lsp_is_file(server, document, routine->file))
            continue;
        struct lsp_version object = lsp_version_of(r->objects.at[routine->object]);
        if (object.number && is_later(&earliest, &object.time))
            earliest = object.time;
    }
    return earliest;
}

static void keep_text(struct lsp_document *document, char *text)
{
    if (text)
        lsp_text_set(&document->profiled, text, strlen(text));
    else
        lsp_text_set(&document->profiled, document->text.bytes.at, document->text.bytes.count);
    free(text);
}

static void update_profiled(struct lsp_server *server, struct lsp_document *document)
{
    struct lsp_version now = lsp_version_of(document->path);
    bool same_report = document->generation == server->report.generation;
    bool is_profiled = same_report && !document->is_stale && document->profiled.lines.count > 0;
    if (is_profiled || (same_report && lsp_version_same(&now, &document->version)))
        return;
    struct timespec time = profiled_time(server, document);
    char *text = now.number ? source_read(document->path) : NULL;
    document->is_stale = !text || is_later(&now.time, &time);
    document->generation = server->report.generation;
    document->version = now;
    keep_text(document, text);
}

struct lsp_changes lsp_document_compare(struct lsp_server *server, struct lsp_document *document)
{
    update_profiled(server, document);
    return lsp_text_compare(&document->profiled, &document->text);
}
