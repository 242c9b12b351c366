/* Flame graphs; see contexts_flame.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The picture is complete without its script. In a browser, the script flame.js draws the frames
 * again, from the tree as it was recorded. If this tree is too large, the script gets only the
 * drawn frames, and the picture has no switches for other forms of the tree.
 */
#include "lib/contexts/contexts_flame.h"
#include "lib/contexts/contexts_export.h"
#include "lib/base/control.h"
#include "lib/base/json.h"
#include "lib/base/short_name.h"
#include "lib/contexts/contexts_flame_tree.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define WIDTH        1200
#define MARGIN       10
#define FRAME_HEIGHT 16
#define HEAD_HEIGHT  58
#define BUTTON_LINE  46 /* base line of the buttons */
#define FOOT_HEIGHT  24
#define LETTER_WIDTH 7.0    /* average width of letters of 12 pixels */
#define TEXT_OFFSET  12     /* height of the base line in a frame */
#define GREY         225    /* colour of frames that did not change */
#define UNCHANGED    0.0005 /* smallest change that gets a colour, as a part of the whole cost */
#define SCRIPT_MAX   100000 /* maximum number of contexts for the script: about 1.5 MB */

static const char style[] = "text { font-family: sans-serif; font-size: 12px; fill: #222; }\n"
                            ".f text { pointer-events: none; }\n"
                            ".f rect { stroke: #fff; stroke-width: 0.5; }\n"
                            ".f:hover rect { stroke: #000; }\n"
                            ".f.callers { opacity: 0.5; }\n"
                            ".f.found rect { fill: #e600e6; }\n"
                            ".hidden { display: none; }\n"
                            ".button { cursor: pointer; text-decoration: underline; }\n"
                            ".button.on { font-weight: bold; text-decoration: none; }\n"
                            "#title { font-size: 16px; }\n";

static const char script[] =
#include "lib/contexts/flame_script.inc"
    ;

/* The state of a picture that is being drawn. */
struct picture {
    const struct context_profile *profile; /* the profile with the routines and the tree */
    const struct contexts_flame *flame;
    FILE *to;
    const struct context *contexts;
    size_t count, levels;
    const uint64_t *sums;   /* for each context, the sum of its subtree */
    const uint64_t *before; /* sums of the subtrees in the base; NULL: there is no base */
    const uint32_t *depths; /* depth of each context; the root has 0 */
    uint64_t least;
};

/* Text ----------------------------------------------------------------------------------------- */

static const char in_markup[] = "&#%d;", in_script[] = "\\u%04x";

/* Writes at most `letters` characters. Special characters are written in the given format. */
static void write_special(const char *text, size_t letters, const char *format, FILE *to)
{
    const unsigned char *at = (const unsigned char *)text;
    for (; *at && letters > 0; letters--) {
        bool passes;
        size_t length = control_character((const char *)at, &passes);
        if (!passes)
            putc('?', to);
        else if (strchr("<>&\"'\\", *at))
            fprintf(to, format, *at);
        else
            fwrite(at, 1, length, to);
        at += length;
    }
}

static void write_escaped(const char *text, size_t letters, FILE *to)
{
    write_special(text, letters, in_markup, to);
}

static size_t letters_of(const char *text)
{
    size_t letters = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at; letters++) {
        size_t length = json_utf8_length(at);
        at += length ? length : 1;
    }
    return letters;
}

/* The text that fits into the frame; the script's label() computes the same text. */
static void write_label(const char *name, double pixels, FILE *to)
{
    double room = (pixels - 4) / LETTER_WIDTH;
    size_t letters = room > 0 ? (size_t)room : 0;
    if (letters < 3)
        return;
    bool whole = letters_of(name) <= letters;
    write_escaped(name, whole ? letters : letters - 2, to);
    fputs(whole ? "" : "..", to);
}

/* Frames --------------------------------------------------------------------------------------- */

/* A warm colour derived from the routine's name, so that a routine has the same colour in all
 * pictures. */
static unsigned frame_colour(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    unsigned red = 205 + hash % 50, green = 80 + (hash >> 8) % 130, blue = (hash >> 16) % 60;
    return red << 16 | green << 8 | blue;
}

static unsigned blend(unsigned from, unsigned to, double part)
{
    return (unsigned)((double)from + part * ((double)to - (double)from) + 0.5);
}

/* The colour of a frame in a comparison: grey if its cost did not change, red if it rose, blue if
 * it fell. The colour is stronger for a larger change relative to the total cost. */
static unsigned change_colour(const struct picture *p, uint32_t id)
{
    double whole = fmax((double)p->sums[0], (double)p->before[0]);
    double part = ((double)p->sums[id] - (double)p->before[id]) / whole;
    double strength = fabs(part) < UNCHANGED ? 0 : 0.2 + 0.8 * sqrt(fmin(1, fabs(part)));
    bool rises = part > 0;
    return blend(GREY, rises ? 230 : 50, strength) << 16 |
           blend(GREY, rises ? 60 : 110, strength) << 8 | blend(GREY, rises ? 40 : 230, strength);
}

static const char *unit_of(const struct picture *p)
{
    return p->flame->unit ? p->flame->unit : contexts_unit(p->profile);
}

static void write_before(const struct picture *p, uint32_t id)
{
    if (!p->before)
        return;
    fprintf(p->to, "; base %" PRIu64, p->before[id]);
    if (p->before[id] > 0)
        fprintf(p->to, ", x%.2f", (double)p->sums[id] / (double)p->before[id]);
}

/* The name of a routine; the program's name for the root, which has no routine. */
static const char *name_of(const struct picture *p, uint32_t routine)
{
    return routine == CONTEXTS_NONE ? contexts_program(p->profile)
                                    : contexts_routine_name(p->profile, routine);
}

static void write_frame(const struct picture *p, uint32_t id, uint64_t x)
{
    const struct context *c = &p->contexts[id];
    const char *name = name_of(p, c->routine);
    double whole = (double)p->sums[0], share = (double)p->sums[id] / whole;
    double left = MARGIN + (double)x / whole * WIDTH, wide = share * WIDTH;
    size_t level = p->flame->inverted ? p->depths[id] : p->levels - 1 - p->depths[id];
    size_t top = HEAD_HEIGHT + level * FRAME_HEIGHT;
    fprintf(p->to, "<g class=\"f\" data-x=\"%" PRIu64 "\" data-w=\"%" PRIu64 "\" data-name=\"", x,
            p->sums[id]);
    write_escaped(name, SIZE_MAX, p->to);
    fputs("\"><title>", p->to);
    write_escaped(name, SIZE_MAX, p->to);
    fprintf(p->to, ": %" PRIu64 " %s, %.2f%%", p->sums[id], unit_of(p), 100 * share);
    if (!p->flame->inverted && id)
        fprintf(p->to, "; itself %" PRIu64, context_count(c));
    write_before(p, id);
    fprintf(p->to,
            "</title><rect x=\"%.2f\" y=\"%zu\" width=\"%.2f\" height=\"%d\" fill=\"#%06x\" "
            "rx=\"1\"/><text x=\"%.2f\" y=\"%zu\">",
            left, top, wide, FRAME_HEIGHT - 1,
            p->before ? change_colour(p, id) : frame_colour(name), left + 3, top + TEXT_OFFSET);
    write_label(name, wide, p->to);
    fputs("</text></g>\n", p->to);
}

static bool is_drawn(const struct picture *p, uint32_t id)
{
    return p->sums[id] >= p->least && p->depths[id] < p->flame->depth_max;
}

/* The left part of a frame represents the context's own count. The frames of the context's children
 * are above the remaining part. */
static void write_frames(const struct picture *p, const struct context_children *children)
{
    uint32_t *order = contexts_preorder(children, p->count);
    uint64_t *starts = memory_get_zeroed(p->count + 1, sizeof *starts);
    /* for each context, the position where the frame of its next child begins */
    uint64_t *filled = memory_get_zeroed(p->count + 1, sizeof *filled);
    for (size_t i = 0; i < p->count; i++) {
        uint32_t id = order[i];
        if (i > 0) {
            uint32_t parent = p->contexts[id].parent;
            starts[id] = filled[parent];
            filled[parent] += p->sums[id];
        }
        filled[id] = starts[id] + context_count(&p->contexts[id]);
        if (is_drawn(p, id))
            write_frame(p, id, starts[id]);
    }
    free(order);
    free(starts);
    free(filled);
}

/* The script ----------------------------------------------------------------------------------- */

/* The numbers of routines in the order of contexts_by_name(); the root has number 0. */
struct flame_names {
    const struct picture *picture;
    uint32_t *sorted;  /* routines in the order of their names */
    uint32_t *numbers; /* for each routine, its number; 0: no context has the routine */
    uint32_t count;
};

static int by_name(const void *left, const void *right, void *user)
{
    const struct picture *p = user;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = strcmp(name_of(p, a), name_of(p, b));
    return order ? order : a < b ? -1 : a > b;
}

static struct flame_names name_routines(const struct picture *p, const context_list *tree)
{
    size_t count = p->profile->routines.count;
    struct flame_names n = {.picture = p,
                            .sorted = memory_get_zeroed(count + 1, sizeof *n.sorted),
                            .numbers = memory_get_zeroed(count + 1, sizeof *n.numbers)};
    for (size_t i = 1; i < tree->count; i++) {
        uint32_t routine = tree->at[i].routine;
        if (n.numbers[routine] == 0)
            n.sorted[n.count++] = routine;
        n.numbers[routine] = 1;
    }
    qsort_r(n.sorted, n.count, sizeof *n.sorted, by_name, (void *)(uintptr_t)p);
    for (uint32_t i = 0; i < n.count; i++)
        n.numbers[n.sorted[i]] = i + 1;
    return n;
}

static void write_names(const struct flame_names *n, FILE *to)
{
    fputs("\nnames: [", to);
    for (uint32_t i = 0; i <= n->count; i++) {
        fputs(i ? ",\"" : "\"", to);
        write_special(name_of(n->picture, i ? n->sorted[i - 1] : CONTEXTS_NONE), SIZE_MAX,
                      in_script, to);
        putc('"', to);
    }
    fputs("],\ncolours: [", to);
    for (uint32_t i = 0; i <= n->count; i++)
        fprintf(to, "%s%u", i ? "," : "",
                frame_colour(name_of(n->picture, i ? n->sorted[i - 1] : CONTEXTS_NONE)));
    fputs("],\n", to);
}

static void write_tree(const struct flame_names *n, const context_list *tree,
                       const uint64_t *before, FILE *to)
{
    fputs("tree: [", to);
    for (size_t i = 0; i < tree->count; i++) {
        const struct context *c = &tree->at[i];
        fprintf(to, "%s%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64, i ? "," : "",
                i ? c->parent : 0, i ? n->numbers[c->routine] : 0, context_count(c),
                before ? before[i] : 0);
    }
    fputs("]\n", to);
}

/* The drawn frames as a tree. The count of a context without a frame is added to the context's
 * parent. */
static struct flame_tree drawn_tree(const struct picture *p, const uint64_t *before)
{
    struct flame_tree drawn = {0};
    uint32_t *places = memory_get_zeroed(p->count + 1, sizeof *places);
    drawn.before = memory_get_zeroed(p->count + 1, sizeof *drawn.before);
    for (size_t i = 0; i < p->count; i++) {
        struct context c = p->contexts[i];
        uint32_t up = i > 0 ? places[c.parent] : 0;
        places[i] = up;
        if (i == 0 || is_drawn(p, (uint32_t)i)) {
            places[i] = (uint32_t)drawn.contexts.count;
            c.parent = up;
            c.count = 0;
            c.monitored = true;
            vector_push(&drawn.contexts, c);
        }
        drawn.contexts.at[places[i]].count += context_count(&p->contexts[i]);
        drawn.before[places[i]] += before ? before[i] : 0;
    }
    free(places);
    return drawn;
}

static void write_note(const struct picture *p, const char *format, FILE *to)
{
    if (!p->before)
        return;
    fputs("width: cost in this report; red: costs more than in ", to);
    write_special(short_path(p->flame->base->path), SIZE_MAX, format, to);
    fputs(", blue: less, grey: the same", to);
}

/* Writes the data of the script, and the script. If the picture has switches, `tree` is the tree as
 * recorded. */
static void write_script(const struct picture *p, const struct flame_tree *tree, bool switches)
{
    FILE *to = p->to;
    struct flame_names n = name_routines(p, &tree->contexts);
    fprintf(to,
            "<script><![CDATA[\nconst flame = {width: %d, margin: %d, height: %d, head: %d, "
            "foot: %d, base: %d, letter: %g, grey: %d, unchanged: %g,\n"
            "least: %.17g, depth: %zu, inverted: %s, folded: %s, switches: %s, compared: %s,\n"
            "unit: \"%s\", note: \"",
            WIDTH, MARGIN, FRAME_HEIGHT, HEAD_HEIGHT, FOOT_HEIGHT, TEXT_OFFSET, LETTER_WIDTH, GREY,
            UNCHANGED, p->flame->least, p->flame->depth_max, p->flame->inverted ? "true" : "false",
            p->flame->folded ? "true" : "false", switches ? "true" : "false",
            p->before ? "true" : "false", unit_of(p));
    write_note(p, in_script, to);
    fputs("\",", to);
    write_names(&n, to);
    write_tree(&n, &tree->contexts, tree->before, to);
    fprintf(to, "};\n%s]]></script>\n", script);
    free(n.sorted);
    free(n.numbers);
}

/* The picture ---------------------------------------------------------------------------------- */

/* The button is visible only if the script runs. */
static void write_button(const char *id, int x, const char *words, FILE *to)
{
    fprintf(to,
            "<text id=\"%s\" class=\"button hidden\" role=\"button\" tabindex=\"0\" x=\"%d\" "
            "y=\"%d\">%s</text>\n",
            id, x, BUTTON_LINE, words);
}

static void write_head(const struct picture *p, size_t height)
{
    FILE *to = p->to;
    fprintf(to,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
            "viewBox=\"0 0 %d %zu\">\n"
            "<style>\n%s</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text id=\"title\" x=\"%d\" y=\"24\" text-anchor=\"middle\">",
            WIDTH + 2 * MARGIN, height, WIDTH + 2 * MARGIN, height, style, WIDTH / 2 + MARGIN);
    write_escaped(p->flame->title, SIZE_MAX, to);
    fputs("</text>\n", to);
    write_button("inverted", MARGIN, "Invert", to);
    write_button("folded", MARGIN + 55, "Fold recursion", to);
    write_button("reset", MARGIN + 155, "Reset zoom", to);
    write_button("focus", MARGIN + 235, "All calls", to);
    write_button("search", WIDTH + MARGIN - 50, "Search", to);
    fprintf(to, "<text id=\"status\" x=\"%d\" y=\"%zu\">", MARGIN, height - 8);
    write_note(p, in_markup, to);
    fputs("</text>\n<g id=\"frames\">\n", to);
}

static size_t count_levels(const struct picture *p)
{
    size_t levels = 1;
    for (uint32_t i = 0; i < p->count; i++) {
        if (is_drawn(p, i) && p->depths[i] + 1 > levels)
            levels = p->depths[i] + 1;
    }
    return levels;
}

/* Sums the counts of each subtree. The caller frees the list. */
static uint64_t *sum_before(const struct flame_tree *tree)
{
    if (!tree->before)
        return NULL;
    size_t count = tree->contexts.count;
    uint64_t *sums = memory_get_zeroed(count + 1, sizeof *sums);
    for (size_t i = count; i-- > 0;) {
        sums[i] = u64_add(sums[i], tree->before[i]);
        if (i > 0)
            sums[tree->contexts.at[i].parent] = u64_add(sums[tree->contexts.at[i].parent], sums[i]);
    }
    return sums;
}

/* Draws a tree; `recorded` is the tree before it was folded or inverted, or NULL if it is too
 * large for the script. */
static void draw(struct picture *p, const struct flame_tree *tree,
                 const struct flame_tree *recorded)
{
    uint64_t *sums = contexts_sum_subtrees(p->contexts, p->count);
    uint64_t *before = sum_before(tree);
    uint32_t *depths = contexts_depths(p->contexts, p->count);
    struct context_children children =
        contexts_children(p->contexts, p->count, contexts_by_name, (void *)(uintptr_t)p->profile);
    p->sums = sums;
    p->before = before;
    p->depths = depths;
    p->least = flame_least(p->flame, sums[0]);
    p->levels = count_levels(p);
    write_head(p, HEAD_HEIGHT + p->levels * FRAME_HEIGHT + FOOT_HEIGHT);
    if (sums[0] > 0)
        write_frames(p, &children);
    fputs("</g>\n", p->to);
    struct flame_tree drawn = recorded ? (struct flame_tree){0} : drawn_tree(p, tree->before);
    if (sums[0] > 0)
        write_script(p, recorded ? recorded : &drawn, recorded != NULL);
    fputs("</svg>\n", p->to);
    flame_tree_free(&drawn);
    contexts_children_free(&children);
    free(sums);
    free(before);
    free(depths);
}

void contexts_flame_write(const struct context_profile *profile, const struct contexts_flame *flame,
                          FILE *to)
{
    struct flame_tree tree = flame_tree_make(profile, flame), recorded = {0};
    bool has_switches = tree.contexts.count <= SCRIPT_MAX;
    if (has_switches)
        recorded = flame_tree_make(profile, flame);
    flame_tree_form(&tree, flame);
    struct contexts_tree whole = profile->trees.at[0];
    whole.first = 0;
    whole.count = tree.contexts.count;
    struct context_profile shown = *profile;
    shown.routines.at = tree.routines.at;
    shown.routines.count = tree.routines.count;
    shown.contexts.at = tree.contexts.at; /* used by contexts_by_name */
    shown.contexts.count = tree.contexts.count;
    shown.trees.at = &whole;
    shown.trees.count = 1;
    struct picture picture = {.profile = &shown,
                              .flame = flame,
                              .to = to,
                              .contexts = tree.contexts.at,
                              .count = tree.contexts.count};
    draw(&picture, &tree, has_switches ? &recorded : NULL);
    flame_tree_free(&tree);
    flame_tree_free(&recorded);
}
