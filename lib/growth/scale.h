/* Predicts a larger run from several runs of different sizes: costs, shares, risers and reasons.
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
 * The prediction is the geometric mean of two predictions. The curve a + b x^c goes through the
 * three points exactly, because costs are counts, and a is the cost of start-up. If no curve passes
 * through the costs of the runs, a power law is used. The posterior estimate (scale_posterior.h)
 * averages many curves that pass nearby.
 *
 * Validation: the smaller two runs predict the largest. The error of this validation sets the width
 * of the interval. docs/measurements/growth.md has the measurements.
 *
 * A routine with hardly any cost except in the largest run has just begun. The routine's growth is
 * unknown, but it counts as a riser: earlier rules missed mostly risers of this kind.
 *
 * A function that was inlined has no calls, but the reports have its cost. If that is at least
 * SCALE_INLINED_SHARE of the largest run, the function has a row of its own. Calls and inputs of
 * the row are taken from the routine around it. The cost of the row is subtracted from the self
 * cost of the outer routine.
 *
 * If there are more than SCALE_RUNS runs, the largest are used: in small runs start-up dominates.
 */
#ifndef LIB_GROWTH_SCALE_H
#define LIB_GROWTH_SCALE_H

#include "lib/report/report.h"

#define SCALE_RUNS  3
#define SCALE_TIMES 10.0 /* the predicted size divided by the largest measured one */

/* A routine rises if its share grows by a quarter and by one percent of the total. The limits for
 * the prediction are slightly lower, because missing a riser is worse than naming a routine that
 * rises less. */
#define SCALE_RISE_FACTOR 1.2
#define SCALE_RISE_POINTS 0.9

/* A smaller inlined function is part of the routine around it: its growth would be noise. */
#define SCALE_INLINED_SHARE 0.01

/* One quantity against the size of the run. */
struct scale_outlook {
    double later, low, high; /* at SCALE_TIMES the largest size; 90 % interval */
    bool is_known;           /* the interval is narrow enough to be useful */
    double exponent;         /* of the power law; 1: in proportion to the size */
    double a, b, c;          /* a + b x^c goes through the runs; b is 0 if no curve does */
    double error; /* |ln(predicted / measured)| of the largest run; INFINITY: not validated */
    bool begun;   /* has cost in the largest run only, or nearly so */
    bool steady;  /* of three runs: as steep in the second step as in the first */
    bool step; /* of three runs: the largest exceeds its prediction by far, or no curve explains it
                */
};

/* `size` ascends; `count` is 2 to SCALE_RUNS. */
void scale_extrapolate(struct scale_outlook *outlook, const double *size, const double *value,
                       size_t count);

enum scale_reason {
    SCALE_MORE_CALLS = 1,     /* the number of calls grows faster than the run's size */
    SCALE_LARGER_INPUTS = 2,  /* a call costs more, and its mean input grows */
    SCALE_COSTLIER_CALLS = 4, /* a call costs more than its mean input explains */
    SCALE_JUST_BEGUN = 8      /* it has hardly any cost in smaller runs */
};

struct scale_routine {
    const struct report_routine *routine; /* from the largest run that has the routine */
    const struct report *report;
    const char *inlined; /* function that is inlined into the routine; NULL: the routine itself */
    double cost[SCALE_RUNS], calls[SCALE_RUNS],
        input[SCALE_RUNS];        /* self cost; calls; mean input */
    struct scale_outlook outlook; /* of the self cost */
    double calls_exponent, input_exponent;
    double share, share_later, share_low, share_high; /* of all self cost, in percent */
    bool rises;
    unsigned reasons; /* set of scale_reason, if the self cost outgrows the run's size */
};

struct scale {
    size_t runs;
    double size[SCALE_RUNS], total[SCALE_RUNS];
    double total_later;
    const char *axis; /* origin of the sizes: "given", "carried by the reports", "external input" */
    VECTOR(struct scale_routine) list; /* by predicted cost, descending */
};

/* `sizes` may be NULL: then the sizes in the reports are the axis, else the external input. The
 * reports must outlive the result; their threads are merged. `with_inlined`: inlined functions have
 * rows of their own. False if there is no axis. */
bool scale_make(struct scale *scale, const struct report *const *reports, const double *sizes,
                size_t count, enum report_metric metric, bool with_inlined, struct failure *why);
void scale_free(struct scale *scale);

/* Removes routines of system libraries from the list. Shares still refer to all self cost. */
void scale_keep_mine(struct scale *scale);

/* The name of the routine; code without a file is one routine. */
const char *scale_routine_name(const struct scale_routine *routine);

/* "inversions (inlined in worker)" for an inlined function; the caller frees it. */
char *scale_routine_words(const struct scale_routine *routine);

/* "more calls, larger inputs", or "in proportion"; the caller frees it. */
char *scale_reason_words(const struct scale_routine *routine);

/* "n^1.98", or "1" for no growth; the caller frees it. */
char *scale_growth_words(const struct scale_routine *routine);

#endif
