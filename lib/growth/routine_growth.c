/* Growth of the cost of one routine; see routine_growth.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/growth/routine_growth.h"

#include <stdlib.h>

/* Above this number of sizes, a regular selection of a routine's sizes suffices to find the
 * curve. */
#define POINTS_MOST 1000

/* The least and the largest cost of a size become two points if the costs differ. If there are
 * enough calls of the size, the costs of most calls must also be near the least or the largest
 * cost. The variance is at most (max - mean) (mean - min); only a distribution with two values
 * reaches this maximum. The variance of a uniform distribution is a third of this maximum. */
#define EXTREMES_RATIO    1.05
#define EXTREMES_CALLS    8
#define EXTREMES_VARIANCE 0.6

static double mean_cost(const struct report_point *p)
{
    return (double)p->cost_sum / (double)p->calls;
}

static bool is_two_valued(const struct report_point *p)
{
    double mean = mean_cost(p);
    double low = (double)p->cost_min, high = (double)p->cost_max;
    double variance = (double)p->cost_squares / (double)p->calls - mean * mean;
    if (high < EXTREMES_RATIO * low)
        return false;
    return p->calls < EXTREMES_CALLS || variance > EXTREMES_VARIANCE * (high - mean) * (mean - low);
}

static void add_point(struct growth_points *to, const struct report_point *p,
                      enum growth_costs costs)
{
    double cost = (double)p->cost_max;
    if (costs == GROWTH_BEST)
        cost = (double)p->cost_min;
    if (costs == GROWTH_AVERAGE)
        cost = mean_cost(p);
    to->n[to->count] = (double)p->input;
    to->cost[to->count] = cost;
    to->weight[to->count++] = costs == GROWTH_AVERAGE ? (double)p->calls : 1;
}

struct growth_points routine_growth_points(const struct report *r,
                                           const struct report_profile *profile,
                                           enum report_metric metric, enum growth_costs costs)
{
    const struct report_point *points = profile_points(r, profile, metric);
    size_t all = profile->count[metric];
    size_t taken = all < POINTS_MOST ? all : POINTS_MOST;
    double *room = memory_resize(NULL, 6 * taken, sizeof *room);
    struct growth_points result = {0, room, room + 2 * taken, room + 4 * taken};
    for (size_t i = 0; i < taken; i++) {
        /* the first and the last size are always selected */
        const struct report_point *p = &points[taken < 2 ? 0 : i * (all - 1) / (taken - 1)];
        if (costs == GROWTH_EXTREMES && is_two_valued(p))
            add_point(&result, p, GROWTH_BEST);
        add_point(&result, p, costs);
    }
    return result;
}

void growth_points_free(struct growth_points *points)
{
    free(points->n);
}

/* Fits curves to one kind of a routine's costs, such as the mean costs. */
static void fit_costs(const struct report *r, const struct report_profile *profile,
                      enum report_metric metric, enum growth_costs costs, struct growth_fit *fit)
{
    struct growth_points points = routine_growth_points(r, profile, metric, costs);
    growth_fit_points(fit, points.n, points.cost, points.weight, points.count);
    growth_points_free(&points);
}

static void find_branches(const struct report *r, const struct report_profile *profile,
                          enum report_metric metric, struct growth_branches *branches)
{
    struct growth_points points = routine_growth_points(r, profile, metric, GROWTH_EXTREMES);
    growth_find_branches(branches, points.n, points.cost, points.weight, points.count, NULL);
    growth_points_free(&points);
}

static void make_claim(const struct report *r, const struct report_profile *profile,
                       enum report_metric metric, enum growth_costs costs,
                       const struct growth_fit *fit, struct growth_claim *claim)
{
    struct growth_points points = routine_growth_points(r, profile, metric, costs);
    growth_claim_make(claim, points.n, points.cost, points.weight, points.count, fit);
    growth_points_free(&points);
}

void routine_growth_analyse(const struct report *r, const struct report_profile *profile,
                            enum report_metric metric, struct routine_growth *g)
{
    find_branches(r, profile, metric, &g->branches);
    fit_costs(r, profile, metric, GROWTH_AVERAGE, &g->average);
    if (g->branches.count > 1)
        g->worst = g->branches.branch[g->branches.count - 1].fit;
    else
        fit_costs(r, profile, metric, GROWTH_WORST, &g->worst);
    const struct growth_fit *worst = g->branches.count > 1 ? NULL : &g->worst;
    make_claim(r, profile, metric, GROWTH_WORST, worst, &g->worst_claim);
    make_claim(r, profile, metric, GROWTH_AVERAGE, &g->average, &g->average_claim);
}

static void add_power(const struct report *r, const struct report_profile *profile,
                      enum report_metric metric, enum growth_costs costs, struct growth_fit *fit)
{
    struct growth_points points = routine_growth_points(r, profile, metric, costs);
    growth_add_power(fit, points.n, points.cost, points.weight, points.count);
    growth_points_free(&points);
}

void routine_growth_add_powers(const struct report *r, const struct report_profile *profile,
                               enum report_metric metric, struct routine_growth *g)
{
    add_power(r, profile, metric, GROWTH_AVERAGE, &g->average);
    if (g->branches.count < 2)
        add_power(r, profile, metric, GROWTH_WORST, &g->worst);
}

/* The growth of all branches as text, the most expensive branch first. */
char *routine_growth_worst_words(const struct routine_growth *g)
{
    char *words = growth_words(&g->worst);
    for (size_t i = g->branches.count; i-- > 1;) {
        char *next = growth_words(&g->branches.branch[i - 1].fit);
        char *both = memory_format("%s / %s", words, next);
        free(words);
        free(next);
        words = both;
    }
    return words;
}
