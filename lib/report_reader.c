/* Reads report files; see report_reader.h and the format in aprof-out(5).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each line is one record: a tag and fields between TABs. The head's records come once each and in
 * the order of the table `head_records`; then objects, routines, profiles with their points, where in
 * the code it was, and contexts.
 */
#include "lib/report_reader.h"
#include "lib/report_code.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NEWEST_VERSION 3

enum phase {
    PHASE_HEAD,
    PHASE_OBJECTS,
    PHASE_ROUTINES,
    PHASE_PROFILES,
    PHASE_FILES,
    PHASE_INLINED,
    PHASE_EDGES,
    PHASE_LINES,
    PHASE_CONTEXTS
};

struct reader {
    struct record_reader lines; /* first */
    struct report *report;
    size_t head_index; /* the head's record that comes next */
    enum phase phase;
    int points_metric;        /* of the latest point of a profile or context; -1 before the first */
    size_t contexts_expected; /* those that the latest tree still wants */
};

/* The head's records --------------------------------------------------------------------------- */

static bool parse_version(struct reader *r)
{
    (void)r; /* the line reader has looked at it */
    return true;
}

static bool parse_creator(struct reader *r)
{
    return field_string(&r->lines, 1, "creator", &r->report->creator);
}

static bool parse_tool(struct reader *r)
{
    return field_string(&r->lines, 1, "tool", &r->report->tool);
}

static bool parse_arch(struct reader *r)
{
    return field_string(&r->lines, 1, "arch", &r->report->arch);
}

static bool parse_command(struct reader *r)
{
    return field_strings(&r->lines, "command", &r->report->command);
}

static bool parse_process(struct reader *r)
{
    return field_strings(&r->lines, "process", &r->report->process);
}

static bool parse_options(struct reader *r)
{
    return field_strings(&r->lines, "options", &r->report->options);
}

static bool parse_size(struct reader *r)
{
    return field_number(&r->lines, 1, "size", &r->report->size) &&
           (r->report->size > 0 || field_bad(&r->lines, "size", "not above 0"));
}

static bool parse_metrics(struct reader *r)
{
    for (size_t i = 1; i < r->lines.fields.count; i++) {
        int m = 0;
        while (m < METRIC_COUNT && !field_is(&r->lines.fields.at[i], metric_names[m]))
            m++;
        if (m == METRIC_COUNT)
            return field_bad(&r->lines, "metrics", "unknown metric");
        if (r->report->has_metric[m])
            return field_bad(&r->lines, "metrics", "named twice");
        r->report->has_metric[m] = true;
    }
    return true;
}

static bool parse_resolution(struct reader *r)
{
    uint64_t bytes;
    if (!field_number(&r->lines, 1, "resolution", &bytes))
        return false;
    if (bytes == 0 || bytes > 16 || (bytes & (bytes - 1)))
        return field_bad(&r->lines, "resolution", "not 1, 2, 4, 8 or 16");
    r->report->resolution_bytes = (unsigned)bytes;
    return true;
}

static bool parse_cost(struct reader *r)
{
    if (!field_is(&r->lines.fields.at[1], "bb") && !field_is(&r->lines.fields.at[1], "instr") &&
        !field_is(&r->lines.fields.at[1], "time"))
        return field_bad(&r->lines, "cost", "unknown unit");
    return field_string(&r->lines, 1, "cost", &r->report->cost_unit);
}

static bool parse_threads(struct reader *r)
{
    r->report->threads_separate = field_is(&r->lines.fields.at[1], "separate");
    if (r->report->threads_separate || field_is(&r->lines.fields.at[1], "merged"))
        return true;
    return field_bad(&r->lines, "threads", "neither merged nor separate");
}

static bool parse_end(struct reader *r)
{
    return field_string(&r->lines, 1, "end", &r->report->end_reason);
}

static bool parse_totals(struct reader *r)
{
    struct totals *t = &r->report->totals;
    return field_number(&r->lines, 1, "cost", &t->cost) &&
           field_number(&r->lines, 2, "activations", &t->activations) &&
           field_number(&r->lines, 3, "reads", &t->reads) &&
           field_number(&r->lines, 4, "thread-induced", &t->induced_thread) &&
           field_number(&r->lines, 5, "external", &t->induced_external);
}

struct record {
    const char *tag;
    size_t fields_least, fields_most;
    bool (*parse)(struct reader *);
};

static const struct record head_records[] = {
    {"aprof", 1, 1, parse_version},
    {"creator", 1, 1, parse_creator},
    {"tool", 1, 1, parse_tool},
    {"arch", 1, 1, parse_arch},
    {"command", 1, SIZE_MAX, parse_command},
    {"process", 1, SIZE_MAX, parse_process},
    {"options", 0, SIZE_MAX, parse_options},
    {"size", 1, 1, parse_size},
    {"metrics", 1, METRIC_COUNT, parse_metrics},
    {"resolution", 1, 1, parse_resolution},
    {"cost", 1, 1, parse_cost},
    {"threads", 1, 1, parse_threads},
    {"end", 1, 1, parse_end},
    {"totals", 5, 5, parse_totals},
};
#define HEAD_RECORDS (sizeof head_records / sizeof *head_records)

/* The one record of the head that not every report has. */
static bool may_be_missing(const struct record *record)
{
    return record->parse == parse_size;
}

static bool parse_head(struct reader *r)
{
    const struct record *record = &head_records[r->head_index];
    if (may_be_missing(record) && !field_is(&r->lines.fields.at[0], record->tag))
        record = &head_records[++r->head_index];
    if (!field_is(&r->lines.fields.at[0], record->tag)) {
        char what[64];
        snprintf(what, sizeof what, "a line '%s' should be here", record->tag);
        return record_bad(&r->lines, what);
    }
    if (++r->head_index == HEAD_RECORDS)
        r->phase = PHASE_OBJECTS;
    return fields_expected(&r->lines, record->fields_least, record->fields_most) &&
           record->parse(r);
}

/* The body's records --------------------------------------------------------------------------- */

/* One of two words. */
static bool field_choice(struct reader *r, size_t index, const char *name, const char *one,
                         const char *other, const char **text)
{
    const struct field *field = &r->lines.fields.at[index];
    if (!field_is(field, one) && !field_is(field, other))
        return field_bad(&r->lines, name, "unknown");
    return field_string(&r->lines, index, name, text);
}

static bool parse_object(struct reader *r)
{
    const char *path;
    if (!field_id(&r->lines, r->report->objects.count) ||
        !field_string(&r->lines, 2, "object", &path))
        return false;
    vector_push(&r->report->objects, path);
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

static bool parse_routine(struct reader *r)
{
    struct report *report = r->report;
    struct report_routine routine = {0};
    if (!routine_read(&r->lines, report->routines.count, report->objects.count, &routine))
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

static bool parse_profile(struct reader *r)
{
    struct report *report = r->report;
    struct report_profile profile = {0};
    if (!field_index(&r->lines, 1, "routine", report->routines.count, &profile.routine) ||
        !field_index(&r->lines, 2, "thread", UINT32_MAX, &profile.thread) ||
        !field_number(&r->lines, 3, "calls", &profile.calls) ||
        !field_number(&r->lines, 4, "cost", &profile.cost_total) ||
        !field_number(&r->lines, 5, "self cost", &profile.cost_self))
        return false;
    if ((profile.thread != 0) != report->threads_separate)
        return field_bad(&r->lines, "thread", "does not agree with the line 'threads'");
    if (!profile_follows(report, &profile))
        return record_bad(&r->lines, "profile out of order");
    for (int m = 0; m < METRIC_COUNT; m++)
        profile.first[m] = report->points[m].count;
    vector_push(&report->profiles, profile);
    r->points_metric = -1;
    return true;
}

/* Where in the code: files, inlined functions, edges and lines. ---------------------------------- */

static bool parse_file(struct reader *r)
{
    struct report_code *code = &r->report->code;
    const char *path;
    if (!field_id(&r->lines, code->files.count) || !field_string(&r->lines, 2, "path", &path))
        return false;
    if (code->files.count && strcmp(code->files.at[code->files.count - 1], path) >= 0)
        return record_bad(&r->lines, "file out of order");
    vector_push(&code->files, path);
    return true;
}

/* An index below `limit`, or "-". */
static bool field_optional(struct reader *r, size_t index, const char *name, size_t limit,
                           uint32_t *value)
{
    *value = REPORT_NONE;
    return field_is(&r->lines.fields.at[index], "-") ||
           field_index(&r->lines, index, name, limit, value);
}

/* Three fields from `index` on. */
static bool parse_place(struct reader *r, size_t index, struct report_place *place)
{
    const struct report_code *code = &r->report->code;
    return field_optional(r, index, "inlined", code->inlined.count, &place->inlined) &&
           field_optional(r, index + 1, "file", code->files.count, &place->file) &&
           field_index(&r->lines, index + 2, "line", (size_t)UINT32_MAX + 1, &place->line);
}

static bool parse_inlined(struct reader *r)
{
    struct report_code *code = &r->report->code;
    struct report_inlined inlined = {0};
    if (!field_id(&r->lines, code->inlined.count) || !parse_place(r, 2, &inlined.call) ||
        !field_string(&r->lines, 5, "name", &inlined.name))
        return false;
    vector_push(&code->inlined, inlined);
    return true;
}

static bool parse_edge(struct reader *r)
{
    struct report_code *code = &r->report->code;
    size_t routines = r->report->routines.count;
    struct report_edge edge = {0};
    if (!field_index(&r->lines, 1, "caller", routines, &edge.caller) ||
        !field_index(&r->lines, 2, "callee", routines, &edge.callee) ||
        !parse_place(r, 3, &edge.place) || !field_number(&r->lines, 6, "calls", &edge.calls) ||
        !field_number(&r->lines, 7, "cost", &edge.cost) ||
        !field_number(&r->lines, 8, "input", &edge.input))
        return false;
    if (code->edges.count && edge_compare(&code->edges.at[code->edges.count - 1], &edge) >= 0)
        return record_bad(&r->lines, "edge out of order");
    vector_push(&code->edges, edge);
    return true;
}

/* The fields at `index`: how many lines further on, and the cost there. */
static bool parse_next_line(struct reader *r, size_t index, struct report_line_cost *line)
{
    struct report_code *code = &r->report->code;
    uint32_t further;
    if (!field_index(&r->lines, index, "line", (size_t)UINT32_MAX - line->place.line + 1,
                     &further) ||
        !field_number(&r->lines, index + 1, "cost", &line->cost))
        return false;
    line->place.line += further;
    if (code->lines.count && line_compare(&code->lines.at[code->lines.count - 1], line) >= 0)
        return record_bad(&r->lines, "lines out of order");
    vector_push(&code->lines, *line);
    return true;
}

static bool parse_lines(struct reader *r)
{
    const struct report_code *code = &r->report->code;
    struct report_line_cost line = {0};
    size_t fields = r->lines.fields.count;
    if (fields % 2)
        return record_bad(&r->lines, "a line without its cost");
    if (!field_index(&r->lines, 1, "routine", r->report->routines.count, &line.routine) ||
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
static bool parse_contexts(struct reader *r)
{
    struct report_contexts *c = &r->report->contexts;
    if (c->kind)
        return record_bad(&r->lines, "contexts begin twice");
    return field_choice(r, 1, "kind", "full", "hot", &c->kind) &&
           field_string(&r->lines, 2, "phi", &c->phi) &&
           field_string(&r->lines, 3, "epsilon", &c->epsilon) &&
           field_choice(r, 4, "weight", "calls", "cost", &c->weight) &&
           field_choice(r, 5, "recursion", "folded", "unfolded", &c->recursion);
}

static bool parse_tree(struct reader *r)
{
    struct report_contexts *c = &r->report->contexts;
    struct report_tree tree = {.first = c->all.count};
    uint64_t count;
    if (!c->kind)
        return record_bad(&r->lines, "a tree before the line 'contexts'");
    if (r->contexts_expected)
        return record_bad(&r->lines, "the tree before this one lacks contexts");
    if (!field_index(&r->lines, 1, "thread", UINT32_MAX, &tree.thread) ||
        !field_number(&r->lines, 2, "total", &tree.total) ||
        !field_number(&r->lines, 3, "contexts", &count))
        return false;
    if ((tree.thread != 0) != r->report->threads_separate)
        return field_bad(&r->lines, "thread", "does not agree with the line 'threads'");
    if (c->trees.count && c->trees.at[c->trees.count - 1].thread >= tree.thread)
        return record_bad(&r->lines, "tree out of order");
    if (count == 0 || count >= UINT32_MAX - c->all.count)
        return field_bad(&r->lines, "contexts", "too few or too many");
    r->contexts_expected = tree.count = (size_t)count;
    vector_push(&c->trees, tree);
    return true;
}

/* A caller is one of the tree's contexts before this one. */
static bool parse_caller(struct reader *r, const struct report_tree *tree, size_t id,
                         uint32_t *caller)
{
    *caller = CONTEXT_NO_CALLER;
    if (field_is(&r->lines.fields.at[2], "-"))
        return true;
    if (!field_index(&r->lines, 2, "caller", id, caller))
        return false;
    *caller += (uint32_t)tree->first;
    return true;
}

static bool parse_context(struct reader *r)
{
    struct report *report = r->report;
    struct report_contexts *c = &report->contexts;
    struct report_context context = {0};
    struct report_profile *profile = &context.profile;
    if (!r->contexts_expected)
        return record_bad(&r->lines, "more contexts than the tree tells");
    const struct report_tree *tree = &c->trees.at[c->trees.count - 1];
    size_t id = c->all.count - tree->first;
    if (!field_id(&r->lines, id) || !parse_caller(r, tree, id, &context.caller) ||
        !field_index(&r->lines, 3, "routine", report->routines.count, &profile->routine) ||
        !field_number(&r->lines, 4, "calls", &profile->calls) ||
        !field_number(&r->lines, 5, "cost", &profile->cost_total) ||
        !field_number(&r->lines, 6, "self cost", &profile->cost_self) ||
        !field_number(&r->lines, 7, "error", &context.error))
        return false;
    profile->thread = tree->thread;
    for (int m = 0; m < METRIC_COUNT; m++)
        profile->first[m] = report->points[m].count;
    vector_push(&c->all, context);
    r->contexts_expected--;
    r->points_metric = -1;
    return true;
}

/* What a point here belongs to; NULL: there is none yet. */
static struct report_profile *latest_profile(const struct reader *r)
{
    struct report *report = r->report;
    size_t contexts = report->contexts.all.count;
    if (r->phase == PHASE_CONTEXTS)
        return contexts ? &report->contexts.all.at[contexts - 1].profile : NULL;
    if (r->phase != PHASE_PROFILES)
        return NULL;
    return report->profiles.count ? &report->profiles.at[report->profiles.count - 1] : NULL;
}

/* Points belong to the latest profile or context: one metric after the other, each by ascending
 * input. */
static bool point_follows(struct reader *r, enum report_metric m,
                          const struct report_profile *profile, const struct report_point *point)
{
    if (!r->report->has_metric[m])
        return record_bad(&r->lines, "a point of a metric that the line 'metrics' does not name");
    if ((int)m < r->points_metric)
        return record_bad(&r->lines, "metrics out of order");
    if (profile->count[m] > 0 &&
        r->report->points[m].at[r->report->points[m].count - 1].input >= point->input)
        return field_bad(&r->lines, "input", "not above the previous point's");
    if (point->calls == 0)
        return field_bad(&r->lines, "calls", "a point without calls");
    if (point->cost_min > point->cost_max)
        return field_bad(&r->lines, "cost", "the least is above the largest");
    r->points_metric = (int)m;
    return true;
}

static bool parse_point(struct reader *r, enum report_metric m)
{
    struct report *report = r->report;
    struct report_point p;
    struct report_profile *profile = latest_profile(r);
    if (!profile)
        return record_bad(&r->lines, "a point before the first profile");
    if (!field_number(&r->lines, 1, "input", &p.input) ||
        !field_number(&r->lines, 2, "calls", &p.calls) ||
        !field_wide(&r->lines, 3, "cost", &p.cost_sum) ||
        !field_number(&r->lines, 4, "least cost", &p.cost_min) ||
        !field_number(&r->lines, 5, "largest cost", &p.cost_max) ||
        !field_wide(&r->lines, 6, "squares", &p.cost_squares) ||
        !field_number(&r->lines, 7, "self cost", &p.self_sum) ||
        !field_number(&r->lines, 8, "thread-induced", &p.induced_thread) ||
        !field_number(&r->lines, 9, "external", &p.induced_external) ||
        !point_follows(r, m, profile, &p))
        return false;
    vector_push(&report->points[m], p);
    profile->count[m]++;
    return true;
}

static bool parse_trms(struct reader *r)
{
    return parse_point(r, METRIC_TRMS);
}

static bool parse_rms(struct reader *r)
{
    return parse_point(r, METRIC_RMS);
}

/* The most frequent first. A record may come in the phases from `first` to `last`. */
static const struct body_record {
    struct record record;
    enum phase first, last;
} body_records[] = {
    {{"trms", 9, 9, parse_trms}, PHASE_PROFILES, PHASE_CONTEXTS},
    {{"rms", 9, 9, parse_rms}, PHASE_PROFILES, PHASE_CONTEXTS},
    {{"profile", 5, 5, parse_profile}, PHASE_PROFILES, PHASE_PROFILES},
    {{"context", 7, 7, parse_context}, PHASE_CONTEXTS, PHASE_CONTEXTS},
    {{"tree", 3, 3, parse_tree}, PHASE_CONTEXTS, PHASE_CONTEXTS},
    {{"contexts", 5, 5, parse_contexts}, PHASE_CONTEXTS, PHASE_CONTEXTS},
    {{"edge", 8, 8, parse_edge}, PHASE_EDGES, PHASE_EDGES},
    {{"lines", 5, SIZE_MAX, parse_lines}, PHASE_LINES, PHASE_LINES},
    {{"inlined", 5, 5, parse_inlined}, PHASE_INLINED, PHASE_INLINED},
    {{"file", 2, 2, parse_file}, PHASE_FILES, PHASE_FILES},
    {{"routine", 7, 7, parse_routine}, PHASE_ROUTINES, PHASE_ROUTINES},
    {{"object", 2, 2, parse_object}, PHASE_OBJECTS, PHASE_OBJECTS},
};
#define BODY_RECORDS (sizeof body_records / sizeof *body_records)

static bool parse_body(struct reader *r)
{
    for (size_t i = 0; i < BODY_RECORDS; i++) {
        const struct record *record = &body_records[i].record;
        if (!field_is(&r->lines.fields.at[0], record->tag))
            continue;
        if (body_records[i].last < r->phase)
            return record_bad(&r->lines, "record out of order");
        if (body_records[i].first > r->phase)
            r->phase = body_records[i].first;
        return fields_expected(&r->lines, record->fields_least, record->fields_most) &&
               record->parse(r);
    }
    return record_bad(&r->lines, "unknown record");
}

/* The whole file ------------------------------------------------------------------------------- */

static void parse_line(struct record_reader *lines)
{
    struct reader *r = (struct reader *)lines;
    if (r->phase == PHASE_HEAD)
        parse_head(r);
    else
        parse_body(r);
}

static bool check_head(struct record_reader *lines)
{
    const struct reader *r = (struct reader *)lines;
    if (r->contexts_expected)
        return failure_set(lines->why, "%s: the last tree lacks contexts", lines->path);
    if (r->head_index == HEAD_RECORDS)
        return true;
    return failure_set(lines->why, "%s: the line '%s' is missing", lines->path,
                       head_records[r->head_index].tag);
}

static const struct record_format report_format = {"aprof", "a report of aprof", NEWEST_VERSION,
                                                   parse_line, check_head};

static bool report_read(struct report *report, struct input *input, struct failure *why)
{
    struct reader reader = {.report = report, .points_metric = -1};
    memset(report, 0, sizeof *report);
    report->path = memory_copy_string(input_name(input));
    bool good = record_reader_run(&reader.lines, input, &report_format, &report->strings, why);
    if (good)
        report_name_routines(report);
    else
        report_free(report);
    return good;
}

bool report_read_file(struct report *report, const char *path, struct failure *why)
{
    struct input *input = input_open(path, why);
    if (!input) {
        memset(report, 0, sizeof *report);
        return false;
    }
    bool good = report_read(report, input, why);
    input_close(input);
    return good;
}

bool report_read_memory(struct report *report, const void *bytes, size_t count, const char *name,
                        struct failure *why)
{
    struct input *input = input_open_memory(bytes, count, name);
    bool good = report_read(report, input, why);
    input_close(input);
    return good;
}
