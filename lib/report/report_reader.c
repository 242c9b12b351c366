/* Reads report files; see report_reader.h and the format in aprof-out(5).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each line is one record: a tag and fields, separated by TABs. Each record of the head occurs
 * once, in the order of the table `head_records`. The head is followed by objects, routines,
 * profiles with their points, code, and contexts.
 */
#include "lib/report/report_reader.h"
#include "lib/records/record_fields.h"
#include "lib/report/report_code.h"

#include <string.h>

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
    struct record_reader lines; /* must be the first member */
    int points_metric;          /* metric of the latest point of a profile or context; -1 before the
                               * first point */
    size_t contexts_expected; /* number of contexts of the latest tree that are still to be read */
};

static struct report_reader *own(struct record_reader *r)
{
    return (struct report_reader *)r;
}

static struct record_limits limits_of(const struct report *report)
{
    return (struct record_limits){
        .objects = report->objects.count,
        .routines = report->routines.count,
        .files = report->code.files.count,
        .inlined = report->code.inlined.count,
        RECORD_LIMITS_OF_ALL,
    };
}

/* The head's records --------------------------------------------------------------------------- */

static bool parse_size(struct record_reader *r)
{
    struct report *report = r->to;
    return field_number(r, 1, "size", &report->size) &&
           (report->size > 0 || field_bad(r, "size", "not above 0"));
}

RECORD_READER(read_sampled, struct report_share, RECORD_SAMPLED)

static bool parse_sampled(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_share *share = &report->share;
    size_t at = 1;
    share->weighted = r->version >= RECORD_VERSION_SAMPLED;
    return read_sampled(r, &at, NULL, share) &&
           (share->rate > 1 || field_bad(r, "rate", "not above 1")) &&
           (share->unseen <= share->known || field_bad(r, "unseen", "more than there were"));
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

RECORD_READER(read_totals, struct totals, RECORD_TOTALS)

static bool parse_totals(struct record_reader *r)
{
    struct report *report = r->to;
    size_t at = 1;
    return read_totals(r, &at, NULL, &report->totals);
}

#define HEAD_READER(how, what, tag, FIELDS, when)                                                  \
    RECORD_HEAD_READER(struct report, how, what, tag, FIELDS)
RECORD_HEAD(HEAD_READER)

static const struct head_record head_records[] = {RECORD_HEAD(RECORD_HEAD_ROW)};

/* The body's records --------------------------------------------------------------------------- */

struct object_record {
    RECORD_OBJECT(RECORD_MEMBER)
    RECORD_OBJECT_TAIL(RECORD_MEMBER)
};
RECORD_READER(read_object, struct object_record, RECORD_OBJECT)
RECORD_READER(read_object_tail, struct object_record, RECORD_OBJECT_TAIL)

static bool parse_object(struct record_reader *r)
{
    struct report *report = r->to;
    struct object_record object = {.unread_id = NULL};
    size_t at = 2;
    if (!field_id(r, report->objects.count) || !read_object(r, &at, NULL, &object) ||
        (at < r->fields.count && !read_object_tail(r, &at, NULL, &object)))
        return false;
    vector_push(&report->objects, object.path);
    vector_push(&report->unread_ids, object.unread_id);
    return true;
}

RECORD_READER(read_routine, struct report_routine, RECORD_ROUTINE)

bool routine_read(struct record_reader *r, size_t id, size_t objects,
                  struct report_routine *routine)
{
    struct record_limits limits = {.objects = objects, RECORD_LIMITS_OF_ALL};
    size_t at = 2;
    return field_id(r, id) && read_routine(r, &at, &limits, routine);
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

/* Profiles are sorted by thread, then by routine; no two profiles have the same thread and
 * routine. */
static bool profile_follows(const struct report *report, const struct report_profile *profile)
{
    if (report->profiles.count == 0)
        return true;
    const struct report_profile *last = &report->profiles.at[report->profiles.count - 1];
    if (profile->thread != last->thread)
        return profile->thread > last->thread;
    return profile->routine > last->routine;
}

RECORD_READER(read_profile, struct report_profile, RECORD_PROFILE)
RECORD_READER(read_known, struct report_profile, RECORD_KNOWN)
RECORD_READER(read_weights, struct report_weights, RECORD_WEIGHTS)

/* Reads the fields after the cost of a profile. Only sampled profiles have such fields: the number
 * of all calls, perhaps followed by the weights. */
static bool read_profile_tail(struct record_reader *r, size_t *at, struct report_profile *profile)
{
    const struct report_share *share = &((const struct report *)r->to)->share;
    size_t fields = (share->rate ? RECORD_MOST(RECORD_KNOWN) : 0) +
                    (share->weighted ? RECORD_MOST(RECORD_WEIGHTS) : 0);
    if (r->fields.count - *at != fields)
        return record_bad(r, "does not agree with the line 'sampled'");
    return (!share->rate || read_known(r, at, NULL, profile)) &&
           (!share->weighted || read_weights(r, at, NULL, &profile->weights));
}

static bool parse_profile(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_profile profile = {0};
    struct record_limits limits = limits_of(report);
    size_t at = 1;
    if (!read_profile(r, &at, &limits, &profile) || !read_profile_tail(r, &at, &profile))
        return false;
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

/* Records of the code: files, inlined functions, edges and lines.
 * ----------------------------------
 */

struct file_record {
    RECORD_FILE(RECORD_MEMBER)
};
RECORD_READER(read_file, struct file_record, RECORD_FILE)

static bool parse_file(struct record_reader *r)
{
    struct report *report = r->to;
    string_list *files = &report->code.files;
    struct file_record file;
    size_t at = 2;
    if (!field_id(r, files->count) || !read_file(r, &at, NULL, &file))
        return false;
    if (files->count && strcmp(files->at[files->count - 1], file.path) >= 0)
        return record_bad(r, "file out of order");
    vector_push(files, file.path);
    return true;
}

RECORD_READER(read_inlined, struct report_inlined, RECORD_INLINED)

static uint32_t inlined_depth(const struct report_code *code, uint32_t at)
{
    uint32_t depth = 0;
    for (; at != REPORT_NONE; at = code->inlined.at[at].call.inlined)
        depth++;
    return depth;
}

static bool parse_inlined(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_code *code = &report->code;
    struct report_inlined inlined = {0};
    struct record_limits limits = limits_of(report);
    size_t at = 2;
    if (!field_id(r, code->inlined.count) || !read_inlined(r, &at, &limits, &inlined))
        return false;
    if (inlined_depth(code, inlined.call.inlined) >= REPORT_INLINED_DEPTH_MAX)
        return field_bad(r, "inlined", "nested in too many functions");
    vector_push(&code->inlined, inlined);
    return true;
}

RECORD_READER(read_edge, struct report_edge, RECORD_EDGE)

static bool parse_edge(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_code *code = &report->code;
    struct report_edge edge = {0};
    struct record_limits limits = limits_of(report);
    size_t at = 1;
    if (!read_edge(r, &at, &limits, &edge))
        return false;
    if (code->edges.count && edge_compare(&code->edges.at[code->edges.count - 1], &edge) >= 0)
        return record_bad(r, "edge out of order");
    vector_push(&code->edges, edge);
    return true;
}

/* Reads the fields at `index`: the distance to the next line, and the cost of that line. */
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

RECORD_READER(read_lines, struct report_line_cost, RECORD_LINES)

static bool parse_lines(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_line_cost line = {0};
    struct record_limits limits = limits_of(report);
    size_t fields = r->fields.count, at = 1;
    if (fields % 2)
        return record_bad(r, "a line without its cost");
    if (!read_lines(r, &at, &limits, &line))
        return false;
    for (; at < fields; at += 2) {
        if (!parse_next_line(r, at, &line))
            return false;
    }
    return true;
}

/* Records of contexts: each tree declares how many contexts follow, with callers before callees. */
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

struct tree_record {
    RECORD_TREE(RECORD_MEMBER)
};
RECORD_READER(read_tree, struct tree_record, RECORD_TREE)

static bool parse_tree(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_contexts *c = &report->contexts;
    struct tree_record record;
    struct record_limits limits = limits_of(report);
    size_t at = 1;
    if (!c->kind)
        return record_bad(r, "a tree before the line 'contexts'");
    if (own(r)->contexts_expected)
        return record_bad(r, "the previous tree lacks contexts");
    if (!read_tree(r, &at, &limits, &record))
        return false;
    struct report_tree tree = {record.thread, record.total, c->all.count, (size_t)record.count};
    if ((tree.thread != 0) != report->threads_separate)
        return field_bad(r, "thread", "does not agree with the line 'threads'");
    if (c->trees.count && c->trees.at[c->trees.count - 1].thread >= tree.thread)
        return record_bad(r, "tree out of order");
    if (record.count == 0 || record.count >= UINT32_MAX - c->all.count)
        return field_bad(r, "contexts", "too few or too many");
    own(r)->contexts_expected = tree.count;
    vector_push(&c->trees, tree);
    return true;
}

struct context_record {
    RECORD_CONTEXT(RECORD_MEMBER)
};
RECORD_READER(read_context, struct context_record, RECORD_CONTEXT)

static bool parse_context(struct record_reader *r)
{
    struct report *report = r->to;
    struct report_contexts *c = &report->contexts;
    struct record_limits limits = limits_of(report);
    struct context_record record;
    size_t at = 2;
    if (!own(r)->contexts_expected)
        return record_bad(r, "more contexts than the tree declares");
    const struct report_tree *tree = &c->trees.at[c->trees.count - 1];
    size_t id = c->all.count - tree->first;
    limits.contexts = id; /* a caller is an earlier context of the tree */
    if (!field_id(r, id) || !read_context(r, &at, &limits, &record))
        return false;
    bool has_caller = record.caller != RECORD_NONE;
    struct report_context context = {
        .caller = has_caller ? record.caller + (uint32_t)tree->first : CONTEXT_NO_CALLER,
        .error = record.error,
        .profile = {.routine = record.routine,
                    .thread = tree->thread,
                    .calls = record.calls,
                    .cost_total = record.cost_total,
                    .cost_self = record.cost_self},
    };
    for (int m = 0; m < METRIC_COUNT; m++)
        context.profile.first[m] = report->points[m].count;
    vector_push(&c->all, context);
    own(r)->contexts_expected--;
    own(r)->points_metric = -1;
    return true;
}

/* The profile or context to which the next point belongs; NULL if no profile was read before. */
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

/* Points belong to the latest profile or context. Points are sorted by metric, then by input. */
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
        return field_bad(r, "input", "not above the input of the previous point");
    if (point->calls == 0)
        return field_bad(r, "calls", "a point without calls");
    if (point->cost_min > point->cost_max)
        return field_bad(r, "cost", "the smallest cost is above the largest cost");
    own(r)->points_metric = (int)m;
    return true;
}

RECORD_READER(read_point, struct report_point, RECORD_POINT)
RECORD_READER(read_point_again, struct report_point, RECORD_POINT_AGAIN)
RECORD_READER(read_point_tail, struct report_point, RECORD_POINT_TAIL)

/* Only points of samples have weights. Each point has at least one call. */
static bool read_point_end(struct record_reader *r, size_t *at, struct report_point *point)
{
    const struct report *report = r->to;
    bool has_weight = r->fields.count - *at == RECORD_MOST(RECORD_POINT_TAIL);
    point->weight = 0;
    if (has_weight != report->share.weighted)
        return record_bad(r, "does not agree with the line 'sampled'");
    if (!has_weight)
        return read_point_again(r, at, NULL, point);
    return read_point_tail(r, at, NULL, point) &&
           (point->weight >= point->calls || field_bad(r, "weight", "less than the calls"));
}

static bool parse_point(struct record_reader *r, enum report_metric m)
{
    struct report *report = r->to;
    struct report_point p;
    size_t at = 1;
    struct report_profile *profile = latest_profile(r);
    if (!profile)
        return record_bad(r, "a point before the first profile");
    if (!read_point(r, &at, NULL, &p) || !read_point_end(r, &at, &p) ||
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
    {"trms", RECORD_COUNTS(RECORD_POINT, RECORD_POINT_TAIL), STAGE_PROFILES, STAGE_CONTEXTS,
     parse_trms},
    {"rms", RECORD_COUNTS(RECORD_POINT, RECORD_POINT_TAIL), STAGE_PROFILES, STAGE_CONTEXTS,
     parse_rms},
    {"profile", RECORD_COUNTS(RECORD_PROFILE, RECORD_PROFILE_TAIL), STAGE_PROFILES, STAGE_PROFILES,
     parse_profile},
    {"context", RECORD_COUNTS_NUMBERED(RECORD_CONTEXT, RECORD_NO_FIELDS), STAGE_CONTEXTS,
     STAGE_CONTEXTS, parse_context},
    {"tree", RECORD_COUNTS(RECORD_TREE, RECORD_NO_FIELDS), STAGE_CONTEXTS, STAGE_CONTEXTS,
     parse_tree},
    {"contexts", RECORD_COUNTS(RECORD_CONTEXTS, RECORD_NO_FIELDS), STAGE_CONTEXTS, STAGE_CONTEXTS,
     parse_contexts},
    {"edge", RECORD_COUNTS(RECORD_EDGE, RECORD_NO_FIELDS), STAGE_EDGES, STAGE_EDGES, parse_edge},
    {"lines", 5, SIZE_MAX, STAGE_LINES, STAGE_LINES, parse_lines},
    {"inlined", RECORD_COUNTS_NUMBERED(RECORD_INLINED, RECORD_NO_FIELDS), STAGE_INLINED,
     STAGE_INLINED, parse_inlined},
    {"file", RECORD_COUNTS_NUMBERED(RECORD_FILE, RECORD_NO_FIELDS), STAGE_FILES, STAGE_FILES,
     parse_file},
    {"routine", RECORD_COUNTS_NUMBERED(RECORD_ROUTINE, RECORD_NO_FIELDS), STAGE_ROUTINES,
     STAGE_ROUTINES, parse_routine},
    {"object", RECORD_COUNTS_NUMBERED(RECORD_OBJECT, RECORD_OBJECT_TAIL), STAGE_OBJECTS,
     STAGE_OBJECTS, parse_object},
};

/* The whole file ------------------------------------------------------------------------------- */

static bool check_end(struct record_reader *r)
{
    return !own(r)->contexts_expected ||
           failure_set(r->why, "%s: the last tree lacks contexts", r->path);
}

static const struct record_format report_format = {RECORD_POINTS_FIRST,
                                                   "a report of aprof",
                                                   RECORD_VERSION_NEWEST,
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
