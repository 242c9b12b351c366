/* One line per routine; see summary.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/growth/summary.h"

static void add_costs_and_induced(const struct report_point *points, size_t count,
                                  struct summary *s)
{
    for (size_t i = 0; i < count; i++) {
        s->induced_thread += points[i].induced_thread;
        s->induced_external += points[i].induced_external;
        if (points[i].cost_max > s->cost_worst) {
            s->cost_worst = points[i].cost_max;
            s->input_worst = points[i].input;
        }
        if (i == 0 || points[i].cost_min < s->cost_least) {
            s->cost_least = points[i].cost_min;
            s->input_least = points[i].input;
        }
    }
}

struct summary summary_of(const struct report *r, const struct report_profile *profile,
                          enum report_metric metric)
{
    const struct report_point *points = profile_points(r, profile, metric);
    size_t count = profile->count[metric];
    struct summary s = {.profile = profile,
                        .routine = &r->routines.at[profile->routine],
                        .points = count,
                        .input = profile_estimated_input(r, profile, metric),
                        .trms_input = profile_input(r, profile, METRIC_TRMS)};
    add_costs_and_induced(points, count, &s);
    if (count > 0)
        s.input_max = points[count - 1].input;
    return s;
}

void summary_add_growth(const struct report *r, enum report_metric metric, struct summary *s)
{
    routine_growth_analyse(r, s->profile, metric, &s->growth);
}

void summary_make(const struct report *r, enum report_metric metric, summary_list *list)
{
    list->count = 0;
    for (size_t i = 0; i < r->profiles.count; i++)
        vector_push(list, summary_of(r, &r->profiles.at[i], metric));
}

u128 summary_total_input(const summary_list *list)
{
    u128 sum = 0;
    for (size_t i = 0; i < list->count; i++)
        sum = u128_add(sum, list->at[i].input);
    return sum;
}

double summary_percent(u128 part, u128 whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}
