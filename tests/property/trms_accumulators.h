/* A test of native/trms/calls/accumulators.h for test_parallel_trms.c, which has the rest.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_PROPERTY_TRMS_ACCUMULATORS_H
#define TESTS_PROPERTY_TRMS_ACCUMULATORS_H

void trms_accumulators_add_up(void **state);
void trms_accumulators_fold_squares(void **state);

#endif
