/* The language server of `aprof lsp`: its state, and its answers.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lsp_wire.c frames messages. lsp_text.c stores texts and converts positions. lsp_report.c reads
 * the report, and determines which lines are stale. lsp_answers.c makes code lenses, inlay hints
 * and hovers; lsp_findings.c makes diagnostics. lsp_server.c is the protocol.
 */
#ifndef TOOLS_LSP_H
#define TOOLS_LSP_H

#include "tools/lsp_options.h"
#include "tools/lsp_text.h"
#include "tools/lsp_wire.h"
#include "lib/report/code_view.h"

#include <sys/types.h>
#include <time.h>

/* The version of a file; all zero if there is no file. */
struct lsp_version {
    struct timespec time;
    off_t bytes;
    ino_t number;
};

struct lsp_report {
    struct report report;
    bool loaded;
    unsigned generation; /* number of reports read so far */
    enum report_metric metric;
    char *path;
    struct lsp_version version;
    char **growth;    /* growth of each profile in words; NULL: not yet known */
    code_lines lines; /* cost of all lines */
};

/* An open document. */
struct lsp_document {
    char *uri;
    char *path, *real; /* path of the file, and its path without symbolic links; NULL: no file */
    struct lsp_text text;
    /* The text that was profiled; if `is_stale`, that text is unknown, and this is the text of the
     * file. */
    struct lsp_text profiled;
    bool is_stale; /* whether the file is newer than the profiled program */
    unsigned generation;
    struct lsp_version version; /* version of the file with the text `profiled` */
};

struct lsp_server {
    const struct lsp_options *options;
    struct lsp_wire wire;
    struct lsp_report report;
    VECTOR(struct lsp_document) documents;
    bool is_initialized, is_shut_down, has_markdown, can_refresh_lenses, can_refresh_hints;
    unsigned requests;         /* number of requests sent to the client */
    struct lsp_version failed; /* version of a report that could not be read */
    /* versions of two files, the bounds and the base, with which the diagnostics were made */
    struct lsp_version bounds, base;
    VECTOR(char *) published; /* addresses of files that have diagnostics */
};

/* The report ----------------------------------------------------------------------------------- */

struct lsp_version lsp_version_of(const char *path);
bool lsp_version_same(const struct lsp_version *a, const struct lsp_version *b);

/* Reads the report of the workspace if it is new or has changed. Returns true if the report was
 * read. If reading fails, `why` has a message, but only once for each version of the file;
 * otherwise, `why` is empty. */
bool lsp_report_update(struct lsp_server *server, struct failure *why);
void lsp_report_free(struct lsp_report *report);

/* Whether `name` is the document's name in the report. */
bool lsp_is_file(const struct lsp_server *server, const struct lsp_document *document,
                 const char *name);

/* Compares the document with the profiled text. The caller frees the changes. */
struct lsp_changes lsp_document_compare(struct lsp_server *server, struct lsp_document *document);

/* The growth of a profile in the words of `aprof report`. */
const char *lsp_growth(struct lsp_report *report, size_t profile);

/* Answers -------------------------------------------------------------------------------------- */

lsp_json *lsp_code_lenses(struct lsp_server *server, struct lsp_document *document);

/* Hints for the lines from `first` to `last` of the document. */
lsp_json *lsp_inlay_hints(struct lsp_server *server, struct lsp_document *document, uint32_t first,
                          uint32_t last);

/* Returns the hover at the position, or NULL if nothing is known about it. */
lsp_json *lsp_hover(struct lsp_server *server, struct lsp_document *document,
                    struct lsp_position position);

/* A range on one line. */
lsp_json *lsp_range(uint32_t line, uint32_t begin, uint32_t end);

/* Valid text without control characters, from a name in a report. */
lsp_json *lsp_name(const char *name);

/* Findings ------------------------------------------------------------------------------------- */

/* Sends the findings of `aprof gate` about the report if the report, the bounds or the base have
 * changed. Returns false if the client has disconnected. */
bool lsp_findings_publish(struct lsp_server *server, bool is_new_report, struct failure *why);

/* Protocol ------------------------------------------------------------------------------------- */

/* Sends a notification with these parameters. */
bool lsp_notify(const char *method, lsp_json *params);

/* The open document of the file at this path; NULL if it is not open. */
struct lsp_document *lsp_document_of_path(struct lsp_server *server, const char *path);

/* The address "file:///a%20b" of an absolute path. The caller frees it. */
char *lsp_uri_of(const char *path);

#endif
