/* Explains scattered costs by callers or kinds of input; see growth_split.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/growth/growth_split.h"
#include "lib/report/report_contexts.h"
#include "lib/growth/summary.h"

#include <stdlib.h>
#include <string.h>

/* Callers are reported if growth is claimed for at least two callers, which together have this
 * share of the cost. */
#define CLAIMED_MIN  80.0
#define CALLERS_MOST 64

/* The maximum number of parts that the text names; further parts are only counted. */
#define PARTS_NAMED 4

/* Claims --------------------------------------------------------------------------------------- */

/* Makes a claim about the mean cost of points as a function of x. */
static struct growth_claim claim_of(const struct report_point *points, size_t count,
                                    double (*x)(const struct report_point *))
{
    struct growth_claim claim;
    double *room = memory_get_zeroed(3 * count + 1, sizeof *room);
    double *n = room, *cost = room + count, *weight = room + 2 * count;
    for (size_t i = 0; i < count; i++) {
        n[i] = x(&points[i]);
        cost[i] = (double)points[i].cost_sum / (double)points[i].calls;
        weight[i] = (double)points[i].calls;
    }
    growth_claim_make(&claim, n, cost, weight, count, NULL);
    free(room);
    return claim;
}

static double whole_input(const struct report_point *p)
{
    return (double)p->input;
}

static double external_input(const struct report_point *p)
{
    return (double)p->induced_external / (double)p->calls;
}

static double thread_input(const struct report_point *p)
{
    return (double)p->induced_thread / (double)p->calls;
}

static double own_input(const struct report_point *p)
{
    return (double)p->input - external_input(p) - thread_input(p);
}

/* Callers -------------------------------------------------------------------------------------- */

/* The cost of one caller's calls. */
struct from_caller {
    uint32_t caller; /* index of the calling routine */
    uint64_t cost;
    VECTOR(struct report_point) points;
};

typedef VECTOR(struct from_caller) from_list;

static struct from_caller *from(from_list *list, uint32_t caller)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].caller == caller)
            return &list->at[i];
    }
    if (list->count == CALLERS_MOST)
        return NULL;
    struct from_caller new = {.caller = caller};
    vector_push(list, new);
    return &list->at[list->count - 1];
}

/* Collects the callers; returns false if there are too many callers to report. */
static bool list_callers(const struct report *r, uint32_t routine, enum report_metric metric,
                         from_list *list)
{
    for (size_t i = 0; i < r->contexts.all.count; i++) {
        const struct report_context *context = &r->contexts.all.at[i];
        const struct report_profile *p = &context->profile;
        if (p->routine != routine || p->calls == 0 || context->caller == CONTEXT_NO_CALLER)
            continue;
        struct from_caller *f = from(list, r->contexts.all.at[context->caller].profile.routine);
        if (!f)
            return false;
        f->cost += p->cost_total;
        for (size_t k = 0; k < p->count[metric]; k++)
            vector_push(&f->points, profile_points(r, p, metric)[k]);
    }
    return list->count > 1;
}

static int by_share(const void *a, const void *b)
{
    const struct growth_split_part *left = a, *right = b;
    if (left->share != right->share)
        return left->share > right->share ? -1 : 1;
    return strcmp(left->caller, right->caller);
}

/* Adds a part for each caller. Returns true if growth is claimed for enough callers, by number and
 * by cost. */
static bool add_parts(const struct report *r, from_list *list, struct growth_split *split)
{
    double all = 0, claimed = 0;
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        all += (double)list->at[i].cost;
    for (size_t i = 0; i < list->count; i++) {
        struct from_caller *f = &list->at[i];
        f->points.count = points_join(f->points.at, f->points.count);
        struct growth_split_part part = {.caller = r->routines.at[f->caller].name,
                                         .share = all > 0 ? 100 * (double)f->cost / all : 0,
                                         .claim =
                                             claim_of(f->points.at, f->points.count, whole_input)};
        claimed += growth_is_claimed(&part.claim) ? part.share : 0;
        count += growth_is_claimed(&part.claim);
        vector_push(&split->parts, part);
    }
    qsort(split->parts.at, split->parts.count, sizeof *split->parts.at, by_share);
    return count > 1 && claimed >= CLAIMED_MIN;
}

static void split_by_caller(const struct report *r, const struct report_profile *profile,
                            enum report_metric metric, struct growth_split *split)
{
    from_list list = {0};
    if (list_callers(r, profile->routine, metric, &list) && add_parts(r, &list, split))
        split->by = GROWTH_SPLIT_CALLER;
    for (size_t i = 0; i < list.count; i++)
        vector_free(&list.at[i].points);
    vector_free(&list);
}

/* Kinds of input ------------------------------------------------------------------------------- */

static void split_by_kind(const struct report *r, const struct report_profile *profile,
                          enum report_metric metric, struct growth_split *split)
{
    static const struct {
        enum growth_split_by by;
        double (*x)(const struct report_point *);
    } kinds[] = {{GROWTH_SPLIT_EXTERNAL, external_input},
                 {GROWTH_SPLIT_THREAD, thread_input},
                 {GROWTH_SPLIT_OWN, own_input}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct growth_split_part part = {.share = 100};
        part.claim =
            claim_of(profile_points(r, profile, metric), profile->count[metric], kinds[k].x);
        if (part.claim.basis != GROWTH_BASIS_VALIDATED || part.claim.last == GROWTH_CONSTANT)
            continue;
        vector_push(&split->parts, part);
        split->by = kinds[k].by;
        return;
    }
}

/* ---------------------------------------------------------------------------------------------- */

bool growth_split_may_help(const struct growth_claim *claim)
{
    return claim->basis == GROWTH_BASIS_SCATTERED || claim->basis == GROWTH_BASIS_NO_FIT;
}

void growth_split_find(const struct report *r, const struct report_profile *profile,
                       enum report_metric metric, struct growth_split *split)
{
    *split = (struct growth_split){0};
    if (report_has_contexts(r))
        split_by_caller(r, profile, metric, split);
    if (split->by == GROWTH_SPLIT_NONE) {
        split->parts.count = 0;
        split_by_kind(r, profile, metric, split);
    }
}

void growth_split_free(struct growth_split *split)
{
    vector_free(&split->parts);
}

static char *part_words(const struct growth_split_part *part)
{
    char *words = growth_claim_words(&part->claim);
    char *all = part->caller
                    ? memory_format("%s from %s (%.0f %%)", words, part->caller, part->share)
                    : memory_copy_string(words);
    free(words);
    return all;
}

static char *longer(char *words, const char *comma, char *more)
{
    char *both = memory_format("%s%s %s", words, comma, more);
    free(words);
    free(more);
    return both;
}

char *growth_split_words(const struct growth_split *split)
{
    static const char *const by[] = {"", "by its callers", "by external input", "by thread input",
                                     "by input that is neither external nor from other threads"};
    char *all = memory_format("%s:", by[split->by]);
    size_t named = 0;
    double rest = 0;
    for (; named < split->parts.count && named < PARTS_NAMED; named++)
        all = longer(all, named ? "," : "", part_words(&split->parts.at[named]));
    for (size_t i = named; i < split->parts.count; i++)
        rest += split->parts.at[i].share;
    if (named < split->parts.count)
        all =
            longer(all, ",", memory_format("%zu more (%.0f %%)", split->parts.count - named, rest));
    return all;
}
