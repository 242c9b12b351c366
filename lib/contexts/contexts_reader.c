/* Reads files of calling contexts; see contexts_reader.h and aprof-contexts-file(5).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each line is one record. Each record of the head occurs once, in the order of the table
 * `head_records`. The head is followed by objects, routines, and trees with their contexts. A
 * parent's id is below the ids of its children, so no valid file has a cycle.
 */
#include "lib/contexts/contexts_reader.h"
#include "lib/records/record_fields.h"
#include "lib/report/report_reader.h"

#include <string.h>

#define NEWEST_VERSION 1
#define SITES_FIRST    1024
/* Maximum number of contexts of one tree; ids are 32 bits wide. */
#define CONTEXTS_MAX (UINT32_MAX - 1)

enum stage { STAGE_OBJECTS = 1, STAGE_ROUTINES, STAGE_TREES };

struct contexts_reader {
    struct record_reader lines; /* must be the first member */
    /* number of contexts of the current tree that have not been read yet */
    size_t contexts_left;
    uint32_t *site_slots; /* ids + 1 of routines, by the hash of object and offset */
    size_t site_slot_count;
};

/* The head's records --------------------------------------------------------------------------- */

/* Reads a number from 0 to 1, or "-" if the technique has no such number. */
static bool is_share(const char *text)
{
    char *end;
    if (!*text)
        return true;
    if (strspn(text, "0123456789.eE+-") != strlen(text))
        return false;
    double value = strtod(text, &end);
    return end != text && !*end && value >= 0 && value <= 1;
}

static bool parse_share(struct record_reader *r, const char *name, const char **text)
{
    if (!field_string(r, 1, name, text))
        return false;
    return is_share(*text) || field_bad(r, name, "not a share from 0 to 1");
}

static bool parse_technique(struct record_reader *r)
{
    struct context_profile *p = r->to;
    return field_choice(r, 1, "technique", "cct", "hcct", &p->technique);
}

static bool parse_weight(struct record_reader *r)
{
    struct context_profile *p = r->to;
    return field_choice(r, 1, "weight", "calls", "time", &p->weight);
}

static bool parse_phi(struct record_reader *r)
{
    struct context_profile *p = r->to;
    return parse_share(r, "phi", &p->phi);
}

static bool parse_epsilon(struct record_reader *r)
{
    struct context_profile *p = r->to;
    return parse_share(r, "epsilon", &p->epsilon);
}

#define HEAD_READER(how, what, tag, FIELDS, when)                                                  \
    RECORD_HEAD_READER(struct context_profile, how, what, tag, FIELDS)
RECORD_CALL_HEAD(HEAD_READER)

static const struct head_record head_records[] = {RECORD_CALL_HEAD(RECORD_HEAD_ROW)};

/* The body's records --------------------------------------------------------------------------- */

RECORD_READER(read_build, struct context_object, RECORD_BUILD)

bool object_read(struct record_reader *r, size_t id, struct context_object *object)
{
    size_t at = 2;
    return field_id(r, id) && read_build(r, &at, NULL, object);
}

static bool parse_object(struct record_reader *r)
{
    struct context_profile *p = r->to;
    struct context_object object;
    if (!object_read(r, p->objects.count, &object))
        return false;
    vector_push(&p->objects, object);
    return true;
}

static bool parse_routine(struct record_reader *r)
{
    struct context_profile *p = r->to;
    struct report_routine routine = {0};
    if (!routine_read(r, p->routines.count, p->objects.count, &routine))
        return false;
    vector_push(&p->routines, routine);
    return true;
}

static struct contexts_reader *own(struct record_reader *r)
{
    return (struct contexts_reader *)r;
}

static bool tree_is_whole(struct record_reader *r)
{
    return own(r)->contexts_left == 0 || record_bad(r, "the previous tree has too few contexts");
}

struct tree_record {
    RECORD_CALL_TREE(RECORD_MEMBER)
};
RECORD_READER(read_tree, struct tree_record, RECORD_CALL_TREE)

static bool parse_tree(struct record_reader *r)
{
    struct context_profile *p = r->to;
    const struct record_limits limits = {RECORD_LIMITS_OF_ALL};
    struct tree_record record;
    size_t at = 1;
    if (!tree_is_whole(r) || !read_tree(r, &at, &limits, &record))
        return false;
    if (record.count == 0 || record.count > CONTEXTS_MAX)
        return field_bad(r, "nodes", "out of range");
    struct contexts_tree tree = {
        .thread = record.thread,
        .total = record.total,
        .calls = record.calls,
        .deepest = record.deepest,
        .first = p->contexts.count,
    };
    if (p->trees.count && p->trees.at[p->trees.count - 1].thread >= tree.thread)
        return field_bad(r, "thread", "out of order");
    own(r)->contexts_left = (size_t)record.count;
    vector_push(&p->trees, tree);
    return true;
}

static void rehash_sites(struct contexts_reader *r)
{
    const struct context_profile *p = r->lines.to;
    size_t count = r->site_slot_count ? 2 * r->site_slot_count : SITES_FIRST;
    free(r->site_slots);
    r->site_slots = memory_get_zeroed(count, sizeof *r->site_slots);
    r->site_slot_count = count;
    for (size_t i = 0; i < p->sites.count; i++) {
        const struct context_site *site = &p->sites.at[i];
        size_t slot = (site->offset * 0x9e3779b97f4a7c15u >> 24) + site->object;
        while (r->site_slots[slot & (count - 1)])
            slot++;
        r->site_slots[slot & (count - 1)] = (uint32_t)i + 1;
    }
}

static uint32_t site_id(struct contexts_reader *r, uint32_t object, uint64_t offset)
{
    struct context_profile *p = r->lines.to;
    if (p->sites.count >= r->site_slot_count / 2)
        rehash_sites(r);
    size_t mask = r->site_slot_count - 1;
    size_t slot = (offset * 0x9e3779b97f4a7c15u >> 24) + object;
    for (; r->site_slots[slot & mask]; slot++) {
        uint32_t id = r->site_slots[slot & mask] - 1;
        if (p->sites.at[id].offset == offset && p->sites.at[id].object == object)
            return id;
    }
    struct context_site site = {.offset = offset, .object = object, .file = ""};
    vector_push(&p->sites, site);
    r->site_slots[slot & mask] = (uint32_t)p->sites.count;
    return (uint32_t)p->sites.count - 1;
}

struct context_record {
    RECORD_CALL_CONTEXT(RECORD_MEMBER)
};
RECORD_READER(read_context, struct context_record, RECORD_CALL_CONTEXT)

/* The root has neither parent nor routine; all other contexts have a parent and a routine. */
static bool check_context(struct record_reader *r, const struct context_record *c, size_t id)
{
    bool has_parent = c->parent != RECORD_NONE, has_routine = c->routine != RECORD_NONE;
    if (id == 0 && (has_parent || has_routine))
        return record_bad(r, "a tree's first context must be its root");
    if (id > 0 && !(has_parent && has_routine))
        return record_bad(r, "a context without parent or routine");
    if (c->site_object == RECORD_NONE && c->site_offset)
        return field_bad(r, "site-offset", "in no object");
    return c->error <= c->count || field_bad(r, "error", "above the count");
}

static bool parse_context(struct record_reader *r)
{
    struct context_profile *p = r->to;
    struct context_record c;
    size_t at = 2;
    if (p->trees.count == 0)
        return record_bad(r, "a context before the first tree");
    struct contexts_tree *tree = &p->trees.at[p->trees.count - 1];
    if (own(r)->contexts_left == 0)
        return record_bad(r, "the tree has too many contexts");
    const struct record_limits limits = {.objects = p->objects.count,
                                         .routines = p->routines.count,
                                         .contexts = tree->count,
                                         RECORD_LIMITS_OF_ALL};
    if (!field_id(r, tree->count) || !read_context(r, &at, &limits, &c) ||
        !check_context(r, &c, tree->count))
        return false;
    bool has_site = c.site_object != RECORD_NONE;
    struct context context = {
        .count = c.count,
        .error = c.error,
        .parent = c.parent,
        .routine = c.routine,
        .site = has_site ? site_id(own(r), c.site_object, c.site_offset) : CONTEXTS_NONE,
        .monitored = c.monitored != 0,
    };
    vector_push(&p->contexts, context);
    tree->count++;
    own(r)->contexts_left--;
    return true;
}

static const struct body_record body_records[] = {
    {"context", RECORD_COUNTS_NUMBERED(RECORD_CALL_CONTEXT, RECORD_NO_FIELDS), STAGE_TREES,
     STAGE_TREES, parse_context},
    {"routine", RECORD_COUNTS_NUMBERED(RECORD_ROUTINE, RECORD_NO_FIELDS), STAGE_ROUTINES,
     STAGE_ROUTINES, parse_routine},
    {"object", RECORD_COUNTS_NUMBERED(RECORD_BUILD, RECORD_NO_FIELDS), STAGE_OBJECTS, STAGE_OBJECTS,
     parse_object},
    {"tree", RECORD_COUNTS(RECORD_CALL_TREE, RECORD_NO_FIELDS), STAGE_TREES, STAGE_TREES,
     parse_tree},
};

/* The whole file ------------------------------------------------------------------------------- */

static bool check_end(struct record_reader *r)
{
    return own(r)->contexts_left == 0 ||
           failure_set(r->why, "%s: the last tree has too few contexts", r->path);
}

static const struct record_format contexts_format = {RECORD_CONTEXTS_FIRST,
                                                     "a file of calling contexts",
                                                     NEWEST_VERSION,
                                                     NULL,
                                                     check_end,
                                                     head_records,
                                                     sizeof head_records / sizeof *head_records,
                                                     body_records,
                                                     sizeof body_records / sizeof *body_records};

static bool contexts_read(struct context_profile *p, struct input *input, struct failure *why)
{
    struct contexts_reader reader = {0};
    memset(p, 0, sizeof *p);
    p->path = memory_copy_string(input_name(input));
    bool good = record_reader_run(&reader.lines, input, &contexts_format, p, &p->strings, why);
    free(reader.site_slots);
    if (good)
        contexts_name_routines(p);
    else
        contexts_free(p);
    return good;
}

bool contexts_read_file(struct context_profile *p, const char *path, struct failure *why)
{
    struct input *input = input_open(path, why);
    memset(p, 0, sizeof *p);
    return input && contexts_read(p, input, why);
}

bool contexts_read_memory(struct context_profile *p, const void *bytes, size_t count,
                          const char *name, struct failure *why)
{
    return contexts_read(p, input_open_memory(bytes, count, name), why);
}
