/* Reads files of calling contexts; see contexts_reader.h and aprof-contexts-file(5).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each line is one record. The head's records come once each and in the order of the table
 * `head_records`; then objects, routines, and trees with their contexts. A parent's id is below its
 * children's, so that a file cannot hold a cycle.
 */
#include "lib/contexts_reader.h"
#include "lib/report_reader.h"

#include <string.h>

#define NEWEST_VERSION 1
#define SITES_FIRST    1024
#define CONTEXTS_MAX   (UINT32_MAX - 1) /* of one tree; ids are 32 bits wide */

enum phase { PHASE_HEAD, PHASE_OBJECTS, PHASE_ROUTINES, PHASE_TREES };

struct reader {
    struct record_reader lines; /* first */
    struct context_profile *profile;
    size_t head_index; /* the head's record that comes next */
    enum phase phase;
    size_t contexts_left; /* of the latest tree */
    uint32_t *site_slots; /* ids + 1, by hash of object and offset */
    size_t site_slot_count;
};

/* The head's records --------------------------------------------------------------------------- */

enum kind { KIND_VERSION, KIND_TEXT, KIND_WORDS, KIND_SHARE };

static const struct head_record {
    const char *tag;
    enum kind kind;
    size_t fields_least, field_offset;
    const char *choices; /* all that the text may be, between blanks; NULL: anything */
} head_records[] = {
#define MEMBER(name) offsetof(struct context_profile, name)
    {"aprof-contexts", KIND_VERSION, 1, 0, NULL},
    {"creator", KIND_TEXT, 1, MEMBER(creator), NULL},
    {"command", KIND_WORDS, 1, MEMBER(command), NULL},
    {"process", KIND_WORDS, 1, MEMBER(process), NULL},
    {"options", KIND_WORDS, 0, MEMBER(options), NULL},
    {"technique", KIND_TEXT, 1, MEMBER(technique), " cct hcct "},
    {"summary", KIND_TEXT, 1, MEMBER(summary), NULL},
    {"weight", KIND_TEXT, 1, MEMBER(weight), " calls time "},
    {"phi", KIND_SHARE, 1, MEMBER(phi), NULL},
    {"epsilon", KIND_SHARE, 1, MEMBER(epsilon), NULL},
    {"burst", KIND_TEXT, 1, MEMBER(burst), NULL},
    {"end", KIND_TEXT, 1, MEMBER(end_reason), NULL},
#undef MEMBER
};
#define HEAD_RECORDS (sizeof head_records / sizeof *head_records)

static bool is_choice(const char *choices, const char *text)
{
    size_t bytes = strlen(text);
    const char *found = bytes ? strstr(choices, text) : NULL;
    return found && found > choices && found[-1] == ' ' && found[bytes] == ' ';
}

/* A number from 0 to 1; nothing when the technique has none. */
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

static bool parse_text(struct reader *r, const struct head_record *record)
{
    const char **text = (const char **)((char *)r->profile + record->field_offset);
    if (!field_string(&r->lines, 1, record->tag, text))
        return false;
    if (record->choices && !is_choice(record->choices, *text))
        return field_bad(&r->lines, record->tag, "unknown word");
    if (record->kind == KIND_SHARE && !is_share(*text))
        return field_bad(&r->lines, record->tag, "not a share from 0 to 1");
    return true;
}

static bool parse_head_fields(struct reader *r, const struct head_record *record)
{
    bool words = record->kind == KIND_WORDS;
    if (!fields_expected(&r->lines, record->fields_least, words ? SIZE_MAX : 1))
        return false;
    if (words)
        return field_strings(&r->lines, record->tag,
                             (string_list *)((char *)r->profile + record->field_offset));
    return record->kind == KIND_VERSION || parse_text(r, record);
}

static bool parse_head(struct reader *r)
{
    const struct head_record *record = &head_records[r->head_index];
    if (!field_is(&r->lines.fields.at[0], record->tag)) {
        char *what = memory_format("a line '%s' should be here", record->tag);
        record_bad(&r->lines, what);
        free(what);
        return false;
    }
    if (++r->head_index == HEAD_RECORDS)
        r->phase = PHASE_OBJECTS;
    return parse_head_fields(r, record);
}

/* The body's records --------------------------------------------------------------------------- */

static bool parse_object(struct reader *r)
{
    struct context_object object;
    if (!field_id(&r->lines, r->profile->objects.count) ||
        !field_string(&r->lines, 2, "object", &object.path) ||
        !field_string(&r->lines, 3, "build id", &object.build_id))
        return false;
    if (strspn(object.build_id, "0123456789abcdef") != strlen(object.build_id))
        return field_bad(&r->lines, "build id", "not a hexadecimal number");
    vector_push(&r->profile->objects, object);
    return true;
}

static bool parse_routine(struct reader *r)
{
    struct context_profile *p = r->profile;
    struct report_routine routine = {0};
    if (!routine_read(&r->lines, p->routines.count, p->objects.count, &routine))
        return false;
    vector_push(&p->routines, routine);
    return true;
}

static bool tree_is_whole(struct reader *r)
{
    return r->contexts_left == 0 || record_bad(&r->lines, "the tree before has too few contexts");
}

static bool parse_tree(struct reader *r)
{
    struct context_profile *p = r->profile;
    struct contexts_tree tree = {.first = p->contexts.count};
    uint64_t nodes;
    if (!tree_is_whole(r) || !field_index(&r->lines, 1, "thread", UINT32_MAX, &tree.thread) ||
        !field_number(&r->lines, 2, "total", &tree.total) ||
        !field_number(&r->lines, 3, "calls", &tree.calls) ||
        !field_number(&r->lines, 4, "nodes", &nodes) ||
        !field_number(&r->lines, 5, "deepest", &tree.deepest))
        return false;
    if (nodes == 0 || nodes > CONTEXTS_MAX)
        return field_bad(&r->lines, "nodes", "out of range");
    if (p->trees.count && p->trees.at[p->trees.count - 1].thread >= tree.thread)
        return field_bad(&r->lines, "thread", "out of order");
    r->contexts_left = (size_t)nodes;
    vector_push(&p->trees, tree);
    return true;
}

static void rehash_sites(struct reader *r)
{
    const struct context_profile *p = r->profile;
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

static uint32_t site_id(struct reader *r, uint32_t object, uint64_t offset)
{
    struct context_profile *p = r->profile;
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

static bool parse_site(struct reader *r, uint32_t *site)
{
    uint32_t object;
    uint64_t offset;
    *site = CONTEXTS_NONE;
    if (field_is(&r->lines.fields.at[4], "-"))
        return field_is(&r->lines.fields.at[5], "0x0") ||
               field_bad(&r->lines, "call site", "an offset in no object");
    if (!field_index(&r->lines, 4, "call site", r->profile->objects.count, &object) ||
        !field_hex(&r->lines, 5, "call site", &offset))
        return false;
    *site = site_id(r, object, offset);
    return true;
}

/* The root has neither parent nor routine, all others have both. */
static bool parse_place(struct reader *r, size_t id, struct context *context)
{
    if (id > 0)
        return field_index(&r->lines, 2, "parent", id, &context->parent) &&
               field_index(&r->lines, 3, "routine", r->profile->routines.count, &context->routine);
    context->parent = context->routine = CONTEXTS_NONE;
    if (field_is(&r->lines.fields.at[2], "-") && field_is(&r->lines.fields.at[3], "-"))
        return true;
    return record_bad(&r->lines, "a tree's first context must be its root");
}

static bool parse_context(struct reader *r)
{
    struct context_profile *p = r->profile;
    struct context context;
    uint32_t monitored;
    if (p->trees.count == 0)
        return record_bad(&r->lines, "a context before the first tree");
    struct contexts_tree *tree = &p->trees.at[p->trees.count - 1];
    if (r->contexts_left == 0)
        return record_bad(&r->lines, "the tree has too many contexts");
    if (!field_id(&r->lines, tree->count) || !parse_place(r, tree->count, &context) ||
        !parse_site(r, &context.site) || !field_number(&r->lines, 6, "count", &context.count) ||
        !field_number(&r->lines, 7, "error", &context.error) ||
        !field_index(&r->lines, 8, "monitored", 2, &monitored))
        return false;
    if (context.error > context.count)
        return field_bad(&r->lines, "error", "above the count");
    context.monitored = monitored != 0;
    vector_push(&p->contexts, context);
    tree->count++;
    r->contexts_left--;
    return true;
}

/* The most frequent first. */
static const struct body_record {
    const char *tag;
    size_t fields;
    enum phase phase;
    bool (*parse)(struct reader *);
} body_records[] = {
    {"context", 8, PHASE_TREES, parse_context},
    {"routine", 7, PHASE_ROUTINES, parse_routine},
    {"object", 3, PHASE_OBJECTS, parse_object},
    {"tree", 5, PHASE_TREES, parse_tree},
};
#define BODY_RECORDS (sizeof body_records / sizeof *body_records)

static bool parse_body(struct reader *r)
{
    for (const struct body_record *b = body_records; b < body_records + BODY_RECORDS; b++) {
        if (!field_is(&r->lines.fields.at[0], b->tag))
            continue;
        if (b->phase < r->phase)
            return record_bad(&r->lines, "record out of order");
        r->phase = b->phase;
        return fields_expected(&r->lines, b->fields, b->fields) && b->parse(r);
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

static bool check_end(struct record_reader *lines)
{
    const struct reader *r = (struct reader *)lines;
    if (r->head_index < HEAD_RECORDS)
        return failure_set(lines->why, "%s: the line '%s' is missing", lines->path,
                           head_records[r->head_index].tag);
    return r->contexts_left == 0 ||
           failure_set(lines->why, "%s: the last tree has too few contexts", lines->path);
}

static const struct record_format contexts_format = {"aprof-contexts", "a file of calling contexts",
                                                     NEWEST_VERSION, parse_line, check_end};

static bool contexts_read(struct context_profile *p, struct input *input, struct failure *why)
{
    struct reader reader = {.profile = p};
    memset(p, 0, sizeof *p);
    p->path = memory_copy_string(input_name(input));
    bool good = record_reader_run(&reader.lines, input, &contexts_format, &p->strings, why);
    free(reader.site_slots);
    input_close(input);
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
