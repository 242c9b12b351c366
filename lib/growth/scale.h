/* Predicts costs, shares and risers of a larger run, with reasons, from runs of different sizes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One run shows the cost of a call at each input size. Only several runs show how many calls a
 * larger run makes, and how large the inputs of these calls are. For each routine, the self cost is
 * a function of the size of the run:
 *
 *     size of the run        1000    2000     4000    40 000
 *     self cost of append    12 600  50 200  200 400     predicted: 0.0125 n^2 = 20 000 000
 *     its calls              1000    2000    4000
 *
 * The prediction is the geometric mean of the exact curve's prediction and the posterior estimate.
 * The exact curve a + b x^c goes through the three points, because costs are counts; a is the cost
 * of start-up. If no curve passes through the costs of the runs, a power law is used. The posterior
 * estimate (scale_posterior.h) is an average of many curves near the points.
 *
 * Validation: the smaller two runs predict the largest. The error of the validation sets the width
 * of the interval. docs/measurements/growth.md has the measurements.
 *
 * A routine with hardly any cost except in the largest run has the state "just begun". The growth
 * of such a routine is unknown, but the routine counts as a riser. Before this rule, most of the
 * risers that were not predicted had just begun.
 *
 * A function that was inlined has no calls, but the reports have its cost. If the function's cost
 * is at least SCALE_INLINED_SHARE of the largest run, the function has a row of its own. This row
 * has the calls and inputs of the routine into which the function is inlined. The cost of the
 * inlined function is subtracted from the self cost of the routine.
 *
 * If there are more than SCALE_RUNS runs, the largest are used: in small runs start-up dominates.
 */
#ifndef LIB_GROWTH_SCALE_H
#define LIB_GROWTH_SCALE_H

#include "lib/report/report.h"

#define SCALE_RUNS  3
#define SCALE_TIMES 10.0 /* predicted size divided by the largest measured size */

/* A routine counts as rising if its share grows by a quarter and by one percent of the total. The
 * limits for predicted shares are slightly lower, because missing a riser is worse than naming a
 * routine that rises less. */
#define SCALE_RISE_FACTOR 1.2
#define SCALE_RISE_POINTS 0.9

/* An inlined function with a share below this limit has no row of its own, because its growth would
 * be noise. */
#define SCALE_INLINED_SHARE 0.01

/* The growth of one quantity with the size of the run. */
struct scale_outlook {
    double later, low, high; /* value at SCALE_TIMES the largest size, with a 90 % interval */
    bool is_known;           /* whether the interval is narrow enough to be useful */
    double exponent;         /* exponent of the power law; 1: in proportion to the size */
    double a, b, c;          /* curve a + b x^c through the runs; b is 0 if no curve passes through
                              * the runs */
    double error; /* error |ln(predicted / measured)| of the largest run; INFINITY: not validated */
    bool begun;   /* whether nearly all cost is in the largest run */
    bool steady;  /* whether the second step between three runs is as steep as the first */
    bool step; /* whether the cost of the largest of three runs is far above its prediction, or fits
                * no curve
                */
};

/* `size` ascends; `count` is 2 to SCALE_RUNS. */
void scale_extrapolate(struct scale_outlook *outlook, const double *size, const double *value,
                       size_t count);

enum scale_reason {
    SCALE_MORE_CALLS = 1,     /* the number of calls grows faster than the run's size */
    SCALE_LARGER_INPUTS = 2,  /* the mean cost and the mean input of a call grow */
    SCALE_COSTLIER_CALLS = 4, /* the mean cost of a call grows more than the mean input explains */
    SCALE_JUST_BEGUN = 8      /* the routine has hardly any cost in smaller runs */
};

struct scale_routine {
    const struct report_routine *routine; /* routine, from the largest run that has it */
    const struct report *report;
    const char *inlined; /* function inlined into the routine; NULL: the row is the routine
                          * itself */
    /* for each run, the self cost, the number of calls, and the mean input of a call */
    double cost[SCALE_RUNS], calls[SCALE_RUNS], input[SCALE_RUNS];
    struct scale_outlook outlook; /* growth of the self cost */
    double calls_exponent, input_exponent;
    double share, share_later, share_low, share_high; /* share of all self cost, in percent */
    bool rises;
    /* bits of enum scale_reason; 0 unless the self cost grows faster than the run's size */
    unsigned reasons;
};

struct scale {
    size_t runs;
    double size[SCALE_RUNS], total[SCALE_RUNS];
    double total_later;
    const char *axis; /* text that states where the sizes come from: "given", "carried by the
                       * reports", "external input" */
    VECTOR(struct scale_routine) list; /* rows by predicted cost, descending */
};

/* If `sizes` is NULL, the sizes in the reports are the axis. If the reports have no sizes, the
 * external input is the axis. The reports must outlive the result; their threads are merged.
 * If `with_inlined` is true, inlined functions have rows of their own. Returns false if no sizes of
 * the runs can be found. */
bool scale_make(struct scale *scale, const struct report *const *reports, const double *sizes,
                size_t count, enum report_metric metric, bool with_inlined, struct failure *why);
void scale_free(struct scale *scale);

/* Removes the rows of routines in system libraries. The shares still refer to the self cost of all
 * routines. */
void scale_keep_mine(struct scale *scale);

/* The name of the routine; all code without a file is one routine. */
const char *scale_routine_name(const struct scale_routine *routine);

/* The name of the row: "inversions (inlined in worker)" for an inlined function. The caller frees
 * the text. */
char *scale_routine_words(const struct scale_routine *routine);

/* The reasons of a row: "more calls, larger inputs", or "in proportion". The caller frees the
 * text. */
char *scale_reason_words(const struct scale_routine *routine);

/* The exponent as text: "n^1.98", or "1" for no growth. The caller frees the text. */
char *scale_growth_words(const struct scale_routine *routine);

#endif
