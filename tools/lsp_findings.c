/* Diagnostics of the language server: the findings of `aprof gate`; see lsp.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/lsp.h"
#include "lib/base/source.h"
#include "lib/compare/gate.h"

#include <string.h>

/* The diagnostics of one file. */
struct file_findings {
    char *uri, *path;
    lsp_json *list;
};
typedef VECTOR(struct file_findings) finding_list;

/* The absolute path of a file that a finding names. */
static char *absolute(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : memory_copy_string(path);
}

static struct file_findings *findings_of(struct lsp_server *server, finding_list *files,
                                         const char *name)
{
    char *place = source_place(name, server->options->source_path), *path = absolute(place);
    free(place);
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->at[i].path, path) == 0) {
            free(path);
            return &files->at[i];
        }
    }
    struct lsp_document *document = lsp_document_of_path(server, path);
    struct file_findings made = {.path = path, .list = json_object_new_array()};
    made.uri = document ? memory_copy_string(document->uri) : lsp_uri_of(path);
    vector_push(files, made);
    return &files->at[files->count - 1];
}

/* The line in the editor for a line of the report. A removed line keeps its old position. */
static uint32_t editor_line(struct lsp_server *server, const char *path, uint32_t of_report,
                            bool *is_stale)
{
    struct lsp_document *document = lsp_document_of_path(server, path);
    uint32_t line = of_report ? of_report - 1 : 0;
    *is_stale = false;
    if (!document)
        return line;
    struct lsp_changes changes = lsp_document_compare(server, document);
    uint32_t moved = line;
    bool is_changed, found = lsp_changes_forward(&changes, &moved, &is_changed);
    lsp_changes_free(&changes);
    *is_stale = !found || is_changed || document->is_stale;
    return found ? moved : line;
}

/* The line of the file of bounds that begins with this pattern; 1 if no line begins with the
 * pattern. */
static uint32_t bound_line(const char *path, const char *pattern)
{
    char *text = source_read(path);
    uint32_t line = 1, found = 0;
    for (const char *at = text; at && !found; line++) {
        at += strspn(at, " \t");
        if (strncmp(at, pattern, strlen(pattern)) == 0)
            found = line;
        at = strchr(at, '\n');
        at += at != NULL;
    }
    free(text);
    return found ? found : 1;
}

static lsp_json *message_of(const struct gate_finding *f, bool is_stale)
{
    char *text = memory_format("%s: %s", f->subject, f->message);
    for (size_t i = 0; i < f->details.count; i++) {
        char *longer = memory_format("%s. %s", text, f->details.at[i]);
        free(text);
        text = longer;
    }
    char *whole = memory_format("%s%s", text, is_stale ? " (stale: the source has changed)" : "");
    lsp_json *made = lsp_name(whole);
    free(text);
    free(whole);
    return made;
}

/* The file and line of a finding; the file is "" if unknown. */
static const char *place_of(const struct lsp_server *server, const struct gate_finding *f,
                            const char *bounds, uint32_t *line)
{
    const struct report *r = &server->report.report;
    *line = f->line;
    if (f->rule == GATE_NO_ROUTINE) {
        *line = bound_line(bounds, f->subject);
        return bounds;
    }
    for (size_t i = 0; !*f->file && i < r->routines.count; i++) {
        if (strcmp(r->routines.at[i].name, f->subject) == 0) {
            *line = r->routines.at[i].line;
            return r->routines.at[i].file;
        }
    }
    return f->file;
}

static void add_finding(struct lsp_server *server, const struct gate_finding *f, const char *bounds,
                        finding_list *files)
{
    enum { WARNING = 2, LINE_END = INT32_MAX };
    uint32_t line;
    bool is_stale;
    const char *name = place_of(server, f, bounds, &line);
    if (f->level != GATE_FAILED || !*name)
        return;
    struct file_findings *file = findings_of(server, files, name);
    lsp_json *made = json_object_new_object();
    line = editor_line(server, file->path, line, &is_stale);
    json_object_object_add(made, "range", lsp_range(line, 0, LINE_END));
    json_object_object_add(made, "severity", json_object_new_int(WARNING));
    json_object_object_add(made, "source", json_object_new_string("aprof"));
    json_object_object_add(made, "code", json_object_new_string(gate_rules[f->rule].name));
    json_object_object_add(made, "message", message_of(f, is_stale));
    json_object_array_add(file->list, made);
}

static bool publish(const char *uri, lsp_json *list)
{
    lsp_json *params = json_object_new_object();
    json_object_object_add(params, "uri", json_object_new_string(uri));
    json_object_object_add(params, "diagnostics", list);
    return lsp_notify("textDocument/publishDiagnostics", params);
}

/* Sends the lists of all files, including empty lists for files that no longer have findings. */
static bool publish_all(struct lsp_server *server, finding_list *files)
{
    bool good = true;
    for (size_t i = 0; i < server->published.count; i++) {
        bool remains = false;
        for (size_t k = 0; k < files->count; k++)
            remains |= strcmp(files->at[k].uri, server->published.at[i]) == 0;
        good = good && (remains || publish(server->published.at[i], json_object_new_array()));
        free(server->published.at[i]);
    }
    server->published.count = 0;
    for (size_t i = 0; i < files->count; i++) {
        good = good && publish(files->at[i].uri, json_object_get(files->at[i].list));
        vector_push(&server->published, files->at[i].uri);
        json_object_put(files->at[i].list);
        free(files->at[i].path);
    }
    vector_free(files);
    return good;
}

bool lsp_findings_publish(struct lsp_server *server, bool is_new_report, struct failure *why)
{
    const char *path = server->options->bounds ? server->options->bounds : LSP_BOUNDS;
    struct lsp_version bounds = lsp_version_of(path), base = lsp_version_of(server->options->base);
    if (!is_new_report && lsp_version_same(&bounds, &server->bounds) &&
        lsp_version_same(&base, &server->base))
        return true;
    struct gate_options options = {.bounds = bounds.number ? path : NULL,
                                   .base = base.number ? server->options->base : NULL,
                                   .comparison = COMPARISON_DEFAULTS};
    struct gate gate = {0};
    finding_list files = {0};
    options.comparison.limits.threshold /=
        100; /* converts percent to a fraction, as `aprof gate` does */
    bool is_read = gate_pass(&gate, server->report.path, &options, why);
    for (size_t i = 0; is_read && i < gate.findings.count; i++)
        add_finding(server, &gate.findings.at[i], path, &files);
    gate_free(&gate);
    server->bounds = bounds;
    server->base = base;
    return publish_all(server, &files);
}
