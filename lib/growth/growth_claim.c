/* Decides which growth is claimed for a routine; see growth_claim.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/growth/growth_claim.h"
#include "lib/base/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes above a quarter of the largest size are predicted from the smaller sizes. */
#define TEST_SHARE  4.0
#define TRAIN_MIN   6      /* minimum number of sizes to fit */
#define TEST_MIN    3      /* minimum number of sizes to predict */
#define TRAIN_EXACT 4      /* minimum number of sizes to fit, for costs without noise */
#define TRAIN_RANGE 4.0    /* minimum ratio of the largest to the smallest fitted size */
#define ERROR_MAX   0.0953 /* maximum error of a prediction: ln 1.1, or 10 % */
/* Classes with a prediction error below this limit remain possible if the points allow them. */
#define PASS_MAX     0.1906
#define SCATTER_MAX  0.1
#define NARROW_SIZES 12
#define TIMES        10.0
/* Classes claimed without validation differ from proportional growth by at most a factor of 2 at
 * ten times the largest input. */
#define NARROW_LOW  5.0
#define NARROW_HIGH 20.0

/* One or two sizes after a gap of at least this factor do not determine a curve. Sizes within a
 * tenth of each other count as one size. */
#define GAP_MIN       8.0
#define FAR_MOST      2
#define FAR_RANGE     1.1
#define FAR_TIMES_MAX 3.0
#define BODY_MIN      12

/* Below this scatter, a second term is tried if the error with one term exceeds noise and rounding.
 * Two terms are accepted only if the error of their predictions is at most ERROR_EXACT. The error
 * with one term must also be larger than the error with two terms, by the factor TERM_GAIN. */
#define SCATTER_EXACT 0.02
#define ERROR_EXACT   0.03
#define TERM_GAIN     3.0
#define ERROR_NOTHING 0.003
#define NOISE_FACTOR  3.0

/* If the scatter is below this limit, a short range of sizes is enough: the upper half is predicted
 * from the lower half. */
#define SCATTER_TINY 0.001
#define SHORT_RANGE  2.0
#define SHORT_ERROR  0.01
#define CLOSE_WORSE  4.0

/* Calls with a size below the largest size divided by this number may take another path in the
 * code. So if no curve through all sizes predicts the largest, only the larger sizes are fitted. */
#define UPPER_RANGE 100.0

/* A class is not validated closely if its error is above CLOSE_ERROR. A class that is not validated
 * closely is replaced if another class predicts the larger sizes, from the largest size divided by
 * UPPER_RANGE_CLOSE on, much better: smaller calls seem to take another path in the code. Example:
 * strlen() compares single vectors in short strings, and four vectors in each step of a loop in
 * long strings. The costs of short and long strings together look like sqrt n. */
#define UPPER_RANGE_CLOSE 10.0
#define UPPER_TRAIN_RANGE 2.0
#define UPPER_GAIN        2.0

/* The widths of the interval of the cost at 10 n; the narrower width is used if the error of
 * validation was within 5 %. The interval contained the true cost for more than nine in ten claims
 * that could be verified; see docs/measurements/growth.md. */
#define WIDTH_CLOSE     1.25
#define WIDTH_VALIDATED 1.5
#define CLOSE_ERROR     0.05
#define WIDTH_NARROW    1.6

/* A rise below this factor over the range counts as constant. */
#define FLAT_MAX 1.05

struct model {
    struct growth_terms terms;
    double error; /* error of the costs predicted for the larger sizes */
};

/* ---------------------------------------------------------------- The test */

struct trial {
    const struct growth_sizes *sizes;
    size_t train, end; /* The curve is fitted to sizes [0, train), to predict sizes [train, end). */
    double scatter, range; /* the fitted sizes span at least the factor `range` */
    bool is_short;         /* whether the range of sizes is below TRAIN_RANGE times TEST_SHARE */
    struct model models[GROWTH_CLASS_COUNT]; /* best model of each leading term */
    bool passes[GROWTH_CLASS_COUNT];
    const struct model *best;
};

static bool can_be_fitted(const struct trial *t)
{
    const struct growth_sizes *s = t->sizes;
    return t->train >= (t->scatter < SCATTER_EXACT ? TRAIN_EXACT : TRAIN_MIN) &&
           s->n[t->train - 1] >= t->range * fmax(s->n[0], 1);
}

static size_t count_up_to(const struct growth_sizes *s, size_t end, double n_most)
{
    while (end > 0 && s->n[end - 1] > n_most)
        end--;
    return end;
}

/* Splits the sizes in the middle, on a logarithmic scale. */
static bool split_short(struct trial *t)
{
    const struct growth_sizes *s = t->sizes;
    double first = fmax(s->n[0], 1), last = s->n[t->end - 1];
    t->is_short = true;
    t->train = count_up_to(s, t->end, sqrt(first * last));
    return t->scatter < SCATTER_TINY && last >= SHORT_RANGE * first && t->train >= TRAIN_EXACT &&
           t->end - t->train >= TRAIN_EXACT;
}

/* Splits the sizes into fitted and predicted sizes: at the gap or, without a gap, within the first
 * `body` sizes. Returns false if no size can be fitted or predicted. */
static bool split(struct trial *t, size_t body)
{
    const struct growth_sizes *s = t->sizes;
    t->train = body;
    t->end = s->count;
    if (body < s->count)
        return can_be_fitted(t);
    t->train = count_up_to(s, body, s->n[body - 1] / TEST_SHARE);
    if (body - t->train >= TEST_MIN && can_be_fitted(t))
        return true;
    return split_short(t);
}

static const struct model *best_model(const struct trial *t)
{
    const struct model *best = &t->models[GROWTH_CONSTANT];
    for (int class = GROWTH_LOG; class < GROWTH_EXPONENTIAL; class ++) {
        if (t->models[class].error < best->error)
            best = &t->models[class];
    }
    return best;
}

static void try_classes(struct trial *t)
{
    for (int class = GROWTH_CONSTANT; class < GROWTH_EXPONENTIAL; class ++) {
        struct model *model = &t->models[class];
        model->error = INFINITY;
        if (growth_terms_fit(&model->terms, (enum growth_class) class, t->sizes, t->train))
            model->error = growth_terms_error(&model->terms, t->sizes, t->train, t->end);
    }
    t->best = best_model(t);
}

/* If each call also reads d cells that do not affect its cost, the cost k (n - d)^2 is a sum of
 * n^2, n and a constant. In an interpreter, the first call of a function often reads other data
 * than later calls, and often has the smallest size. Therefore a curve is fitted without the
 * smallest size. The curve replaces the model of n^2 if it predicts the larger sizes almost
 * exactly, with an error below `most`.
 */
static void try_square_without_first(struct trial *t, double most)
{
    const struct growth_sizes *s = t->sizes;
    struct growth_sizes later = {s->count - 1, s->n + 1, s->cost + 1, s->weight + 1};
    struct growth_terms terms = {.f = GROWTH_SQUARE, .g = GROWTH_LINEAR};
    if (t->train <= TRAIN_EXACT || !growth_terms_fit_two(&terms, &later, t->train - 1) ||
        terms.c >= 0)
        return;
    double error = growth_terms_error(&terms, s, t->train, t->end);
    if (error < most && error < t->models[GROWTH_SQUARE].error)
        t->models[GROWTH_SQUARE] = (struct model){terms, error};
}

/* Tries a second term if the errors of predicted costs are larger than the noise explains. The
 * second term must improve the predictions by more than chance. */
static void try_two_terms(struct trial *t)
{
    double most = fmin(t->best->error / TERM_GAIN, ERROR_EXACT);
    if (t->best->error <= fmax(ERROR_NOTHING, NOISE_FACTOR * t->scatter))
        return;
    for (size_t i = 0; i < GROWTH_PAIRS; i++) {
        struct growth_terms terms = {.f = growth_pairs[i][0], .g = growth_pairs[i][1]};
        if (!growth_terms_fit_two(&terms, t->sizes, t->train))
            continue;
        double error = growth_terms_error(&terms, t->sizes, t->train, t->end);
        if (error < most && error < t->models[terms.f].error)
            t->models[terms.f] = (struct model){terms, error};
    }
    try_square_without_first(t, fmin(most, ERROR_NOTHING));
    t->best = best_model(t);
}

static bool is_close(const struct trial *t)
{
    return t->is_short || t->best->terms.c != 0;
}

/* Two terms, or any terms over a short range, approximate many curves. So with two terms or over a
 * short range, a class passes only if it predicts about as well as the best class. */
static void judge_classes(struct trial *t)
{
    double most = PASS_MAX;
    if (is_close(t))
        most = fmax(CLOSE_WORSE * t->best->error, NOISE_FACTOR * t->scatter);
    for (int class = GROWTH_CONSTANT; class < GROWTH_EXPONENTIAL; class ++)
        t->passes[class] = t->models[class].error <= most;
}

/* Finds the first and the last class that passed the test. Returns true if the first and the last
 * class are neighbours, or the same class. */
static bool passed_classes(const struct trial *t, enum growth_class *first, enum growth_class *last)
{
    int low = GROWTH_CLASS_COUNT, high = -1;
    for (int class = GROWTH_CONSTANT; class < GROWTH_EXPONENTIAL; class ++) {
        if (!t->passes[class])
            continue;
        low = low < class ? low : class;
        high = class;
    }
    *first = (enum growth_class)low;
    *last = (enum growth_class)high;
    return high - low <= 1;
}

static bool is_validated(const struct trial *t)
{
    enum growth_class first, last;
    if (!is_close(t))
        return t->best->error <= ERROR_MAX;
    return t->best->error <= (t->is_short ? SHORT_ERROR : ERROR_EXACT) &&
           passed_classes(t, &first, &last);
}

/* Runs the test of predictions; returns false if there are too few sizes. */
static bool run_trial(struct trial *t, const struct growth_sizes *s, size_t body, double scatter,
                      double range)
{
    *t = (struct trial){.sizes = s, .scatter = scatter, .range = range};
    if (!split(t, body))
        return false;
    try_classes(t);
    if (scatter < SCATTER_EXACT)
        try_two_terms(t);
    judge_classes(t);
    return true;
}

/* ---------------------------------------------------------------- The claim */

/* The sizes for a claim, and values that are computed once for all attempts. */
struct question {
    struct growth_sizes sizes;
    size_t body;           /* number of sizes before the gap */
    struct growth_fit fit; /* fit of the sizes before the gap, from which the scatter is taken */
    double scatter;
    bool was_tested;
};

/* Of the classes that passed the test, names the classes that explain the points best. If no class
 * passed, the function names the class that predicted best. */
static void name_classes(struct growth_claim *claim, const struct trial *t,
                         const struct growth_fit *fit)
{
    bool any = false;
    if (is_close(t)) {
        passed_classes(t, &claim->first, &claim->last);
        return;
    }
    for (size_t i = 0; i < fit->candidate_count; i++) {
        enum growth_class class = fit->candidates[i];
        if (!t->passes[class])
            continue;
        claim->first = any ? claim->first : class;
        claim->last = class;
        any = true;
    }
    if (!any)
        claim->first = claim->last = t->best->terms.f;
}

static void set_terms(struct growth_claim *claim, const struct growth_sizes *s, size_t count,
                      const struct growth_terms *terms)
{
    claim->terms = *terms;
    claim->n_max = s->n[count - 1];
    claim->cost = growth_terms_value(terms, claim->n_max);
}

/* The curve of `class` through the first `count` sizes. */
static void set_curve(struct growth_claim *claim, const struct growth_sizes *s, size_t count,
                      enum growth_class class)
{
    struct growth_terms terms;
    growth_terms_fit(&terms, class, s, count);
    set_terms(claim, s, count, &terms);
}

/* Fits the validated model to all sizes. If the curve has two terms and the new curve decreases
 * somewhere, the curve is not replaced. */
static struct growth_terms terms_of_all(const struct trial *t, const struct model *model)
{
    struct growth_terms terms = model->terms;
    if (terms.c == 0)
        growth_terms_fit(&terms, model->terms.f, t->sizes, t->end);
    else if (!growth_terms_fit_two(&terms, t->sizes, t->end))
        terms = model->terms;
    return terms;
}

/* Uses the curve of the named class that predicted best. */
static void set_validated_curve(struct growth_claim *claim, const struct trial *t)
{
    const struct model *best = &t->models[claim->first];
    for (int class = claim->first; class <= (int)claim->last; class ++) {
        if (t->passes[class] && t->models[class].error < best->error)
            best = &t->models[class];
    }
    struct growth_terms terms = terms_of_all(t, best);
    set_terms(claim, t->sizes, t->end, &terms);
}

/* Claims a constant if the growing term adds almost nothing over the whole range. */
static void flatten(struct growth_claim *claim)
{
    if (claim->cost > FLAT_MAX * growth_terms_value(&claim->terms, claim->n_min))
        return;
    claim->first = claim->last = GROWTH_CONSTANT;
    claim->terms = (struct growth_terms){.a = claim->cost};
}

static double times_of(const struct growth_terms *terms, double n_max)
{
    double now = growth_terms_value(terms, n_max);
    double times = now > 0 ? growth_terms_value(terms, TIMES * n_max) / now : 0;
    return fmin(fmax(times, 1), DBL_MAX / 10);
}

/* If several classes are possible, the prediction is the geometric mean of the lowest and the
 * highest prediction of these classes. */
static void set_times(struct growth_claim *claim, double low, double high, double width)
{
    if (!(claim->cost > 0))
        return;
    claim->times = sqrt(low) * sqrt(high);
    claim->times_low = fmax(low / width, 1);
    claim->times_high = high * width;
}

static void set_validated_times(struct growth_claim *claim, const struct trial *t)
{
    double low = times_of(&claim->terms, claim->n_max), high = low;
    for (int class = claim->first; claim->first < claim->last && class <= (int)claim->last;
         class ++) {
        if (!t->passes[class])
            continue;
        struct growth_terms terms = terms_of_all(t, &t->models[class]);
        double times = times_of(&terms, claim->n_max);
        low = fmin(low, times);
        high = fmax(high, times);
    }
    set_times(claim, low, high, claim->error <= CLOSE_ERROR ? WIDTH_CLOSE : WIDTH_VALIDATED);
}

static double times_of_curve(const struct growth_fit *fit, enum growth_class class)
{
    double now = growth_curve_value(&fit->curves[class], fit->n_max);
    return now > 0 ? growth_curve_value(&fit->curves[class], TIMES * fit->n_max) / now : 0;
}

/* Whether growth can be claimed without validation: the scatter over many sizes is small, and each
 * possible class is near n. */
static bool is_narrow(const struct growth_fit *fit, const struct growth_claim *claim)
{
    if (!growth_is_known(fit) || fit->verdict == GROWTH_BETWEEN || fit->candidate_count == 0)
        return false;
    return growth_best(fit)->rms <= SCATTER_MAX && fit->pattern == GROWTH_PATTERN_RANDOM &&
           claim->sizes >= NARROW_SIZES && times_of_curve(fit, fit->candidates[0]) >= NARROW_LOW &&
           times_of_curve(fit, fit->candidates[fit->candidate_count - 1]) <= NARROW_HIGH;
}

/* Describes the curve, even if it is not claimed. */
static void describe(struct growth_claim *claim, const struct growth_fit *fit)
{
    claim->first = claim->last = fit->class;
    if (fit->candidate_count == 0)
        return;
    claim->first = fit->candidates[0];
    claim->last = fit->candidates[fit->candidate_count - 1];
}

static void claim_validated(struct growth_claim *claim, const struct trial *t,
                            const struct growth_fit *fit)
{
    claim->basis = GROWTH_BASIS_VALIDATED;
    claim->error = t->best->error;
    name_classes(claim, t, fit);
    set_validated_curve(claim, t);
    flatten(claim);
    set_validated_times(claim, t);
}

/* Whether a class that predicted the sizes after the gap also explains the other sizes. */
static bool explains_body(const struct question *q, const struct trial *t)
{
    if (is_close(t))
        return true;
    for (size_t i = 0; i < q->fit.candidate_count; i++) {
        if (t->passes[q->fit.candidates[i]])
            return true;
    }
    return false;
}

/* Whether the growth is steep only because of sizes after the gap. These sizes may be calls of
 * another kind, such as the call for the root of a tree. So the sizes before the gap must confirm
 * any class above n log n. */
static bool is_steep_by_gap(const struct question *q, const struct trial *t)
{
    struct growth_sizes body = q->sizes;
    struct trial inner;
    enum growth_class class = t->best->terms.f;
    body.count = q->body;
    if (q->body == q->sizes.count || class <= GROWTH_LINEARITHMIC)
        return false;
    return !run_trial(&inner, &body, q->body, q->scatter, TRAIN_RANGE) || !is_validated(&inner) ||
           !inner.passes[class];
}

/* Tries a claim from all sizes; the last sizes may follow a gap. */
static bool claim_by_all(struct growth_claim *claim, struct question *q)
{
    struct trial trial;
    if (!run_trial(&trial, &q->sizes, q->body, q->scatter, TRAIN_RANGE))
        return false;
    q->was_tested = true;
    claim->error = fmin(claim->error, trial.best->error);
    if (!is_validated(&trial) || (q->body < q->sizes.count && !explains_body(q, &trial)) ||
        is_steep_by_gap(q, &trial))
        return false;
    claim_validated(claim, &trial, &q->fit);
    return true;
}

/* Tries a claim from the largest sizes only, which span the factor `range`. */
static bool claim_by_upper(struct growth_claim *claim, const struct question *q, double range,
                           double train_range)
{
    const struct growth_sizes *s = &q->sizes;
    struct trial trial;
    struct growth_fit fit;
    size_t first = count_up_to(s, s->count, s->n[s->count - 1] / range);
    struct growth_sizes upper = {s->count - first, s->n + first, s->cost + first,
                                 s->weight + first};
    if (first == 0 || !run_trial(&trial, &upper, upper.count, q->scatter, train_range) ||
        !is_validated(&trial))
        return false;
    growth_fit_points(&fit, upper.n, upper.cost, upper.weight, upper.count);
    claim->sizes = upper.count;
    claim->small = first;
    claim->n_min = upper.n[0];
    claim_validated(claim, &trial, &fit);
    return true;
}

/* Replaces a claim that was not validated closely; see UPPER_RANGE_CLOSE. */
static void prefer_upper(struct growth_claim *claim, const struct question *q)
{
    struct growth_claim upper = *claim;
    if (claim->error > CLOSE_ERROR &&
        claim_by_upper(&upper, q, UPPER_RANGE_CLOSE, UPPER_TRAIN_RANGE) &&
        UPPER_GAIN * upper.error <= claim->error &&
        (upper.first > claim->last || upper.last < claim->first))
        *claim = upper;
}

static bool claim_by_range(struct growth_claim *claim, const struct question *q)
{
    const struct growth_fit *fit = &q->fit;
    if (!is_narrow(fit, claim))
        return false;
    claim->basis = GROWTH_BASIS_NARROW;
    set_curve(claim, &q->sizes, q->body, fit->class);
    set_times(claim, times_of_curve(fit, fit->candidates[0]),
              times_of_curve(fit, fit->candidates[fit->candidate_count - 1]), WIDTH_NARROW);
    return true;
}

static void claim_nothing(struct growth_claim *claim, const struct question *q)
{
    claim->basis =
        q->was_tested || !growth_is_known(&q->fit) ? GROWTH_BASIS_NO_FIT : GROWTH_BASIS_FEW;
    if (claim->scatter > SCATTER_MAX)
        claim->basis = GROWTH_BASIS_SCATTERED;
    if (q->fit.verdict == GROWTH_FEW_POINTS)
        claim->basis = GROWTH_BASIS_FEW;
    else
        set_curve(claim, &q->sizes, q->body, claim->last);
}

/* The number of sizes before the gap, if only few sizes follow the gap; the number of all sizes if
 * there is no such gap. */
static size_t body_count(const struct growth_sizes *s, struct growth_claim *claim)
{
    size_t close = count_up_to(s, s->count, s->n[s->count - 1] / FAR_RANGE);
    size_t far = s->count > FAR_MOST ? s->count - FAR_MOST : 1;
    for (size_t i = close > 0 && close < far ? close : far; i < s->count; i++) {
        if (s->n[i] < GAP_MIN * fmax(s->n[i - 1], 1))
            continue;
        claim->far = s->count - i;
        claim->gap = s->n[i] / fmax(s->n[i - 1], 1);
        return i;
    }
    return s->count;
}

/* For that size after the gap whose cost deviates most from the curve, the ratio of the cost to the
 * curve. */
static double far_times(const struct growth_claim *claim, const struct growth_sizes *s, size_t body)
{
    double worst = 1;
    for (size_t i = body; i < s->count; i++) {
        double curve = growth_terms_value(&claim->terms, s->n[i]);
        double times = curve > 0 ? fmin(s->cost[i] / curve, DBL_MAX) : DBL_MAX;
        worst = fabs(log(times)) > fabs(log(worst)) ? times : worst;
    }
    return worst;
}

/* Tries a claim from the first `body` sizes. If the curve through these sizes does not predict the
 * other sizes, the claim is limited to the first `body` sizes, and no larger size is predicted. */
static bool claim_by_body(struct growth_claim *claim, struct question *q, size_t body)
{
    struct growth_claim of_body = *claim;
    size_t count = q->sizes.count;
    q->sizes.count = q->body = body;
    bool claimed = claim_by_all(&of_body, q) ||
                   (q->was_tested && claim_by_upper(&of_body, q, UPPER_RANGE, TRAIN_RANGE));
    q->sizes.count = count;
    if (!claimed)
        return false;
    double times = far_times(&of_body, &q->sizes, body), largest = q->sizes.n[count - 1];
    if (fabs(log(times)) > log(FAR_TIMES_MAX))
        return false;
    of_body.far = count - body;
    of_body.gap = largest / fmax(q->sizes.n[body - 1], 1);
    if (fabs(log(times)) > ERROR_MAX) {
        of_body.far_times = times;
        of_body.times = of_body.times_low = of_body.times_high = 0;
    }
    *claim = of_body;
    return true;
}

/* Tries a claim without the one or two largest sizes, if these are not on the curve of all other
 * sizes. */
static bool claim_by_test(struct growth_claim *claim, struct question *q)
{
    size_t count = q->sizes.count, body = q->body;
    if (claim_by_all(claim, q)) {
        if (body == count)
            prefer_upper(claim, q);
        return true;
    }
    if (body == count && q->was_tested && claim_by_upper(claim, q, UPPER_RANGE, TRAIN_RANGE))
        return true;
    if (body < count)
        return claim_by_body(claim, q, body);
    for (size_t far = 1; far <= FAR_MOST && body >= BODY_MIN + far; far++) {
        if (claim_by_body(claim, q, body - far))
            return true;
    }
    q->body = body;
    return false;
}

static void decide(struct growth_claim *claim, struct question *q, const struct growth_fit *of_all)
{
    const struct growth_sizes *s = &q->sizes;
    q->body = body_count(s, claim);
    claim->sizes = q->body;
    claim->n_min = s->n[0];
    claim->n_max = s->n[q->body - 1];
    claim->scatter = q->scatter = growth_sizes_scatter(s, q->body);
    if (of_all && q->body == s->count)
        q->fit = *of_all;
    else
        growth_fit_points(&q->fit, s->n, s->cost, s->weight, q->body);
    describe(claim, &q->fit);
    if (claim_by_test(claim, q) || claim_by_range(claim, q))
        return;
    claim_nothing(claim, q);
    growth_trend_find(&claim->trend, s);
}

void growth_claim_make(struct growth_claim *claim, const double *n, const double *cost,
                       const double *weight, size_t count, const struct growth_fit *fit)
{
    struct question question = {.was_tested = false};
    *claim = (struct growth_claim){.basis = GROWTH_BASIS_FEW, .error = INFINITY};
    growth_sizes_make(&question.sizes, n, cost, weight, count);
    if (question.sizes.count > 0)
        decide(claim, &question, fit);
    growth_sizes_free(&question.sizes);
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
    static const char *const without[] = {"too few sizes", "no simple curve", "scattered"};
    return growth_is_claimed(claim) ? class_words(claim)
                                    : memory_copy_string(without[claim->basis]);
}

char *growth_claim_or_trend_brief(const struct growth_claim *claim)
{
    return claim->trend.is_known ? growth_trend_brief(&claim->trend) : growth_claim_words(claim);
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
    if (claim->far_times > 0)
        return memory_format("; %zu larger %s %.3g x this curve (left out)", claim->far,
                             claim->far == 1 ? "size costs" : "sizes cost about", claim->far_times);
    return memory_format("; %zu %s beyond a gap of %.3g x", claim->far,
                         claim->far == 1 ? "size" : "sizes", claim->gap);
}

static char *few_words(const struct growth_claim *claim, const char *class)
{
    if (claim->terms.b > 0 || claim->cost > 0)
        return memory_format(
            "looks like %s between %.0f and %.0f; not validated: the sizes are too close together",
            class, claim->n_min, claim->n_max);
    if (claim->sizes == 1)
        return memory_format("all calls have one input size, %.0f", claim->n_max);
    return memory_format("%zu input sizes, from %.0f to %.0f, are too %s", claim->sizes,
                         claim->n_min, claim->n_max,
                         claim->sizes < GROWTH_SIZES_MIN ? "few" : "close together");
}

static char *no_fit_words(const struct growth_claim *claim)
{
    if (!isfinite(claim->error))
        return memory_format("no simple curve fits the %zu sizes from %.0f to %.0f", claim->sizes,
                             claim->n_min, claim->n_max);
    return memory_format("no curve through the smaller sizes predicts the larger ones: the best is "
                         "off by %.0f%%",
                         100 * fmin(expm1(claim->error), 99.99));
}

/* Describes the evidence for a claim, except omitted sizes, which left_out_words() describes. */
static char *basis_words(const struct growth_claim *claim)
{
    char *class = class_words(claim), *text = NULL;
    switch (claim->basis) {
    case GROWTH_BASIS_FEW:
        text = few_words(claim, class);
        break;
    case GROWTH_BASIS_NO_FIT:
        text = no_fit_words(claim);
        break;
    case GROWTH_BASIS_SCATTERED:
        text = memory_format(
            "calls of nearly equal size differ by a factor of %.3g: the cost depends on "
            "more than the input size",
            exp(fmin(claim->scatter, 99)));
        break;
    case GROWTH_BASIS_NARROW:
        text = memory_format(
            "%s: %zu sizes from %.0f to %.0f scatter little, and the growth is near n", class,
            claim->sizes, claim->n_min, claim->n_max);
        break;
    case GROWTH_BASIS_VALIDATED:
        text = memory_format(
            "%s: a curve fitted to the smaller sizes predicted the larger ones, up to "
            "%.0f, within %.1f%%",
            class, claim->n_max, 100 * expm1(claim->error));
        break;
    }
    free(class);
    return text;
}

static char *trend_words(const struct growth_trend *t)
{
    if (!t->is_known)
        return memory_copy_string("");
    char *words = growth_trend_words(t);
    char *all =
        memory_format("; the trend from %.0f to %.0f is %s: nine tenths are within %.2g x of "
                      "it, and no size costs more than %.3g n^%.2g",
                      t->n_min, t->n_max, words, t->within, t->most, t->exponent);
    free(words);
    return all;
}

char *growth_claim_reason(const struct growth_claim *claim)
{
    char *basis = basis_words(claim), *left_out = left_out_words(claim);
    char *trend = trend_words(&claim->trend);
    char *both = memory_format("%s%s%s", basis, left_out, trend);
    free(basis);
    free(left_out);
    free(trend);
    return both;
}
