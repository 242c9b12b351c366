/* The reports that `aprof serve` shows; see serve.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/serve.h"
#include "tools/html_page.h"
#include "lib/base/json.h"
#include "lib/base/short_name.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const kind_names[] = {"file", "folder", "process"};

/* Adds a report that consists of these files, and takes ownership of the list of files. If one of
 * the files is missing, adds nothing. */
static void add_report(serve_reports *reports, const char *name, path_list *files)
{
    struct serve_report report = {.files = *files};
    struct stat status;
    bool good = files->count > 0;
    for (size_t i = 0; good && i < files->count; i++) {
        good = stat(files->at[i], &status) == 0 && S_ISREG(status.st_mode);
        report.bytes += good ? (uint64_t)status.st_size : 0;
    }
    if (!good) {
        report_set_free(files);
        return;
    }
    report.name = memory_copy_string(name);
    report.moment = status.st_mtim.tv_sec;
    report.stamp = memory_format("%zu-%" PRIu64 "-%" PRIu64 "-%lld.%09ld", files->count,
                                 (uint64_t)status.st_ino, report.bytes,
                                 (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    vector_push(reports, report);
}

static void list_folder(const char *folder, serve_reports *reports)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        path_list files = {0};
        if (!report_set_is_name(entry->d_name))
            continue;
        vector_push(&files, memory_format("%s/%s", folder, entry->d_name));
        add_report(reports, entry->d_name, &files);
    }
    if (entries)
        closedir(entries);
}

static int newest_first(const void *a, const void *b)
{
    const struct serve_report *left = a, *right = b;
    if (left->moment != right->moment)
        return left->moment > right->moment ? -1 : 1;
    return strcmp(left->name, right->name);
}

static void report_forget(struct serve_report *report)
{
    report_set_free(&report->files);
    free(report->name);
    free(report->stamp);
}

void serve_list(struct serve_source *source, serve_reports *reports)
{
    path_list files = {0};
    if (source->kind == SERVE_FOLDER) {
        list_folder(source->path, reports);
        if (reports->count > 0)
            qsort(reports->at, reports->count, sizeof *reports->at, newest_first);
        while (reports->count > SERVE_REPORTS_MAX)
            report_forget(&reports->at[--reports->count]);
    } else if (source->kind == SERVE_FILE) {
        vector_push(&files, memory_copy_string(source->path));
        add_report(reports, short_path(source->path), &files);
    } else {
        live_process_files(&source->process, &files);
        char *name = memory_format("process %d", (int)source->process.pid);
        add_report(reports, name, &files);
        free(name);
    }
}

void serve_list_free(serve_reports *reports)
{
    for (size_t i = 0; i < reports->count; i++)
        report_forget(&reports->at[i]);
    vector_free(reports);
}

const struct serve_report *serve_find(const serve_reports *reports, const char *name)
{
    for (size_t i = 0; i < reports->count; i++) {
        if (strcmp(reports->at[i].name, name) == 0)
            return &reports->at[i];
    }
    return NULL;
}

static void write_report(struct json *json, const struct serve_report *report)
{
    json_open_compact(json, NULL, '{');
    json_text(json, "name", report->name);
    json_text(json, "stamp", report->stamp);
    json_number(json, "moment", (uint64_t)(report->moment > 0 ? report->moment : 0));
    json_number(json, "bytes", report->bytes);
    json_close(json);
}

void serve_write_state(struct serve_source *source, FILE *to)
{
    struct json json = json_start(to);
    serve_reports reports = {0};
    serve_list(source, &reports);
    json_open(&json, NULL, '{');
    json_text(&json, "kind", kind_names[source->kind]);
    json_text(&json, "what", source->path);
    json_bool(&json, "runs", source->kind == SERVE_PROCESS && live_process_runs(&source->process));
    json_bool(&json, "history", access(source->database, R_OK) == 0);
    json_open(&json, "reports", '[');
    for (size_t i = 0; i < reports.count; i++)
        write_report(&json, &reports.at[i]);
    json_close(&json);
    json_close(&json);
    serve_list_free(&reports);
}

bool serve_write_page(const struct serve_report *a, const struct serve_report *b, FILE *to,
                      struct failure *why)
{
    struct html_settings settings = {.parts = a->files.count > 1 ? &a->files : NULL};
    string_list paths = {0};
    vector_push(&paths, a->files.at[a->files.count - 1]);
    if (b)
        vector_push(&paths, b->files.at[b->files.count - 1]);
    bool good = html_page_write(&paths, &settings, to, why);
    vector_free(&paths);
    return good;
}
