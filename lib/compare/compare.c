/* Compares two reports; see compare.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/compare/compare.h"
#include "lib/compare/compare_moved.h"
#include "lib/report/pairing.h"
#include "lib/report/select.h"
#include "lib/growth/report_sample.h"
#include "lib/growth/summary.h"

#include <math.h>
#include <string.h>

const char *const compare_verdict_names[] = {"same", "worse", "better", "appeared", "vanished"};

bool compare_allowed(const struct report *base, const struct report *new, struct failure *why)
{
    const char *what = NULL;
    if (!report_is_whole(base, why) || !report_is_whole(new, why))
        return false;
    if (base->resolution_bytes != new->resolution_bytes)
        what = "resolutions";
    else if (strcmp(base->cost_unit, new->cost_unit) != 0)
        what = "cost units";
    return !what || failure_set(why, "%s and %s cannot be compared: different %s", base->path,
                                new->path, what);
}

/* Sides ---------------------------------------------------------------------------------------- */

static void fill_side(const struct pairing_entry *entry, enum report_metric metric,
                      struct compare_side *side)
{
    const struct report *r = entry->report;
    side->routine = entry->routine;
    side->profile = entry->profile;
    side->calls = entry->profile->calls;
    side->cost_total = entry->profile->cost_total;
    side->cost_self = entry->profile->cost_self;
    side->total_share = summary_percent(entry->profile->cost_total, r->totals.cost);
    side->self_share = summary_percent(entry->profile->cost_self, r->totals.cost);
    routine_growth_analyse(r, entry->profile, metric, &side->growth);
}

/* Measuring ------------------------------------------------------------------------------------ */

static double ratio_of(double base, double new)
{
    return base > 0 ? new / base : 0;
}

double compare_total_ratio(const struct compare_routine *c)
{
    return ratio_of((double)c->base.cost_total, (double)c->new.cost_total);
}

/* Compares mean costs at equal input sizes, and weights each size by the number of calls that both
 * reports have at this size. */
static void compare_points(const struct report *base, const struct report *new,
                           enum report_metric metric, struct compare_routine *c)
{
    const struct report_point *a = profile_points(base, c->base.profile, metric);
    const struct report_point *b = profile_points(new, c->new.profile, metric);
    size_t count_a = c->base.profile->count[metric], count_b = c->new.profile->count[metric];
    double cost_a = 0, cost_b = 0, self_a = 0, self_b = 0, common_calls = 0;
    for (size_t i = 0, k = 0; i < count_a && k < count_b;) {
        if (a[i].input == b[k].input) {
            double calls = (double)(a[i].calls < b[k].calls ? a[i].calls : b[k].calls);
            cost_a += calls * (double)a[i].cost_sum / (double)a[i].calls;
            cost_b += calls * (double)b[k].cost_sum / (double)b[k].calls;
            self_a += calls * (double)a[i].self_sum / (double)a[i].calls;
            self_b += calls * (double)b[k].self_sum / (double)b[k].calls;
            common_calls += calls;
            c->common_sizes++;
        }
        size_t input_a = a[i].input, input_b = b[k].input;
        i += input_a <= input_b;
        k += input_b <= input_a;
    }
    c->common_part =
        ratio_of(fmin((double)c->base.profile->calls, (double)c->new.profile->calls), common_calls);
    if (c->common_sizes > 0 && cost_a > 0)
        c->cost_ratio = cost_b / cost_a;
    if (c->common_sizes > 0 && self_a > 0)
        c->self_ratio = self_b / self_a;
}

/* Adds up the cost and input of all activations of all routines. */
static double total_input(const struct report *r, enum report_metric metric)
{
    double sum = 0;
    for (size_t i = 0; i < r->profiles.count; i++)
        sum += (double)profile_input(r, &r->profiles.at[i], metric);
    return sum;
}

/* Compares the self costs and total costs of one workload in both reports. */
static void compare_own_cost(const struct report *base, struct compare_routine *c)
{
    double own_a = (double)c->base.cost_self, own_b = (double)c->new.cost_self;
    c->own_ratio = ratio_of(own_a, own_b);
    if (own_b > own_a)
        own_a = fmin(own_a + c->moved_in, own_b);
    else
        own_b = fmin(own_b + c->moved_out, own_a);
    double percent = 100 * ratio_of((double)base->totals.cost, 1);
    c->whole_ratio = ratio_of(own_a, own_b);
    c->own_change = percent * (own_b - own_a);
    c->excess = percent * (own_b - own_a * fmax(1, c->calls_ratio));
    c->total_change = percent * ((double)c->new.cost_total - (double)c->base.cost_total);
}

/* Compares the costs of one workload in both reports. */
static void compare_workload(const struct report *base, const struct report *new,
                             enum report_metric metric, double base_input,
                             struct compare_routine *c)
{
    const struct report_profile *a = c->base.profile, *b = c->new.profile;
    c->calls_ratio = ratio_of((double)a->calls, (double)b->calls);
    compare_own_cost(base, c);
    double input_a = (double)profile_input(base, a, metric);
    double input_b = (double)profile_input(new, b, metric);
    c->input_ratio = ratio_of(input_a, input_b);
    /* A fall of the callees' input does not count as a rise of the routine's own input. */
    double own_rise = input_b - input_a - fmax(0, c->callee_input_rise);
    c->input_change = 100 * ratio_of(base_input, own_rise);
}

static double value_ratio(const struct growth_fit *base, const struct growth_fit *new, double n)
{
    double a = growth_predict(base, n), b = growth_predict(new, n);
    return a > 0 ? b / a : 0;
}

/* True if the claimed growth class is higher than before, or if the cost now grows with the input
 * but did not before. */
static bool claim_rose(const struct growth_claim *base, const struct growth_claim *new)
{
    if (!growth_is_claimed(new) || new->first < GROWTH_LINEAR)
        return false;
    return growth_is_claimed(base) ? new->first > base->last : base->basis == GROWTH_BASIS_FEW;
}

static void compare_curves(struct compare_routine *c)
{
    const struct growth_fit *a = &c->base.growth.average, *b = &c->new.growth.average;
    const struct growth_fit *worst_a = &c->base.growth.worst, *worst_b = &c->new.growth.worst;
    if (growth_is_known(a) && growth_is_known(b)) {
        c->common_size = fmin(a->n_max, b->n_max);
        c->curve_ratio = value_ratio(a, b, c->common_size);
        c->later_ratio = value_ratio(a, b, GROWTH_TIMES * c->common_size);
    }
    if (worst_a->verdict == GROWTH_DECIDED && worst_b->verdict == GROWTH_DECIDED) {
        c->class_rose = worst_b->class > worst_a->class;
        c->class_fell = worst_b->class < worst_a->class;
    }
    c->claim_rose = claim_rose(&c->base.growth.worst_claim, &c->new.growth.worst_claim);
}

/* If a routine's input changes by less than this percentage of the input of all activations, the
 * change does not count. */
#define INPUT_CHANGE_MIN 10.0

/* For equal workloads: if the self cost or the number of calls changes by at most this fraction, it
 * counts as unchanged. */
#define UNCHANGED   0.01
#define COMMON_PART 0.5

/* Judging -------------------------------------------------------------------------------------- */

static bool counts(const struct compare_routine *c, const struct compare_limits *limits)
{
    return c->base.total_share >= limits->share || c->new.total_share >= limits->share;
}

/* True if the routine's self cost at equal sizes rose; a rise of its callees' costs does not
 * count. */
static bool own_code_rose(const struct compare_routine *c, double high)
{
    return c->common_sizes == 0 || c->self_ratio > high;
}

static bool own_code_fell(const struct compare_routine *c, double low)
{
    return c->common_sizes == 0 || (c->self_ratio > 0 && c->self_ratio < low);
}

/* Copying memory can be one instruction for any length, so a larger copy is visible only in the
 * input size. */
static bool reads_more(const struct compare_routine *c, double high)
{
    return c->input_change >= INPUT_CHANGE_MIN && c->input_ratio > high;
}

/* For equal workloads: returns the verdict on a routine's self cost. The verdict is "same" if the
 * change is less than half a percent of the total cost. If the routine's growth class is now
 * higher, a smaller change is sufficient for another verdict. */
static enum compare_verdict workload_verdict(const struct compare_routine *c,
                                             const struct compare_limits *limits, double high,
                                             double low)
{
    double least = c->claim_rose ? limits->share : fmax(limits->share, COMPARE_CHANGE_MIN);
    if (reads_more(c, high))
        return COMPARE_WORSE;
    if (fabs(c->own_change) < least)
        return COMPARE_SAME;
    if (c->whole_ratio > high)
        return COMPARE_WORSE;
    return c->whole_ratio > 0 && c->whole_ratio < low ? COMPARE_BETTER : COMPARE_SAME;
}

/* For equal workloads: a routine with the same number of calls and the same self cost is unchanged.
 * The input sizes are ignored, because they include the callees' reads, and depend slightly on
 * addresses. A routine is also unchanged if it costs more only because the compiler has moved other
 * code into it. */
static bool is_unchanged(const struct compare_routine *c, double high)
{
    bool same = fabs(c->own_ratio - 1) <= UNCHANGED && fabs(c->calls_ratio - 1) <= UNCHANGED;
    bool moved = c->own_ratio > c->whole_ratio && c->whole_ratio > 0 && c->whole_ratio <= high;
    return same || moved;
}

/* For equal workloads: true if the same number of calls has a lower self cost. */
static bool is_called_for_less(const struct compare_routine *c)
{
    return c->own_ratio > 0 && c->own_ratio <= 1 && fabs(c->calls_ratio - 1) <= UNCHANGED;
}

/* For equal workloads: true if few calls have common sizes, and the cost at these sizes rose
 * although neither the self cost nor the total cost of all calls rose. The same holds for a fall.
 * Example: the calls of a driver now cost less and have other sizes:
 *
 *     base   27 calls at 27 sizes   own 340000   total 33700000
 *     new    27 calls at 27 sizes   own 260000   total  2500000
 *     both   1 call of 452 cells    12941 in base, 23280 in new: +80 %, and nothing is worse
 */
static bool is_contradicted(const struct compare_routine *c, double ratio)
{
    double whole = compare_total_ratio(c);
    if (c->own_ratio <= 0 || c->common_part > COMMON_PART)
        return false;
    return ratio > 1 ? c->own_ratio <= 1 && whole <= 1 : c->own_ratio >= 1 && whole >= 1;
}

/* The verdict on a routine follows from its costs at equal input sizes. If no sizes are equal, the
 * verdict follows from the fitted curves in their common range of sizes. A higher growth class
 * counts as worse only if its curve is higher at the predicted size. */
static enum compare_verdict judge(const struct compare_routine *c,
                                  const struct compare_limits *limits)
{
    double threshold = limits->threshold;
    if (c->is_recompiled && threshold < COMPARE_RECOMPILED)
        threshold = COMPARE_RECOMPILED;
    double high = 1 + threshold, low = 1 / (1 + limits->threshold);
    double ratio = c->common_sizes ? c->cost_ratio : c->curve_ratio;
    if (!counts(c, limits))
        return COMPARE_SAME;
    if (workload_verdict(c, limits, high, low) != COMPARE_SAME)
        return workload_verdict(c, limits, high, low);
    /* For a divided routine, costs at equal sizes decide nothing: they include the inlined
     * functions, which have separate entries. */
    if (is_unchanged(c, high) || c->is_divided)
        return COMPARE_SAME;
    if (is_contradicted(c, ratio))
        ratio = 1;
    if (own_code_rose(c, high) && !is_called_for_less(c) &&
        (ratio > high || (c->class_rose && c->later_ratio > high)))
        return COMPARE_WORSE;
    if (own_code_fell(c, low) && ((ratio > 0 && ratio < low) ||
                                  (c->class_fell && c->later_ratio > 0 && c->later_ratio < low)))
        return COMPARE_BETTER;
    return COMPARE_SAME;
}

/* This constant is added to the impact of routines that cost more, so that these routines precede
 * routines that only read more input. */
#define IMPACT_OWN 1e9

/* A routine can be the cause of a rise only if its total cost rose by at least this fraction of the
 * rise. */
#define CAUSE_SHARE 0.8

static bool is_called_as_often(const struct compare_routine *c, double high)
{
    return c->calls_ratio > 0 && c->calls_ratio <= high && c->calls_ratio >= 1 / high;
}

/* If a routine's self cost rose by at least this part of the rise of its total cost, the routine
 * causes the whole rise. The cost of additional calls does not count. */
#define CAUSE_PART 0.02

static bool is_explained_by_calls(const struct compare_routine *c, double high)
{
    return c->whole_ratio < high * fmax(1, c->calls_ratio);
}

/* If a routine's self cost rose by more than the number of its calls explains, and its callees are
 * called more often, the routine is the cause. Example: if a sort is executed more often, the sort
 * is the cause, and not its comparisons.
 */
static double caused(const struct compare_routine *c, double high)
{
    if (is_explained_by_calls(c, high))
        return c->own_change;
    return fmax(c->own_change, fmin(c->total_change, c->excess / CAUSE_PART));
}

static double impact_of(const struct compare_routine *c, const struct compare_limits *limits)
{
    if (c->own_change >= COMPARE_CHANGE_MIN)
        return IMPACT_OWN + caused(c, 1 + limits->threshold);
    if (c->verdict != COMPARE_WORSE && -c->own_change >= COMPARE_CHANGE_MIN)
        return IMPACT_OWN - c->own_change;
    if (c->input_change >= INPUT_CHANGE_MIN)
        return c->input_ratio; /* callees come first: they cause the larger inputs of callers */
    double share = fmax(c->base.total_share, c->new.total_share);
    double change = fabs(log(fmax(c->cost_ratio > 0 ? c->cost_ratio : 1, 1e-9)));
    double later = fabs(log(fmax(c->later_ratio > 0 ? c->later_ratio : 1, 1e-9)));
    return share * fmax(change, later);
}

static void add_pair(const struct pairing_entry *base, const struct pairing_entry *new,
                     enum report_metric metric, compare_list *list)
{
    struct compare_routine c = {0};
    if (base)
        fill_side(base, metric, &c.base);
    if (new)
        fill_side(new, metric, &c.new);
    if (base && new) {
        compare_points(base->report, new->report, metric, &c);
        compare_curves(&c);
    }
    vector_push(list, c);
}

/* If the routine has as many calls as before, but now calls another callee, the difference between
 * the two callees' costs decides the verdict. */
static void judge_replaced(const struct report *base, double high, struct compare_routine *c)
{
    double from = c->lost.cost, to = c->gained.cost;
    double change = 100 * ratio_of((double)base->totals.cost, to - from);
    bool same_way = change > 0 ? compare_total_ratio(c) > high : compare_total_ratio(c) * high < 1;
    if (!c->lost.name || !c->gained.name || !is_called_as_often(c, high) || !same_way ||
        fabs(change) < COMPARE_CHANGE_MIN || fabs(change) < CAUSE_SHARE * fabs(c->total_change))
        return;
    c->is_replaced = true;
    c->verdict = change > 0 ? COMPARE_WORSE : COMPARE_BETTER;
    c->impact = fmax(c->impact, IMPACT_OWN + fabs(change));
}

static void judge_pair(const struct report *base, const struct compare_limits *limits,
                       struct compare_routine *c)
{
    if (c->base.routine && c->new.routine) {
        c->verdict = judge(c, limits);
        c->impact = impact_of(c, limits);
        if (limits->one_workload)
            judge_replaced(base, 1 + limits->threshold, c);
    } else {
        c->verdict = !counts(c, limits) ? COMPARE_SAME
                     : c->base.routine  ? COMPARE_VANISHED
                                        : COMPARE_APPEARED;
        c->impact = c->base.total_share + c->new.total_share;
    }
}

/* Recompiled ----------------------------------------------------------------------------------- */

/* Only routines with at least this share of the cost (percent) show whether their object was
 * recompiled. An object with fewer than RECOMPILED_ROUTINES such routines never counts as
 * recompiled. */
#define RECOMPILED_SHARE    0.1
#define RECOMPILED_ROUTINES 6

static bool is_comparable_routine(const struct compare_routine *c)
{
    return c->base.routine && c->new.routine &&
           c->base.self_share >= RECOMPILED_SHARE &&fabs(c->calls_ratio - 1) <= UNCHANGED;
}

static void find_recompiled(const struct report *base, compare_list *list)
{
    size_t *comparable = memory_get_zeroed(base->objects.count + 1, sizeof *comparable);
    size_t *changed = memory_get_zeroed(base->objects.count + 1, sizeof *changed);
    for (size_t i = 0; i < list->count; i++) {
        const struct compare_routine *c = &list->at[i];
        if (!is_comparable_routine(c))
            continue;
        comparable[c->base.routine->object]++;
        changed[c->base.routine->object] += fabs(c->own_ratio - 1) > UNCHANGED;
    }
    for (size_t i = 0; i < list->count; i++) {
        struct compare_routine *c = &list->at[i];
        if (!c->base.routine)
            continue;
        uint32_t object = c->base.routine->object;
        c->is_recompiled =
            comparable[object] >= RECOMPILED_ROUTINES && 2 * changed[object] > comparable[object];
    }
    free(comparable);
    free(changed);
}

static int verdict_rank(enum compare_verdict verdict)
{
    static const int rank[] = {[COMPARE_WORSE] = 0,
                               [COMPARE_APPEARED] = 1,
                               [COMPARE_VANISHED] = 2,
                               [COMPARE_BETTER] = 3,
                               [COMPARE_SAME] = 4};
    return rank[verdict];
}

static int by_impact(const void *a, const void *b)
{
    const struct compare_routine *left = a, *right = b;
    int order = verdict_rank(left->verdict) - verdict_rank(right->verdict);
    if (order)
        return order;
    if (left->impact != right->impact)
        return left->impact > right->impact ? -1 : 1;
    const struct report_routine *one = left->base.routine ? left->base.routine : left->new.routine;
    const struct report_routine *other =
        right->base.routine ? right->base.routine : right->new.routine;
    int names = strcmp(one->name, other->name);
    return names ? names
                 : strcmp(left->inlined ? left->inlined : "", right->inlined ? right->inlined : "");
}

/* Inlined functions ---------------------------------------------------------------------------- */

/* An inlined function with at least this part of the cost of a report has an entry of its own. */
#define INLINED_SHARE 0.01

static void set_costs(const struct report *r, double total, double self, struct compare_side *side)
{
    side->cost_total = (uint64_t)total;
    side->cost_self = (uint64_t)self;
    side->total_share = summary_percent(side->cost_total, r->totals.cost);
    side->self_share = summary_percent(side->cost_self, r->totals.cost);
}

/* Moves the cost of an inlined function from the entry of its routine into a new entry. */
static struct compare_routine take_inlined(const struct report *base, const struct report *new,
                                           const struct compare_inlined *part,
                                           struct compare_routine *rest)
{
    struct compare_routine entry = {
        .base = {.routine = rest->base.routine, .profile = rest->base.profile},
        .new = {.routine = rest->new.routine, .profile = rest->new.profile},
        .inlined = part->name,
        .moved_in = part->moved_in,
        .moved_out = part->moved_out,
        .is_recompiled = rest->is_recompiled,
    };
    set_costs(base, part->base, part->base, &entry.base);
    set_costs(new, part->new, part->new, &entry.new);
    set_costs(base, (double)rest->base.cost_total,
              fmax(0, (double)rest->base.cost_self - part->base), &rest->base);
    set_costs(new, (double)rest->new.cost_total, fmax(0, (double)rest->new.cost_self - part->new),
              &rest->new);
    rest->moved_in = fmax(0, rest->moved_in - part->moved_in);
    rest->moved_out = fmax(0, rest->moved_out - part->moved_out);
    return entry;
}

/* A part of a routine counts as worse or better only if the whole routine does. */
static bool judge_part(const struct report *base, const struct compare_limits *limits,
                       enum compare_verdict whole, struct compare_routine *part)
{
    compare_own_cost(base, part);
    judge_pair(base, limits, part);
    if (part->verdict != whole)
        part->verdict = COMPARE_SAME;
    return part->verdict == whole;
}

/* Divides a routine into its inlined functions and the rest, if an inlined function has the same
 * verdict as the routine. */
static void divide_routine(const struct report *base, const struct report *new,
                           const struct compare_limits *limits, const struct compare_inlined *parts,
                           size_t count, compare_list *list)
{
    struct compare_routine rest = list->at[parts->of];
    enum compare_verdict whole = rest.verdict;
    size_t undivided = list->count;
    bool found = false;
    if (rest.is_replaced || (whole != COMPARE_WORSE && whole != COMPARE_BETTER))
        return;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].base < INLINED_SHARE * (double)base->totals.cost &&
            parts[i].new < INLINED_SHARE *(double)new->totals.cost)
            continue;
        struct compare_routine entry = take_inlined(base, new, &parts[i], &rest);
        found = judge_part(base, limits, whole, &entry) || found;
        vector_push(list, entry);
    }
    rest.is_divided = true;
    judge_part(base, limits, whole, &rest);
    if (found)
        list->at[parts->of] = rest;
    else
        list->count = undivided;
}

static void divide_routines(const struct report *base, const struct report *new,
                            const struct compare_limits *limits,
                            const compare_inlined_list *inlined, compare_list *list)
{
    for (size_t i = 0, end; i < inlined->count; i = end) {
        for (end = i + 1; end < inlined->count && inlined->at[end].of == inlined->at[i].of;)
            end++;
        divide_routine(base, new, limits, &inlined->at[i], end - i, list);
    }
}

/* Cause ---------------------------------------------------------------------------------------- */

/* The routine nearest to the cause of the rise, or NULL. The nearest routine is called as often as
 * before, and its total cost contains the rise. Of several such routines, the nearest is the
 * routine whose total cost rose by the largest ratio. The ratios of its callers are smaller,
 * because the callers already cost more in base. */
static struct compare_routine *nearest_cause(compare_list *list, double rise, double high)
{
    struct compare_routine *nearest = NULL;
    for (size_t i = 0; i < list->count; i++) {
        struct compare_routine *c = &list->at[i];
        if (!c->base.routine || !c->new.routine || !is_called_as_often(c, high) ||
            c->total_change < CAUSE_SHARE * rise || compare_total_ratio(c) <= high)
            continue;
        if (!nearest || compare_total_ratio(c) > compare_total_ratio(nearest))
            nearest = c;
    }
    return nearest;
}

/* If the worst routine is only called more often, the routine that makes the additional calls comes
 * first. */
static void name_cause(const struct compare_limits *limits, compare_list *list)
{
    double high = 1 + limits->threshold;
    struct compare_routine *first = list->count ? &list->at[0] : NULL;
    if (!limits->one_workload || !first || first->verdict != COMPARE_WORSE)
        return;
    if (first->is_replaced)
        first->is_cause = true;
    if (first->is_replaced || first->own_change < COMPARE_CHANGE_MIN ||
        first->calls_ratio <= high || !is_explained_by_calls(first, high))
        return;
    struct compare_routine *cause = nearest_cause(list, first->own_change, high);
    if (!cause)
        return;
    cause->verdict = COMPARE_WORSE;
    cause->is_cause = true;
    cause->impact = INFINITY;
    qsort(list->at, list->count, sizeof *list->at, by_impact);
}

static void measure_workload(const struct report *base, const struct report *new,
                             enum report_metric metric, compare_list *list,
                             compare_inlined_list *inlined)
{
    double base_input = total_input(base, metric);
    compare_find_moved(base, new, list, inlined);
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].base.routine && list->at[i].new.routine)
            compare_workload(base, new, metric, base_input, &list->at[i]);
    }
    find_recompiled(base, list);
}

/* True if the routine belongs to a system library, and only one report has the routine. Between two
 * architectures, such routines are expected: the file name of the dynamic linker contains the
 * architecture, and the two C libraries have different variants of functions. */
static bool is_of_one_system(const struct report *base, const struct report *new,
                             const struct compare_routine *c)
{
    if (c->base.routine && c->new.routine)
        return false;
    return c->base.routine ? select_is_foreign(base, c->base.routine->object)
                           : select_is_foreign(new, c->new.routine->object);
}

void compare_reports(const struct report *base, const struct report *new, enum report_metric metric,
                     const struct compare_limits *limits, compare_list *list)
{
    struct pairing_entry *a = pairing_sort(base), *b = pairing_sort(new);
    pairing_list pairs = {0};
    compare_inlined_list inlined = {0};
    pairing_make(a, base->profiles.count, b, new->profiles.count, &pairs);
    for (size_t i = 0; i < pairs.count; i++)
        add_pair(pairs.at[i].base, pairs.at[i].new, metric, list);
    vector_free(&pairs);
    free(a);
    free(b);
    if (limits->one_workload)
        measure_workload(base, new, metric, list, &inlined);
    for (size_t i = 0; i < list->count; i++) {
        struct compare_routine *c = &list->at[i];
        c->is_recompiled = c->is_recompiled || (limits->other_arch && c->base.routine);
        judge_pair(base, limits, c);
        if (limits->other_arch && is_of_one_system(base, new, c))
            c->verdict = COMPARE_SAME;
    }
    divide_routines(base, new, limits, &inlined, list);
    vector_free(&inlined);
    if (list->count)
        qsort(list->at, list->count, sizeof *list->at, by_impact);
    name_cause(limits, list);
}
