/* A history of runs in an SQLite database: the cost of each routine by commit.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A run has a label (a commit) and a workload (the profiled command, or a name for the command).
 * Only runs of one workload are compared. A new run with an existing label replaces the older run,
 * so that a CI job can be repeated. The schema is in aprof-history(1).
 */
#ifndef LIB_COMPARE_HISTORY_H
#define LIB_COMPARE_HISTORY_H

#include "lib/report/report.h"

struct history;

/* Opens the database, and creates it if `create` is true. Returns NULL after a failure, for example
 * if another program or a later version of aprof has made the database. */
struct history *history_open(const char *path, bool create, struct failure *why);
void history_close(struct history *history);

struct history_key {
    const char *label, *workload; /* If `workload` is NULL, the workload is the report's command. */
};

/* Adds a report in one transaction; the report's threads must be merged. Routines below `share`
 * percent of the self cost get no growth class, because fitting curves takes long. */
bool history_add(struct history *history, const struct report *report, enum report_metric metric,
                 const struct history_key *key, double share, struct failure *why);

struct history_run {
    int64_t id;
    const char *label; /* label, in the view's arena */
    int64_t moment;    /* time of the addition, in seconds since 1970 */
    uint64_t cost;
};

/* The values of a routine or of the whole program in one run. */
struct history_entry {
    size_t run; /* index of the run */
    uint64_t calls, own, total;
    const char *growth; /* growth class; "" if it was not determined */
};

/* The kind of change of a routine or of a whole run; if several kinds apply, the most important
 * kind is used. */
enum history_mark {
    HISTORY_SAME,
    HISTORY_GROWTH,
    HISTORY_COST,
    HISTORY_CALLS,
};

/* Compares an entry with the level, which is the entry of the latest change point. Before the first
 * change point, the level is the oldest entry. The entry is a change point if its growth class
 * differs from the level's. A difference of self cost or calls by more than `percent` also makes a
 * change point. A change point becomes the new level. A slow drift becomes a change point in the
 * first run in which the sum of the steps exceeds `percent`. */
enum history_mark history_step(struct history_entry *level, const struct history_entry *now,
                               double percent);

/* A routine with different self costs in two runs. */
struct history_change {
    const char *name;
    uint64_t before, after;
};

struct history_view {
    struct arena strings;
    const char *workload, *routine, *cost_unit;
    VECTOR(struct history_run) runs;      /* runs, the oldest first */
    VECTOR(struct history_entry) entries; /* values of the requested routine, if any */
};

/* Reads the runs of a workload, and the values of a routine in these runs. If `workload` is NULL,
 * the workload of the run added last is used; if `routine` is NULL, no routine is read. For
 * `routine`, a name without parameters suffices if the name is unique. */
bool history_read(struct history *history, const char *workload, const char *routine,
                  struct history_view *view, struct failure *why);
void history_view_free(struct history_view *view);

/* A routine. Its values are the `count` entries of the series from index `begin` on, the oldest run
 * first. */
struct history_routine {
    const char *name, *place; /* source file, or object; in the view's arena */
    size_t begin, count;
};

struct history_series {
    VECTOR(struct history_routine) routines;
    VECTOR(struct history_entry) entries;
    size_t omitted; /* number of omitted routines */
};

/* The values of all routines with at least `share` percent of the self cost of any run in the view.
 * Time and memory are linear in the size of the database. */
bool history_read_series(struct history *history, struct history_view *view, double share,
                         struct history_series *series, struct failure *why);
void history_series_free(struct history_series *series);

typedef VECTOR(struct history_change) history_changes;

/* Lists at most `most` routines: those with the largest changes of self cost between two runs of
 * the view. The names belong to the view. */
bool history_changed(struct history *history, struct history_view *view, size_t before,
                     size_t after, size_t most, history_changes *changes, struct failure *why);

#endif
