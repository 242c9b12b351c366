/* The formats of `aprof export`. Each format is a writer with three steps: start, one report, end.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_EXPORT_EXPORT_H
#define LIB_EXPORT_EXPORT_H

#include "lib/base/json.h"
#include "lib/report/report.h"
#include "lib/report/select.h"

/* A report, and the parts of it that are exported. */
struct export_job {
    struct report report;
    routine_list routines; /* routines to export, if `chosen` is true */
    bool chosen;
    bool metrics[METRIC_COUNT];
};

struct export_writer {
    FILE *stream;
    const char *path; /* path of the output file; NULL if it is not a regular file */
    bool started;     /* whether the first report was read without an error */
    struct json json;
    size_t reports; /* number of reports written so far */
    void *database;
};

struct export_format {
    const char *name;
    bool (*start)(struct export_writer *, struct failure *);
    bool (*report)(struct export_writer *, const struct export_job *, struct failure *);
    bool (*end)(struct export_writer *, struct failure *);
    bool merges_threads; /* whether the format needs a report with merged threads */
};

extern const struct export_format export_csv, export_json, export_gnuplot, export_callgrind,
    export_pprof, export_folded, export_speedscope, export_sqlite;

/* After a failure, releases the resources that `start` has acquired. */
void export_sqlite_abandon(struct export_writer *writer);

bool export_wanted(const struct export_job *job, const struct report_profile *profile);

/* Writes the sums of a report as the JSON member "totals". */
void export_json_totals(struct json *json, const struct totals *t);

/* A step without effect, for formats that do not need the step. */
bool export_nothing(struct export_writer *writer, struct failure *why);

#endif
