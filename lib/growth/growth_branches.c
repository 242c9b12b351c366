/* Branches: bands of points of one routine that follow different curves, such as hits and misses.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In logarithms a band is nearly a straight line. Points are assigned to the nearest of k lines,
 * and the lines are fitted again; both steps are repeated until nothing changes. The result depends
 * on the initial assignment, so several initial assignments are tried. Any set of points could be
 * divided in this way, so a division counts only if all of the following conditions hold:
 *
 * - the bands are separate: their distance is many times their own scatter. For comparison, the two
 * halves of one normal distribution have a distance of 2.7 times their scatter, and the halves of
 * one uniform distribution 3.5 times.
 * - the distance of the bands is at least a factor of 1.5.
 * - each band has enough points for a fit, and a sufficient part of all points.
 * - the bands share a range of sizes and alternate often along this range. A threshold, such as the
 * size of a cache, creates two ranges of sizes but no branches. If one bent curve is cut into two
 * bands, the points change between the bands only twice along the range.
 *
 * Known limits: bands that cross cannot be separated near the crossing.
 */
#include "lib/growth/growth.h"
#include "lib/base/memory.h"
#include "lib/growth/growth_curve.h"

#include <gsl/gsl_fit.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATION_MIN 7.0
#define DISTANCE_MIN   0.405 /* ln 1.5 */
#define SHARE_MIN      0.1
#define OVERLAP_MIN    0.5 /* minimum overlap of bands, as a part of the shorter range of ln n */
/* Minimum number of alternations between bands, as a part of the expected number in a random order.
 */
#define RUNS_MIN 0.5

/* The least scatter that is assumed, because exact bands would otherwise be infinitely separate. */
#define SCATTER_MIN 0.01

#define ROUNDS_MAX 50
/* Number of neighbours on either side of a point, for an initial assignment by neighbours. */
#define NEIGHBOURS 4

struct line {
    double level, slope; /* ln cost = level + slope * ln n */
    double low, high;    /* range of ln n in the band */
    size_t points;
};

struct cloud {
    size_t count;
    double *x, *y, *scratch; /* ln n of the points, in ascending order, and ln cost */
    double *weights;
    size_t *place; /* index of the point in the caller's arrays */
};

struct deal {
    unsigned bands;
    unsigned char *band; /* number of each point's band */
    struct line lines[GROWTH_BRANCHES_MAX];
    double scatter; /* root mean square distance of the points to the line of their band */
};

/* ---------------------------------------------------------------- The cloud */

static void cloud_allocate(struct cloud *cloud, size_t count)
{
    cloud->count = 0;
    cloud->x = memory_get_zeroed(4 * count + 1, sizeof *cloud->x);
    cloud->y = cloud->x + count;
    cloud->scratch = cloud->y + count;
    cloud->weights = cloud->scratch + count;
    cloud->place = memory_get_zeroed(2 * count + 1, sizeof *cloud->place);
}

static void cloud_free(struct cloud *cloud)
{
    free(cloud->x);
    free(cloud->place);
}

static void cloud_fill(struct cloud *cloud, const double *n, const double *cost,
                       const double *weight, size_t count)
{
    size_t *place = cloud->place + count, *order = cloud->place;
    for (size_t i = 0; i < count; i++) {
        if (!growth_point_is_usable(n[i], cost[i], weight ? weight[i] : 1))
            continue;
        cloud->scratch[cloud->count] = n[i];
        place[cloud->count++] = i;
    }
    gsl_sort_index(order, cloud->scratch, 1, cloud->count);
    for (size_t k = 0; k < cloud->count; k++) {
        size_t i = place[order[k]];
        order[k] = i;
        cloud->x[k] = log(fmax(n[i], 1));
        cloud->y[k] = log(fmax(cost[i], GROWTH_COST_MIN));
    }
}

/* ---------------------------------------------------------------- Lines */

static double distance_to(const struct line *line, double x, double y)
{
    return y - line->level - line->slope * x;
}

/* If the band has only one size, no line can be fitted, and the line gets no points. */
static void line_fit(struct line *line, const struct cloud *cloud, const struct deal *deal,
                     unsigned band)
{
    double unused;
    line->points = 0;
    for (size_t i = 0; i < cloud->count; i++) {
        cloud->weights[i] = deal->band[i] == band;
        if (deal->band[i] != band)
            continue;
        line->low = line->points == 0 ? cloud->x[i] : line->low;
        line->high = cloud->x[i];
        line->points++;
    }
    if (line->points == 0)
        return;
    gsl_fit_wlinear(cloud->x, 1, cloud->weights, 1, cloud->y, 1, cloud->count, &line->level,
                    &line->slope, &unused, &unused, &unused, &unused);
    if (isfinite(line->slope) && isfinite(line->level))
        return;
    *line = (struct line){.points = 0};
}

static void fit_lines(const struct cloud *cloud, struct deal *deal)
{
    for (unsigned band = 0; band < deal->bands; band++)
        line_fit(&deal->lines[band], cloud, deal, band);
}

static unsigned nearest(const struct deal *deal, double x, double y)
{
    unsigned best = 0;
    double least = INFINITY;
    for (unsigned band = 0; band < deal->bands; band++) {
        double distance = fabs(distance_to(&deal->lines[band], x, y));
        if (deal->lines[band].points > 0 && distance < least) {
            least = distance;
            best = band;
        }
    }
    return best;
}

static bool deal_again(const struct cloud *cloud, struct deal *deal)
{
    bool changed = false;
    for (size_t i = 0; i < cloud->count; i++) {
        unsigned char band = (unsigned char)nearest(deal, cloud->x[i], cloud->y[i]);
        changed |= band != deal->band[i];
        deal->band[i] = band;
    }
    return changed;
}

static double scatter_of(const struct cloud *cloud, const struct deal *deal)
{
    double sum = 0;
    for (size_t i = 0; i < cloud->count; i++)
        sum += pow(distance_to(&deal->lines[deal->band[i]], cloud->x[i], cloud->y[i]), 2);
    return sqrt(sum / (double)cloud->count);
}

static void settle(const struct cloud *cloud, struct deal *deal)
{
    fit_lines(cloud, deal);
    for (unsigned round = 0; round < ROUNDS_MAX && deal_again(cloud, deal); round++)
        fit_lines(cloud, deal);
    deal->scatter = scatter_of(cloud, deal);
}

/* ---------------------------------------------------------------- First deals */

/* Divides the points at the widest gaps of y - slope * x. At least the fraction SHARE_MIN of the
 * points remains on each side of a gap. */
static void deal_by_gaps(const struct cloud *cloud, struct deal *deal, double slope)
{
    size_t margin = (size_t)(SHARE_MIN * (double)cloud->count) + 1;
    double cuts[GROWTH_BRANCHES_MAX] = {0};
    double *sorted = cloud->weights;
    for (size_t i = 0; i < cloud->count; i++)
        sorted[i] = cloud->scratch[i] = cloud->y[i] - slope * cloud->x[i];
    gsl_sort(sorted, 1, cloud->count);
    size_t taken[GROWTH_BRANCHES_MAX + 1] = {0, cloud->count};
    for (unsigned cut = 0; cut + 1 < deal->bands; cut++) {
        double widest = -1;
        for (size_t i = margin; i + margin <= cloud->count; i++) {
            bool is_near = false;
            for (unsigned k = 0; k < cut + 2; k++)
                is_near |= i < taken[k] + margin && taken[k] < i + margin;
            if (!is_near && sorted[i] - sorted[i - 1] > widest) {
                widest = sorted[i] - sorted[i - 1];
                taken[cut + 2] = i;
            }
        }
        cuts[cut] = widest < 0 ? INFINITY : sorted[taken[cut + 2]];
    }
    for (size_t i = 0; i < cloud->count; i++) {
        deal->band[i] = 0;
        for (unsigned cut = 0; cut + 1 < deal->bands; cut++)
            deal->band[i] += cloud->scratch[i] >= cuts[cut];
    }
}

/* Assigns each point to a band by its position between its lowest and its highest neighbour. This
 * assignment finds diverging bands. */
static void deal_by_neighbours(const struct cloud *cloud, struct deal *deal)
{
    for (size_t i = 0; i < cloud->count; i++) {
        size_t from = i > NEIGHBOURS ? i - NEIGHBOURS : 0;
        size_t end = i + NEIGHBOURS < cloud->count ? i + NEIGHBOURS + 1 : cloud->count;
        double low = cloud->y[i], high = cloud->y[i];
        for (size_t k = from; k < end; k++) {
            low = fmin(low, cloud->y[k]);
            high = fmax(high, cloud->y[k]);
        }
        double part = high > low ? (cloud->y[i] - low) / (high - low) : 0;
        deal->band[i] = (unsigned char)fmin(part * deal->bands, deal->bands - 1);
    }
}

static void keep_better(const struct cloud *cloud, struct deal *best, struct deal *deal)
{
    settle(cloud, deal);
    if (deal->scatter >= best->scatter)
        return;
    unsigned char *band = best->band;
    *best = *deal;
    deal->band = band;
}

static void find_deal(const struct cloud *cloud, struct deal *best, struct deal *deal)
{
    static const double slopes[] = {0, 0.5, 1, 1.5, 2, 3};
    best->scatter = INFINITY;
    deal_by_neighbours(cloud, deal);
    keep_better(cloud, best, deal);
    for (size_t i = 0; i < sizeof slopes / sizeof slopes[0]; i++) {
        deal->bands = best->bands;
        deal_by_gaps(cloud, deal, slopes[i]);
        keep_better(cloud, best, deal);
    }
}

/* ---------------------------------------------------------------- Curves in place of lines */

struct points {
    const double *n, *cost, *weight; /* arrays of the caller; weight may be NULL */
};

static void fit_band(struct growth_fit *fit, const struct points *points, const struct cloud *cloud,
                     const struct deal *deal, unsigned band)
{
    double *n = memory_get_zeroed(3 * cloud->count, sizeof *n);
    double *cost = n + cloud->count, *weight = cost + cloud->count;
    size_t count = 0;
    for (size_t i = 0; i < cloud->count; i++) {
        if (deal->band[i] != band)
            continue;
        size_t place = cloud->place[i];
        n[count] = points->n[place];
        cost[count] = points->cost[place];
        weight[count++] = points->weight ? points->weight[place] : 1;
    }
    growth_fit_some(fit, n, cost, weight, count, GROWTH_BRANCH_SIZES_MIN);
    free(n);
}

static double log_prediction(const struct growth_fit *fit, double n)
{
    return log(fmax(growth_predict(fit, n), GROWTH_COST_MIN));
}

static void deal_to_curves(const struct points *points, const struct cloud *cloud,
                           struct deal *deal, const struct growth_fit *fits)
{
    for (size_t i = 0; i < cloud->count; i++) {
        double least = INFINITY;
        for (unsigned band = 0; band < deal->bands; band++) {
            double n = points->n[cloud->place[i]];
            double distance = fabs(cloud->y[i] - log_prediction(&fits[band], n));
            if (distance < least) {
                least = distance;
                deal->band[i] = (unsigned char)band;
            }
        }
    }
}

/* Corrects the scatter of small samples: the two parameters of a line make the residuals of few
 * points too small. */
static double rms_of_fit(const struct growth_fit *fit)
{
    double few = sqrt((double)fit->points / ((double)fit->points - 2));
    return few * growth_best(fit)->rms;
}

static bool fit_bands(struct growth_fit *fits, const struct points *points,
                      const struct cloud *cloud, const struct deal *deal)
{
    for (unsigned band = 0; band < deal->bands; band++) {
        fit_band(&fits[band], points, cloud, deal, band);
        if (!growth_is_known(&fits[band]))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- Judging */

static bool bands_change_places(const struct cloud *cloud, const struct deal *deal)
{
    double count = (double)cloud->count, same = 0;
    size_t runs = 1;
    for (size_t i = 1; i < cloud->count; i++)
        runs += deal->band[i] != deal->band[i - 1];
    for (unsigned band = 0; band < deal->bands; band++) {
        double share = (double)deal->lines[band].points / count;
        if (share < SHARE_MIN)
            return false;
        same += share * share;
    }
    return (double)runs >= RUNS_MIN * (1 + (count - 1) * (1 - same));
}

static bool ranges_overlap(const struct line *a, const struct line *b)
{
    double shorter = fmin(a->high - a->low, b->high - b->low);
    return fmin(a->high, b->high) - fmax(a->low, b->low) >= OVERLAP_MIN * shorter;
}

/* The median of ln(upper / lower) at the points of two bands. */
static double distance_between(const struct points *points, const struct cloud *cloud,
                               const struct deal *deal, const struct growth_fit *fits, unsigned low)
{
    size_t count = 0;
    for (size_t i = 0; i < cloud->count; i++) {
        double n = points->n[cloud->place[i]];
        if (deal->band[i] == low || deal->band[i] == low + 1)
            cloud->scratch[count++] =
                log_prediction(&fits[low + 1], n) - log_prediction(&fits[low], n);
    }
    gsl_sort(cloud->scratch, 1, count);
    return cloud->scratch[count / 2];
}

/* The least separation of neighbouring bands, or 0 if the division into bands is not valid. */
static double separation_of(const struct points *points, const struct cloud *cloud,
                            const struct deal *deal, const struct growth_fit *fits)
{
    double least = INFINITY;
    if (!bands_change_places(cloud, deal))
        return 0;
    for (unsigned band = 0; band + 1 < deal->bands; band++) {
        double distance = distance_between(points, cloud, deal, fits, band);
        double scatter = fmax(rms_of_fit(&fits[band]), rms_of_fit(&fits[band + 1]));
        if (distance < DISTANCE_MIN || !ranges_overlap(&deal->lines[band], &deal->lines[band + 1]))
            return 0;
        least = fmin(least, distance / fmax(scatter, SCATTER_MIN));
    }
    return least >= SEPARATION_MIN ? least : 0;
}

/* ---------------------------------------------------------------- The search */

/* Numbers the bands by their middle costs, from the cheapest band. */
static void order_bands(const struct cloud *cloud, struct deal *deal)
{
    size_t order[GROWTH_BRANCHES_MAX];
    double middle = (cloud->x[0] + cloud->x[cloud->count - 1]) / 2, at[GROWTH_BRANCHES_MAX];
    struct line lines[GROWTH_BRANCHES_MAX];
    unsigned char rank[GROWTH_BRANCHES_MAX];
    for (unsigned band = 0; band < deal->bands; band++)
        at[band] = deal->lines[band].level + deal->lines[band].slope * middle;
    gsl_sort_index(order, at, 1, deal->bands);
    for (unsigned k = 0; k < deal->bands; k++) {
        rank[order[k]] = (unsigned char)k;
        lines[k] = deal->lines[order[k]];
    }
    for (size_t i = 0; i < cloud->count; i++)
        deal->band[i] = rank[deal->band[i]];
    memcpy(deal->lines, lines, sizeof lines);
}

static bool every_band_has_points(const struct deal *deal)
{
    for (unsigned band = 0; band < deal->bands; band++) {
        if (deal->lines[band].points < GROWTH_BRANCH_SIZES_MIN)
            return false;
    }
    return true;
}

/* Assigns the points to bands first by straight lines, then by each band's fitted curve. */
static double try_bands(unsigned bands, const struct points *points, const struct cloud *cloud,
                        struct deal *best, struct deal *spare, struct growth_fit *fits)
{
    best->bands = spare->bands = bands;
    find_deal(cloud, best, spare);
    if (!every_band_has_points(best))
        return 0;
    order_bands(cloud, best);
    if (!fit_bands(fits, points, cloud, best))
        return 0;
    deal_to_curves(points, cloud, best, fits);
    fit_lines(cloud, best);
    if (!every_band_has_points(best) || !fit_bands(fits, points, cloud, best))
        return 0;
    return separation_of(points, cloud, best, fits);
}

static void accept(struct growth_branches *branches, const struct cloud *cloud,
                   const struct deal *deal, const struct growth_fit *fits, unsigned char *labels)
{
    branches->count = deal->bands;
    for (unsigned band = 0; band < deal->bands; band++) {
        branches->branch[band].fit = fits[band];
        branches->branch[band].points = fits[band].points;
    }
    for (size_t i = 0; labels && i < cloud->count; i++)
        labels[cloud->place[i]] = deal->band[i];
}

/* Tries the larger number of bands first, because data with three bands can pass as two, but data
 * with two bands never pass as three. */
static void search(struct growth_branches *branches, const struct points *points,
                   const struct cloud *cloud, unsigned char *labels)
{
    struct growth_fit fits[GROWTH_BRANCHES_MAX];
    struct deal best = {.band = memory_get_zeroed(cloud->count, 1)};
    struct deal spare = {.band = memory_get_zeroed(cloud->count, 1)};
    for (unsigned bands = GROWTH_BRANCHES_MAX; bands > 1 && branches->count == 1; bands--) {
        branches->separation = try_bands(bands, points, cloud, &best, &spare, fits);
        if (branches->separation > 0)
            accept(branches, cloud, &best, fits, labels);
    }
    free(best.band);
    free(spare.band);
}

/* True if the residuals of a single curve are too small for bands at a distance of DISTANCE_MIN. */
static bool one_curve_is_enough(const struct growth_fit *fit)
{
    return fit->verdict == GROWTH_FEW_POINTS ||
           rms_of_fit(fit) < DISTANCE_MIN * sqrt(SHARE_MIN * (1 - SHARE_MIN));
}

void growth_find_branches(struct growth_branches *branches, const double *n, const double *cost,
                          const double *weight, size_t count, unsigned char *labels)
{
    const struct points points = {n, cost, weight};
    struct cloud cloud;
    *branches = (struct growth_branches){.count = 1};
    growth_fit_points(&branches->branch[0].fit, n, cost, weight, count);
    branches->branch[0].points = branches->branch[0].fit.points;
    if (labels)
        memset(labels, 0, count);
    if (one_curve_is_enough(&branches->branch[0].fit))
        return;
    cloud_allocate(&cloud, count);
    cloud_fill(&cloud, n, cost, weight, count);
    search(branches, &points, &cloud, labels);
    cloud_free(&cloud);
}
