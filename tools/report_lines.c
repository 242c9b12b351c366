/* Selects and sorts the lines of `aprof report`; see report_view.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/report_view.h"
#include "ground/pattern.h"
#include "lib/report/report_contexts.h"
#include "lib/report/select.h"
#include "lib/base/short_name.h"

#include <gsl/gsl_heapsort.h>
#include <stddef.h>
#include <string.h>

/* Sorting -------------------------------------------------------------------------------------- */

/* Sorts by the predicted cost of a call with ten times the input. Lines without a growth claim are
 * sorted by self cost. */
static double growth_value(const struct summary *s)
{
    return s->growth.average_claim.times;
}

static double total_value(const struct summary *s)
{
    return (double)s->profile->cost_total;
}

static double self_value(const struct summary *s)
{
    return (double)s->profile->cost_self;
}

static double calls_value(const struct summary *s)
{
    return (double)s->profile->calls;
}

static double points_value(const struct summary *s)
{
    return (double)s->points;
}

static double input_value(const struct summary *s)
{
    return (double)s->input;
}

static double max_input_value(const struct summary *s)
{
    return (double)s->input_max;
}

static double worst_value(const struct summary *s)
{
    return (double)s->cost_worst;
}

static double no_value(const struct summary *s)
{
    (void)s;
    return 0; /* all keys are equal, so lines are sorted by name */
}

const struct report_sort_key report_sort_keys[] = {
    {"self", "self cost", self_value},
    {"total", "total cost", total_value},
    {"growth", "cost of a call at ten times its input", growth_value},
    {"calls", "calls", calls_value},
    {"points", "number of points", points_value},
    {"input", "sum of input sizes", input_value},
    {"max-input", "largest input", max_input_value},
    {"worst", "worst cost", worst_value},
    {"name", "name", no_value},
    {0},
};

static int by_decreasing(double left, double right)
{
    return (left < right) - (left > right);
}

static int by_name(const void *a, const void *b)
{
    const struct report_line *left = a, *right = b;
    int order = strcmp(left->routine->name, right->routine->name);
    return order ? order : (left->profile > right->profile) - (left->profile < right->profile);
}

/* Compares lines by their sort keys. If the keys are equal, the self costs are compared; if the key
 * is the self cost, the total costs are compared. */
static int by_rank(const void *a, const void *b)
{
    const struct report_line *left = a, *right = b;
    int order = by_decreasing(left->value, right->value);
    if (!order)
        order = by_decreasing((double)left->profile->cost_self, (double)right->profile->cost_self);
    return order ? order : by_name(a, b);
}

static int by_self_rank(const void *a, const void *b)
{
    const struct report_line *left = a, *right = b;
    int order = by_decreasing(left->value, right->value);
    if (!order)
        order =
            by_decreasing((double)left->profile->cost_total, (double)right->profile->cost_total);
    return order ? order : by_name(a, b);
}

/* Sorts the lines in place, because there may be millions of contexts. No two lines compare equal,
 * so the order is deterministic. */
static void sort_lines(struct report_view *view)
{
    double (*value)(const struct summary *) = report_sort_keys[view->settings->sort].value;
    gsl_heapsort(view->lines.at, view->lines.count, sizeof *view->lines.at,
                 value == no_value     ? by_name
                 : value == self_value ? by_self_rank
                                       : by_rank);
}

struct report_line report_line_of(const struct report_view *view, const struct summary *s)
{
    double (*value)(const struct summary *) = report_sort_keys[view->settings->sort].value;
    return (struct report_line){.profile = s->profile, .routine = s->routine, .value = value(s)};
}

const struct report_group *report_line_group(const struct report_line *line)
{
    if (line->profile->routine != REPORT_NONE)
        return NULL;
    return (const struct report_group *)((const char *)line->profile -
                                         offsetof(struct report_group, profile));
}

const struct report_context *report_line_context(const struct report_view *view,
                                                 const struct report_line *line)
{
    if (view->settings->by != REPORT_BY_CONTEXT)
        return NULL;
    return (const struct report_context *)((const char *)line->profile -
                                           offsetof(struct report_context, profile));
}

/* Appends a line for the profile, and adds the numbers of the line to the sums of the view. Growth
 * is computed only if lines are sorted by growth. */
static void add_line(struct report_view *view, const struct report_profile *profile)
{
    struct summary s = summary_of(view->report, profile, view->metric);
    if (report_sort_keys[view->settings->sort].value == growth_value)
        summary_add_growth(view->report, view->metric, &s);
    view->total_input = u128_add(view->total_input, s.input);
    vector_push(&view->lines, report_line_of(view, &s));
}

static void add_lines(struct report_view *view)
{
    const struct report *r = view->report;
    bool contexts = view->settings->by == REPORT_BY_CONTEXT;
    for (size_t i = 0; i < r->profiles.count && !contexts; i++)
        add_line(view, &r->profiles.at[i]);
    for (size_t i = 0; i < r->contexts.all.count && contexts; i++) {
        const struct report_context *context = &r->contexts.all.at[i];
        if (context->profile.calls > 0)
            add_line(view, &context->profile);
    }
}

struct summary report_line_summary(const struct report_view *view, size_t index)
{
    const struct report_line *line = &view->lines.at[index];
    const struct report_group *group = report_line_group(line);
    if (group)
        return group->summary;
    struct summary s = summary_of(view->report, line->profile, view->metric);
    summary_add_growth(view->report, view->metric, &s);
    s.context = report_line_context(view, line);
    return s;
}

/* Selecting ------------------------------------------------------------------------------------ */

static void keep_pattern(struct report_view *view, const char *pattern)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->lines.count; i++) {
        if (select_matches(view->lines.at[i].routine, pattern))
            view->lines.at[kept++] = view->lines.at[i];
    }
    view->lines.count = kept;
}

/* Matches a pattern with the whole path, or with the last part of the path. */
static bool is_object(const char *path, const char *pattern)
{
    return pattern_matches(pattern, path) || pattern_matches(pattern, short_path(path));
}

static void keep_objects(struct report_view *view)
{
    const struct report_settings *settings = view->settings;
    const struct report *r = view->report;
    size_t kept = 0;
    for (size_t i = 0; i < view->lines.count; i++) {
        uint32_t object = view->lines.at[i].routine->object;
        if ((settings->mine && select_is_foreign(r, object)) ||
            (settings->object && !is_object(r->objects.at[object], settings->object)))
            continue;
        view->lines.at[kept++] = view->lines.at[i];
    }
    view->lines.count = kept;
}

static bool keep_routine(struct report_view *view, const char *name, struct failure *why)
{
    routine_list found = {0};
    size_t kept = 0;
    bool good = select_routines(view->report, name, &found, why);
    for (size_t i = 0; i < view->lines.count; i++) {
        bool wanted = false;
        for (size_t k = 0; k < found.count; k++)
            wanted |= view->lines.at[i].profile->routine == found.at[k];
        if (wanted)
            view->lines.at[kept++] = view->lines.at[i];
    }
    view->lines.count = kept;
    vector_free(&found);
    return good;
}

/* The view ------------------------------------------------------------------------------------- */

/* Whether the output is text about all routines. In such output, one line can stand for all
 * routines of start-up. */
static bool is_plain(const struct report_settings *s)
{
    return s->format == TABLE_TEXT && s->by == REPORT_BY_ROUTINE && !s->routine && !s->filter &&
           !s->object && !s->mine && !s->threads;
}

/* Groups of routines have no total cost, no curve and no points. */
static bool may_group(const struct report_settings *s, struct failure *why)
{
    double (*value)(const struct summary *) = report_sort_keys[s->sort].value;
    if (s->by != REPORT_BY_OBJECT && s->by != REPORT_BY_FILE)
        return true;
    if (s->routine)
        return failure_set(why, "%s: only routines and contexts have details, not --by=%s",
                           s->routine, s->by == REPORT_BY_OBJECT ? "object" : "file");
    return (value != total_value && value != growth_value) ||
           failure_set(why, "--sort=%s: not with --by=object or --by=file",
                       report_sort_keys[s->sort].name);
}

bool report_view_make(struct report_view *view, struct failure *why)
{
    const struct report_settings *settings = view->settings;
    struct report *report = view->report;
    if (!may_group(settings, why) ||
        !report_choose_metric(report, settings->metric_name, &view->metric, why))
        return false;
    if (settings->threads && !report->threads_separate)
        return failure_set(why, "%s: its threads are merged: profile with %sseparate-threads=yes",
                           report->path, report_option_prefix(report));
    if (settings->by == REPORT_BY_CONTEXT && !report_has_contexts(report))
        return failure_set(why, "%s: has no contexts: profile with %scontexts=full or hot",
                           report->path, report_option_prefix(report));
    if (!settings->threads)
        report_merge_threads(report);
    add_lines(view);
    view->all = view->lines.count;
    keep_objects(view);
    if (settings->filter)
        keep_pattern(view, settings->filter);
    if (settings->routine && !keep_routine(view, settings->routine, why))
        return false;
    if (settings->by == REPORT_BY_OBJECT || settings->by == REPORT_BY_FILE)
        report_group_lines(view);
    else if (is_plain(settings))
        report_fold_startup(view);
    sort_lines(view);
    return true;
}

void report_view_free(struct report_view *view)
{
    for (size_t i = 0; i < view->groups.count; i++)
        free(view->groups.at[i]);
    vector_free(&view->groups);
    vector_free(&view->lines);
}
