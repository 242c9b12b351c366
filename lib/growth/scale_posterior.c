/* Posterior estimate of a larger run; see scale_posterior.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/growth/scale_posterior.h"

#include <math.h>
#include <stddef.h>

#define RUNS 3

/* The constants of the priors were fitted: they maximise the likelihood of costs that were measured
 * at ten times the size; see docs/measurements/growth.md. */
#define PROPORTIONAL 0.5
#define SPREAD       0.5 /* spread of the exponents around 1 */
#define SATURATING   0.2
#define CONSTANT     0.05
#define NO_OFFSET    0.15
#define BELOW_ZERO   0.05 /* weight of negative offsets */
#define NOISE_POWER  0.25 /* prior of the noise: noise^-0.25 */
#define CALL_NOISE   0.125

#define GROWING (1 - SATURATING - CONSTANT)

/* The exponents of the curves: x^0.05 to x^2.5 for growing curves, x^-1 to x^-0.1 for saturating
 * curves. */
#define EXPONENT_STEP   0.05
#define EXPONENTS       50
#define SATURATION_STEP 0.1
#define SATURATIONS     10

/* The assumed offsets, and the assumed growth of saturating curves from the second to the third
 * run, are parts of the largest run's cost: 0.001 to 0.999, evenly spaced in ln(part / (1 - part)).
 * Negative offsets are up to a third of the largest run's cost, evenly spaced in logarithms. */
#define PART_LOWEST  (-7.0)
#define PART_STEP    0.25
#define PARTS        57
#define BELOW_LOWEST 0.01
#define BELOW_FACTOR 1.05925
#define BELOWS       61

static const double noises[] = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* One assumed standard deviation of the noise, and the resulting weights of the three runs. */
struct noise {
    double weight[RUNS], sum; /* weight of each run (1 / variance), and the sum of the weights */
    /* logarithm of the product of the noise's prior and the factor that the likelihoods of all
     * curves have in common */
    double prior;
};

struct posterior {
    const double *size;
    double cost[RUNS]; /* logarithms of the runs' costs */
    double times;
    struct noise noise[LENGTH(noises)];
    double top;       /* logarithm of the largest weight so far */
    double sum, mean; /* sums of the weights, and of the weights times the predictions, each
                       * multiplied by e^-top */
};

static void weigh_answer(struct posterior *b, double weight, double answer)
{
    if (weight > b->top) {
        b->sum *= exp(b->top - weight);
        b->mean *= exp(b->top - weight);
        b->top = weight;
    }
    double part = exp(weight - b->top);
    b->sum += part;
    b->mean += part * answer;
}

/* Adds the prediction of a curve to the sums, once for each assumed amount of noise. The curve is
 * scaled so that its value at the largest run is 1. */
static void weigh_curve(struct posterior *b, const double *curve, double later, double prior)
{
    double left[RUNS];
    for (size_t i = 0; i < RUNS; i++) {
        if (curve[i] < 1e-4)
            return;
        left[i] = b->cost[i] - log(curve[i]);
    }
    for (size_t k = 0; k < LENGTH(noises); k++) {
        const struct noise *n = &b->noise[k];
        double height = 0, off = 0;
        for (size_t i = 0; i < RUNS; i++)
            height += left[i] * n->weight[i] / n->sum;
        for (size_t i = 0; i < RUNS; i++)
            off += (left[i] - height) * (left[i] - height) * n->weight[i];
        weigh_answer(b, log(prior) + n->prior - off / 2, height + log(later));
    }
}

/* Adds the prediction of the curve part + (1 - part) x^c to the sums. */
static void weigh_growing(struct posterior *b, double c, double part, double prior)
{
    double curve[RUNS];
    for (size_t i = 0; i < RUNS; i++)
        curve[i] = part + (1 - part) * pow(b->size[i] / b->size[RUNS - 1], c);
    weigh_curve(b, curve, part + (1 - part) * pow(b->times, c), prior);
}

/* Adds the prediction of a saturating curve with c < 0 to the sums. From the second to the third
 * run, the curve grows by the fraction `part` of the largest run's cost. */
static void weigh_saturating(struct posterior *b, double c, double part, double prior)
{
    double curve[RUNS], slope = part / (pow(b->size[1] / b->size[RUNS - 1], c) - 1);
    for (size_t i = 0; i < RUNS; i++)
        curve[i] = 1 - slope * (pow(b->size[i] / b->size[RUNS - 1], c) - 1);
    weigh_curve(b, curve, 1 - slope * (pow(b->times, c) - 1), prior);
}

static double part_at(double k)
{
    return 1 / (1 + exp(-(PART_LOWEST + k * PART_STEP)));
}

/* The parts have a uniform prior, so the prior of the k-th part is the length of the interval
 * around this part. */
static double prior_of_part(size_t k)
{
    return part_at((double)k + 0.5) - part_at((double)k - 0.5);
}

static void weigh_offsets(struct posterior *b, double c, double prior)
{
    weigh_growing(b, c, 0, prior * NO_OFFSET);
    for (size_t k = 0; k < BELOWS; k++)
        weigh_growing(b, c, -BELOW_LOWEST * pow(BELOW_FACTOR, (double)k),
                      prior * BELOW_ZERO / BELOWS);
    for (size_t k = 0; k < PARTS; k++)
        weigh_growing(b, c, part_at((double)k),
                      prior * (1 - NO_OFFSET - BELOW_ZERO) * prior_of_part(k));
}

static double spread(double c)
{
    return exp(-(c - 1) * (c - 1) / (2 * SPREAD * SPREAD));
}

static void set_noise(struct noise *n, double noise, const double *calls)
{
    *n = (struct noise){.prior = -NOISE_POWER * log(noise)};
    for (size_t i = 0; i < RUNS; i++) {
        double few = calls[0] < calls[RUNS - 1] ? CALL_NOISE / calls[i] : 0;
        n->weight[i] = 1 / (noise * noise + few * few);
        n->sum += n->weight[i];
        n->prior += log(n->weight[i]) / 2;
    }
    n->prior -= log(n->sum) / 2;
}

double scale_posterior_predict(const double *size, const double *cost, const double *calls,
                               double times)
{
    struct posterior b = {.size = size, .times = times, .top = -INFINITY};
    double all = 0;
    for (size_t i = 0; i < RUNS; i++)
        b.cost[i] = log(cost[i]);
    for (size_t k = 0; k < LENGTH(noises); k++)
        set_noise(&b.noise[k], noises[k], calls);
    for (size_t i = 1; i <= EXPONENTS; i++)
        all += spread((double)i * EXPONENT_STEP);
    weigh_curve(&b, (const double[RUNS]){1, 1, 1}, 1, CONSTANT);
    weigh_offsets(&b, 1, GROWING * PROPORTIONAL);
    for (size_t i = 1; i <= EXPONENTS; i++) {
        double c = (double)i * EXPONENT_STEP;
        weigh_offsets(&b, c, GROWING * (1 - PROPORTIONAL) * spread(c) / all);
    }
    for (size_t k = 1; k <= SATURATIONS; k++) {
        for (size_t i = 0; i < PARTS; i++)
            weigh_saturating(&b, -(double)k * SATURATION_STEP, part_at((double)i),
                             SATURATING / SATURATIONS * prior_of_part(i));
    }
    return exp(b.mean / b.sum);
}
