/* A test of native/trms/calls/accumulators.h, called by test_parallel_trms.c.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_PROPERTY_TRMS_ACCUMULATORS_H
#define TESTS_PROPERTY_TRMS_ACCUMULATORS_H

void trms_accumulators_add_up(void **state);
void trms_accumulators_fold_squares(void **state);

#endif
