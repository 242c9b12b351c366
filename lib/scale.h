/* What several runs of different sizes say of a larger one: costs, shares, who rises and why.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One run tells what a call costs at each size of its own input. It does not tell how many calls
 * there will be, nor which inputs they will get, when the whole job grows; several runs do. For
 * each routine the cost of its own code is a function of the size of the run:
 *
 *     size of the run        1000    2000     4000    40 000
 *     own cost of append    12 600  50 200  200 400     foretold: 0.0125 n^2 = 20 000 000
 *     its calls              1000    2000    4000
 *
 * Costs are extrapolated by a + b x^c, which goes through the three points exactly: counts have no
 * noise, and a is what start-up costs. Where no such curve does, by a power law. How far to trust a
 * number is told by a prophecy that could be checked: the largest run, foretold from the smaller
 * two. docs/measurements/growth.md has what was measured.
 *
 * What has hardly any cost but in the largest run has just begun. Nothing tells yet how it grows, but
 * it is said to rise: of all that was missed, most was that.
 *
 * Of more than SCALE_RUNS runs the largest are used: in small ones start-up dominates.
 */
#ifndef LIB_SCALE_H
#define LIB_SCALE_H

#include "lib/report.h"

#define SCALE_RUNS  3
#define SCALE_TIMES 10.0 /* how much larger the run is that is foretold */

/* A routine rises when its share grows by a quarter, and by a point. It is said to where it is foretold
 * to do so, or nearly so: to miss one is worse than to name one that rises by a little less. */
#define SCALE_RISE_FACTOR 1.2
#define SCALE_RISE_POINTS 0.9

/* One quantity against the size of the run. */
struct scale_outlook {
    double later, low, high; /* at SCALE_TIMES the largest size; nine in ten lie within */
    double exponent;         /* of the power law: 1 is in proportion to the size */
    double a, b, c;          /* a + b x^c goes through the runs; b is 0 where no such curve does */
    double error; /* |ln(foretold / measured)| of the largest run; INFINITY: not tested */
    bool begun;   /* in the largest run only, or nearly so */
    bool steady;  /* of three: as steep in the second step as in the first */
    bool step;    /* of three: the largest is far more than foretold, or no curve explains it */
};

/* `size` ascends; `count` is 2 to SCALE_RUNS. */
void scale_extrapolate(struct scale_outlook *outlook, const double *size, const double *value,
                       size_t count);

enum scale_reason {
    SCALE_MORE_CALLS = 1,    /* calls outgrow the run */
    SCALE_LARGER_INPUTS = 2, /* a call costs more, and its mean input grows */
    SCALE_DEARER_CALLS = 4,  /* a call costs more than its mean input explains */
    SCALE_JUST_BEGUN = 8     /* it has hardly any cost in smaller runs */
};

struct scale_routine {
    const struct report_routine *routine; /* of the largest run that has it */
    const struct report *report;
    double cost[SCALE_RUNS], calls[SCALE_RUNS], input[SCALE_RUNS]; /* own cost; mean input */
    struct scale_outlook outlook;                                  /* of the own cost */
    double calls_exponent, input_exponent;
    double share, share_later, share_low, share_high; /* of all own cost, in percent */
    bool rises;
    unsigned reasons; /* set of scale_reason, where the own cost outgrows the run's size */
};

struct scale {
    size_t runs;
    double size[SCALE_RUNS], total[SCALE_RUNS];
    double total_later;
    const char *axis; /* what the sizes are: "given", "carried by the reports", "external input" */
    VECTOR(struct scale_routine) list; /* the dearest at SCALE_TIMES the size first */
};

/* `sizes` may be NULL: then what the reports carry is the axis, else the external input. The
 * reports must outlive the result; their threads are merged. False if there is no axis. */
bool scale_make(struct scale *scale, const struct report *const *reports, const double *sizes,
                size_t count, enum report_metric metric, struct failure *why);
void scale_free(struct scale *scale);

/* "more calls, larger inputs", or "in proportion"; the caller frees it. */
char *scale_reason_words(const struct scale_routine *routine);

/* "n^1.98", or "1" for what does not grow; the caller frees it. */
char *scale_growth_words(const struct scale_routine *routine);

#endif
