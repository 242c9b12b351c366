/* Writes an SQLite database of reports, routines and points; its schema is in aprof-export(1).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SQLite's integers end at 2^63 - 1; larger numbers become reals.
 */
#include "aprof-config.h"

#include "lib/export/export.h"

#ifdef HAVE_LIBSQLITE3
#include <sqlite3.h>
#include <string.h>

static const char schema[] =
    "CREATE TABLE report(id INTEGER PRIMARY KEY, path TEXT, creator TEXT, tool TEXT, arch TEXT,"
    " command TEXT, process TEXT, resolution INTEGER, cost_unit TEXT, threads TEXT,"
    " end_reason TEXT, cost INTEGER, activations INTEGER, reads INTEGER,"
    " induced_thread INTEGER, induced_external INTEGER);"
    "CREATE TABLE routine(id INTEGER PRIMARY KEY, report INTEGER REFERENCES report(id),"
    " name TEXT, mangled TEXT, object TEXT, address INTEGER, size INTEGER, file TEXT,"
    " line INTEGER);"
    "CREATE TABLE profile(id INTEGER PRIMARY KEY, routine INTEGER REFERENCES routine(id),"
    " thread INTEGER, calls INTEGER, cost_total INTEGER, cost_self INTEGER);"
    "CREATE TABLE point(profile INTEGER REFERENCES profile(id), metric TEXT,"
    " input_size INTEGER, calls INTEGER, cost_sum INTEGER, cost_min INTEGER, cost_max INTEGER,"
    " cost_sumsq INTEGER, self_cost_sum INTEGER, induced_thread INTEGER,"
    " induced_external INTEGER);"
    "CREATE INDEX routine_name ON routine(name);"
    "CREATE INDEX point_profile ON point(profile, metric, input_size);";

static bool sqlite_failed(struct export_writer *w, struct failure *why)
{
    return failure_set(why, "sqlite: %s", sqlite3_errmsg(w->database));
}

static bool sqlite_start(struct export_writer *w, struct failure *why)
{
    sqlite3 *database;
    if (!w->path)
        return failure_set(why, "export: sqlite needs a file: give --output=FILE");
    int state = sqlite3_open(w->path, &database);
    w->database = database;
    if (state != SQLITE_OK ||
        sqlite3_exec(database, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN", NULL, NULL,
                     NULL) != SQLITE_OK ||
        sqlite3_exec(database, schema, NULL, NULL, NULL) != SQLITE_OK)
        return sqlite_failed(w, why);
    return true;
}

/* A statement and the number of the next parameter to bind. */
struct insert {
    sqlite3_stmt *statement;
    int next;
};

static struct insert insert_into(struct export_writer *w, const char *sql)
{
    struct insert insert = {NULL, 1};
    sqlite3_prepare_v2(w->database, sql, -1, &insert.statement, NULL);
    return insert;
}

static void put_number(struct insert *insert, u128 number)
{
    if (number <= INT64_MAX)
        sqlite3_bind_int64(insert->statement, insert->next++, (sqlite3_int64)number);
    else
        sqlite3_bind_double(insert->statement, insert->next++, (double)number);
}

static void put_text(struct insert *insert, const char *text)
{
    sqlite3_bind_text(insert->statement, insert->next++, text, -1, SQLITE_TRANSIENT);
}

/* Runs the statement and makes it ready for the next row; returns the row's id. */
static sqlite3_int64 put_row(struct export_writer *w, struct insert *insert)
{
    sqlite3_step(insert->statement);
    sqlite3_reset(insert->statement);
    insert->next = 1;
    return sqlite3_last_insert_rowid(w->database);
}

static sqlite3_int64 put_report(struct export_writer *w, const struct report *r)
{
    struct insert insert =
        insert_into(w, "INSERT INTO report VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    const struct totals *t = &r->totals;
    char *command = memory_join(r->command.at, r->command.count, ' ');
    char *process = report_process_words(r);
    const char *texts[] = {r->path, r->creator, r->tool, r->arch, command, process};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_text(&insert, texts[i]);
    put_number(&insert, r->resolution_bytes);
    put_text(&insert, r->cost_unit);
    put_text(&insert, r->threads_separate ? "separate" : "merged");
    put_text(&insert, r->end_reason);
    const uint64_t numbers[] = {t->cost, t->activations, t->reads, t->induced_thread,
                                t->induced_external};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put_number(&insert, numbers[i]);
    sqlite3_int64 id = put_row(w, &insert);
    sqlite3_finalize(insert.statement);
    free(command);
    free(process);
    return id;
}

static sqlite3_int64 put_routine(struct export_writer *w, struct insert *insert,
                                 const struct report *r, const struct report_routine *routine,
                                 sqlite3_int64 report)
{
    put_number(insert, (u128)report);
    put_text(insert, routine->name);
    put_text(insert, routine->symbol);
    put_text(insert, r->objects.at[routine->object]);
    put_number(insert, routine->offset);
    put_number(insert, routine->size_bytes);
    put_text(insert, routine->file);
    put_number(insert, routine->line);
    return put_row(w, insert);
}

static void put_points(struct export_writer *w, struct insert *insert, const struct report *r,
                       const struct report_profile *profile, enum report_metric m, sqlite3_int64 id)
{
    const struct report_point *points = profile_points(r, profile, m);
    for (size_t i = 0; i < profile->count[m]; i++) {
        const struct report_point *p = &points[i];
        const u128 numbers[] = {p->input,    p->calls,          p->cost_sum,
                                p->cost_min, p->cost_max,       p->cost_squares,
                                p->self_sum, p->induced_thread, p->induced_external};
        put_number(insert, (u128)id);
        put_text(insert, metric_names[m]);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            put_number(insert, numbers[k]);
        put_row(w, insert);
    }
}

static void put_profiles(struct export_writer *w, const struct export_job *job,
                         sqlite3_int64 report)
{
    const struct report *r = &job->report;
    struct insert routines = insert_into(w, "INSERT INTO routine VALUES(NULL,?,?,?,?,?,?,?,?)");
    struct insert profiles = insert_into(w, "INSERT INTO profile VALUES(NULL,?,?,?,?,?)");
    struct insert points = insert_into(w, "INSERT INTO point VALUES(?,?,?,?,?,?,?,?,?,?,?)");
    sqlite3_int64 *ids = memory_get_zeroed(r->routines.count, sizeof *ids);
    for (size_t i = 0; i < r->profiles.count; i++) {
        const struct report_profile *profile = &r->profiles.at[i];
        sqlite3_int64 *routine = &ids[profile->routine];
        if (!export_wanted(job, profile))
            continue;
        if (!*routine)
            *routine = put_routine(w, &routines, r, &r->routines.at[profile->routine], report);
        const u128 numbers[] = {(u128)*routine, profile->thread, profile->calls,
                                profile->cost_total, profile->cost_self};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            put_number(&profiles, numbers[k]);
        sqlite3_int64 id = put_row(w, &profiles);
        for (int m = 0; m < METRIC_COUNT; m++) {
            if (job->metrics[m])
                put_points(w, &points, r, profile, (enum report_metric)m, id);
        }
    }
    free(ids);
    sqlite3_finalize(routines.statement);
    sqlite3_finalize(profiles.statement);
    sqlite3_finalize(points.statement);
}

/* The check at the end finds the error of a failed insert, because no other statement runs in
 * between. */
static bool sqlite_report(struct export_writer *w, const struct export_job *job,
                          struct failure *why)
{
    int before = sqlite3_total_changes(w->database);
    put_profiles(w, job, put_report(w, &job->report));
    int errors = sqlite3_errcode(w->database);
    bool good = errors == SQLITE_OK || errors == SQLITE_DONE;
    return (good && sqlite3_total_changes(w->database) > before) || sqlite_failed(w, why);
}

static bool sqlite_end(struct export_writer *w, struct failure *why)
{
    return sqlite3_exec(w->database, "COMMIT", NULL, NULL, NULL) == SQLITE_OK ||
           sqlite_failed(w, why);
}

void export_sqlite_abandon(struct export_writer *w)
{
    sqlite3_close(w->database);
    w->database = NULL;
}

const struct export_format export_sqlite = {"sqlite", sqlite_start, sqlite_report, sqlite_end,
                                            false};
#else
static bool sqlite_missing(struct export_writer *w, struct failure *why)
{
    (void)w;
    return failure_set(why, "export: this aprof was built without SQLite");
}

static bool sqlite_report(struct export_writer *w, const struct export_job *job,
                          struct failure *why)
{
    (void)job;
    return sqlite_missing(w, why);
}

void export_sqlite_abandon(struct export_writer *w)
{
    (void)w;
}

const struct export_format export_sqlite = {"sqlite", sqlite_missing, sqlite_report, sqlite_missing,
                                            false};
#endif
