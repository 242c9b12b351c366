/* A plan: which paths each copy of a program counts, and where its counters are.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "paths/plan.h"

#include <inttypes.h>
#include <string.h>

/* ---------------------------------------------------------------- Making */

static void lay_out_copy(struct plan *plan, uint32_t copy)
{
    size_t procedures = plan->distribution.procedures;
    uint64_t slots = plan->flags & COUNTERS_PARTIAL  ? procedures
                     : plan->flags & COUNTERS_SLICED ? SLICE_SLOTS
                                                     : 0;
    for (size_t p = 0; p < procedures; p++) {
        struct layout *layout = &plan->layouts[plan_index(plan, copy, p)];
        if (!plan_part(plan, copy, p)->used)
            continue;
        const struct dag *dag = &plan->subjects[p].dag;
        uint64_t paths = dag->suffixes[dag->entry];
        layout->hashed = plan->flags & COUNTERS_EVENTS || paths > PLAN_MOST_ARRAY_PATHS ||
                         slots + paths > PLAN_MOST_SLOTS;
        layout->slot = slots;
        slots += layout->hashed ? 0 : paths;
    }
    plan->slots[copy] = slots ? slots : 1;
}

static uint64_t count_probes(const struct part *part, const struct dag *dag)
{
    uint64_t count = 0;
    for (uint32_t e = 0; e < dag->edges.count; e++)
        count += placement_hits(&part->placement, dag, e) ||
                 placement_commits(&part->placement, dag, &part->numbering, e);
    return count;
}

static void plan_allocate(struct plan *plan, uint32_t copies, size_t procedures)
{
    plan->layouts = memory_get_zeroed(copies * procedures + 1, sizeof *plan->layouts);
    plan->slots = memory_get_zeroed(copies + 1, sizeof *plan->slots);
    plan->probes = memory_get_zeroed(copies + 1, sizeof *plan->probes);
}

void plan_make(struct plan *plan, const struct edge_profile *edges, uint32_t copies)
{
    size_t procedures = plan->graphs.procedures.count;
    bool sliced = plan->flags & COUNTERS_SLICED;
    plan->subjects = subjects_make(&plan->graphs, edges, plan->path_limit);
    policy_distribute(&plan->distribution, plan->subjects, procedures, plan->policy,
                      sliced ? 1 : copies);
    if (sliced)
        distribution_extend(&plan->distribution, copies);
    plan_allocate(plan, copies, procedures);
    for (uint32_t c = 0; c < copies; c++) {
        lay_out_copy(plan, c);
        for (size_t p = 0; p < procedures; p++)
            if (plan_part(plan, c, p)->used)
                plan->probes[c] += count_probes(plan_part(plan, c, p), &plan->subjects[p].dag);
    }
}

void plan_free(struct plan *plan)
{
    if (plan->subjects)
        subjects_free(plan->subjects, plan->graphs.procedures.count);
    distribution_free(&plan->distribution);
    graph_program_free(&plan->graphs);
    free(plan->layouts);
    free(plan->slots);
    free(plan->probes);
    arena_free(&plan->strings);
    *plan = (struct plan){0};
}

/* ---------------------------------------------------------------- Lists of edges */

static char *format_set(const bool *set, size_t count)
{
    char *text;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        abort();
    const char *separator = "";
    for (size_t e = 0; e < count; e++) {
        size_t first = e;
        if (!set[e])
            continue;
        while (e + 1 < count && set[e + 1])
            e++;
        fprintf(to, e > first ? "%s%zu-%zu" : "%s%zu", separator, first, e);
        separator = " ";
    }
    fclose(to);
    return text;
}

static bool parse_set(const char *text, bool *set, size_t count)
{
    while (*text) {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (end == text)
            return false;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (last >= count || first > last)
            return false;
        memset(set + first, true, last - first + 1);
        text = *end == ' ' ? end + 1 : end;
        if (*end && *end != ' ')
            return false;
    }
    return true;
}

static char *format_values(const int64_t *values, size_t count)
{
    char *text;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        abort();
    const char *separator = "";
    for (size_t e = 0; e < count; e++)
        if (values[e]) {
            fprintf(to, "%s%zu:%" PRId64, separator, e, values[e]);
            separator = " ";
        }
    fclose(to);
    return text;
}

static bool parse_values(const char *text, int64_t *values, size_t count)
{
    while (*text) {
        char *end;
        unsigned long e = strtoul(text, &end, 10);
        if (end == text || *end != ':' || e >= count)
            return false;
        text = end + 1;
        values[e] = strtoll(text, &end, 10);
        if (end == text || (*end && *end != ' '))
            return false;
        text = *end ? end + 1 : end;
    }
    return true;
}

/* ---------------------------------------------------------------- Writing */

static void write_part(struct record_output *writer, const struct plan *plan, uint32_t copy,
                       uint32_t procedure)
{
    const struct part *part = plan_part(plan, copy, procedure);
    const struct layout *layout = plan_layout(plan, copy, procedure);
    size_t edges = plan->subjects[procedure].dag.edges.count;
    char table[24] = "hash";
    if (!layout->hashed)
        snprintf(table, sizeof table, "%" PRIu64, layout->slot);
    char *set = format_set(part->numbering.interesting, edges);
    char *labels = format_values((const int64_t *)part->numbering.first, edges);
    char *increments = format_values(part->placement.increment, edges);
    record_output_put(writer, "part", "uusuisss", (uint64_t)copy + 1, (uint64_t)procedure, table,
                      (uint64_t)(plan->policy == POLICY_HITS), part->placement.base, set, labels,
                      increments);
    free(set);
    free(labels);
    free(increments);
}

static void write_records(struct plan *plan, struct record_output *writer)
{
    uint32_t different = plan->flags & COUNTERS_SLICED ? 1 : plan->distribution.copies;
    record_output_start(writer, "aprof-paths-plan", 2);
    record_output_put(writer, "program", "ss", plan->program, plan->build_id);
    record_output_put(writer, "module", "s", plan->graphs.module);
    record_output_put(writer, "policy", "suuuu", policy_names[plan->policy],
                      (uint64_t)plan->distribution.copies, plan->path_limit, (uint64_t)plan->flags,
                      (uint64_t)plan->interval);
    for (uint32_t c = 0; c < plan->distribution.copies; c++)
        record_output_put(writer, "cost", "uuu", (uint64_t)c + 1, plan->slots[c], plan->probes[c]);
    for (uint32_t c = 0; c < different; c++)
        for (uint32_t p = 0; p < plan->distribution.procedures; p++)
            if (plan_part(plan, c, p)->used)
                write_part(writer, plan, c, p);
    plan->id = writer->records.checksum;
}

bool plan_write(struct plan *plan, const char *path, struct failure *why)
{
    struct record_output writer;
    write_records(plan, &writer);
    return record_output_finish(&writer, path, why);
}

void plan_identify(struct plan *plan)
{
    struct record_output writer;
    write_records(plan, &writer);
    record_output_discard(&writer);
}

/* ---------------------------------------------------------------- Reading */

static const char *keep(struct plan *plan, const char *text)
{
    return arena_copy(&plan->strings, text, strlen(text));
}

static int policy_of(const char *name)
{
    for (int i = 0; i < POLICY_COUNT; i++)
        if (strcmp(policy_names[i], name) == 0)
            return i;
    return -1;
}

static bool take_policy(struct plan *plan, const struct record_file *file)
{
    uint64_t copies, flags, interval;
    size_t procedures = plan->graphs.procedures.count;
    if (plan->subjects || !record_is(file, "policy", 5, false) ||
        policy_of(file->fields.at[1]) < 0 || !record_number(file, 1, 4096, &copies) || !copies ||
        !record_number(file, 2, DAG_DEFAULT_LIMIT, &plan->path_limit) ||
        !record_number(file, 3, UINT32_MAX, &flags) ||
        !record_number(file, 4, UINT32_MAX, &interval) || (flags & COUNTERS_SLICED && !interval))
        return false;
    plan->interval = (uint32_t)interval;
    plan->policy = (enum policy)policy_of(file->fields.at[1]);
    plan->flags = (uint32_t)flags;
    plan->subjects = subjects_make(&plan->graphs, NULL, plan->path_limit);
    plan->distribution = (struct distribution){
        .copies = (uint32_t)copies,
        .procedures = procedures,
        .parts = memory_get_zeroed(procedures * copies + 1, sizeof(struct part)),
        .partitioned = memory_get_zeroed(procedures + 1, sizeof(uint32_t)),
    };
    plan_allocate(plan, (uint32_t)copies, procedures);
    return true;
}

static bool take_cost(struct plan *plan, const struct record_file *file)
{
    uint64_t copy, slots, probes;
    if (!plan->subjects || !record_is(file, "cost", 3, false) ||
        !record_number(file, 0, plan->distribution.copies, &copy) || !copy ||
        plan->slots[copy - 1] || !record_number(file, 1, PLAN_MOST_SLOTS * 2, &slots) ||
        !record_number(file, 2, UINT64_MAX, &probes))
        return false;
    plan->slots[copy - 1] = slots;
    plan->probes[copy - 1] = probes;
    return true;
}

static bool fill_part(struct plan *plan, struct part *part, const struct subject *subject,
                      const struct record_file *file, bool early)
{
    size_t edges = subject->dag.edges.count;
    part->numbering = (struct numbering){
        .interesting = memory_get_zeroed(edges + 1, 1),
        .first = memory_get_zeroed(edges + 1, sizeof(uint64_t)),
    };
    part->placement = (struct placement){
        .increment = memory_get_zeroed(edges + 1, sizeof(int64_t)),
        .stop = memory_get_zeroed(subject->dag.vertex_count, 1),
        .base = strtoll(file->fields.at[5], NULL, 10),
    };
    part->used = true;
    plan->distribution.partitioned[subject - plan->subjects]++;
    placement_find_stops(part->placement.stop, &subject->dag, subject->graph->blocks.at, early);
    return parse_set(file->fields.at[6], part->numbering.interesting, edges) &&
           parse_values(file->fields.at[7], (int64_t *)part->numbering.first, edges) &&
           parse_values(file->fields.at[8], part->placement.increment, edges);
}

static bool take_part(struct plan *plan, const struct record_file *file)
{
    uint64_t copy, procedure, early, slot = 0;
    if (!plan->subjects || !record_is(file, "part", 8, false) ||
        !record_number(file, 0, plan->distribution.copies, &copy) || !copy ||
        !record_number(file, 1, UINT32_MAX, &procedure) ||
        procedure >= plan->distribution.procedures || !record_number(file, 3, 1, &early))
        return false;
    size_t at = (copy - 1) * plan->distribution.procedures + procedure;
    const struct subject *subject = &plan->subjects[procedure];
    bool hashed = strcmp(file->fields.at[3], "hash") == 0;
    if (subject->skipped || plan->distribution.parts[at].used ||
        (!hashed && (!record_number(file, 2, plan->slots[copy - 1], &slot) ||
                     subject->dag.suffixes[subject->dag.entry] > plan->slots[copy - 1] - slot)))
        return false;
    plan->layouts[at] = (struct layout){hashed, slot};
    return fill_part(plan, &plan->distribution.parts[at], subject, file, early != 0);
}

/* Checks that each copy has at least the first slots that the plan requires. Sliced copies are
 * identical, so each must have as many slots as the first copy. */
static bool slots_fit(const struct plan *plan)
{
    uint64_t least = plan->flags & COUNTERS_PARTIAL ? plan->distribution.procedures : 0;
    if (plan->flags & COUNTERS_SLICED)
        least = SLICE_SLOTS > plan->slots[0] ? SLICE_SLOTS : plan->slots[0];
    for (uint32_t c = 0; c < plan->distribution.copies; c++)
        if (plan->slots[c] < least)
            return false;
    return true;
}

static bool take_record(struct plan *plan, const struct record_file *file)
{
    if (record_is(file, "program", 2, false)) {
        plan->program = keep(plan, file->fields.at[1]);
        plan->build_id = keep(plan, file->fields.at[2]);
        return true;
    }
    if (record_is(file, "module", 1, false))
        return strcmp(file->fields.at[1], plan->graphs.module) == 0;
    return take_policy(plan, file) || take_cost(plan, file) || take_part(plan, file);
}

bool plan_read(struct plan *plan, const char *path, const char *graphs_path, struct failure *why)
{
    struct record_file file;
    *plan = (struct plan){0};
    if (!record_open(&file, path, "aprof-paths-plan", 2, why))
        return false;
    bool fine = graph_program_read(&plan->graphs, graphs_path, why);
    plan->id = file.checksum;
    while (fine && record_next(&file))
        if (!take_record(plan, &file))
            fine = record_fail(&file, "does not match the graphs in this folder", why);
    if (fine && (!plan->subjects || !plan->program))
        fine = failure_set(why, "%s: records are missing", path);
    if (fine && !slots_fit(plan))
        fine = failure_set(why, "%s: a copy has too few counters", path);
    record_close(&file);
    if (!fine)
        plan_free(plan);
    return fine;
}
