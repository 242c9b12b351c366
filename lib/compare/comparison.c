/* Reads and compares two reports; see comparison.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/compare/comparison.h"
#include "lib/load/report_set.h"
#include "lib/base/short_name.h"
#include "lib/report/select.h"

#include <math.h>
#include <string.h>

static bool same_workload(const struct report *a, const struct report *b)
{
    if (a->command.count != b->command.count)
        return false;
    for (size_t i = 1; i < a->command.count; i++) {
        if (strcmp(a->command.at[i], b->command.at[i]) != 0)
            return false;
    }
    return true;
}

/* Renames an object of base, as the text OLD=NEW specifies. */
static bool map_object(struct report *base, const char *text, size_t bytes, struct failure *why)
{
    const char *equals = memchr(text, '=', bytes);
    bool found = false;
    if (!equals || equals == text || equals + 1 == text + bytes)
        return failure_set(why, "--map: must be OLD=NEW, names of objects");
    size_t old = (size_t)(equals - text);
    const char *name = arena_copy(&base->strings, equals + 1, bytes - old - 1);
    for (size_t i = 0; i < base->objects.count; i++) {
        const char *object = short_path(base->objects.at[i]);
        if (strlen(object) != old || memcmp(object, text, old) != 0)
            continue;
        base->objects.at[i] = name;
        found = true;
    }
    return found || failure_set(why, "--map: %s has no object %.*s", base->path, (int)old, text);
}

static bool map_objects(struct report *base, const char *map, struct failure *why)
{
    for (size_t bytes; map && *map; map += bytes + (map[bytes] == ',')) {
        bytes = strcspn(map, ",");
        if (!map_object(base, map, bytes, why))
            return false;
    }
    return true;
}

/* The costs of system libraries remain in all sums. */
static void keep_mine(struct comparison *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->list.count; i++) {
        const struct compare_routine *one = &c->list.at[i];
        const struct report *r = one->new.routine ? &c->new : &c->base;
        const struct compare_side *side = one->new.routine ? &one->new : &one->base;
        if (!select_is_foreign(r, side->routine->object))
            c->list.at[kept++] = *one;
    }
    c->list.count = kept;
}

/* If both runs have the same workload, all routines that only the new report has are judged
 * together as one routine. Such routines may replace routines that disappeared, or contain cost
 * that other routines had before. So the cost of the routines that only the new report has counts
 * only up to the rise of the total cost. */
static void judge_appeared(struct comparison *c)
{
    double appeared = 0, replaced = 0, base = (double)c->base.totals.cost;
    double whole_rise = (double)c->new.totals.cost - base;
    double threshold =
        c->recompiled ? fmax(c->limits.threshold, COMPARE_RECOMPILED) : c->limits.threshold;
    for (size_t i = 0; i < c->list.count; i++) {
        const struct compare_routine *r = &c->list.at[i];
        if (!r->base.routine) {
            appeared += (double)r->new.profile->cost_self;
            replaced += fmin((double)r->new.profile->cost_self, r->moved_in);
        }
        if (!r->new.routine)
            replaced += fmax(0, (double)r->base.profile->cost_self - r->moved_out);
    }
    double rise = fmin(appeared - replaced, whole_rise);
    if (!c->limits.one_workload || c->limits.other_arch || c->verdicts[COMPARE_APPEARED] == 0 ||
        base <= 0)
        return;
    if (appeared > replaced * (1 + threshold) &&
        100 * rise >= fmax(c->limits.share, COMPARE_CHANGE_MIN) * base)
        c->appeared_rise = 100 * rise / base;
}

bool comparison_make(struct comparison *c, const char *base, const char *new,
                     const struct comparison_options *options, struct failure *why)
{
    enum report_metric metric_new;
    if (!report_set_read(base, &c->base, why) || !report_set_read(new, &c->new, why) ||
        !compare_allowed(&c->base, &c->new, why) || !map_objects(&c->base, options->map, why) ||
        !report_choose_metric(&c->base, options->metric_name, &c->metric, why) ||
        !report_choose_metric(&c->new, metric_names[c->metric], &metric_new, why))
        return false;
    c->same_run = report_is_same_run(&c->base, &c->new);
    report_merge_threads(&c->base);
    report_merge_threads(&c->new);
    c->limits = options->limits;
    c->limits.one_workload = same_workload(&c->base, &c->new);
    c->limits.other_arch = strcmp(c->base.arch, c->new.arch) != 0;
    compare_reports(&c->base, &c->new, c->metric, &c->limits, &c->list);
    if (options->mine)
        keep_mine(c);
    double most = 0;
    for (size_t i = 0; i < c->list.count; i++) {
        const struct compare_routine *r = &c->list.at[i];
        c->verdicts[r->verdict]++;
        if (r->is_recompiled && r->base.self_share >= most) {
            c->recompiled = short_path(c->base.objects.at[r->base.routine->object]);
            most = r->base.self_share;
        }
    }
    if (c->limits.one_workload && c->base.totals.cost > 0)
        c->total_ratio = (double)c->new.totals.cost / (double)c->base.totals.cost;
    judge_appeared(c);
    return true;
}

bool comparison_is_worse(const struct comparison *c)
{
    double most = c->limits.threshold;
    if (c->limits.other_arch)
        most = fmax(most, COMPARE_RECOMPILED);
    return c->verdicts[COMPARE_WORSE] > 0 || c->appeared_rise > 0 || c->total_ratio > 1 + most;
}

void comparison_free(struct comparison *c)
{
    vector_free(&c->list);
    report_free(&c->base);
    report_free(&c->new);
}
