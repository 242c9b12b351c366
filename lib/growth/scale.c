/* Predicts a larger run from several runs; scale.h has the idea and an example.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * scale_make() pairs the routines of all runs (pair_runs) and judges each routine alone
 * (judge_routine). Then it judges the routines' shares (judge_share), because a share depends on
 * the predictions of all routines.
 *
 * The functions that set the members of an outlook, in order of execution:
 *
 *     error, steady, exponent, begun, step    scale_extrapolate, from the measured costs; final
 *     a, b, c                                 pass_through; final. b is 0 if no rising curve fits
 *     later                                   scale_extrapolate, then for some routines temper,
 *                                             weigh, judge_routine and hold_back_steep
 *     low, high, is_known                     set_interval, which must follow each change of
 *                                             `later`; hold_back_steep may then widen the interval
 *
 * Invariants: low <= later <= high. Each cost is in only one row: inlined_part moves the cost of an
 * inlined function out of its routine's row. So the shares of all rows add up to 100 %.
 *
 * The constants below were chosen with one list of programs and validated with another list
 * (bench/tenfold/programs.sh). To judge a change of the constants, run `make tenfold`.
 */
#include "lib/growth/scale.h"
#include "lib/report/select.h"
#include "lib/report/code_view.h"
#include "lib/report/pairing.h"
#include "lib/growth/scale_axis.h"
#include "lib/growth/scale_posterior.h"
#include "lib/growth/summary.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits of exponents of curves through three points. An exponent below the limits suggests a
 * logarithm; an exponent above them suggests a threshold within the runs. A power law has no offset
 * that could explain a steep start, so its limit is n^2. There is no threshold if both steps
 * between the sizes are equally steep: the smaller two runs predict the largest within
 * STEADY_ERROR. If both steps are equally steep, curves up to about n^4 are accepted. The limit
 * STEADY_ERROR applies if the largest run is at least twice as large as the middle run; otherwise
 * the limit is lower. */
#define CURVE_EXPONENT_MIN  (-1.0)
#define CURVE_EXPONENT_MAX  2.5
#define POWER_EXPONENT_MAX  2.0
#define STEADY_EXPONENT_MAX 4.25
#define STEADY_ERROR        0.1

/* A routine has just begun if its cost grows faster than x^3 from the middle run to the largest. */
#define BEGUN_EXPONENT 3.0

/* If the error of validation (in logarithms) is above this limit, a single step of the cost is as
 * likely as a law of growth. */
#define STEP_ERROR 0.2

/* A routine with fewer calls than this limit processes blocks of an input. The number of blocks is
 * rounded, so no exact curve fits the number of calls. */
#define FEW_CALLS 8

/* To save time, routines with a share below this limit get only the exact curve. */
#define WEIGHED_SHARE 0.0005

/* If a routine's share is below this limit, its steep growth is not extrapolated: such growth is
 * mostly accidental, and would dominate the prediction. */
#define STEEP_SHARE 0.01

/* The least and the largest exponent that are shown; a power law outside of this range means a
 * threshold. */
#define EXPONENT_SHOWN_MIN (-1.0)
#define EXPONENT_SHOWN_MAX 6.0

/* A quantity grows in proportion to the run's size if its exponent differs from 1 by less than this
 * limit. */
#define EXPONENT_SAME 0.1

/* The width of the interval depends on two things: the error of validation, and whether the cost
 * grows slower than the size, like the size, or faster. For each of these three kinds, 90 % of the
 * intervals contained the true cost, even for programs that were not used to derive the rules.
 * Intervals are wide if the cost grows slower or faster than the size, because such growth may end
 * beyond the measured sizes. */
static const struct {
    double error, slower, near_size, faster;
} widths[] = {{0.005, 1.8, 1.03, 1.8}, {0.02, 1.8, 1.05, 1.8}, {0.05, 1.8, 1.15, 1.8},
              {0.15, 1.8, 2, 4},       {0.3, 3, 3, 4},         {INFINITY, 8, 8, 8}};

/* An interval that spans this factor is too wide to be useful. */
#define FACTOR_UNKNOWN 6.0

/* A cost grows like the size if its exponent differs from 1 by less than this limit. */
#define NEAR_SIZE 0.05

/* If both steps between the three sizes have exponents this close to 1, the predicted cost is
 * SCALE_TIMES times the cost of the largest run. */
#define PROPORTIONAL_STEPS 0.03

/* If a single step may explain the growth, the prediction is the weighted geometric mean of two
 * costs: the routine's extrapolated cost, with this weight, and a cost that grows like the whole
 * run. */
#define STEP_WEIGHT 0.6

/* Curves --------------------------------------------------------------------------------------- */

/* The exponent of the power law through the points above 0, by least squares in logarithms. */
static double power_exponent(const double *x, const double *y, size_t count)
{
    double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (size_t i = 0; i < count; i++) {
        if (y[i] <= 0)
            continue;
        double u = log(x[i]), v = log(y[i]);
        n++;
        sum_x += u;
        sum_y += v;
        sum_xx += u * u;
        sum_xy += u * v;
    }
    double spread = n * sum_xx - sum_x * sum_x;
    if (n < 2 || spread <= 0)
        return 1; /* a single point: proportional growth is assumed */
    return fmax(fmin((n * sum_xy - sum_x * sum_y) / spread, EXPONENT_SHOWN_MAX),
                EXPONENT_SHOWN_MIN);
}

/* For the curve a + b x^c through three points, the ratio of the second step to the first step. */
static double step_ratio(const double *x, double c)
{
    return (pow(x[2], c) - pow(x[1], c)) / (pow(x[1], c) - pow(x[0], c));
}

/* Sets a, b and c <= `most` so that the curve passes through the three points. If there is no
 * rising curve through the points, b stays 0. */
static void pass_through(struct scale_outlook *o, const double *x, const double *y, double most)
{
    double first = y[1] - y[0], second = y[2] - y[1];
    if (first <= 0 || second <= 0)
        return;
    double low = CURVE_EXPONENT_MIN, high = most, wanted = second / first;
    if (wanted < step_ratio(x, low) || wanted > step_ratio(x, high))
        return;
    while (high - low > 1e-9) {
        double middle = (low + high) / 2;
        if (step_ratio(x, middle) < wanted)
            low = middle;
        else
            high = middle;
    }
    o->c = (low + high) / 2;
    o->b = second / (pow(x[2], o->c) - pow(x[1], o->c));
    o->a = y[2] - o->b * pow(x[2], o->c);
}

static double interval_factor(double error, double exponent)
{
    size_t i = 0;
    while (error > widths[i].error)
        i++;
    if (fabs(exponent - 1) < NEAR_SIZE)
        return widths[i].near_size;
    return exponent < 1 ? widths[i].slower : widths[i].faster;
}

static void set_interval(struct scale_outlook *o)
{
    double factor = interval_factor(o->error, o->exponent);
    o->is_known = factor < FACTOR_UNKNOWN;
    o->low = o->later / factor;
    o->high = fmin(o->later * factor, DBL_MAX);
}

static bool has_begun(const double *x, const double *y, size_t count)
{
    double before = 0;
    for (size_t i = 0; i + 1 < count; i++)
        before = fmax(before, y[i]);
    return y[count - 1] > before * pow(x[count - 1] / x[count - 2], BEGUN_EXPONENT);
}

static bool is_steady(const double *x, double error)
{
    return isfinite(error) && error <= STEADY_ERROR * fmin(log2(x[2] / x[1]), 1);
}

/* If a routine has no cost in the smallest of three runs, its code was first reached between the
 * smallest and the middle run. The cost 0 is then not on the routine's curve, so the power law
 * through the two larger runs is used. */
static bool is_on_curve(const struct scale_outlook *o, const double *y)
{
    return o->begun || y[0] > 0 || y[1] <= 0;
}

void scale_extrapolate(struct scale_outlook *o, const double *x, const double *y, size_t count)
{
    bool tested = count == 3 && y[0] > 0 && y[1] > 0 && y[2] > 0;
    double last = y[count - 1], at = x[count - 1] * SCALE_TIMES;
    double predicted = tested ? y[1] * pow(x[2] / x[1], power_exponent(x, y, 2)) : 0;
    *o = (struct scale_outlook){.error = tested ? fabs(log(predicted / last)) : INFINITY};
    o->steady = is_steady(x, o->error);
    o->exponent = power_exponent(x, y, count);
    o->begun = has_begun(x, y, count) && !(o->steady && o->exponent <= STEADY_EXPONENT_MAX);
    double most = o->steady ? STEADY_EXPONENT_MAX : POWER_EXPONENT_MAX;
    double exponent = o->begun ? POWER_EXPONENT_MAX : fmin(o->exponent, most);
    o->later = fmin(last * pow(SCALE_TIMES, exponent), DBL_MAX);
    if (count == 3 && is_on_curve(o, y)) {
        pass_through(o, x, y, o->steady ? STEADY_EXPONENT_MAX : CURVE_EXPONENT_MAX);
        if (o->b != 0)
            o->later = fmax(o->a + o->b * pow(at, o->c), last);
        o->step = o->error > STEP_ERROR && (last > predicted || o->b == 0);
    }
    set_interval(o);
}

/* Inlined functions ---------------------------------------------------------------------------- */

/* The cost of one inlined function in all runs. The function is inlined into the routine that is
 * being paired. */
struct inlined_cost {
    const char *name;
    double cost[SCALE_RUNS];
};

/* The inlined functions of each run, by routine and name. */
struct inlined_runs {
    code_inlined_list run[SCALE_RUNS];
    /* an inlined function has its own row if it has at least this cost in the largest run */
    double least;
    VECTOR(struct inlined_cost) found;
};

static void inlined_add(struct inlined_runs *all, size_t run, const struct code_inlined *one)
{
    for (size_t i = 0; i < all->found.count; i++) {
        if (strcmp(all->found.at[i].name, one->name) == 0) {
            all->found.at[i].cost[run] += (double)one->cost;
            return;
        }
    }
    struct inlined_cost added = {.name = one->name};
    added.cost[run] = (double)one->cost;
    vector_push(&all->found, added);
}

/* Adds the functions that are inlined into a routine; the lists are sorted by routine. */
static void inlined_find(struct inlined_runs *all, size_t run, uint32_t routine)
{
    const code_inlined_list *list = &all->run[run];
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->at[middle].routine < routine)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < list->count && list->at[low].routine == routine; low++)
        inlined_add(all, run, &list->at[low]);
}

/* Adds rows for expensive inlined functions, and subtracts the cost of these functions from the
 * routine.
 */
static void inlined_part(struct scale *s, struct inlined_runs *all, struct scale_routine *around)
{
    for (size_t i = 0; i < all->found.count; i++) {
        const struct inlined_cost *found = &all->found.at[i];
        struct scale_routine row = *around;
        if (found->cost[s->runs - 1] < all->least)
            continue;
        row.inlined = found->name;
        for (size_t k = 0; k < s->runs; k++) {
            row.cost[k] = found->cost[k];
            around->cost[k] = fmax(around->cost[k] - found->cost[k], 0);
        }
        vector_push(&s->list, row);
    }
    all->found.count = 0;
}

/* Routines ------------------------------------------------------------------------------------- */

static bool is_fileless(const struct pairing_entry *entry)
{
    return !*entry->object;
}

/* Code without a file (just-in-time compilers) has other addresses in each run, so all such code
 * counts as one routine. */
static int compare_routines(const struct pairing_entry *a, const struct pairing_entry *b)
{
    return is_fileless(a) && is_fileless(b) ? 0 : pairing_compare(a, b);
}

static void add_profile(struct scale_routine *to, size_t run, const struct pairing_entry *entry,
                        enum report_metric metric)
{
    to->routine = entry->routine;
    to->report = entry->report;
    to->cost[run] += (double)entry->profile->cost_self;
    to->calls[run] += (double)entry->profile->calls;
    to->input[run] += (double)profile_input(entry->report, entry->profile, metric);
}

/* Finds the next routine in the order of pairings. Adds a row with the routine's costs in all runs,
 * and rows for its inlined functions. */
static bool take_first(struct scale *s, struct pairing_entry *const *entries, const size_t *counts,
                       size_t *next, enum report_metric metric, struct inlined_runs *inlined)
{
    const struct pairing_entry *first = NULL;
    struct scale_routine routine = {0};
    for (size_t i = 0; i < s->runs; i++) {
        const struct pairing_entry *entry = &entries[i][next[i]];
        if (next[i] < counts[i] && (!first || compare_routines(entry, first) < 0))
            first = entry;
    }
    for (size_t i = 0; first && i < s->runs; i++) {
        while (next[i] < counts[i] && compare_routines(&entries[i][next[i]], first) == 0) {
            const struct pairing_entry *entry = &entries[i][next[i]++];
            add_profile(&routine, i, entry, metric);
            inlined_find(inlined, i, entry->profile->routine);
        }
    }
    if (!first)
        return false;
    inlined_part(s, inlined, &routine);
    vector_push(&s->list, routine);
    return true;
}

static void pair_runs(struct scale *s, const struct scale_run *runs, enum report_metric metric,
                      bool with_inlined)
{
    struct pairing_entry *entries[SCALE_RUNS];
    size_t counts[SCALE_RUNS], next[SCALE_RUNS] = {0};
    struct inlined_runs inlined = {0};
    inlined.least = SCALE_INLINED_SHARE * (double)runs[s->runs - 1].report->totals.cost;
    for (size_t i = 0; i < s->runs; i++) {
        entries[i] = pairing_sort(runs[i].report);
        counts[i] = runs[i].report->profiles.count;
        if (with_inlined)
            code_inlined_alone(runs[i].report, &inlined.run[i]);
    }
    while (take_first(s, entries, counts, next, metric, &inlined))
        continue;
    for (size_t i = 0; i < s->runs; i++) {
        free(entries[i]);
        vector_free(&inlined.run[i]);
    }
    vector_free(&inlined.found);
}

/* Judging -------------------------------------------------------------------------------------- */

static unsigned reasons_of(const struct scale_routine *r)
{
    double costlier = r->outlook.exponent - r->calls_exponent;
    unsigned reasons = 0;
    if (r->outlook.begun)
        return SCALE_JUST_BEGUN;
    if (r->outlook.exponent < 1 + EXPONENT_SAME)
        return 0;
    if (r->calls_exponent > 1 + EXPONENT_SAME)
        reasons |= SCALE_MORE_CALLS;
    if (costlier > EXPONENT_SAME && r->input_exponent > EXPONENT_SAME)
        reasons |= SCALE_LARGER_INPUTS;
    if (costlier > fmax(r->input_exponent, 0) + EXPONENT_SAME)
        reasons |= SCALE_COSTLIER_CALLS;
    return reasons;
}

/* If a single step may explain the growth, the prediction is the weighted geometric mean of the
 * routine's extrapolated cost and a cost that grows like the whole run. */
static void temper(struct scale_outlook *o, double last, double whole_times)
{
    o->later = pow(o->later, STEP_WEIGHT) * pow(last * whole_times, 1 - STEP_WEIGHT);
    set_interval(o);
}

/* The exact curve treats noise as growth, and the posterior estimate treats a slight bend as noise.
 * The geometric mean of the two predictions has a smaller error than either prediction. The
 * posterior estimate has no curves beyond x^2.5, so for steady steep growth only the exact curve is
 * used. */
static void weigh(const struct scale *s, struct scale_routine *r)
{
    struct scale_outlook *o = &r->outlook;
    size_t last = s->runs - 1;
    bool is_steep = o->steady && o->exponent > CURVE_EXPONENT_MAX;
    if (!isfinite(o->error) || o->begun || is_steep ||
        r->cost[last] < WEIGHED_SHARE * s->total[last])
        return;
    for (size_t i = 0; i < s->runs; i++) {
        if (r->calls[i] <= 0)
            return;
    }
    double estimate = scale_posterior_predict(s->size, r->cost, r->calls, SCALE_TIMES);
    bool rounded = r->calls[0] < FEW_CALLS && r->calls[0] < r->calls[last];
    o->later = rounded ? estimate : sqrt(o->later) * sqrt(estimate);
    set_interval(o);
}

/* For steep growth of a routine with a small share, the prediction is the geometric mean of two
 * costs: a cost that grows like the whole run, and a cost that grows like n^2. The interval is
 * extended to include the prediction of the exact curve. */
static void hold_back_steep(const struct scale *s, struct scale_routine *r, double whole_times)
{
    struct scale_outlook *o = &r->outlook;
    size_t last = s->runs - 1;
    double cost = r->cost[last], exact = o->later;
    if (!o->steady || o->exponent <= CURVE_EXPONENT_MAX || cost >= STEEP_SHARE * s->total[last])
        return;
    o->later = cost * sqrt(whole_times * pow(SCALE_TIMES, POWER_EXPONENT_MAX));
    set_interval(o);
    o->low = fmin(o->low, cost * whole_times);
    o->high = fmax(o->high, exact);
}

static bool is_proportional(const struct scale *s, const struct scale_routine *r)
{
    for (size_t i = 0; i + 1 < s->runs; i++) {
        if (r->cost[i] <= 0 || r->cost[i + 1] <= 0 ||
            fabs(power_exponent(s->size + i, r->cost + i, 2) - 1) >= PROPORTIONAL_STEPS)
            return false;
    }
    return s->runs == SCALE_RUNS;
}

static void judge_routine(const struct scale *s, struct scale_routine *r, double whole_times)
{
    for (size_t i = 0; i < s->runs; i++)
        r->input[i] /= fmax(r->calls[i], 1);
    scale_extrapolate(&r->outlook, s->size, r->cost, s->runs);
    if (r->outlook.step)
        temper(&r->outlook, r->cost[s->runs - 1], whole_times);
    weigh(s, r);
    if (is_proportional(s, r)) {
        r->outlook.later = r->cost[s->runs - 1] * SCALE_TIMES;
        set_interval(&r->outlook);
    }
    hold_back_steep(s, r, whole_times);
    r->calls_exponent = power_exponent(s->size, r->calls, s->runs);
    r->input_exponent = power_exponent(s->size, r->input, s->runs);
    r->reasons = reasons_of(r);
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* Computes the interval of a routine's share from the interval of the routine's cost, assuming that
 * all other routines have exactly their predicted costs. */
static void judge_share(const struct scale *s, struct scale_routine *r)
{
    double others = s->total_later - r->outlook.later;
    r->share = percent(r->cost[s->runs - 1], s->total[s->runs - 1]);
    r->share_later = percent(r->outlook.later, s->total_later);
    r->share_low = percent(r->outlook.low, others + r->outlook.low);
    r->share_high = percent(r->outlook.high, others + r->outlook.high);
    r->rises = (r->share_later >= SCALE_RISE_FACTOR * r->share &&
                r->share_later >= r->share + SCALE_RISE_POINTS) ||
               (r->outlook.begun && r->share >= SCALE_RISE_POINTS);
}

static int by_later(const void *a, const void *b)
{
    const struct scale_routine *left = a, *right = b;
    if (left->outlook.later != right->outlook.later)
        return left->outlook.later > right->outlook.later ? -1 : 1;
    int order = strcmp(left->routine->name, right->routine->name);
    return order ? order
                 : strcmp(left->inlined ? left->inlined : "", right->inlined ? right->inlined : "");
}

static void judge_all(struct scale *s)
{
    struct scale_outlook whole;
    for (size_t i = 0; i < s->list.count; i++) {
        for (size_t k = 0; k < s->runs; k++)
            s->total[k] += s->list.at[i].cost[k];
    }
    scale_extrapolate(&whole, s->size, s->total, s->runs);
    for (size_t i = 0; i < s->list.count; i++) {
        judge_routine(s, &s->list.at[i], whole.later / fmax(s->total[s->runs - 1], 1));
        s->total_later += s->list.at[i].outlook.later;
    }
    for (size_t i = 0; i < s->list.count; i++)
        judge_share(s, &s->list.at[i]);
    if (s->list.count)
        qsort(s->list.at, s->list.count, sizeof *s->list.at, by_later);
}

bool scale_make(struct scale *s, const struct report *const *reports, const double *sizes,
                size_t count, enum report_metric metric, bool with_inlined, struct failure *why)
{
    struct scale_run *runs = memory_get_zeroed(count, sizeof *runs);
    *s = (struct scale){.runs = count < SCALE_RUNS ? count : SCALE_RUNS};
    for (size_t i = 0; i < count; i++)
        runs[i].report = reports[i];
    bool good = scale_axis_find(runs, count, sizes, &s->axis, why);
    if (good) {
        const struct scale_run *used = runs + count - s->runs;
        for (size_t i = 0; i < s->runs; i++)
            s->size[i] = used[i].size;
        pair_runs(s, used, metric, with_inlined);
        judge_all(s);
    }
    free(runs);
    return good;
}

void scale_free(struct scale *s)
{
    vector_free(&s->list);
}

void scale_keep_mine(struct scale *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->list.count; i++) {
        const struct scale_routine *r = &s->list.at[i];
        if (!select_is_foreign(r->report, r->routine->object))
            s->list.at[kept++] = *r;
    }
    s->list.count = kept;
}

/* Words ---------------------------------------------------------------------------------------- */

const char *scale_routine_name(const struct scale_routine *r)
{
    return *r->report->objects.at[r->routine->object] ? r->routine->name : "code without a file";
}

char *scale_routine_words(const struct scale_routine *r)
{
    const char *name = scale_routine_name(r);
    return r->inlined ? memory_format("%s (inlined in %s)", r->inlined, name)
                      : memory_copy_string(name);
}

char *scale_reason_words(const struct scale_routine *r)
{
    static const char *const words[] = {"more calls", "larger inputs", "costlier calls",
                                        "just begun"};
    char *text = memory_copy_string("");
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (!(r->reasons & 1u << i))
            continue;
        char *longer = memory_format("%s%s%s", text, *text ? ", " : "", words[i]);
        free(text);
        text = longer;
    }
    if (*text)
        return text;
    free(text);
    return memory_copy_string(r->outlook.exponent < 1 - EXPONENT_SAME ? "grows less than the run"
                                                                      : "in proportion");
}

char *scale_growth_words(const struct scale_routine *r)
{
    if (r->outlook.begun)
        return memory_copy_string("begun");
    if (fabs(r->outlook.exponent) < 0.005)
        return memory_copy_string("1");
    return memory_format("n^%.2f", r->outlook.exponent);
}
