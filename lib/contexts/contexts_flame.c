/* Flame graphs; see contexts_flame.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The frames contain the data that the script needs to draw the picture again: data-x and data-w,
 * in units of the counts.
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
#define HEAD_HEIGHT  40
#define FOOT_HEIGHT  24
#define LETTER_WIDTH 7.0    /* average width of letters of 12 pixels */
#define TEXT_OFFSET  12     /* height of the base line in a frame */
#define GREY         225    /* colour of frames that did not change */
#define UNCHANGED    0.0005 /* smallest change that gets a colour, as a part of the whole cost */

static const char style[] = "text { font-family: sans-serif; font-size: 12px; fill: #222; }\n"
                            ".f text { pointer-events: none; }\n"
                            ".f rect { stroke: #fff; stroke-width: 0.5; }\n"
                            ".f:hover rect { stroke: #000; }\n"
                            ".f.callers { opacity: 0.5; }\n"
                            ".f.found rect { fill: #e600e6; }\n"
                            ".hidden { display: none; }\n"
                            ".button { cursor: pointer; }\n"
                            "#title { font-size: 16px; }\n";

static const char script[] =
    "(function () {\n"
    "  var root = document.documentElement;\n"
    "  var width = +root.getAttribute('data-width'), margin = +root.getAttribute('data-margin');\n"
    "  var frames = Array.prototype.map.call(root.querySelectorAll('.f'), function (g) {\n"
    "    return { g: g, rect: g.querySelector('rect'), text: g.querySelector('text'),\n"
    "      name: g.getAttribute('data-name'), x: +g.getAttribute('data-x'),\n"
    "      w: +g.getAttribute('data-w') };\n"
    "  });\n"
    "  var status = document.getElementById('status'), whole = frames[0];\n"
    "  function label(name, pixels) {\n"
    "    var letters = Math.floor((pixels - 4) / 7);\n"
    "    if (letters < 3) return '';\n"
    "    return name.length <= letters ? name : name.slice(0, letters - 2) + '..';\n"
    "  }\n"
    "  function zoom(to) {\n"
    "    frames.forEach(function (f) {\n"
    "      var inside = f.x >= to.x && f.x + f.w <= to.x + to.w;\n"
    "      var around = f.x <= to.x && f.x + f.w >= to.x + to.w;\n"
    "      f.g.classList.toggle('hidden', !inside && !around);\n"
    "      f.g.classList.toggle('callers', around && f.w > to.w);\n"
    "      if (!inside && !around) return;\n"
    "      var x = around ? 0 : (f.x - to.x) / to.w, w = around ? 1 : f.w / to.w;\n"
    "      f.rect.setAttribute('x', margin + x * width);\n"
    "      f.rect.setAttribute('width', w * width);\n"
    "      f.text.setAttribute('x', margin + x * width + 3);\n"
    "      f.text.textContent = label(f.name, w * width);\n"
    "    });\n"
    "    document.getElementById('reset').classList.toggle('hidden', to === whole);\n"
    "  }\n"
    "  function search() {\n"
    "    var wanted = window.prompt('Routines whose name contains (regular expression):', '');\n"
    "    if (wanted === null) return;\n"
    "    var pattern;\n"
    "    try { pattern = new RegExp(wanted); } catch (e) { status.textContent = e.message; "
    "return; }\n"
    "    mark(wanted === '' ? null : pattern);\n"
    "  }\n"
    "  /* What lies in a found frame is not counted again. */\n"
    "  function mark(pattern) {\n"
    "    var sum = 0, end = 0, found = [];\n"
    "    frames.forEach(function (f) {\n"
    "      var hit = pattern !== null && f !== whole && pattern.test(f.name);\n"
    "      f.g.classList.toggle('found', hit);\n"
    "      if (hit) found.push(f);\n"
    "    });\n"
    "    found.sort(function (a, b) { return a.x - b.x || b.w - a.w; });\n"
    "    found.forEach(function (f) {\n"
    "      if (f.x >= end) { sum += f.w; end = f.x + f.w; }\n"
    "    });\n"
    "    status.textContent = pattern === null ? '' :\n"
    "      'found: ' + (100 * sum / whole.w).toFixed(2) + '%';\n"
    "  }\n"
    "  frames.forEach(function (f) {\n"
    "    f.g.addEventListener('click', function () { zoom(f); });\n"
    "    f.g.addEventListener('mouseover', function () {\n"
    "      status.textContent = f.g.querySelector('title').textContent;\n"
    "    });\n"
    "  });\n"
    "  document.getElementById('reset').addEventListener('click', function () { zoom(whole); });\n"
    "  document.getElementById('search').addEventListener('click', search);\n"
    "  window.addEventListener('keydown', function (e) {\n"
    "    if ((e.ctrlKey || e.metaKey) && e.key === 'f') { e.preventDefault(); search(); }\n"
    "  });\n"
    "  document.getElementById('search').classList.remove('hidden');\n"
    "})();\n";

/* The state of a picture that is being drawn. */
struct picture {
    const struct context_profile *profile; /* the profile with the routines and the tree */
    const struct contexts_flame *flame;
    FILE *to;
    const struct context *contexts;
    size_t count, levels;
    const uint64_t *sums;   /* for each context, the sum of its subtree */
    const uint64_t *before; /* counts in the base; NULL: there is no base */
    const uint32_t *depths; /* depth of each context; the root has 0 */
    uint64_t least;
};

/* Text ----------------------------------------------------------------------------------------- */

static void write_escaped(const char *text, size_t letters, FILE *to)
{
    const unsigned char *at = (const unsigned char *)text;
    for (; *at && letters > 0; letters--) {
        bool passes;
        size_t length = control_character((const char *)at, &passes);
        if (!passes)
            putc('?', to);
        else if (strchr("<>&\"'", *at))
            fprintf(to, "&#%d;", *at);
        else
            fwrite(at, 1, length, to);
        at += length;
    }
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

/* A warm colour, derived from the routine's name: a routine has one colour in all pictures. */
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

static void write_frame(const struct picture *p, uint32_t id, uint64_t x)
{
    const struct context *c = &p->contexts[id];
    const char *name =
        id ? contexts_routine_name(p->profile, c->routine) : contexts_program(p->profile);
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

/* The left part of a frame is the own count of its context. The frames of the context's children
 * are above the remaining part. */
static void write_frames(const struct picture *p, const struct context_children *children)
{
    uint32_t *order = contexts_preorder(children, p->count);
    uint64_t *starts = memory_get_zeroed(p->count + 1, sizeof *starts);
    uint64_t *filled = memory_get_zeroed(
        p->count + 1, sizeof *filled); /* for each context, the end of the frames drawn so far */
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

/* The picture ---------------------------------------------------------------------------------- */

static void write_button(const char *id, int x, const char *words, FILE *to)
{
    fprintf(to, "<text id=\"%s\" class=\"button hidden\" x=\"%d\" y=\"24\">%s</text>\n", id, x,
            words);
}

static void write_head(const struct picture *p, size_t height)
{
    FILE *to = p->to;
    fprintf(to,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
            "viewBox=\"0 0 %d %zu\" data-width=\"%d\" data-margin=\"%d\">\n"
            "<style>\n%s</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text id=\"title\" x=\"%d\" y=\"24\" text-anchor=\"middle\">",
            WIDTH + 2 * MARGIN, height, WIDTH + 2 * MARGIN, height, WIDTH, MARGIN, style,
            WIDTH / 2 + MARGIN);
    write_escaped(p->flame->title, SIZE_MAX, to);
    fputs("</text>\n", to);
    write_button("reset", MARGIN, "Reset zoom", to);
    write_button("search", WIDTH + MARGIN - 50, "Search", to);
    fprintf(to, "<text id=\"status\" x=\"%d\" y=\"%zu\">", MARGIN, height - 8);
    if (p->before) {
        fputs("width: cost in this report; red: costs more than in ", to);
        write_escaped(short_path(p->flame->base->path), SIZE_MAX, to);
        fputs(", blue: less, grey: the same", to);
    }
    fputs("</text>\n", to);
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

static void draw(struct picture *p)
{
    uint64_t *sums = contexts_sum_subtrees(p->contexts, p->count);
    uint32_t *depths = contexts_depths(p->contexts, p->count);
    struct context_children children =
        contexts_children(p->contexts, p->count, contexts_by_name, (void *)(uintptr_t)p->profile);
    p->sums = sums;
    p->depths = depths;
    p->least = (uint64_t)(p->flame->least * (double)sums[0]) + 1;
    p->levels = count_levels(p);
    write_head(p, HEAD_HEIGHT + p->levels * FRAME_HEIGHT + FOOT_HEIGHT);
    if (sums[0] > 0)
        write_frames(p, &children);
    fprintf(p->to, "<script><![CDATA[\n%s]]></script>\n</svg>\n", sums[0] > 0 ? script : "");
    contexts_children_free(&children);
    free(sums);
    free(depths);
}

void contexts_flame_write(const struct context_profile *profile, const struct contexts_flame *flame,
                          FILE *to)
{
    struct flame_tree tree = flame_tree_make(profile, flame);
    struct contexts_tree whole = profile->trees.at[0];
    whole.first = 0;
    whole.count = tree.contexts.count;
    struct context_profile shown = *profile;
    shown.routines.at = tree.routines.at;
    shown.routines.count = tree.routines.count;
    shown.contexts.at = tree.contexts.at; /* for contexts_by_name */
    shown.contexts.count = tree.contexts.count;
    shown.trees.at = &whole;
    shown.trees.count = 1;
    struct picture picture = {.profile = &shown,
                              .flame = flame,
                              .to = to,
                              .contexts = tree.contexts.at,
                              .count = tree.contexts.count,
                              .before = tree.before};
    draw(&picture);
    flame_tree_free(&tree);
}
