/* Sums of one or two growth terms, a + b f(n) + c g(n), fitted to one cost for each input size.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     struct growth_sizes sizes;
 *     struct growth_terms terms;
 *     growth_sizes_make(&sizes, n, cost, weight, count);      ascending, one cost for each n
 *     growth_terms_fit(&terms, GROWTH_LINEAR, &sizes, sizes.count);
 *     growth_terms_error(&terms, &sizes, from, sizes.count);  typical |ln(measured / predicted)|
 *     growth_sizes_free(&sizes);
 */
#ifndef LIB_GROWTH_GROWTH_TERMS_H
#define LIB_GROWTH_GROWTH_TERMS_H

#include "lib/growth/growth.h"

struct growth_sizes {
    size_t count;
    double *n, *cost, *weight;
};

/* f is the leading term. The factor b is above 0; c is 0 for a single term, and may be negative if
 * f is n^2. */
struct growth_terms {
    double a, b, c;
    enum growth_class f, g;
};

/* Ignores points that growth.h does not use, and averages the costs of equal sizes. */
void growth_sizes_make(struct growth_sizes *s, const double *n, const double *cost,
                       const double *weight, size_t count);
void growth_sizes_free(struct growth_sizes *s);

/* The noise of the first `count` sizes: 0.1 is 10 %. The noise is the median distance of a cost
 * from the line between its neighbours' costs. If neighbours have equal costs, the noise is at
 * least the rounding error. */
double growth_sizes_scatter(const struct growth_sizes *s, size_t count);

double growth_terms_value(const struct growth_terms *terms, double n);

/* Fits one class to the first `count` sizes; false if the cost does not rise. */
bool growth_terms_fit(struct growth_terms *terms, enum growth_class class,
                      const struct growth_sizes *s, size_t count);

/* Fits terms->f and terms->g by least squares of relative errors; false if the sum falls
 * somewhere. */
bool growth_terms_fit_two(struct growth_terms *terms, const struct growth_sizes *s, size_t count);

/* The pairs of terms that are tried, with the leading term first. */
#define GROWTH_PAIRS 5
extern const enum growth_class growth_pairs[GROWTH_PAIRS][2];

/* The root mean square of ln(measured / predicted) over the sizes [from, end). */
double growth_terms_error(const struct growth_terms *terms, const struct growth_sizes *s,
                          size_t from, size_t end);

/* The sum of terms as text: "0.5 n^2 + 60 n - 12". The caller frees the text. */
char *growth_terms_words(const struct growth_terms *terms, double n_max);

#endif
