/* What may be claimed of a routine's growth; see growth_claim.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/growth_claim.h"
#include "lib/memory.h"

#include <float.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEST_SHARE   4.0    /* sizes above the largest over this are foretold from those below */
#define TRAIN_MIN    6      /* sizes to fit, */
#define TEST_MIN     3      /* and sizes to foretell */
#define TRAIN_EXACT  4      /* sizes to fit, of costs without noise */
#define TRAIN_RANGE  4.0    /* largest over least of those that are fitted */
#define ERROR_MAX    0.0953 /* ln 1.1: within 10 % */
#define SCATTER_MAX  0.1
#define NARROW_SIZES 12
#define TIMES        10.0
#define NARROW_LOW   5.0 /* a claim without a test is at most 2 x away from proportional */
#define NARROW_HIGH  20.0

/* One or two sizes behind such a gap carry no curve. */
#define GAP_MIN  8.0
#define FAR_MOST 2

/* Below this scatter a lower-order term can be told, if it foretells so much better. */
#define SCATTER_EXACT 0.02
#define ERROR_EXACT   0.03
#define TERM_GAIN     3.0

/* Sizes below the largest over this may do something else: growth is asked of the others alone if all
 * together foretell nothing. */
#define UPPER_RANGE 100.0

/* What rises by less over the range is constant. */
#define FLAT_MAX 1.05

/* Terms of formulas that are a smaller part of the largest cost are left out. */
#define TERM_TOLD 1e-3

/* Costs are counts: what lies between 0 and 1 is not told apart, and sums must stay finite. */
#define COST_MIN 0.5
#define COST_MAX 1e150

/* Sizes in ascending order, one cost for each. */
struct sizes {
    size_t count;
    double *n, *cost, *weight;
};

struct model {
    struct growth_terms terms;
    double error; /* of the sizes that it was to foretell */
};

/* ---------------------------------------------------------------- Sizes */

static bool is_usable(double n, double cost, double weight)
{
    return isfinite(n) && n >= 0 && isfinite(cost) && cost >= 0 && isfinite(weight) && weight > 0;
}

static void sizes_make(struct sizes *s, const double *n, const double *cost, const double *weight,
                       size_t count)
{
    size_t *order = memory_get_zeroed(2 * count + 1, sizeof *order), *place = order + count;
    double *block = memory_get_zeroed(3 * count + 1, sizeof *block);
    *s = (struct sizes){0, block, block + count, block + 2 * count};
    size_t usable = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_usable(n[i], cost[i], weight ? weight[i] : 1))
            place[usable++] = i;
    }
    for (size_t k = 0; k < usable; k++)
        s->n[k] = n[place[k]];
    gsl_sort_index(order, s->n, 1, usable);
    for (size_t k = 0; k < usable; k++) {
        size_t i = place[order[k]];
        double w = weight ? weight[i] : 1;
        size_t at = s->count > 0 && s->n[s->count - 1] >= n[i] ? s->count - 1 : s->count++;
        double both = s->weight[at] + w;
        s->n[at] = n[i];
        s->cost[at] =
            (s->cost[at] * s->weight[at] + fmin(fmax(cost[i], COST_MIN), COST_MAX) * w) / both;
        s->weight[at] = both;
    }
    free(order);
}

/* How many of the sizes lie before a gap that few are behind. */
static size_t body_count(const struct sizes *s, struct growth_claim *claim)
{
    for (size_t i = s->count > FAR_MOST ? s->count - FAR_MOST : 1; i < s->count; i++) {
        if (s->n[i] < GAP_MIN * fmax(s->n[i - 1], 1))
            continue;
        claim->far = s->count - i;
        claim->gap = s->n[i] / fmax(s->n[i - 1], 1);
        return i;
    }
    return s->count;
}

/* The median distance of a size's cost from the line between its neighbours; of pure noise this is
 * 1.2 times its size, of a smooth curve next to nothing. */
static double local_scatter(const struct sizes *s, size_t count)
{
    double *distances = memory_get_zeroed(count + 1, sizeof *distances);
    size_t found = 0;
    for (size_t i = 1; i + 1 < count; i++) {
        double left = log(fmax(s->n[i - 1], 0.5)), right = log(fmax(s->n[i + 1], 0.5));
        double part = right > left ? (log(fmax(s->n[i], 0.5)) - left) / (right - left) : 0.5;
        double line = (1 - part) * log(s->cost[i - 1]) + part * log(s->cost[i + 1]);
        distances[found++] = fabs(log(s->cost[i]) - line) / 1.2 / 0.6745;
    }
    gsl_sort(distances, 1, found);
    double median = found > 0 ? distances[found / 2] : 0;
    free(distances);
    return median;
}

/* ---------------------------------------------------------------- Models */

double growth_terms_value(const struct growth_terms *t, double n)
{
    double value = t->a;
    if (t->b > 0)
        value += t->b * growth_class_value(t->f, n);
    if (t->c != 0)
        value += t->c * growth_class_value(t->g, n);
    return fmax(fmin(value, DBL_MAX), 0);
}

/* Root mean square of ln(measured / foretold) from `from` on. */
static double error_of(const struct growth_terms *t, const struct sizes *s, size_t from, size_t end)
{
    double sum = 0, weights = 0;
    for (size_t i = from; i < end; i++) {
        double weight = 1 / (1 / s->weight[i] + 1 / 16.0);
        double error = log(s->cost[i] / fmax(growth_terms_value(t, s->n[i]), DBL_MIN));
        sum += weight * error * error;
        weights += weight;
    }
    return weights > 0 ? sqrt(sum / weights) : INFINITY;
}

static bool fit_one(struct growth_terms *t, enum growth_class class, const struct sizes *s,
                    size_t count)
{
    struct growth_curve curve = {.class = class};
    growth_fit_class(&curve, s->n, s->cost, count);
    *t = (struct growth_terms){curve.a, curve.b, 0, class, class};
    return class == GROWTH_CONSTANT || curve.b > 0;
}

static double determinant(double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Cramer's rule for the 3 normal equations. */
static bool solve(double m[3][3], const double right[3], double x[3])
{
    double whole = determinant(m);
    for (int k = 0; k < 3; k++) {
        double part[3][3];
        memcpy(part, m, sizeof part);
        for (int i = 0; i < 3; i++)
            part[i][k] = right[i];
        x[k] = determinant(part) / whole;
        if (!isfinite(x[k]))
            return false;
    }
    return true;
}

/* k (n - d)^2 is k n^2 - 2 k d n + k d^2: where d cells are read by every call the lower term is negative. It must
 * not let the curve fall. */
static bool lower_term_fits(const struct growth_terms *t, const struct sizes *s)
{
    return t->c > 0 || (t->f == GROWTH_SQUARE && t->g == GROWTH_LINEAR && t->c < 0 &&
                        2 * t->b * s->n[0] + t->c >= 0);
}

/* Least squares of relative errors. */
static bool fit_two(struct growth_terms *t, const struct sizes *s, size_t count)
{
    double m[3][3] = {{0}}, right[3] = {0}, x[3];
    double last[3] = {s->cost[count - 1], growth_class_value(t->f, s->n[count - 1]),
                      growth_class_value(t->g, s->n[count - 1])};
    for (size_t i = 0; i < count; i++) {
        double row[3] = {last[0] / s->cost[i],
                         growth_class_value(t->f, s->n[i]) / last[1] * last[0] / s->cost[i],
                         growth_class_value(t->g, s->n[i]) / last[2] * last[0] / s->cost[i]};
        for (int k = 0; k < 3; k++) {
            for (int l = 0; l < 3; l++)
                m[k][l] += row[k] * row[l];
            right[k] += row[k];
        }
    }
    if (!solve(m, right, x) || x[1] <= 0)
        return false;
    t->a = x[0] * last[0];
    t->b = x[1] * last[0] / last[1];
    t->c = x[2] * last[0] / last[2];
    return lower_term_fits(t, s);
}

static const enum growth_class pairs[][2] = {{GROWTH_LINEARITHMIC, GROWTH_LINEAR},
                                             {GROWTH_SQUARE, GROWTH_LINEAR},
                                             {GROWTH_SQUARE, GROWTH_LINEARITHMIC},
                                             {GROWTH_CUBE, GROWTH_SQUARE},
                                             {GROWTH_POWER_3_2, GROWTH_LINEAR}};
#define PAIRS (sizeof pairs / sizeof *pairs)

/* ---------------------------------------------------------------- The test */

struct trial {
    const struct sizes *sizes;
    size_t train, end; /* fitted on [0, train), to foretell [train, end) */
    bool passes[GROWTH_CLASS_COUNT];
    struct model best; /* of single classes, or of two terms where those are told */
};

static bool can_be_tested(const struct trial *t, double scatter)
{
    const struct sizes *s = t->sizes;
    return t->train >= (scatter < SCATTER_EXACT ? TRAIN_EXACT : TRAIN_MIN) && t->end > t->train &&
           s->n[t->train - 1] >= TRAIN_RANGE * fmax(s->n[0], 1);
}

static void try_classes(struct trial *t)
{
    t->best.error = INFINITY;
    for (int class = GROWTH_CONSTANT; class < GROWTH_EXPONENTIAL; class ++) {
        struct growth_terms terms;
        if (!fit_one(&terms, (enum growth_class) class, t->sizes, t->train))
            continue;
        double error = error_of(&terms, t->sizes, t->train, t->end);
        t->passes[class] = error <= ERROR_MAX;
        if (error < t->best.error)
            t->best = (struct model){terms, error};
    }
}

/* Where counts have no noise, what a lower-order term foretells so much better is no accident. */
static void try_two_terms(struct trial *t)
{
    struct model best = {.error = fmin(t->best.error / TERM_GAIN, ERROR_EXACT)};
    bool found = false;
    for (size_t i = 0; i < PAIRS; i++) {
        struct growth_terms terms = {.f = pairs[i][0], .g = pairs[i][1]};
        if (!fit_two(&terms, t->sizes, t->train))
            continue;
        double error = error_of(&terms, t->sizes, t->train, t->end);
        if (error < best.error) {
            best = (struct model){terms, error};
            found = true;
        }
    }
    if (!found)
        return;
    memset(t->passes, 0, sizeof t->passes);
    t->passes[best.terms.f] = true;
    t->best = best;
}

/* False if the sizes do not allow it. */
static bool run_trial(struct trial *t, const struct sizes *s, size_t body, double scatter)
{
    *t = (struct trial){.sizes = s, .train = body, .end = s->count};
    if (body == s->count) {
        while (t->train > 0 && s->n[t->train - 1] > s->n[body - 1] / TEST_SHARE)
            t->train--;
        if (body - t->train < TEST_MIN)
            return false;
    }
    if (!can_be_tested(t, scatter))
        return false;
    try_classes(t);
    if (scatter < SCATTER_EXACT)
        try_two_terms(t);
    return true;
}

/* The upper sizes alone; false if these are all, or foretell nothing either. */
static bool run_upper_trial(struct trial *t, struct sizes *upper, const struct sizes *s,
                            double scatter)
{
    size_t first = 0;
    while (first < s->count && s->n[first] < s->n[s->count - 1] / UPPER_RANGE)
        first++;
    *upper = (struct sizes){s->count - first, s->n + first, s->cost + first, s->weight + first};
    return first > 0 && run_trial(t, upper, upper->count, scatter) && t->best.error <= ERROR_MAX;
}

/* ---------------------------------------------------------------- The claim */

/* Of the classes that passed, those that explain the points best; if none of these, the one that
 * foretold best. */
static void claim_foretold(struct growth_claim *claim, const struct trial *t,
                           const struct growth_fit *fit)
{
    bool any = false;
    for (size_t i = 0; i < fit->candidate_count; i++) {
        enum growth_class class = fit->candidates[i];
        if (!t->passes[class])
            continue;
        claim->first = any ? claim->first : class;
        claim->last = class;
        any = true;
    }
    if (!any)
        claim->first = claim->last = t->best.terms.f;
    claim->basis = GROWTH_BASIS_FORETOLD;
}

/* The curve through all sizes that carry it, or that it has foretold. */
static void set_curve(struct growth_claim *claim, const struct sizes *s, size_t count,
                      const struct trial *t)
{
    struct growth_terms *terms = &claim->terms;
    bool two = t && t->best.terms.c != 0;
    if (two)
        *terms = t->best.terms;
    if (!two || !fit_two(terms, s, count))
        fit_one(terms, claim->last, s, count);
    claim->n_max = s->n[count - 1];
    claim->cost = growth_terms_value(terms, claim->n_max);
}

/* A term that adds next to nothing over the whole range names no class. */
static void flatten(struct growth_claim *claim)
{
    if (claim->cost > FLAT_MAX * growth_terms_value(&claim->terms, claim->n_min))
        return;
    claim->first = claim->last = GROWTH_CONSTANT;
    claim->terms = (struct growth_terms){.a = claim->cost};
}

/* Set, and then looked at: about eight in ten of few claims lay within, see docs/measurements/growth.md. */
static void set_times(struct growth_claim *claim)
{
    double width = claim->basis == GROWTH_BASIS_FORETOLD ? 1.25 : 1.6;
    if (!(claim->cost > 0))
        return;
    claim->times = growth_terms_value(&claim->terms, TIMES * claim->n_max) / claim->cost;
    claim->times = fmin(fmax(claim->times, 1), DBL_MAX / 10);
    claim->times_low = fmax(claim->times / width, 1);
    claim->times_high = claim->times * width;
}

static bool is_narrow(const struct growth_fit *fit, const struct growth_claim *claim)
{
    const struct growth_curve *best = growth_best(fit);
    double now = growth_curve_value(best, fit->n_max);
    double times = now > 0 ? growth_curve_value(best, TIMES * fit->n_max) / now : 0;
    return growth_is_known(fit) && fit->verdict != GROWTH_BETWEEN && best->rms <= SCATTER_MAX &&
           fit->pattern == GROWTH_PATTERN_RANDOM && claim->sizes >= NARROW_SIZES &&
           times >= NARROW_LOW && times <= NARROW_HIGH;
}

/* What it looks like, claimed or not. */
static void describe(struct growth_claim *claim, const struct growth_fit *fit)
{
    claim->first = claim->last = fit->class;
    if (fit->candidate_count == 0)
        return;
    claim->first = fit->candidates[0];
    claim->last = fit->candidates[fit->candidate_count - 1];
}

static enum growth_basis basis_without(const struct growth_claim *claim,
                                       const struct growth_fit *fit, bool tested)
{
    if (claim->scatter > SCATTER_MAX)
        return GROWTH_BASIS_CLOUD;
    return tested || !growth_is_known(fit) ? GROWTH_BASIS_NO_FIT : GROWTH_BASIS_FEW;
}

static void decide(struct growth_claim *claim, const struct sizes *s,
                   const struct growth_fit *of_all)
{
    struct growth_fit fit;
    struct trial trial, again;
    struct sizes upper;
    size_t body = body_count(s, claim), carried = body;
    claim->sizes = body;
    claim->n_min = s->n[0];
    claim->n_max = s->n[body - 1];
    claim->scatter = local_scatter(s, body);
    if (of_all && body == s->count)
        fit = *of_all;
    else
        growth_fit_points(&fit, s->n, s->cost, s->weight, body);
    if (fit.verdict == GROWTH_FEW_POINTS)
        return;
    describe(claim, &fit);
    bool tested = run_trial(&trial, s, body, claim->scatter);
    if (tested && trial.best.error > ERROR_MAX && body == s->count &&
        run_upper_trial(&again, &upper, s, claim->scatter)) {
        trial = again;
        s = &upper;
        claim->sizes = upper.count;
        claim->small = body - upper.count;
        claim->n_min = upper.n[0];
    }
    claim->error = tested ? trial.best.error : INFINITY;
    if (tested && trial.best.error <= ERROR_MAX) {
        claim_foretold(claim, &trial, &fit);
        carried = s->count;
        set_curve(claim, s, carried, &trial);
        flatten(claim);
        set_times(claim);
    } else if (is_narrow(&fit, claim)) {
        claim->basis = GROWTH_BASIS_NARROW;
        set_curve(claim, s, carried, NULL);
        set_times(claim);
    } else {
        claim->basis = basis_without(claim, &fit, tested);
        set_curve(claim, s, carried, NULL);
    }
}

void growth_claim_make(struct growth_claim *claim, const double *n, const double *cost,
                       const double *weight, size_t count, const struct growth_fit *fit)
{
    struct sizes sizes;
    *claim = (struct growth_claim){.basis = GROWTH_BASIS_FEW, .error = INFINITY};
    sizes_make(&sizes, n, cost, weight, count);
    if (sizes.count > 0)
        decide(claim, &sizes, fit);
    free(sizes.n);
}

bool growth_is_claimed(const struct growth_claim *claim)
{
    return claim->basis >= GROWTH_BASIS_NARROW;
}

/* ---------------------------------------------------------------- Words */

static char *class_words(const struct growth_claim *claim)
{
    const char *first = growth_class_name(claim->first), *last = growth_class_name(claim->last);
    if (claim->first == claim->last)
        return memory_copy_string(first);
    return memory_format("%s %s %s", first, claim->last - claim->first == 1 ? "or" : "...", last);
}

char *growth_claim_words(const struct growth_claim *claim)
{
    static const char *const without[] = {"few points", "no fit", "cloud"};
    return growth_is_claimed(claim) ? class_words(claim)
                                    : memory_copy_string(without[claim->basis]);
}

char *growth_terms_words(const struct growth_terms *t, double n_max)
{
    double whole = TERM_TOLD * growth_terms_value(t, n_max);
    char *lower = t->c != 0 ? memory_format(" %c %.3g %s", t->c < 0 ? '-' : '+', fabs(t->c),
                                            growth_class_name(t->g))
                            : memory_copy_string("");
    char *offset = fabs(t->a) > whole && t->b > 0
                       ? memory_format(" %c %.3g", t->a < 0 ? '-' : '+', fabs(t->a))
                       : memory_copy_string("");
    char *all = t->b > 0
                    ? memory_format("%.3g %s%s%s", t->b, growth_class_name(t->f), lower, offset)
                    : memory_format("%.3g", t->a);
    free(lower);
    free(offset);
    return all;
}

char *growth_leading_term(const struct growth_claim *claim)
{
    const struct growth_terms *t = &claim->terms;
    if (!growth_is_claimed(claim) || !(t->b > 0) || claim->first != claim->last)
        return memory_copy_string("");
    return memory_format("%.3g %s", t->b, growth_class_name(t->f));
}

static char *left_out_words(const struct growth_claim *claim)
{
    if (claim->small > 0)
        return memory_format("; %zu %s below %.0f left out", claim->small,
                             claim->small == 1 ? "size" : "sizes", claim->n_min);
    if (claim->far == 0)
        return memory_copy_string("");
    return memory_format("; %zu %s beyond a gap of %.3g x", claim->far,
                         claim->far == 1 ? "size" : "sizes", claim->gap);
}

/* What the basis is, without the far sizes. */
static char *basis_words(const struct growth_claim *claim)
{
    char *class = class_words(claim), *text = NULL;
    switch (claim->basis) {
    case GROWTH_BASIS_FEW:
        text =
            claim->terms.b > 0 || claim->cost > 0
                ? memory_format("looks like %s between %.0f and %.0f; not tested: sizes too close",
                                class, claim->n_min, claim->n_max)
            : claim->sizes == 1
                ? memory_format("one size, %.0f, says nothing of growth", claim->n_max)
                : memory_format("%zu sizes from %.0f to %.0f say nothing of growth", claim->sizes,
                                claim->n_min, claim->n_max);
        break;
    case GROWTH_BASIS_NO_FIT:
        text = isfinite(claim->error)
                   ? memory_format("no curve through the smaller sizes foretells the larger ones: "
                                   "the best is off by %.0f%%",
                                   100 * fmin(expm1(claim->error), 99.99))
                   : memory_format("%zu sizes from %.0f to %.0f follow none of the curves",
                                   claim->sizes, claim->n_min, claim->n_max);
        break;
    case GROWTH_BASIS_CLOUD:
        text =
            memory_format("neighbouring sizes differ by a factor of %.3g: the cost depends on more "
                          "than n",
                          exp(fmin(claim->scatter, 99)));
        break;
    case GROWTH_BASIS_NARROW:
        text = memory_format("%s: %zu sizes from %.0f to %.0f scatter little, and it is near n",
                             class, claim->sizes, claim->n_min, claim->n_max);
        break;
    case GROWTH_BASIS_FORETOLD:
        text = memory_format("%s: fitted on the smaller sizes, it foretold the larger ones, up to "
                             "%.0f, within %.1f%%",
                             class, claim->n_max, 100 * expm1(claim->error));
        break;
    }
    free(class);
    return text;
}

char *growth_claim_reason(const struct growth_claim *claim)
{
    char *basis = basis_words(claim), *left_out = left_out_words(claim);
    char *both = memory_format("%s%s", basis, left_out);
    free(basis);
    free(left_out);
    return both;
}
