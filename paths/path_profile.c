/* A path profile: how often each path of each procedure was executed, merged from all copies.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "paths/path_profile.h"

#include <inttypes.h>
#include <string.h>

/* Limit of the number of reported differences. */
static const size_t most_differences = 20;

uint32_t path_edges(const struct numbering *ball_larus, const struct dag *dag,
                    const struct path_count *path, uint32_t *edges)
{
    return numbering_decode(ball_larus, dag, path->number, edges);
}

/* ---------------------------------------------------------------- Collecting */

/* The count of one path in one copy. */
struct counted {
    uint64_t number;
    uint64_t count;
    uint32_t copy;
};

typedef VECTOR(struct counted) counted_list;

/* The state of merging the counts of one procedure. */
struct merger {
    struct path_profile *profile;
    const struct plan *plan;
    uint32_t procedure;
    struct numbering ball_larus;
    uint32_t *edges; /* array with space for the edges of one path */
    counted_list counted;
};

static const struct dag *dag_of(const struct merger *merger)
{
    return &merger->plan->subjects[merger->procedure].dag;
}

static void take_count(struct merger *merger, uint32_t copy, uint64_t id, uint64_t count)
{
    const struct part *part = plan_part(merger->plan, copy, merger->procedure);
    uint32_t length = numbering_decode(&part->numbering, dag_of(merger), id, merger->edges);
    if (!length) {
        merger->profile->copies.at[copy].uninteresting += count;
        return;
    }
    struct counted counted = {numbering_id(&merger->ball_larus, merger->edges, length), count,
                              copy};
    vector_push(&merger->counted, counted);
}

/* Collects a copy's counts of this procedure's paths. `entries` are the sorted entries of all
 * procedures; *at is the position of this procedure's first entry. */
static void take_copy(struct merger *merger, uint32_t copy, const struct path_counts *counts,
                      size_t *at)
{
    const struct part *part = plan_part(merger->plan, copy, merger->procedure);
    const struct layout *layout = plan_layout(merger->plan, copy, merger->procedure);
    const struct dag *dag = dag_of(merger);
    uint64_t paths = part->used ? dag->suffixes[dag->entry] : 0;
    for (uint64_t id = 0; !layout->hashed && id < paths; id++)
        if (counts->slots[layout->slot + id])
            take_count(merger, copy, id, counts->slots[layout->slot + id]);
    for (; *at < counts->entries.count; (*at)++) {
        const struct counters_entry *entry = &counts->entries.at[*at];
        if (entry->procedure > merger->procedure + 1u)
            return;
        if (entry->procedure == merger->procedure + 1u && part->used)
            take_count(merger, copy, entry->value, entry->count);
    }
}

static int by_number(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->copy > y->copy) - (x->copy < y->copy);
}

static int by_procedure(const void *a, const void *b)
{
    const struct counters_entry *x = a, *y = b;
    return (x->procedure > y->procedure) - (x->procedure < y->procedure);
}

/* ---------------------------------------------------------------- Agreement */

static void add_difference(struct path_profile *profile, const char *text)
{
    if (profile->differences.count < most_differences)
        vector_push(&profile->differences, arena_copy(&profile->strings, text, strlen(text)));
}

static bool counts_path(const struct part *part, const uint32_t *edges, uint32_t length)
{
    for (uint32_t i = 0; part->used && i < length; i++)
        if (!part->numbering.interesting[edges[i]])
            return false;
    return part->used;
}

/* Checks that all copies that must count the path have equal counts; a missing count is 0. */
static void check_agreement(struct merger *merger, const struct counted *first, size_t count,
                            uint32_t length)
{
    size_t next = 0;
    for (uint32_t c = 0; c < merger->plan->distribution.copies; c++) {
        uint64_t found = next < count && first[next].copy == c ? first[next++].count : 0;
        if (found == first->count ||
            !counts_path(plan_part(merger->plan, c, merger->procedure), merger->edges, length))
            continue;
        char *text = memory_format("%s: path %" PRIu64 ": copy %u counted %" PRIu64
                                   " executions, copy %u %" PRIu64,
                                   merger->plan->graphs.procedures.at[merger->procedure].name,
                                   first->number, first->copy + 1, first->count, c + 1, found);
        add_difference(merger->profile, text);
        free(text);
        return;
    }
}

static void check_entries(struct path_profile *profile, const struct plan *plan,
                          const struct path_counts *counts, uint32_t procedure)
{
    for (uint32_t c = 1; c < plan->distribution.copies; c++)
        if (counts[c].slots[procedure] != counts[0].slots[procedure]) {
            char *text = memory_format(
                "%s: entered %" PRIu64 " times in copy 1, %" PRIu64 " times in copy %u",
                plan->graphs.procedures.at[procedure].name, counts[0].slots[procedure],
                counts[c].slots[procedure], c + 1);
            add_difference(profile, text);
            free(text);
            return;
        }
}

static uint64_t starts_of(const struct plan *plan, const struct path_counts *counts)
{
    return counts->slots[SLICE_INTERVALS] * plan->interval - counts->slots[SLICE_LEFT];
}

/* Checks that all sliced copies have started equally many paths, and that their intervals began at
 * the same positions. */
static void check_slices(struct path_profile *profile, const struct plan *plan,
                         const struct path_counts *counts)
{
    for (uint32_t c = 0; c < plan->distribution.copies; c++) {
        uint64_t starts = profile->copies.at[c].starts = starts_of(plan, &counts[c]);
        if (c == 0 || (starts == profile->copies.at[0].starts &&
                       counts[c].slots[SLICE_SIGNATURE] == counts[0].slots[SLICE_SIGNATURE]))
            continue;
        char *text = memory_format("%" PRIu64 " paths started in copy 1, %" PRIu64
                                   " in copy %u, or intervals began elsewhere",
                                   profile->copies.at[0].starts, starts, c + 1);
        add_difference(profile, text);
        free(text);
    }
}

/* ---------------------------------------------------------------- Costs */

/* Adds the cost of this path in a copy that has probes in the procedure, even if the copy does not
 * count the path. */
static void add_cost(struct merger *merger, uint32_t copy, uint32_t length, uint64_t count)
{
    const struct dag *dag = dag_of(merger);
    const struct part *part = plan_part(merger->plan, copy, merger->procedure);
    struct copy_cost *cost = &merger->profile->copies.at[copy];
    for (uint32_t i = 0; part->used && i < length; i++) {
        bool hits = placement_hits(&part->placement, dag, merger->edges[i]);
        bool commits = placement_commits(&part->placement, dag, &part->numbering, merger->edges[i]);
        cost->hits += hits ? count : 0;
        cost->increments += hits && !commits ? count : 0;
    }
    if (counts_path(part, merger->edges, length))
        cost->commits += count;
}

/* ---------------------------------------------------------------- Merging */

/* A copy may have several counts of one path, because each thread has its own table; adds up these
 * counts. */
static void unite(counted_list *list)
{
    size_t kept = 0;
    qsort(list->at, list->count, sizeof *list->at, by_number);
    for (size_t i = 0; i < list->count; i++) {
        struct counted *last = kept ? &list->at[kept - 1] : NULL;
        if (last && last->number == list->at[i].number && last->copy == list->at[i].copy)
            last->count += list->at[i].count;
        else
            list->at[kept++] = list->at[i];
    }
    list->count = kept;
}

/* Returns the sum of the counts of sliced copies, which counted in different intervals. The costs
 * of the copies are not added up. */
static uint64_t add_slices(struct merger *merger, const struct counted *first, size_t count,
                           uint32_t length)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += first[i].count;
        add_cost(merger, first[i].copy, length, first[i].count);
    }
    return sum;
}

static void take_agreed(struct merger *merger, const struct counted *first, size_t count,
                        uint32_t length)
{
    check_agreement(merger, first, count, length);
    for (uint32_t c = 0; c < merger->plan->distribution.copies; c++)
        add_cost(merger, c, length, first->count);
}

static void merge_counted(struct merger *merger)
{
    if (merger->counted.count)
        unite(&merger->counted);
    for (size_t i = 0, next; i < merger->counted.count; i = next) {
        const struct counted *first = &merger->counted.at[i];
        struct path_count path = {merger->procedure, first->number, first->count};
        for (next = i;
             next < merger->counted.count && merger->counted.at[next].number == first->number;)
            next++;
        uint32_t length = path_edges(&merger->ball_larus, dag_of(merger), &path, merger->edges);
        if (merger->plan->flags & COUNTERS_SLICED)
            path.count = add_slices(merger, first, next - i, length);
        else
            take_agreed(merger, first, next - i, length);
        vector_push(&merger->profile->paths, path);
    }
    merger->counted.count = 0;
}

void path_profile_merge(struct path_profile *profile, const struct plan *plan,
                        const struct path_counts *counts)
{
    uint32_t copies = plan->distribution.copies;
    size_t *at = memory_get_zeroed(copies, sizeof *at);
    *profile = (struct path_profile){.plan = plan->id};
    for (uint32_t c = 0; c < copies; c++) {
        struct copy_cost cost = {.processes = counts[c].processes};
        vector_push(&profile->copies, cost);
        if (counts[c].entries.count)
            qsort(counts[c].entries.at, counts[c].entries.count, sizeof *counts[c].entries.at,
                  by_procedure);
    }
    struct merger merger = {.profile = profile, .plan = plan};
    for (uint32_t p = 0; p < plan->distribution.procedures; p++) {
        if (plan->subjects[p].skipped)
            continue;
        merger.procedure = p;
        merger.edges = memory_get_zeroed(dag_of(&merger)->vertex_count, sizeof(uint32_t));
        numbering_ball_larus(&merger.ball_larus, dag_of(&merger));
        for (uint32_t c = 0; c < copies; c++)
            take_copy(&merger, c, &counts[c], &at[c]);
        merge_counted(&merger);
        if (plan->flags & COUNTERS_PARTIAL)
            check_entries(profile, plan, counts, p);
        numbering_free(&merger.ball_larus);
        free(merger.edges);
    }
    if (plan->flags & COUNTERS_SLICED)
        check_slices(profile, plan, counts);
    vector_free(&merger.counted);
    free(at);
}

void path_profile_free(struct path_profile *profile)
{
    vector_free(&profile->paths);
    vector_free(&profile->copies);
    vector_free(&profile->differences);
    arena_free(&profile->strings);
    *profile = (struct path_profile){0};
}

/* ---------------------------------------------------------------- File */

static char *format_edges(const uint32_t *edges, uint32_t count)
{
    char *text;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        abort();
    for (uint32_t i = 0; i < count; i++)
        fprintf(to, i ? " %" PRIu32 : "%" PRIu32, edges[i]);
    fclose(to);
    return text;
}

static void write_procedure(struct record_output *writer, const struct path_profile *profile,
                            const struct plan *plan, size_t first, size_t last)
{
    uint32_t procedure = profile->paths.at[first].procedure;
    const struct dag *dag = &plan->subjects[procedure].dag;
    struct numbering ball_larus;
    uint32_t *edges = memory_get_zeroed(dag->vertex_count, sizeof *edges);
    numbering_ball_larus(&ball_larus, dag);
    record_output_put(writer, "procedure", "us", (uint64_t)procedure,
                      plan->graphs.procedures.at[procedure].name);
    for (size_t i = first; i < last; i++) {
        uint32_t length = path_edges(&ball_larus, dag, &profile->paths.at[i], edges);
        char *text = format_edges(edges, length);
        record_output_put(writer, "path", "us", profile->paths.at[i].count, text);
        free(text);
    }
    numbering_free(&ball_larus);
    free(edges);
}

bool path_profile_write(const struct path_profile *profile, const struct plan *plan,
                        const char *path, struct failure *why)
{
    struct record_output writer;
    char id[17];
    snprintf(id, sizeof id, "%016" PRIx64, profile->plan);
    record_output_start(&writer, "aprof-path-profile", 2);
    record_output_put(&writer, "plan", "s", id);
    for (size_t c = 0; c < profile->copies.count; c++) {
        const struct copy_cost *cost = &profile->copies.at[c];
        record_output_put(&writer, "copy", "uuuuuuu", (uint64_t)c + 1, cost->hits, cost->increments,
                          cost->commits, cost->uninteresting, cost->starts, cost->processes);
    }
    for (size_t i = 0; i < profile->differences.count; i++)
        record_output_put(&writer, "difference", "s", profile->differences.at[i]);
    for (size_t i = 0, next; i < profile->paths.count; i = next) {
        for (next = i; next < profile->paths.count &&
                       profile->paths.at[next].procedure == profile->paths.at[i].procedure;)
            next++;
        write_procedure(&writer, profile, plan, i, next);
    }
    return record_output_finish(&writer, path, why);
}

static bool take_copy_record(struct path_profile *profile, const struct record_file *file)
{
    uint64_t number;
    struct copy_cost cost;
    if (!record_is(file, "copy", 7, false) ||
        !record_number(file, 0, profile->copies.count + 1, &number) ||
        !record_number(file, 1, UINT64_MAX, &cost.hits) ||
        !record_number(file, 2, UINT64_MAX, &cost.increments) ||
        !record_number(file, 3, UINT64_MAX, &cost.commits) ||
        !record_number(file, 4, UINT64_MAX, &cost.uninteresting) ||
        !record_number(file, 5, UINT64_MAX, &cost.starts) ||
        !record_number(file, 6, UINT64_MAX, &cost.processes))
        return false;
    vector_push(&profile->copies, cost);
    return true;
}

/* Follows the edges from ENTRY to EXIT and adds up their Ball-Larus labels. */
static bool parse_edges(const char *text, const struct dag *dag, const struct numbering *ball_larus,
                        uint64_t *number)
{
    uint32_t v = dag->entry;
    for (*number = 0; *text;) {
        char *end;
        unsigned long e = strtoul(text, &end, 10);
        if (end == text || e >= dag->edges.count || dag->edges.at[e].from != v)
            return false;
        *number += ball_larus->first[e];
        v = dag->edges.at[e].to;
        text = *end == ' ' ? end + 1 : end;
    }
    return v == dag->exit;
}

struct profile_reader {
    struct path_profile *profile;
    const struct plan *plan;
    uint64_t procedure;
    struct numbering ball_larus; /* numbering of the procedure */
};

static bool take_record(struct profile_reader *reader, const struct record_file *file)
{
    if (record_is(file, "procedure", 2, false)) {
        if (!record_number(file, 0, UINT32_MAX, &reader->procedure) ||
            reader->procedure >= reader->plan->distribution.procedures ||
            reader->plan->subjects[reader->procedure].skipped)
            return false;
        numbering_free(&reader->ball_larus);
        numbering_ball_larus(&reader->ball_larus, &reader->plan->subjects[reader->procedure].dag);
        return true;
    }
    if (record_is(file, "difference", 1, false)) {
        add_difference(reader->profile, file->fields.at[1]);
        return true;
    }
    struct path_count path = {.procedure = (uint32_t)reader->procedure};
    if (!reader->ball_larus.first || !record_is(file, "path", 2, false))
        return take_copy_record(reader->profile, file);
    if (!record_number(file, 0, UINT64_MAX, &path.count) ||
        !parse_edges(file->fields.at[2], &reader->plan->subjects[reader->procedure].dag,
                     &reader->ball_larus, &path.number))
        return false;
    vector_push(&reader->profile->paths, path);
    return true;
}

bool path_profile_read(struct path_profile *profile, const struct plan *plan, const char *path,
                       struct failure *why)
{
    struct record_file file;
    *profile = (struct path_profile){.plan = plan->id};
    if (!record_open(&file, path, "aprof-path-profile", 2, why))
        return false;
    struct profile_reader reader = {.profile = profile, .plan = plan};
    bool fine = record_next(&file) && record_is(&file, "plan", 1, false);
    if (!fine)
        record_fail(&file, "the plan is missing", why);
    else if (strtoull(file.fields.at[1], NULL, 16) != plan->id)
        fine = failure_set(why, "%s: merged under another plan; merge again", path);
    while (fine && record_next(&file))
        if (!take_record(&reader, &file))
            fine = record_fail(&file, "does not match the plan in this folder", why);
    numbering_free(&reader.ball_larus);
    record_close(&file);
    if (!fine)
        path_profile_free(profile);
    return fine;
}
