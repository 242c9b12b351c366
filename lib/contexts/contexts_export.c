/* Trees of calling contexts in the formats of other programs; see contexts_export.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof-config.h"

#include "lib/contexts/contexts_export.h"
#include "lib/base/control.h"
#include "lib/base/csv.h"
#include "lib/report/estimate.h"
#include "lib/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define DOT_PHI 1e-3 /* default minimum share; a picture of all contexts would be unreadable */

int contexts_by_name(const void *left, const void *right, void *user)
{
    const struct context_profile *p = user;
    const struct context *contexts = p->contexts.at + p->trees.at[0].first;
    const struct context *a = &contexts[*(const uint32_t *)left];
    const struct context *b = &contexts[*(const uint32_t *)right];
    int order = strcmp(contexts_routine_name(p, a->routine), contexts_routine_name(p, b->routine));
    if (order)
        return order;
    if (a->routine != b->routine)
        return a->routine < b->routine ? -1 : 1;
    return a->site < b->site ? -1 : a->site > b->site;
}

const char *contexts_unit(const struct context_profile *p)
{
    return strcmp(p->weight, "time") == 0 ? "ns" : "calls";
}

/* The contexts of the first tree, in the order in which they are written. */
struct walk {
    const struct context *contexts;
    size_t count;
    uint32_t *order;
};

static struct walk walk_start(const struct context_profile *p)
{
    const struct contexts_tree *tree = &p->trees.at[0];
    struct walk w = {p->contexts.at + tree->first, tree->count, NULL};
    struct context_children children =
        contexts_children(w.contexts, w.count, contexts_by_name, (void *)(uintptr_t)p);
    w.order = contexts_preorder(&children, w.count);
    contexts_children_free(&children);
    return w;
}

/* Folded stacks: "program;main;work 123" ------------------------------------------------------- */

static void write_folded_name(const char *name, FILE *to)
{
    while (*name) {
        if (*name == ';') {
            putc(':', to);
            name++;
        } else {
            control_put(&name, ':', to);
        }
    }
}

struct folded {
    const struct context_profile *profile;
    uint32_t *chain; /* routines of the current chain by depth, from 1 */
    size_t frames;   /* maximum number of frames in a line; 0: no limit */
    /* sum of the weights of all contexts below the current chain that are too deep for a line */
    uint64_t beyond;
    FILE *to;
};

static void write_folded_line(const struct folded *f, size_t depth, const char *last,
                              uint64_t count)
{
    write_folded_name(contexts_program(f->profile), f->to);
    for (size_t d = 1; d <= depth; d++) {
        putc(';', f->to);
        write_folded_name(contexts_routine_name(f->profile, f->chain[d]), f->to);
    }
    fprintf(f->to, "%s %" PRIu64 "\n", last, count);
}

/* Writes the sum in `beyond` as a line of the current chain, before the next chain begins. */
static void write_folded_beyond(struct folded *f)
{
    if (f->beyond)
        write_folded_line(f, f->frames, ";...", f->beyond);
    f->beyond = 0;
}

/* Each line of folded stacks names all callers, so deep recursion would need quadratic space.
 * Therefore all contexts deeper than `frames` become one frame. */
static void write_folded(const struct context_profile *p, size_t frames, FILE *to)
{
    struct walk w = walk_start(p);
    uint32_t *depths = contexts_depths(w.contexts, w.count);
    struct folded f = {p, memory_get_zeroed(w.count + 1, sizeof *f.chain), frames, 0, to};
    for (size_t i = 1; i < w.count; i++) {
        const struct context *c = &w.contexts[w.order[i]];
        uint32_t depth = depths[w.order[i]];
        if (frames && depth > frames) {
            f.beyond += context_count(c);
            continue;
        }
        write_folded_beyond(&f);
        f.chain[depth] = c->routine;
        if (context_count(c))
            write_folded_line(&f, depth, "", c->count);
    }
    write_folded_beyond(&f);
    free(depths);
    free(f.chain);
    free(w.order);
}

/* speedscope: a context opens, its own weight passes, its children come, it closes ------------- */

void speedscope_put_frame(struct json *json, const struct report_routine *routine)
{
    json_open_compact(json, NULL, '{');
    json_text(json, "name", routine->name);
    if (*routine->file) {
        json_text(json, "file", routine->file);
        json_number(json, "line", routine->line);
    }
    json_close(json);
}

static void speedscope_frames(struct json *json, const struct context_profile *p)
{
    json_open(json, "shared", '{');
    json_open(json, "frames", '[');
    for (size_t i = 0; i < p->routines.count; i++)
        speedscope_put_frame(json, &p->routines.at[i]);
    json_close(json);
    json_close(json);
}

static void speedscope_event(struct json *json, const char *type, uint32_t frame, uint64_t at)
{
    json_open_compact(json, NULL, '{');
    json_text(json, "type", type);
    json_number(json, "frame", frame);
    json_number(json, "at", at);
    json_close(json);
}

static void speedscope_events(struct json *json, const struct walk *w)
{
    uint32_t *open = memory_resize(NULL, w->count + 1, sizeof *open);
    size_t top = 0;
    uint64_t at = 0;
    for (size_t i = 1; i <= w->count; i++) {
        uint32_t id = i < w->count ? w->order[i] : 0;
        uint32_t parent = id ? w->contexts[id].parent : CONTEXTS_NONE;
        for (; top > 0 && open[top - 1] != parent; top--)
            speedscope_event(json, "C", w->contexts[open[top - 1]].routine, at);
        if (!id)
            break;
        speedscope_event(json, "O", w->contexts[id].routine, at);
        at += context_count(&w->contexts[id]);
        open[top++] = id;
    }
    free(open);
}

static void write_speedscope(const struct context_profile *p, size_t frames, FILE *to)
{
    (void)frames;
    struct walk w = walk_start(p);
    uint64_t *sums = contexts_sum_subtrees(w.contexts, w.count);
    struct json json = json_start(to);
    json_open(&json, NULL, '{');
    json_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_text(&json, "exporter", PACKAGE_STRING);
    json_text(&json, "name", contexts_program(p));
    json_number(&json, "activeProfileIndex", 0);
    speedscope_frames(&json, p);
    json_open(&json, "profiles", '[');
    json_open(&json, NULL, '{');
    json_text(&json, "type", "evented");
    json_text(&json, "name", contexts_program(p));
    json_text(&json, "unit", strcmp(p->weight, "time") == 0 ? "nanoseconds" : "none");
    json_number(&json, "startValue", 0);
    json_number(&json, "endValue", sums[0]);
    json_open(&json, "events", '[');
    speedscope_events(&json, &w);
    json_close(&json);
    json_close(&json);
    json_close(&json);
    json_close(&json);
    free(sums);
    free(w.order);
}

/* Graphviz ------------------------------------------------------------------------------------- */

static void write_dot_name(const char *name, FILE *to)
{
    while (*name) {
        if (*name == '"' || *name == '\\')
            putc('\\', to);
        control_put(&name, '?', to);
    }
}

/* The shade of red shows the ratio of a node's count to the count of the hottest context. */
static void write_dot_node(const struct context_profile *p, const struct context *c, uint32_t id,
                           uint64_t largest, FILE *to)
{
    double heat = largest ? (double)context_count(c) / (double)largest : 0;
    fprintf(to, "  c%" PRIu32 " [label=\"", id);
    write_dot_name(id ? contexts_routine_name(p, c->routine) : contexts_program(p), to);
    if (c->monitored && id)
        fprintf(to, "\\n%" PRIu64 " %s", c->count, contexts_unit(p));
    fprintf(to, "\", fillcolor=\"0.0 %.3f 1.0\"];\n", heat);
    if (id)
        fprintf(to, "  c%" PRIu32 " -> c%" PRIu32 ";\n", c->parent, id);
}

static void write_dot(const struct context_profile *p, size_t frames, FILE *to)
{
    (void)frames;
    struct walk w = walk_start(p);
    uint64_t largest = 0;
    for (size_t i = 1; i < w.count; i++) {
        if (context_count(&w.contexts[i]) > largest)
            largest = w.contexts[i].count;
    }
    fputs("digraph contexts {\n  node [shape=box, style=filled];\n", to);
    for (size_t i = 0; i < w.count; i++)
        write_dot_node(p, &w.contexts[w.order[i]], w.order[i], largest, to);
    fputs("}\n", to);
    free(w.order);
}

/* Comma-separated values: a row per context ---------------------------------------------------- */

static void write_csv_routine(const struct context_profile *p, const struct report_routine *routine,
                              FILE *to)
{
    csv_write_text(to, routine->name);
    putc(',', to);
    csv_write_text(to, p->objects.at[routine->object].path);
    putc(',', to);
    csv_write_text(to, routine->file);
    fprintf(to, ",%" PRIu32 ",", routine->line);
}

static void write_csv_site(const struct context_profile *p, uint32_t id, FILE *to)
{
    if (id == CONTEXTS_NONE) {
        fputs(",,,", to);
        return;
    }
    const struct context_site *site = &p->sites.at[id];
    fprintf(to, "0x%" PRIx64 ",", site->offset);
    csv_write_text(to, site->file);
    fprintf(to, ",%" PRIu32 ",", site->line);
}

/* Writes the bounds of a count in a profile with bursts. Both fields are empty for a context that
 * only connects the tree. If there are few bursts, a count has no upper bound, and the second field
 * is empty. */
static void write_csv_interval(const struct estimate *estimate, const struct context *c, FILE *to)
{
    double high = estimate_high(estimate, c->count);
    if (!c->monitored)
        fputs(",,", to);
    else if (isinf(high))
        fprintf(to, ",%.0f,", estimate_low(estimate, c->count, c->error));
    else
        fprintf(to, ",%.0f,%.0f", estimate_low(estimate, c->count, c->error), high);
}

static void write_csv(const struct context_profile *p, size_t frames, FILE *to)
{
    (void)frames;
    struct estimate estimate = estimate_of(&p->options);
    struct walk w = walk_start(p);
    uint32_t *depths = contexts_depths(w.contexts, w.count);
    uint64_t *sums = contexts_sum_subtrees(w.contexts, w.count);
    fputs("context,parent,depth,routine,object,file,line,site_offset,site_file,site_line,monitored,"
          "count,error,subtree",
          to);
    fputs(estimate.sampled ? ",low,high\n" : "\n", to);
    for (size_t i = 1; i < w.count; i++) {
        uint32_t id = w.order[i];
        const struct context *c = &w.contexts[id];
        fprintf(to, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", id, c->parent, depths[id]);
        write_csv_routine(p, &p->routines.at[c->routine], to);
        write_csv_site(p, c->site, to);
        fprintf(to, "%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64, c->monitored, c->count, c->error,
                sums[id]);
        if (estimate.sampled)
            write_csv_interval(&estimate, c, to);
        putc('\n', to);
    }
    free(depths);
    free(sums);
    free(w.order);
}

const struct contexts_format contexts_formats[] = {
    {"folded", 0, write_folded},
    {"speedscope", 0, write_speedscope},
    {"dot", DOT_PHI, write_dot},
    {"csv", 0, write_csv},
    {0},
};
