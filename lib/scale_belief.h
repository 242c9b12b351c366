/* What many curves say of a larger run, each believed as far as three runs bear it out.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One curve goes through three points exactly, and takes each wobble for a law: a table that happens to be
 * searched for long in the largest run, a block more than the size would give. Here costs are a curve times
 * noise, and neither is known:
 *
 *     a + b x^c      half of the time c is 1; else it is spread around 1. Mostly there is an offset a,
 *                    which start-up costs and which is any part of the largest run; seldom a is below 0
 *     a - b x^-c     a fifth: what saturates, as words do in a text
 *
 * and the noise is from 0.05 to 40 percent, or an eighth of a call where calls are few. Each curve counts by
 * how likely it is before any run, and by how likely it makes the costs of the three (Bayes). The answer is
 * the mean of what they all say, in logarithms.
 */
#ifndef LIB_SCALE_BELIEF_H
#define LIB_SCALE_BELIEF_H

/* The cost at `times` the largest of three sizes, which ascend; costs and calls are above 0. */
double scale_belief_foretell(const double *size, const double *cost, const double *calls,
                             double times);

#endif
