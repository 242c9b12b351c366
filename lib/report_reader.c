/* Reads report files; see report_reader.h and the format in aprof-out(5).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each line is one record: a tag and fields between TABs. The head's records come once each and in
 * the order of the table `head_records`; then objects, routines, profiles with their points, where in
 * the code it was, and contexts.
 */
#include "lib/report_reader.h"
#include "lib/report_code.h"

#include <string.h>

#define NEWEST_VERSION 4

enum stage {
    STAGE_OBJECTS = 1,
    STAGE_ROUTINES,
    STAGE_PROFILES,
    STAGE_FILES,
    STAGE_INLINED,
    STAGE_EDGES,
    STAGE_LINES,
    STAGE_CONTEXTS
};

struct report_reader {
    struct record_reader lines; /* first */
    int points_metric;        /* of the latest point of a profile or context; -1 before the first */
    size_t contexts_expected; /* those that the latest tree still wants */
};

static struct report_reader *own(struct record_reader *r)
{
    return (struct report_reader *)r;
}

/* The head's records --------------------------------------------------------------------------- */

static bool parse_size(struct record_reader *r)
{
    struct report *report = r->to;
    return field_number(r, 1, "size", &report->size) &&
           (report->size > 0 || field_bad(r, "size", "not above 0"));
}

static bool parse_sampled(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_share *share = &report->share;
    return field_number(r, 1, "rate", &share->rate) &&
           field_number(r, 2, "known calls", &share->known) &&
           field_number(r, 3, "unseen calls", &share->unseen) &&
           (share->rate > 1 || field_bad(r, "rate", "not above 1")) &&
           (share->unseen <= share->known || field_bad(r, "unseen calls", "more than there were"));
}

static bool parse_metrics(struct record_reader *r)
{
    struct report *report = r->to;
    for (size_t i = 1; i < r->fields.count; i++) {
        int m = 0;
        while (m < METRIC_COUNT && !field_is(&r->fields.at[i], metric_names[m]))
            m++;
        if (m == METRIC_COUNT)
            return field_bad(r, "metrics", "unknown metric");
        if (report->has_metric[m])
            return field_bad(r, "metrics", "named twice");
        report->has_metric[m] = true;
    }
    return true;
}

static bool parse_resolution(struct record_reader *r)
{
    struct report *report = r->to;
    uint64_t bytes;
    if (!field_number(r, 1, "resolution", &bytes))
        return false;
    if (bytes == 0 || bytes > 16 || (bytes & (bytes - 1)))
        return field_bad(r, "resolution", "not 1, 2, 4, 8 or 16");
    report->resolution_bytes = (unsigned)bytes;
    return true;
}

static bool parse_cost(struct record_reader *r)
{
    struct report *report = r->to;
    if (!field_is(&r->fields.at[1], "bb") && !field_is(&r->fields.at[1], "instr") &&
        !field_is(&r->fields.at[1], "time"))
        return field_bad(r, "cost", "unknown unit");
    return field_string(r, 1, "cost", &report->cost_unit);
}

static bool parse_threads(struct record_reader *r)
{
    struct report *report = r->to;
    report->threads_separate = field_is(&r->fields.at[1], "separate");
    if (report->threads_separate || field_is(&r->fields.at[1], "merged"))
        return true;
    return field_bad(r, "threads", "neither merged nor separate");
}

static bool parse_totals(struct record_reader *r)
{
    struct report *report = r->to;
    struct totals *t = &report->totals;
    return field_number(r, 1, "cost", &t->cost) &&
           field_number(r, 2, "activations", &t->activations) &&
           field_number(r, 3, "reads", &t->reads) &&
           field_number(r, 4, "thread-induced", &t->induced_thread) &&
           field_number(r, 5, "external", &t->induced_external);
}

static const struct head_record head_records[] = {
    HEAD_TEXT("creator", struct report, creator),
    HEAD_TEXT("tool", struct report, tool),
    HEAD_TEXT("arch", struct report, arch),
    HEAD_WORDS("command", 1, struct report, command),
    HEAD_WORDS("process", 1, struct report, process),
    HEAD_WORDS("options", 0, struct report, options),
    {"size", 1, 1, parse_size, 0, true},
    {"sampled", 3, 3, parse_sampled, 0, true},
    {"metrics", 1, METRIC_COUNT, parse_metrics, 0, false},
    {"resolution", 1, 1, parse_resolution, 0, false},
    {"cost", 1, 1, parse_cost, 0, false},
    {"threads", 1, 1, parse_threads, 0, false},
    HEAD_TEXT("end", struct report, end_reason),
    {"totals", 5, 5, parse_totals, 0, false},
};

/* The body's records --------------------------------------------------------------------------- */

static bool parse_object(struct record_reader *r)
{
    struct report *report = r->to;
    const char *path;
    if (!field_id(r, report->objects.count) || !field_string(r, 2, "object", &path))
        return false;
    vector_push(&report->objects, path);
    return true;
}

bool routine_read(struct record_reader *r, size_t id, size_t objects,
                  struct report_routine *routine)
{
    return field_id(r, id) && field_index(r, 2, "object", objects, &routine->object) &&
           field_hex(r, 3, "offset", &routine->offset) &&
           field_number(r, 4, "size", &routine->size_bytes) &&
           field_string(r, 5, "name", &routine->symbol) &&
           field_string(r, 6, "file", &routine->file) &&
           field_index(r, 7, "line", (size_t)UINT32_MAX + 1, &routine->line);
}

static bool parse_routine(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_routine routine = {0};
    if (!routine_read(r, report->routines.count, report->objects.count, &routine))
        return false;
    vector_push(&report->routines, routine);
    return true;
}

/* Profiles are sorted by thread, then routine, and no pair comes twice. */
static bool profile_follows(const struct report *report, const struct report_profile *profile)
{
    if (report->profiles.count == 0)
        return true;
    const struct report_profile *last = &report->profiles.at[report->profiles.count - 1];
    if (profile->thread != last->thread)
        return profile->thread > last->thread;
    return profile->routine > last->routine;
}

static bool parse_profile(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_profile profile = {0};
    if (!field_index(r, 1, "routine", report->routines.count, &profile.routine) ||
        !field_index(r, 2, "thread", UINT32_MAX, &profile.thread) ||
        !field_number(r, 3, "calls", &profile.calls) ||
        !field_number(r, 4, "cost", &profile.cost_total) ||
        !field_number(r, 5, "self cost", &profile.cost_self) ||
        (r->fields.count > 6 && !field_number(r, 6, "known calls", &profile.known)))
        return false;
    if ((r->fields.count > 6) != (report->share.rate > 0))
        return record_bad(r, "does not agree with the line 'sampled'");
    if ((profile.thread != 0) != report->threads_separate)
        return field_bad(r, "thread", "does not agree with the line 'threads'");
    if (!profile_follows(report, &profile))
        return record_bad(r, "profile out of order");
    for (int m = 0; m < METRIC_COUNT; m++)
        profile.first[m] = report->points[m].count;
    vector_push(&report->profiles, profile);
    own(r)->points_metric = -1;
    return true;
}

/* Where in the code: files, inlined functions, edges and lines. ---------------------------------- */

static bool parse_file(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_code *code = &report->code;
    const char *path;
    if (!field_id(r, code->files.count) || !field_string(r, 2, "path", &path))
        return false;
    if (code->files.count && strcmp(code->files.at[code->files.count - 1], path) >= 0)
        return record_bad(r, "file out of order");
    vector_push(&code->files, path);
    return true;
}

/* An index below `limit`, or "-". */
static bool field_optional(struct record_reader *r, size_t index, const char *name, size_t limit,
                           uint32_t *value)
{
    *value = REPORT_NONE;
    return field_is(&r->fields.at[index], "-") || field_index(r, index, name, limit, value);
}

/* Three fields from `index` on. */
static bool parse_place(struct record_reader *r, size_t index, struct report_place *place)
{
    struct report *report = r->to;
    const struct report_code *code = &report->code;
    return field_optional(r, index, "inlined", code->inlined.count, &place->inlined) &&
           field_optional(r, index + 1, "file", code->files.count, &place->file) &&
           field_index(r, index + 2, "line", (size_t)UINT32_MAX + 1, &place->line);
}

static bool parse_inlined(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_code *code = &report->code;
    struct report_inlined inlined = {0};
    if (!field_id(r, code->inlined.count) || !parse_place(r, 2, &inlined.call) ||
        !field_string(r, 5, "name", &inlined.name))
        return false;
    vector_push(&code->inlined, inlined);
    return true;
}

static bool parse_edge(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_code *code = &report->code;
    size_t routines = report->routines.count;
    struct report_edge edge = {0};
    if (!field_index(r, 1, "caller", routines, &edge.caller) ||
        !field_index(r, 2, "callee", routines, &edge.callee) || !parse_place(r, 3, &edge.place) ||
        !field_number(r, 6, "calls", &edge.calls) || !field_number(r, 7, "cost", &edge.cost) ||
        !field_number(r, 8, "input", &edge.input))
        return false;
    if (code->edges.count && edge_compare(&code->edges.at[code->edges.count - 1], &edge) >= 0)
        return record_bad(r, "edge out of order");
    vector_push(&code->edges, edge);
    return true;
}

/* The fields at `index`: how many lines further on, and the cost there. */
static bool parse_next_line(struct record_reader *r, size_t index, struct report_line_cost *line)
{
    struct report *report = r->to;
    struct report_code *code = &report->code;
    uint32_t further;
    if (!field_index(r, index, "line", (size_t)UINT32_MAX - line->place.line + 1, &further) ||
        !field_number(r, index + 1, "cost", &line->cost))
        return false;
    line->place.line += further;
    if (code->lines.count && line_compare(&code->lines.at[code->lines.count - 1], line) >= 0)
        return record_bad(r, "lines out of order");
    vector_push(&code->lines, *line);
    return true;
}

static bool parse_lines(struct record_reader *r)
{
    struct report *report = r->to;
    const struct report_code *code = &report->code;
    struct report_line_cost line = {0};
    size_t fields = r->fields.count;
    if (fields % 2)
        return record_bad(r, "a line without its cost");
    if (!field_index(r, 1, "routine", report->routines.count, &line.routine) ||
        !field_optional(r, 2, "inlined", code->inlined.count, &line.place.inlined) ||
        !field_optional(r, 3, "file", code->files.count, &line.place.file))
        return false;
    for (size_t i = 4; i < fields; i += 2) {
        if (!parse_next_line(r, i, &line))
            return false;
    }
    return true;
}

/* Contexts: trees, which tell how many contexts follow, callers before callees. */
static bool parse_contexts(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_contexts *c = &report->contexts;
    if (c->kind)
        return record_bad(r, "contexts begin twice");
    return field_choice(r, 1, "kind", "full", "hot", &c->kind) &&
           field_string(r, 2, "phi", &c->phi) && field_string(r, 3, "epsilon", &c->epsilon) &&
           field_choice(r, 4, "weight", "calls", "cost", &c->weight) &&
           field_choice(r, 5, "recursion", "folded", "unfolded", &c->recursion);
}

static bool parse_tree(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_contexts *c = &report->contexts;
    struct report_tree tree = {.first = c->all.count};
    uint64_t count;
    if (!c->kind)
        return record_bad(r, "a tree before the line 'contexts'");
    if (own(r)->contexts_expected)
        return record_bad(r, "the tree before this one lacks contexts");
    if (!field_index(r, 1, "thread", UINT32_MAX, &tree.thread) ||
        !field_number(r, 2, "total", &tree.total) || !field_number(r, 3, "contexts", &count))
        return false;
    if ((tree.thread != 0) != report->threads_separate)
        return field_bad(r, "thread", "does not agree with the line 'threads'");
    if (c->trees.count && c->trees.at[c->trees.count - 1].thread >= tree.thread)
        return record_bad(r, "tree out of order");
    if (count == 0 || count >= UINT32_MAX - c->all.count)
        return field_bad(r, "contexts", "too few or too many");
    own(r)->contexts_expected = tree.count = (size_t)count;
    vector_push(&c->trees, tree);
    return true;
}

/* A caller is one of the tree's contexts before this one. */
static bool parse_caller(struct record_reader *r, const struct report_tree *tree, size_t id,
                         uint32_t *caller)
{
    *caller = CONTEXT_NO_CALLER;
    if (field_is(&r->fields.at[2], "-"))
        return true;
    if (!field_index(r, 2, "caller", id, caller))
        return false;
    *caller += (uint32_t)tree->first;
    return true;
}

static bool parse_context(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_contexts *c = &report->contexts;
    struct report_context context = {0};
    struct report_profile *profile = &context.profile;
    if (!own(r)->contexts_expected)
        return record_bad(r, "more contexts than the tree tells");
    const struct report_tree *tree = &c->trees.at[c->trees.count - 1];
    size_t id = c->all.count - tree->first;
    if (!field_id(r, id) || !parse_caller(r, tree, id, &context.caller) ||
        !field_index(r, 3, "routine", report->routines.count, &profile->routine) ||
        !field_number(r, 4, "calls", &profile->calls) ||
        !field_number(r, 5, "cost", &profile->cost_total) ||
        !field_number(r, 6, "self cost", &profile->cost_self) ||
        !field_number(r, 7, "error", &context.error))
        return false;
    profile->thread = tree->thread;
    for (int m = 0; m < METRIC_COUNT; m++)
        profile->first[m] = report->points[m].count;
    vector_push(&c->all, context);
    own(r)->contexts_expected--;
    own(r)->points_metric = -1;
    return true;
}

/* What a point here belongs to; NULL: there is none yet. */
static struct report_profile *latest_profile(const struct record_reader *r)
{
    struct report *report = r->to;
    size_t contexts = report->contexts.all.count;
    if (r->stage == STAGE_CONTEXTS)
        return contexts ? &report->contexts.all.at[contexts - 1].profile : NULL;
    if (r->stage != STAGE_PROFILES)
        return NULL;
    return report->profiles.count ? &report->profiles.at[report->profiles.count - 1] : NULL;
}

/* Points belong to the latest profile or context: one metric after the other, each by ascending
 * input. */
static bool point_follows(struct record_reader *r, enum report_metric m,
                          const struct report_profile *profile, const struct report_point *point)
{
    struct report *report = r->to;
    if (!report->has_metric[m])
        return record_bad(r, "a point of a metric that the line 'metrics' does not name");
    if ((int)m < own(r)->points_metric)
        return record_bad(r, "metrics out of order");
    if (profile->count[m] > 0 &&
        report->points[m].at[report->points[m].count - 1].input >= point->input)
        return field_bad(r, "input", "not above the previous point's");
    if (point->calls == 0)
        return field_bad(r, "calls", "a point without calls");
    if (point->cost_min > point->cost_max)
        return field_bad(r, "cost", "the least is above the largest");
    own(r)->points_metric = (int)m;
    return true;
}

static bool parse_point(struct record_reader *r, enum report_metric m)
{
    struct report *report = r->to;
    struct report_point p = {.thread_again = 0};
    struct report_profile *profile = latest_profile(r);
    if (!profile)
        return record_bad(r, "a point before the first profile");
    if (!field_number(r, 1, "input", &p.input) || !field_number(r, 2, "calls", &p.calls) ||
        !field_wide(r, 3, "cost", &p.cost_sum) || !field_number(r, 4, "least cost", &p.cost_min) ||
        !field_number(r, 5, "largest cost", &p.cost_max) ||
        !field_wide(r, 6, "squares", &p.cost_squares) ||
        !field_number(r, 7, "self cost", &p.self_sum) ||
        !field_number(r, 8, "thread-induced", &p.induced_thread) ||
        !field_number(r, 9, "external", &p.induced_external) ||
        (r->fields.count > 10 && !field_number(r, 10, "again", &p.thread_again)) ||
        !point_follows(r, m, profile, &p))
        return false;
    vector_push(&report->points[m], p);
    profile->count[m]++;
    return true;
}

static bool parse_trms(struct record_reader *r)
{
    return parse_point(r, METRIC_TRMS);
}

static bool parse_rms(struct record_reader *r)
{
    return parse_point(r, METRIC_RMS);
}

static const struct body_record body_records[] = {
    {"trms", 9, 10, STAGE_PROFILES, STAGE_CONTEXTS, parse_trms},
    {"rms", 9, 10, STAGE_PROFILES, STAGE_CONTEXTS, parse_rms},
    {"profile", 5, 6, STAGE_PROFILES, STAGE_PROFILES, parse_profile},
    {"context", 7, 7, STAGE_CONTEXTS, STAGE_CONTEXTS, parse_context},
    {"tree", 3, 3, STAGE_CONTEXTS, STAGE_CONTEXTS, parse_tree},
    {"contexts", 5, 5, STAGE_CONTEXTS, STAGE_CONTEXTS, parse_contexts},
    {"edge", 8, 8, STAGE_EDGES, STAGE_EDGES, parse_edge},
    {"lines", 5, SIZE_MAX, STAGE_LINES, STAGE_LINES, parse_lines},
    {"inlined", 5, 5, STAGE_INLINED, STAGE_INLINED, parse_inlined},
    {"file", 2, 2, STAGE_FILES, STAGE_FILES, parse_file},
    {"routine", 7, 7, STAGE_ROUTINES, STAGE_ROUTINES, parse_routine},
    {"object", 2, 2, STAGE_OBJECTS, STAGE_OBJECTS, parse_object},
};

/* The whole file ------------------------------------------------------------------------------- */

static bool check_end(struct record_reader *r)
{
    return !own(r)->contexts_expected ||
           failure_set(r->why, "%s: the last tree lacks contexts", r->path);
}

static const struct record_format report_format = {"aprof",
                                                   "a report of aprof",
                                                   NEWEST_VERSION,
                                                   NULL,
                                                   check_end,
                                                   head_records,
                                                   sizeof head_records / sizeof *head_records,
                                                   body_records,
                                                   sizeof body_records / sizeof *body_records};

static bool report_read(struct report *report, struct input *input, struct failure *why)
{
    struct report_reader reader = {.points_metric = -1};
    memset(report, 0, sizeof *report);
    report->path = memory_copy_string(input_name(input));
    bool good =
        record_reader_run(&reader.lines, input, &report_format, report, &report->strings, why);
    if (good)
        report_name_routines(report);
    else
        report_free(report);
    return good;
}

bool report_read_file(struct report *report, const char *path, struct failure *why)
{
    struct input *input = input_open(path, why);
    memset(report, 0, sizeof *report);
    return input && report_read(report, input, why);
}

bool report_read_memory(struct report *report, const void *bytes, size_t count, const char *name,
                        struct failure *why)
{
    return report_read(report, input_open_memory(bytes, count, name), why);
}
