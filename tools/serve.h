/* `aprof serve`: the reports that are shown, and the server.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_SERVE_H
#define TOOLS_SERVE_H

#include "tools/live_process.h"
#include "lib/base/message.h"
#include "lib/load/report_set.h"

#include <stdint.h>
#include <stdio.h>

enum serve_kind { SERVE_FILE, SERVE_FOLDER, SERVE_PROCESS };

struct serve_source {
    enum serve_kind kind;
    const char *path;            /* file or folder */
    struct live_process process; /* for SERVE_PROCESS only */
    const char *database;        /* path of the history's database, which may be missing */
};

/* A report: a file, or the files of a process. */
struct serve_report {
    char *name;
    path_list files;
    char *stamp;    /* text that changes with each change of a file */
    int64_t moment; /* time of the last change, in seconds since 1970 */
    uint64_t bytes;
};

typedef VECTOR(struct serve_report) serve_reports;

/* The reports that exist now, the newest first; at most SERVE_REPORTS_MAX of a folder. */
#define SERVE_REPORTS_MAX 1000
void serve_list(struct serve_source *source, serve_reports *reports);
void serve_list_free(serve_reports *reports);
/* The report of the given name; NULL if it does not exist. The function only compares the name with
 * the names of the reports, and never makes a path from it. */
const struct serve_report *serve_find(const serve_reports *reports, const char *name);

/* Writes the state as JSON: the kind of source, whether a process runs, the reports, and whether
 * there is a history. */
void serve_write_state(struct serve_source *source, FILE *to);

/* Writes the page of a report, or of two reports; `b` is NULL for one report. */
bool serve_write_page(const struct serve_report *a, const struct serve_report *b, FILE *to,
                      struct failure *why);

/* The server, with its own thread. */
struct serve_server;

/* Listens on the loopback interface, at a port (0: any free port). NULL after a failure. The source
 * of reports must stay valid until the server stops. */
struct serve_server *serve_start(struct serve_source *source, unsigned port, struct failure *why);
void serve_stop(struct serve_server *server);

/* "http://127.0.0.1:PORT/TOKEN/" */
const char *serve_address(const struct serve_server *server);

/* Whether a browser has requested the state in the last seconds. */
bool serve_is_watched(const struct serve_server *server);

#endif
