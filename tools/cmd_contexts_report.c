/* `aprof contexts report`: the hottest calling contexts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/contexts_command.h"
#include "tools/report_view.h"
#include "lib/contexts/contexts_invert.h"
#include "lib/report/estimate.h"
#include "lib/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define TOP_DEFAULT    30 /* default number of lines of text; scripts get all lines */
#define FRAMES_DEFAULT 6  /* in text: default number of routines that are shown of a chain */
/* Maximum number of routines of a chain in output for scripts, because deep recursions have long
 * chains. */
#define FRAMES_TSV 100
/* Maximum levels of indentation; deeper lines show their level as a number. */
#define INDENT_MOST 40
#define ROOM_LEAST  32   /* minimum width of a context, in columns */
#define LEAST_SHARE 1e-3 /* callers below this share of the total get no line */

/* A chain of contexts with one child each is shortened if it has more than this number of contexts.
 */
#define LINK_MOST 3

enum sort { SORT_COUNT, SORT_SUBTREE, SORT_ERROR, SORT_DEPTH, SORT_NAME };
const char *const contexts_sort_names[] = {"count", "subtree", "error", "depth", "name", NULL};

/* Text output is a tree. Output for scripts, and output with an option for chains, is a list of
 * chains. */
static bool shows_tree(const struct report_settings *s)
{
    if (s->tree || s->flat || s->inverted)
        return s->tree;
    return s->format == TABLE_TEXT && s->sort == SORT_COUNT &&
           s->frames == REPORT_FRAMES_NOT_GIVEN && !s->common.sites;
}

/* The displayed tree, the selected contexts, and sums over them. */
struct view {
    const struct report_settings *settings;
    struct context_profile *profile; /* one tree, which may be inverted */
    const struct context *contexts;
    size_t count;
    uint64_t total; /* total of which the displayed shares are parts */
    struct estimate estimate;
    char *heading;
    uint64_t *sums;
    uint32_t *depths;
    unsigned char *marks;
    uint32_t *ids; /* displayed contexts, in order */
    size_t shown;
    uint32_t *levels;  /* indentation level of each context (trees) */
    size_t width;      /* maximum width of a line; 0: unlimited */
    uint32_t *skipped; /* number of contexts omitted at each line (trees) */
};

/* Choosing ------------------------------------------------------------------------------------- */

/* Sorts larger numbers first. */
static int by_number(uint64_t a, uint64_t b)
{
    return a > b ? -1 : a < b;
}

static int by_key(const void *left, const void *right, void *user)
{
    const struct view *v = user;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const struct context *ca = &v->contexts[a], *cb = &v->contexts[b];
    int order = 0;
    switch (v->settings->sort) {
    case SORT_SUBTREE:
        order = by_number(v->sums[a], v->sums[b]);
        break;
    case SORT_ERROR:
        order = by_number(ca->error, cb->error);
        break;
    case SORT_DEPTH:
        order = by_number(v->depths[a], v->depths[b]);
        break;
    case SORT_NAME:
        order = strcmp(contexts_routine_name(v->profile, ca->routine),
                       contexts_routine_name(v->profile, cb->routine));
        break;
    }
    if (order == 0)
        order = by_number(context_count(ca), context_count(cb));
    return order ? order : a < b ? -1 : a > b;
}

static int by_count(const void *left, const void *right, void *user)
{
    const struct view *v = user;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = by_number(context_count(&v->contexts[a]), context_count(&v->contexts[b]));
    return order ? order : a < b ? -1 : a > b;
}

static int by_subtree(const void *left, const void *right, void *user)
{
    const struct view *v = user;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return v->sums[a] != v->sums[b] ? by_number(v->sums[a], v->sums[b]) : a < b ? -1 : a > b;
}

/* The number of contexts or routines that are shown. */
static size_t shown_most(const struct report_settings *s)
{
    if (s->common.top == TOP_NOT_GIVEN)
        return s->format == TABLE_TEXT ? TOP_DEFAULT : SIZE_MAX;
    return s->common.top ? s->common.top : SIZE_MAX;
}

/* Selects the monitored contexts with at least the share phi, the hottest first. --top limits the
 * number of contexts. */
static void choose_hottest(struct view *v)
{
    const struct report_settings *s = v->settings;
    size_t top = shown_most(s);
    double phi = s->common.phi >= 0 ? s->common.phi : 0;
    uint64_t threshold = contexts_threshold(v->profile, &v->profile->trees.at[0], phi);
    contexts_mark_hot(v->contexts, v->count, threshold, v->marks);
    for (uint32_t i = 1; i < v->count; i++) {
        if (v->marks[i] & CONTEXT_HOT)
            v->ids[v->shown++] = i;
    }
    qsort_r(v->ids, v->shown, sizeof *v->ids, by_count, v);
    if (v->shown > top)
        v->shown = top;
}

/* Whether the context has exactly one child and no weight of its own. */
static bool is_link(const struct view *v, uint32_t id, const uint32_t *kept_children)
{
    return v->marks[id] == CONTEXT_KEPT && kept_children[id] == 1;
}

/* Shortens long chains of callers; recursion can make such chains. The first and the last contexts
 * of each chain remain, with the number of omitted contexts between them. `kept` is in preorder, so
 * each chain is contiguous. */
static void shorten_chains(struct view *v, const uint32_t *kept, size_t count,
                           const uint32_t *kept_children)
{
    size_t end;
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count && is_link(v, kept[end - 1], kept_children) &&
                          is_link(v, kept[end], kept_children);
             end++)
            ;
        size_t between = end - i > LINK_MOST ? end - i - 2 : 0;
        for (size_t j = i; j < end; j++) {
            uint32_t id = kept[j], parent = v->contexts[id].parent;
            bool hidden = between && j > i && j + 1 < end;
            v->levels[id] = parent == 0 ? 0 : v->levels[parent] + (!hidden || j == i + 1);
            if (hidden && j > i + 1)
                continue;
            v->skipped[v->shown] = hidden ? (uint32_t)between : 0;
            v->ids[v->shown++] = id;
        }
    }
}

/* Selects the hottest contexts and all their ancestors, as a tree. */
static void choose_tree(struct view *v)
{
    uint32_t *kept_children = memory_get_zeroed(v->count + 1, sizeof *kept_children);
    memset(v->marks, 0, v->count);
    for (size_t i = 0; i < v->shown; i++)
        v->marks[v->ids[i]] = CONTEXT_KEPT | CONTEXT_HOT;
    contexts_keep_ancestors(v->contexts, v->count, v->marks);
    struct context_children children = contexts_children(v->contexts, v->count, by_subtree, v);
    uint32_t *order = contexts_preorder(&children, v->count);
    size_t kept = 0;
    for (size_t i = 1; i < v->count; i++) {
        if (!(v->marks[order[i]] & CONTEXT_KEPT))
            continue;
        kept_children[v->contexts[order[i]].parent]++;
        order[kept++] = order[i];
    }
    v->shown = 0;
    shorten_chains(v, order, kept, kept_children);
    contexts_children_free(&children);
    free(order);
    free(kept_children);
}

/* Selects the routines with the most weight, and all their kept callers; --top limits the number of
 * routines. */
static void choose_inverted(struct view *v)
{
    size_t top = shown_most(v->settings);
    struct context_children children = contexts_children(v->contexts, v->count, by_subtree, v);
    uint32_t *order = contexts_preorder(&children, v->count);
    size_t routines = 0;
    for (size_t i = 1; i < v->count; i++) {
        routines += v->depths[order[i]] == 1;
        if (routines > top)
            break;
        v->levels[order[i]] = v->depths[order[i]] - 1;
        v->ids[v->shown++] = order[i];
    }
    contexts_children_free(&children);
    free(order);
}

/* Replaces the tree by the inverted tree. */
static void invert(struct view *v)
{
    const struct report_settings *s = v->settings;
    struct contexts_tree *tree = &v->profile->trees.at[0];
    double phi = s->common.phi >= 0 ? s->common.phi : LEAST_SHARE;
    context_list inverted = contexts_invert(v->profile->contexts.at, tree->count,
                                            contexts_threshold(v->profile, tree, phi), s->depth);
    vector_free(&v->profile->contexts);
    v->profile->contexts = inverted;
    tree->count = inverted.count;
}

static void choose(struct view *v)
{
    v->contexts = v->profile->contexts.at;
    v->count = v->profile->contexts.count;
    v->sums = contexts_sum_subtrees(v->contexts, v->count);
    v->depths = contexts_depths(v->contexts, v->count);
    v->marks = memory_get_zeroed(v->count + 1, 1);
    v->ids = memory_get_zeroed(v->count + 1, sizeof *v->ids);
    v->levels = memory_get_zeroed(v->count + 1, sizeof *v->levels);
    v->skipped = memory_get_zeroed(v->count + 1, sizeof *v->skipped);
    if (v->settings->inverted) {
        choose_inverted(v);
        return;
    }
    choose_hottest(v);
    if (shows_tree(v->settings))
        choose_tree(v);
    else
        qsort_r(v->ids, v->shown, sizeof *v->ids, by_key, v);
}

static void free_view(struct view *v)
{
    free(v->heading);
    free(v->sums);
    free(v->depths);
    free(v->marks);
    free(v->ids);
    free(v->levels);
    free(v->skipped);
}

/* Cells ---------------------------------------------------------------------------------------- */

static char *count_cell(const struct view *v, uint32_t id)
{
    if (!v->contexts[id].monitored)
        return memory_copy_string("");
    return contexts_number_cell(v->contexts[id].count);
}

static int decimals(const struct view *v)
{
    return v->settings->format == TABLE_TEXT ? 2 : 4;
}

static char *share_cell(const struct view *v, uint32_t id)
{
    return table_percent((double)context_count(&v->contexts[id]), (double)v->total, decimals(v));
}

static char *error_cell(const struct view *v, uint32_t id)
{
    return contexts_number_cell(v->contexts[id].error);
}

/* The cell is empty for a context that is in the tree only as an ancestor, because the bounds of
 * the context's count are unknown. */
static char *bound_cell(const struct view *v, uint32_t id, double bound)
{
    if (!v->contexts[id].monitored || isinf(bound))
        return memory_copy_string("-");
    return memory_format("%.0f", bound);
}

static char *low_cell(const struct view *v, uint32_t id)
{
    const struct context *c = &v->contexts[id];
    return bound_cell(v, id, estimate_low(&v->estimate, c->count, c->error));
}

static char *high_cell(const struct view *v, uint32_t id)
{
    return bound_cell(v, id, estimate_high(&v->estimate, v->contexts[id].count));
}

static char *subtree_cell(const struct view *v, uint32_t id)
{
    return contexts_number_cell(v->sums[id]);
}

static char *subtree_share_cell(const struct view *v, uint32_t id)
{
    return table_percent((double)v->sums[id], (double)v->total, decimals(v));
}

static char *depth_cell(const struct view *v, uint32_t id)
{
    return contexts_number_cell(v->depths[id]);
}

/* The minimum width of a context, if the width of the line is limited. */
static size_t least_room(const struct view *v)
{
    size_t room = v->width * 3 / 5;
    return room > ROOM_LEAST ? room : ROOM_LEAST;
}

/* Cuts a chain at the end of a routine, so that the ellipsis after this routine also fits. */
static void cut_chain(char *words, size_t most)
{
    static const char more[] = " < ...";
    size_t end = 0;
    if (strlen(words) <= most)
        return;
    for (char *at = strstr(words, " < "); at; at = strstr(at + 1, " < ")) {
        if ((size_t)(at - words) + strlen(more) <= most)
            end = (size_t)(at - words);
    }
    if (end)
        memcpy(words + end, more, sizeof more);
}

static char *chain_cell(const struct view *v, uint32_t id)
{
    const struct report_settings *s = v->settings;
    unsigned long frames = s->frames;
    if (frames == REPORT_FRAMES_NOT_GIVEN)
        frames = s->format == TABLE_TEXT ? FRAMES_DEFAULT : FRAMES_TSV;
    if (!v->width)
        return contexts_chain_words(v->profile, v->contexts, id, frames, 0);
    char *words = contexts_chain_words(v->profile, v->contexts, id, frames, least_room(v) * 2 / 3);
    cut_chain(words, least_room(v));
    return words;
}

/* Returns the maximum indentation; it leaves at least three quarters of a line for names. */
static uint32_t indent_most(const struct view *v)
{
    size_t most = v->width / 8;
    return v->width && most < INDENT_MOST ? (uint32_t)most : INDENT_MOST;
}

/* The last routine of the chain, indented by its level. */
static char *indented_cell(const struct view *v, uint32_t id)
{
    const char *name = contexts_routine_name(v->profile, v->contexts[id].routine);
    uint32_t level = v->levels[id];
    if (level <= indent_most(v))
        return memory_format("%*s%s", 2 * (int)level, "", name);
    return memory_format("%*s[%" PRIu32 "] %s", 2 * (int)indent_most(v), "", level, name);
}

static char *skipped_cell(const struct view *v, size_t line)
{
    uint32_t level = v->levels[v->ids[line]];
    return memory_format("%*s... %" PRIu32 " more",
                         2 * (int)(level < indent_most(v) ? level : indent_most(v)), "",
                         v->skipped[line]);
}

static const struct report_routine *routine_of(const struct view *v, uint32_t id)
{
    return &v->profile->routines.at[v->contexts[id].routine];
}

static char *object_cell(const struct view *v, uint32_t id)
{
    return memory_copy_string(v->profile->objects.at[routine_of(v, id)->object].path);
}

static char *file_cell(const struct view *v, uint32_t id)
{
    return memory_copy_string(routine_of(v, id)->file);
}

static char *line_cell(const struct view *v, uint32_t id)
{
    return contexts_number_cell(routine_of(v, id)->line);
}

enum { IN_FLAT = 1, IN_TREE = 2, IN_INVERTED = 4, FOR_SCRIPTS = 8, IF_SAMPLED = 16 };

static const struct column {
    struct table_column head;
    unsigned shown;
    unsigned rank; /* if a line is too long, columns of the highest rank are omitted first; rank 0
                    * is never omitted */
    char *(*cell)(const struct view *, uint32_t);
} columns[] = {
    {{"count", "count", false}, IN_FLAT | IN_TREE | FOR_SCRIPTS, 0, count_cell},
    {{"share", "share%", false}, IN_FLAT | IN_TREE | FOR_SCRIPTS, 1, share_cell},
    {{"error", "error", false}, IN_FLAT | FOR_SCRIPTS, 4, error_cell},
    {{"low", "low", false}, IN_FLAT | IN_TREE | IF_SAMPLED, 3, low_cell},
    {{"high", "high", false}, IN_FLAT | IN_TREE | IF_SAMPLED, 3, high_cell},
    {{"subtree", "count", false}, IN_INVERTED | FOR_SCRIPTS, 0, subtree_cell},
    {{"subtree_share", "below%", false}, IN_FLAT | IN_TREE | FOR_SCRIPTS, 2, subtree_share_cell},
    {{"subtree_share", "share%", false}, IN_INVERTED, 2, subtree_share_cell},
    {{"depth", "depth", false}, IN_FLAT | FOR_SCRIPTS, 5, depth_cell},
    {{"context", "context", true}, IN_FLAT | FOR_SCRIPTS, 0, chain_cell},
    {{"context", "context", true}, IN_TREE | IN_INVERTED, 0, indented_cell},
    {{"object", "object", true}, FOR_SCRIPTS, 0, object_cell},
    {{"file", "file", true}, FOR_SCRIPTS, 0, file_cell},
    {{"line", "line", false}, FOR_SCRIPTS, 0, line_cell},
    {{"low", "low", false}, FOR_SCRIPTS | IF_SAMPLED, 3, low_cell},
    {{"high", "high", false}, FOR_SCRIPTS | IF_SAMPLED, 3, high_cell},
};
#define COLUMNS (sizeof columns / sizeof *columns)

/* Writing -------------------------------------------------------------------------------------- */

static unsigned table_kind(const struct report_settings *s)
{
    if (s->format != TABLE_TEXT)
        return FOR_SCRIPTS;
    return s->inverted ? IN_INVERTED : shows_tree(s) ? IN_TREE : IN_FLAT;
}

static char *cell_of(const struct view *v, const struct column *column, size_t line)
{
    if (!v->skipped[line])
        return column->cell(v, v->ids[line]);
    return column->cell == indented_cell ? skipped_cell(v, line) : memory_copy_string("");
}

static void write_json(const struct view *v, const struct table *table, FILE *to)
{
    const struct context_profile *p = v->profile;
    struct json json = json_open_document(to, "aprof-contexts-1");
    json_texts(&json, "command", &p->command);
    json_texts(&json, "process", &p->process);
    json_texts(&json, "options", &p->options);
    json_text(&json, "end", p->end_reason);
    json_text(&json, "technique", p->technique);
    json_text(&json, "unit", strcmp(p->weight, "time") == 0 ? "ns" : "calls");
    json_number(&json, "total", v->total);
    table_write_json(table, "rows", &json);
    json_close(&json);
}

static void write_table(const struct view *v, FILE *to)
{
    struct table_column heads[COLUMNS];
    const struct column *shown[COLUMNS];
    unsigned ranks[COLUMNS];
    struct table table = {.columns = heads};
    for (size_t c = 0; c < COLUMNS; c++) {
        bool fits = v->estimate.sampled || !(columns[c].shown & IF_SAMPLED);
        if (fits && columns[c].shown & table_kind(v->settings)) {
            shown[table.column_count] = &columns[c];
            ranks[table.column_count] = columns[c].rank;
            heads[table.column_count++] = columns[c].head;
        }
    }
    for (size_t i = 0; i < v->shown; i++) {
        if (v->skipped[i] && v->settings->format == TABLE_JSON)
            continue;
        for (size_t c = 0; c < table.column_count; c++)
            table_add(&table, cell_of(v, shown[c], i));
    }
    if (v->settings->format == TABLE_JSON) {
        write_json(v, &table, to);
    } else if (v->settings->format != TABLE_TEXT) {
        table_write_separated(&table, (enum table_format)v->settings->format, to);
    } else {
        table_fit(&table, ranks, table.column_count - 1, least_room(v), v->width);
        table_write_text(&table, to, table_may_style(to));
    }
    table_free(&table);
}

static void write_view(struct view *v, FILE *to)
{
    if (v->settings->format == TABLE_TEXT) {
        v->width = table_width(v->settings->common.width, to);
        fprintf(to, "%s\n", v->heading);
    }
    if (v->shown > 0 || v->settings->format != TABLE_TEXT)
        write_table(v, to);
    else
        fputs("no contexts to show\n", to);
}

/* For the command ------------------------------------------------------------------------------ */

const char *contexts_report_wrong(const void *settings)
{
    const struct report_settings *s = settings;
    return s->tree + s->flat + s->inverted > 1 ? "--tree, --flat and --inverted exclude each other"
                                               : NULL;
}

bool contexts_rows(void *report, const struct report_settings *settings, FILE *to,
                   struct failure *why)
{
    struct view view = {.settings = settings, .profile = report};
    (void)why;
    view.total = view.profile->trees.at[0].total;
    view.heading = contexts_heading(view.profile);
    view.estimate = estimate_of(&view.profile->options);
    if (settings->inverted)
        invert(&view);
    choose(&view);
    write_view(&view, to);
    free_view(&view);
    return true;
}
