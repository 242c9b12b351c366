/* The trend of costs that follow no curve; see growth_trend.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/growth/growth_trend.h"
#include "lib/base/memory.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#define BINS_PER_OCTAVE 4
#define BINS            (64 * BINS_PER_OCTAVE)
#define BINS_MIN        4
#define RANGE_MIN       2.0
#define PARTS           5

/* Above this number, further calls of one size add little information about the trend. */
#define CALLS_ENOUGH 16.0

/* The interval extends to either side of the exponent by this part of the result of deviation().
 * With this width, 95 % of the trends of a run hold in a run four times as large. */
#define DEVIATION_PART 0.5
#define WIDTH_MIN      0.05
#define WIDTH_MAX      0.5

#define CALLS_WITHIN 0.9

/* The mean size and the mean cost of a bin, as logarithms. */
struct bin {
    double x, y, weight;
};

struct line {
    double slope, at_1; /* value of the line at x = 0 */
};

/* Fills the bins; returns the number of used bins. */
static size_t fill_bins(struct bin *bins, const struct growth_sizes *s)
{
    double calls[BINS] = {0}, costs[BINS] = {0}, sizes[BINS] = {0};
    size_t used = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->n[i] < 1 || s->n[i] >= 0x1p64)
            continue;
        size_t at = (size_t)(log2(s->n[i]) * BINS_PER_OCTAVE);
        at = at < BINS ? at : BINS - 1;
        calls[at] += s->weight[i];
        costs[at] += s->weight[i] * s->cost[i];
        sizes[at] += s->weight[i] * log(s->n[i]);
    }
    for (size_t i = 0; i < BINS; i++) {
        if (calls[i] > 0)
            bins[used++] = (struct bin){sizes[i] / calls[i], log(costs[i] / calls[i]),
                                        1 / (1 / calls[i] + 1 / CALLS_ENOUGH)};
    }
    return used;
}

/* Fits a line by least squares through all bins except the bins from `from` to `end`. */
static struct line line_without(const struct bin *bins, size_t count, size_t from, size_t end)
{
    double weight = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        if (i >= from && i < end)
            continue;
        weight += bins[i].weight;
        x += bins[i].weight * bins[i].x;
        y += bins[i].weight * bins[i].y;
    }
    x /= weight;
    y /= weight;
    for (size_t i = 0; i < count; i++) {
        if (i >= from && i < end)
            continue;
        xx += bins[i].weight * (bins[i].x - x) * (bins[i].x - x);
        xy += bins[i].weight * (bins[i].x - x) * (bins[i].y - y);
    }
    double slope = xx > 0 ? xy / xx : 0;
    return (struct line){slope, y - slope * x};
}

/* Returns the larger of two numbers: the largest change of the exponent if a fifth of the range is
 * omitted; half of the difference between the exponents of the lower and the upper half. */
static double deviation(const struct bin *bins, size_t count, double slope)
{
    size_t half = count / 2;
    double lower = line_without(bins, count, half, count).slope;
    double upper = line_without(bins, count, 0, half).slope, most = fabs(upper - lower) / 2;
    size_t parts = count < PARTS ? count : PARTS;
    for (size_t i = 0; i < parts; i++) {
        double without = line_without(bins, count, (i * count + parts - 1) / parts,
                                      ((i + 1) * count + parts - 1) / parts)
                             .slope;
        most = fmax(most, fabs(without - slope));
    }
    return most;
}

/* Finds the factor by which costs differ from the trend at most, for the nine tenths of all calls
 * that are nearest to the trend. */
static double find_within(const struct growth_sizes *s, const struct line *line)
{
    double all = 0, below = 0, factor = 0;
    double *off = memory_get_zeroed(s->count, sizeof *off);
    size_t *order = memory_get_zeroed(s->count, sizeof *order);
    for (size_t i = 0; i < s->count; i++) {
        off[i] = fabs(log(s->cost[i]) - line->at_1 - line->slope * log(fmax(s->n[i], 1)));
        all += s->weight[i];
    }
    gsl_sort_index(order, off, 1, s->count);
    for (size_t i = 0; i < s->count && below < CALLS_WITHIN * all; i++) {
        below += s->weight[order[i]];
        factor = off[order[i]];
    }
    free(off);
    free(order);
    return exp(factor);
}

static double find_most(const struct growth_sizes *s, double exponent)
{
    double most = 0;
    for (size_t i = 0; i < s->count; i++)
        most = fmax(most, s->cost[i] / pow(fmax(s->n[i], 1), exponent));
    return most;
}

void growth_trend_find(struct growth_trend *trend, const struct growth_sizes *s)
{
    struct bin bins[BINS];
    size_t count = fill_bins(bins, s);
    *trend = (struct growth_trend){.is_known = false};
    if (count < BINS_MIN || bins[count - 1].x - bins[0].x < log(RANGE_MIN))
        return;
    struct line line = line_without(bins, count, 0, 0);
    double width = fmax(DEVIATION_PART * deviation(bins, count, line.slope), WIDTH_MIN);
    if (!(width <= WIDTH_MAX))
        return;
    *trend = (struct growth_trend){.is_known = true,
                                   .exponent = line.slope,
                                   .low = line.slope - width,
                                   .high = line.slope + width,
                                   .n_min = fmax(s->n[0], 1),
                                   .n_max = s->n[s->count - 1],
                                   .within = find_within(s, &line),
                                   .most = find_most(s, line.slope)};
}

/* The interval is rounded outwards. */
static char *words_of(const struct growth_trend *t, const char *format)
{
    return memory_format(format, t->exponent, floor(10 * t->low) / 10, ceil(10 * t->high) / 10);
}

char *growth_trend_words(const struct growth_trend *t)
{
    return words_of(t, "about n^%.1f (%.1f to %.1f)");
}

char *growth_trend_brief(const struct growth_trend *t)
{
    return words_of(t, "~n^%.1f (%.1f..%.1f)");
}
