/* A history of runs in an SQLite database; see history.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof-config.h"

#include "lib/compare/history.h"
#include "lib/growth/routine_growth.h"
#include "lib/base/short_name.h"

#include <math.h>
#include <string.h>

/* Change points -------------------------------------------------------------------------------- */

static bool is_beyond(uint64_t before, uint64_t after, double percent)
{
    return fabs((double)after - (double)before) * 100 > percent * (double)before;
}

enum history_mark history_step(struct history_entry *level, const struct history_entry *now,
                               double percent)
{
    enum history_mark mark = HISTORY_SAME;
    if (*level->growth && *now->growth && strcmp(level->growth, now->growth) != 0)
        mark = HISTORY_GROWTH;
    else if (is_beyond(level->own, now->own, percent))
        mark = HISTORY_COST;
    else if (is_beyond(level->calls, now->calls, percent))
        mark = HISTORY_CALLS;
    const char *growth = *now->growth ? now->growth : level->growth;
    if (mark != HISTORY_SAME)
        *level = *now;
    level->growth = growth;
    return mark;
}

#ifdef HAVE_LIBSQLITE3
#include <sqlite3.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

/* The application id ("apro") and the user version (of the schema), which SQLite stores for
 * applications. */
#define APPLICATION 0x6170726f
#define SCHEMA      1

#define BUSY_MS 10000

/* A database is untrusted, so SQLite's work is limited. A text is truncated when it is added, and
 * rows with longer texts are rejected. The number of steps of SQLite's virtual machine is limited
 * in proportion to the size of the database. Without this limit, a damaged database could take
 * endless time, because its pages may refer to each other in a cycle. Valid databases stay far
 * below the limit, because aprof reads each row only a few times. For example, to show 60 runs of
 * 10000 routines, SQLite takes 2.4 steps for each byte of the database. */
#define TEXT_BYTES_MAX      (16 << 10)
#define ROW_BYTES_MAX       (8 * TEXT_BYTES_MAX)
#define STEPS_PER_BYTE      100
#define STEPS_PER_STATEMENT 20000
#define STEPS_AT_ONCE       10000

struct history {
    sqlite3 *database;
    int64_t steps_left;
};

static const char schema[] =
    "CREATE TABLE run(id INTEGER PRIMARY KEY, label TEXT NOT NULL, workload TEXT NOT NULL,"
    " moment INTEGER NOT NULL, metric TEXT NOT NULL, cost_unit TEXT NOT NULL,"
    " cost INTEGER NOT NULL, UNIQUE(label, workload));"
    "CREATE TABLE routine(id INTEGER PRIMARY KEY, name TEXT NOT NULL, symbol TEXT NOT NULL,"
    " object TEXT NOT NULL, file TEXT NOT NULL, UNIQUE(object, symbol, name, file));"
    "CREATE TABLE measured(run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
    " routine INTEGER NOT NULL REFERENCES routine(id), calls INTEGER NOT NULL,"
    " own INTEGER NOT NULL, total INTEGER NOT NULL, growth TEXT NOT NULL,"
    " PRIMARY KEY(run, routine)) WITHOUT ROWID;"
    "CREATE INDEX measured_routine ON measured(routine);"
    "CREATE INDEX routine_name ON routine(name);";

static bool history_failed(const struct history *h, struct failure *why)
{
    int code = sqlite3_errcode(h->database);
    if (code == SQLITE_TOOBIG)
        return failure_set(why,
                           "history: contains a text of more than %d bytes: not written by aprof",
                           ROW_BYTES_MAX);
    if (code == SQLITE_INTERRUPT)
        return failure_set(why, "history: is damaged: its pages refer to each other");
    return failure_set(why, "history: %s", sqlite3_errmsg(h->database));
}

/* SQLite calls take_steps() after each STEPS_AT_ONCE steps, and ends the statement if the result is
 * not 0. */
static int take_steps(void *history)
{
    struct history *h = history;
    h->steps_left -= STEPS_AT_ONCE;
    return h->steps_left < 0;
}

static bool execute(const struct history *h, const char *sql, struct failure *why)
{
    return sqlite3_exec(h->database, sql, NULL, NULL, NULL) == SQLITE_OK || history_failed(h, why);
}

/* Prepares a statement with its parameters: 't' is a text, 'n' a number. Returns NULL after a
 * failure. */
static sqlite3_stmt *prepare(struct history *h, const char *sql, const char *kinds, ...)
{
    sqlite3_stmt *statement;
    h->steps_left += STEPS_PER_STATEMENT;
    if (sqlite3_prepare_v2(h->database, sql, -1, &statement, NULL) != SQLITE_OK)
        return NULL;
    va_list list;
    va_start(list, kinds);
    for (int i = 1; *kinds; i++, kinds++) {
        if (*kinds == 't')
            sqlite3_bind_text(statement, i, va_arg(list, const char *), -1, SQLITE_TRANSIENT);
        else
            sqlite3_bind_int64(statement, i, va_arg(list, int64_t));
    }
    va_end(list);
    return statement;
}

/* Runs a statement that returns no rows. */
static bool carry_out(const struct history *h, sqlite3_stmt *statement, struct failure *why)
{
    bool good = statement && sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return good || history_failed(h, why);
}

/* Fetches the next row; returns false after the last row, and after an error. `*good` is false
 * after an error. */
static bool next_row(sqlite3_stmt *rows, bool *good)
{
    int code = rows ? sqlite3_step(rows) : SQLITE_ERROR;
    *good = code == SQLITE_ROW || code == SQLITE_DONE;
    return code == SQLITE_ROW;
}

/* The first number of the first row; `otherwise` if there is no row. */
static int64_t one_number(sqlite3_stmt *statement, int64_t otherwise)
{
    bool row = statement && sqlite3_step(statement) == SQLITE_ROW;
    int64_t number = row ? sqlite3_column_int64(statement, 0) : otherwise;
    sqlite3_finalize(statement);
    return number;
}

/* Opening -------------------------------------------------------------------------------------- */

static bool make_schema(const struct history *h, struct failure *why)
{
    char *numbers =
        memory_format("PRAGMA application_id=%d; PRAGMA user_version=%d;", APPLICATION, SCHEMA);
    bool good = execute(h, "BEGIN EXCLUSIVE", why) && execute(h, schema, why) &&
                execute(h, numbers, why) && execute(h, "COMMIT", why);
    free(numbers);
    return good;
}

/* Whether the database has the three tables of make_schema(), and no triggers. */
static bool has_schema(struct history *h)
{
    sqlite3_stmt *tables =
        prepare(h,
                "SELECT sum(type = 'table' AND instr(?1, sql || ';') > 0) = 3 AND"
                " NOT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'trigger')"
                " FROM sqlite_master WHERE name IN ('run', 'routine', 'measured')",
                "t", schema);
    return one_number(tables, 0) == 1;
}

static bool is_ours(struct history *h, const char *path, bool create, struct failure *why)
{
    int64_t any = one_number(prepare(h, "SELECT EXISTS (SELECT 1 FROM sqlite_master)", ""), -1);
    if (any < 0)
        return failure_set(why, "%s: %s", path, sqlite3_errmsg(h->database));
    if (any == 0 && create)
        return make_schema(h, why);
    if (one_number(prepare(h, "PRAGMA application_id", ""), 0) != APPLICATION)
        return failure_set(why, "%s: not a history of aprof", path);
    if (one_number(prepare(h, "PRAGMA user_version", ""), 0) != SCHEMA)
        return failure_set(why, "%s: written by a later aprof", path);
    if (!has_schema(h))
        return failure_set(why, "%s: does not have the tables of a history of aprof", path);
    h->steps_left += STEPS_PER_BYTE * (one_number(prepare(h, "PRAGMA page_count", ""), 0) *
                                       one_number(prepare(h, "PRAGMA page_size", ""), 0));
    return execute(h, "PRAGMA foreign_keys=ON", why);
}

static void limit_work(struct history *h)
{
    sqlite3_busy_timeout(h->database, BUSY_MS);
    sqlite3_limit(h->database, SQLITE_LIMIT_LENGTH, ROW_BYTES_MAX);
    sqlite3_progress_handler(h->database, STEPS_AT_ONCE, take_steps, h);
}

struct history *history_open(const char *path, bool create, struct failure *why)
{
    struct history *h = memory_get_zeroed(1, sizeof *h);
    int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
    bool good = sqlite3_open_v2(path, &h->database, flags, NULL) == SQLITE_OK;
    if (!good && !create && access(path, F_OK) != 0)
        failure_set(why, "%s: no such history; create it with `aprof history add`", path);
    else if (!good)
        failure_set(why, "%s: %s", path, sqlite3_errmsg(h->database));
    else
        limit_work(h);
    if (good && is_ours(h, path, create, why))
        return h;
    history_close(h);
    return NULL;
}

void history_close(struct history *h)
{
    sqlite3_close(h->database);
    free(h);
}

/* Adding --------------------------------------------------------------------------------------- */

/* The workload of a report: the command, without the program's folders. */
static char *workload_words(const struct report *r)
{
    char *all = memory_join(r->command.at, r->command.count, ' ');
    char *words = memory_format("%s%s", report_program(r), all + strlen(r->command.at[0]));
    char *cut = short_name(words, TEXT_BYTES_MAX);
    free(all);
    free(words);
    return cut;
}

/* Returns NULL if the routine has less than `share` percent of the whole cost. */
static char *worst_growth(const struct report *r, const struct report_profile *profile,
                          enum report_metric metric, double share)
{
    struct routine_growth found;
    if ((double)profile->cost_self * 100 < share * (double)r->totals.cost)
        return NULL;
    routine_growth_analyse(r, profile, metric, &found);
    return routine_growth_worst_words(&found);
}

static bool put_routine(struct history *h, const struct report *r,
                        const struct report_profile *profile, enum report_metric metric,
                        int64_t run, double share, struct failure *why)
{
    const struct report_routine *routine = &r->routines.at[profile->routine];
    char *name = short_name(routine->name, TEXT_BYTES_MAX);
    char *symbol = short_name(routine->symbol, TEXT_BYTES_MAX);
    char *object = short_name(short_path(r->objects.at[routine->object]), TEXT_BYTES_MAX);
    char *file = short_name(short_path(routine->file), TEXT_BYTES_MAX);
    char *growth = worst_growth(r, profile, metric, share);
    bool good =
        carry_out(h,
                  prepare(h, "INSERT OR IGNORE INTO routine VALUES(NULL,?,?,?,?)", "tttt", name,
                          symbol, object, file),
                  why) &&
        carry_out(h,
                  prepare(h,
                          "INSERT INTO measured SELECT ?, id, ?, ?, ?, ? FROM routine"
                          " WHERE name = ? AND symbol = ? AND object = ? AND file = ?"
                          " ON CONFLICT(run, routine) DO UPDATE SET calls = calls + excluded.calls,"
                          " own = own + excluded.own, total = total + excluded.total",
                          "nnnnttttt", run, (int64_t)profile->calls, (int64_t)profile->cost_self,
                          (int64_t)profile->cost_total, growth ? growth : "", name, symbol, object,
                          file),
                  why);
    free(name);
    free(symbol);
    free(object);
    free(file);
    free(growth);
    return good;
}

static bool put_run(struct history *h, const struct report *r, enum report_metric metric,
                    const struct history_key *key, double share, struct failure *why)
{
    const char *label = key->label;
    char *workload = key->workload ? memory_copy_string(key->workload) : workload_words(r);
    bool good = carry_out(h,
                          prepare(h, "DELETE FROM run WHERE label = ? AND workload = ?", "tt",
                                  label, workload),
                          why) &&
                carry_out(h,
                          prepare(h, "INSERT INTO run VALUES(NULL,?,?,?,?,?,?)", "ttnttn", label,
                                  workload, (int64_t)time(NULL), metric_names[metric], r->cost_unit,
                                  (int64_t)r->totals.cost),
                          why);
    int64_t run = sqlite3_last_insert_rowid(h->database);
    for (size_t i = 0; good && i < r->profiles.count; i++)
        good = put_routine(h, r, &r->profiles.at[i], metric, run, share, why);
    free(workload);
    return good;
}

bool history_add(struct history *h, const struct report *r, enum report_metric metric,
                 const struct history_key *key, double share, struct failure *why)
{
    if (!execute(h, "BEGIN IMMEDIATE", why))
        return false;
    if (put_run(h, r, metric, key, share, why) && execute(h, "COMMIT", why))
        return true;
    sqlite3_exec(h->database, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

/* Reading -------------------------------------------------------------------------------------- */

static const char *keep(struct history_view *view, sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return arena_copy(&view->strings, text ? text : "", text ? strlen(text) : 0);
}

static bool read_workload(struct history *h, const char *workload, struct history_view *view,
                          struct failure *why)
{
    sqlite3_stmt *rows =
        workload ? prepare(h,
                           "SELECT workload, cost_unit FROM run WHERE workload = ? ORDER BY id"
                           " DESC LIMIT 1",
                           "t", workload)
                 : prepare(h, "SELECT workload, cost_unit FROM run ORDER BY id DESC LIMIT 1", "");
    bool good, found = next_row(rows, &good);
    if (found) {
        view->workload = keep(view, rows, 0);
        view->cost_unit = keep(view, rows, 1);
    }
    sqlite3_finalize(rows);
    if (!good)
        return history_failed(h, why);
    if (!found && workload)
        return failure_set(why, "history: no run of the workload '%s'", workload);
    return found || failure_set(why, "history: no run yet");
}

static bool read_runs(struct history *h, struct history_view *view, struct failure *why)
{
    sqlite3_stmt *rows =
        prepare(h, "SELECT id, label, moment, cost FROM run WHERE workload = ? ORDER BY id", "t",
                view->workload);
    bool good;
    while (next_row(rows, &good)) {
        struct history_run run = {sqlite3_column_int64(rows, 0), keep(view, rows, 1),
                                  sqlite3_column_int64(rows, 2),
                                  (uint64_t)sqlite3_column_int64(rows, 3)};
        vector_push(&view->runs, run);
    }
    sqlite3_finalize(rows);
    return good || history_failed(h, why);
}

/* If a routine's name occurs in more files than this number, aprof does not recognise that one of
 * these files was renamed. */
#define FILES_MOST 16

/* If a routine's source file was renamed, the table `routine` has another row for the routine.
 * The table `apart` has pairs of rows: both rows have the same object and symbol, and they never
 * occur in the same run of the workload. Several rows are combined if each pair of them is in
 * `apart`. The table `series` has, for each row, the first and the last of the rows that are
 * combined with it. */
static bool make_series(struct history *h, const struct history_view *view, struct failure *why)
{
    return execute(h, "DROP TABLE IF EXISTS temp.apart; DROP TABLE IF EXISTS temp.series", why) &&
           carry_out(
               h,
               prepare(h,
                       "CREATE TEMP TABLE series AS SELECT DISTINCT routine, routine AS first,"
                       " routine AS last FROM measured JOIN run ON run.id = run"
                       " WHERE workload = ?",
                       "t", view->workload),
               why) &&
           execute(h, "CREATE UNIQUE INDEX temp.series_routine ON series(routine)", why) &&
           carry_out(h,
                     prepare(h,
                             "CREATE TEMP TABLE apart AS SELECT a.id AS one, b.id AS other"
                             " FROM routine AS a JOIN routine AS b USING(object, symbol)"
                             " WHERE symbol <> '' AND a.id <> b.id"
                             " AND a.id IN (SELECT routine FROM series)"
                             " AND b.id IN (SELECT routine FROM series)"
                             " AND (SELECT count(*) FROM routine AS c WHERE c.object = a.object"
                             " AND c.symbol = a.symbol) <= ? AND NOT EXISTS"
                             " (SELECT 1 FROM measured AS m JOIN measured AS n USING(run)"
                             " JOIN run ON run.id = run WHERE workload = ? AND m.routine = a.id"
                             " AND n.routine = b.id)",
                             "nt", (int64_t)FILES_MOST, view->workload),
                     why) &&
           execute(h,
                   "CREATE INDEX temp.apart_one ON apart(one, other);"
                   "DELETE FROM apart WHERE one IN (SELECT p.one FROM apart AS p JOIN apart AS q"
                   " ON q.one = p.one AND q.other > p.other WHERE NOT EXISTS"
                   " (SELECT 1 FROM apart AS r WHERE r.one = p.other AND r.other = q.other));"
                   "DELETE FROM apart WHERE other NOT IN (SELECT one FROM apart);"
                   "UPDATE series SET"
                   " first = (SELECT min(routine, min(other)) FROM apart WHERE one = routine),"
                   " last = (SELECT max(routine, max(other)) FROM apart WHERE one = routine)"
                   " WHERE routine IN (SELECT one FROM apart)",
                   why);
}

/* Finds the routine of the workload with this name, symbol, or name without parameters. A prefix
 * "FILE:" or "OBJECT:" selects one of several routines. */
static bool find_routine(struct history *h, const char *name, struct history_view *view,
                         int64_t *id, struct failure *why)
{
    sqlite3_stmt *rows = prepare(
        h,
        "SELECT first, name, CASE file WHEN '' THEN object ELSE file END FROM routine"
        " JOIN series ON routine = id"
        " WHERE ? IN (name, symbol, substr(name, 1, instr(name, '(') - 1), object || ':' || name,"
        " file || ':' || name) GROUP BY first ORDER BY name",
        "t", name);
    const char *place = "";
    size_t found = 0;
    bool good;
    while (next_row(rows, &good)) {
        *id = sqlite3_column_int64(rows, 0);
        view->routine = keep(view, rows, 1);
        place = keep(view, rows, 2);
        found++;
    }
    sqlite3_finalize(rows);
    if (!good)
        return history_failed(h, why);
    if (found == 0)
        return failure_set(why, "%s: no such routine in the history", name);
    return found == 1 || failure_set(why, "%s: %zu routines have this name; one routine is %s:%s",
                                     name, found, place, view->routine);
}

static bool read_entries(struct history *h, int64_t routine, struct history_view *view,
                         struct failure *why)
{
    sqlite3_stmt *rows = prepare(h,
                                 "SELECT run, calls, own, total, growth FROM measured JOIN run ON"
                                 " run.id = run JOIN series USING(routine)"
                                 " WHERE first = ? AND workload = ? ORDER BY run",
                                 "nt", routine, view->workload);
    size_t run = 0;
    bool good;
    while (next_row(rows, &good)) {
        while (run < view->runs.count && view->runs.at[run].id != sqlite3_column_int64(rows, 0))
            run++;
        /* another process added this run after the list of runs was read */
        if (run == view->runs.count)
            continue;
        struct history_entry entry = {run, (uint64_t)sqlite3_column_int64(rows, 1),
                                      (uint64_t)sqlite3_column_int64(rows, 2),
                                      (uint64_t)sqlite3_column_int64(rows, 3), keep(view, rows, 4)};
        vector_push(&view->entries, entry);
    }
    sqlite3_finalize(rows);
    return good || history_failed(h, why);
}

bool history_read(struct history *h, const char *workload, const char *routine,
                  struct history_view *view, struct failure *why)
{
    int64_t id = 0;
    *view = (struct history_view){0};
    if (!read_workload(h, workload, view, why) || !read_runs(h, view, why) ||
        !make_series(h, view, why))
        return false;
    return !routine || (find_routine(h, routine, view, &id, why) && read_entries(h, id, view, why));
}

void history_view_free(struct history_view *view)
{
    vector_free(&view->runs);
    vector_free(&view->entries);
    arena_free(&view->strings);
}

/* The index of a run in the list. If another process has just added the run, it is not in the list,
 * and the result is the number of runs. */
static size_t find_run(const struct history_view *view, int64_t id)
{
    size_t low = 0, high = view->runs.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (view->runs.at[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < view->runs.count && view->runs.at[low].id == id ? low : view->runs.count;
}

static bool is_shown(const struct history_view *view, const struct history_entry *entry,
                     double share)
{
    return (double)entry->own * 100 >= share * (double)view->runs.at[entry->run].cost;
}

/* Completes the routine that was read last, and removes it from the series unless `shown` is true.
 */
static void end_routine(struct history_series *series, bool shown)
{
    if (series->routines.count == 0)
        return;
    struct history_routine *last = &series->routines.at[series->routines.count - 1];
    last->count = series->entries.count - last->begin;
    if (shown)
        return;
    series->entries.count = last->begin;
    series->routines.count--;
    series->omitted++;
}

static void read_value(struct history_view *view, sqlite3_stmt *rows, struct history_series *series)
{
    size_t run = find_run(view, sqlite3_column_int64(rows, 1));
    if (run == view->runs.count)
        return;
    struct history_entry entry = {run, (uint64_t)sqlite3_column_int64(rows, 2),
                                  (uint64_t)sqlite3_column_int64(rows, 3),
                                  (uint64_t)sqlite3_column_int64(rows, 4), keep(view, rows, 5)};
    vector_push(&series->entries, entry);
}

bool history_read_series(struct history *h, struct history_view *view, double share,
                         struct history_series *series, struct failure *why)
{
    sqlite3_stmt *rows = prepare(
        h,
        "SELECT first, run.id, calls, own, total, growth, name, CASE file WHEN '' THEN object"
        " ELSE file END FROM measured JOIN run ON run.id = run JOIN series USING(routine)"
        " JOIN routine ON routine.id = last WHERE workload = ? ORDER BY first, run.id",
        "t", view->workload);
    int64_t routine = 0;
    bool good, shown = true;
    while (next_row(rows, &good)) {
        if (series->routines.count + series->omitted == 0 ||
            sqlite3_column_int64(rows, 0) != routine) {
            end_routine(series, shown);
            struct history_routine next = {keep(view, rows, 6), keep(view, rows, 7),
                                           series->entries.count, 0};
            vector_push(&series->routines, next);
            routine = sqlite3_column_int64(rows, 0);
            shown = false;
        }
        size_t known = series->entries.count;
        read_value(view, rows, series);
        shown = shown || (series->entries.count > known &&
                          is_shown(view, &series->entries.at[known], share));
    }
    end_routine(series, shown);
    sqlite3_finalize(rows);
    return good || history_failed(h, why);
}

bool history_changed(struct history *h, struct history_view *view, size_t before, size_t after,
                     size_t most, history_changes *changes, struct failure *why)
{
    sqlite3_stmt *rows =
        prepare(h,
                "SELECT name, sum(old), sum(new) FROM"
                " (SELECT routine, own AS old, 0 AS new FROM measured WHERE run = ?1 UNION ALL"
                "  SELECT routine, 0, own FROM measured WHERE run = ?2) JOIN series USING(routine)"
                " JOIN routine ON id = last GROUP BY first HAVING sum(old) <> sum(new)"
                " ORDER BY abs(sum(new) - sum(old)) DESC, name LIMIT ?3",
                "nnn", view->runs.at[before].id, view->runs.at[after].id, (int64_t)most);
    bool good;
    while (next_row(rows, &good)) {
        struct history_change change = {keep(view, rows, 0),
                                        (uint64_t)sqlite3_column_int64(rows, 1),
                                        (uint64_t)sqlite3_column_int64(rows, 2)};
        vector_push(changes, change);
    }
    sqlite3_finalize(rows);
    return good || history_failed(h, why);
}

#else
struct history *history_open(const char *path, bool create, struct failure *why)
{
    (void)path;
    (void)create;
    failure_set(why, "history: this aprof was built without SQLite");
    return NULL;
}

void history_close(struct history *h)
{
    (void)h;
}

bool history_add(struct history *h, const struct report *r, enum report_metric metric,
                 const struct history_key *key, double share, struct failure *why)
{
    (void)h;
    (void)r;
    (void)metric;
    (void)key;
    (void)share;
    return failure_set(why, "history: this aprof was built without SQLite");
}

bool history_read(struct history *h, const char *workload, const char *routine,
                  struct history_view *view, struct failure *why)
{
    (void)h;
    (void)workload;
    (void)routine;
    *view = (struct history_view){0};
    return failure_set(why, "history: this aprof was built without SQLite");
}

void history_view_free(struct history_view *view)
{
    (void)view;
}

bool history_read_series(struct history *h, struct history_view *view, double share,
                         struct history_series *series, struct failure *why)
{
    (void)h;
    (void)view;
    (void)share;
    (void)series;
    return failure_set(why, "history: this aprof was built without SQLite");
}

bool history_changed(struct history *h, struct history_view *view, size_t before, size_t after,
                     size_t most, history_changes *changes, struct failure *why)
{
    (void)h;
    (void)view;
    (void)before;
    (void)after;
    (void)most;
    (void)changes;
    return failure_set(why, "history: this aprof was built without SQLite");
}
#endif

void history_series_free(struct history_series *series)
{
    vector_free(&series->routines);
    vector_free(&series->entries);
}
