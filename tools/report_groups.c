/* Makes lines of `aprof report` that combine several routines: objects, files, start-up.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Calls, self costs and inputs are added. Total costs are not added: routines of a group call each
 * other, so some costs would be counted twice. A group has no curve, because its points belong to
 * several routines.
 */
#include "tools/report_view.h"
#include "lib/report/select.h"
#include "lib/base/short_name.h"

#include <string.h>

static struct report_group *group_new(struct report_view *view, const struct report_line *like,
                                      const char *name)
{
    struct report_group *g = memory_get_zeroed(1, sizeof *g);
    g->routine = (struct report_routine){
        .object = like->routine->object, .symbol = "", .file = "", .name = name};
    g->profile.routine = REPORT_NONE;
    g->profile.thread = like->profile->thread;
    g->summary.profile = &g->profile;
    g->summary.routine = &g->routine;
    vector_push(&view->groups, g);
    return g;
}

static void group_add(const struct report_view *view, struct report_group *g,
                      const struct report_line *line)
{
    struct summary one = summary_of(view->report, line->profile, view->metric);
    struct summary *all = &g->summary;
    g->profile.calls += line->profile->calls;
    g->profile.cost_self += line->profile->cost_self;
    all->points += one.points;
    all->input = u128_add(all->input, one.input);
    all->trms_input = u128_add(all->trms_input, one.trms_input);
    all->induced_thread = u128_add(all->induced_thread, one.induced_thread);
    all->induced_external = u128_add(all->induced_external, one.induced_external);
    all->input_max = one.input_max > all->input_max ? one.input_max : all->input_max;
    all->cost_worst = one.cost_worst > all->cost_worst ? one.cost_worst : all->cost_worst;
    all->members++;
}

/* Objects and files ---------------------------------------------------------------------------- */

/* The key for grouping lines: the file if it is known and requested, or else the object. */
static const char *group_key(const struct report_view *view, const struct report_line *line)
{
    bool by_file = view->settings->by == REPORT_BY_FILE && *line->routine->file;
    return by_file ? line->routine->file : view->report->objects.at[line->routine->object];
}

struct keyed_line {
    const char *key;
    const struct report_line *line;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed_line *left = a, *right = b;
    uint32_t one = left->line->profile->thread, other = right->line->profile->thread;
    int order = strcmp(left->key, right->key);
    return order ? order : (one > other) - (one < other);
}

void report_group_lines(struct report_view *view)
{
    size_t count = view->lines.count, kept = 0;
    struct keyed_line *keyed = memory_get_zeroed(count + 1, sizeof *keyed);
    struct report_line *grouped = memory_get_zeroed(count + 1, sizeof *grouped);
    for (size_t i = 0; i < count; i++)
        keyed[i] = (struct keyed_line){group_key(view, &view->lines.at[i]), &view->lines.at[i]};
    if (count)
        qsort(keyed, count, sizeof *keyed, by_key);
    for (size_t i = 0, end; i < count; i = end) {
        const char *name = *keyed[i].key ? short_path(keyed[i].key) : "???";
        struct report_group *g = group_new(view, keyed[i].line, name);
        if (view->settings->by == REPORT_BY_FILE)
            g->routine.file = keyed[i].line->routine->file;
        for (end = i; end < count && by_key(&keyed[i], &keyed[end]) == 0; end++)
            group_add(view, g, keyed[end].line);
        grouped[kept++] = report_line_of(view, &g->summary);
    }
    view->all = view->lines.count = kept;
    for (size_t i = 0; i < kept; i++)
        view->lines.at[i] = grouped[i];
    free(grouped);
    free(keyed);
}

/* Start-up ------------------------------------------------------------------------------------- */

void report_fold_startup(struct report_view *view)
{
    struct report_group *g = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < view->lines.count; i++) {
        const struct report_line line = view->lines.at[i];
        if (!select_is_startup(view->report, line.routine)) {
            view->lines.at[kept++] = line;
            continue;
        }
        if (!g)
            g = group_new(view, &line, SELECT_STARTUP_NAME);
        group_add(view, g, &line);
    }
    view->lines.count = kept;
    if (!g)
        return;
    /* _start calls the whole program, so its largest input and cost would be those of the whole
     * program. */
    g->summary.input_max = g->summary.cost_worst = 0;
    vector_push(&view->lines, report_line_of(view, &g->summary));
}
