/* A test of native/trms/calls/tallies.h, for test_parallel_trms.c, which has what the core needs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_PROPERTY_TRMS_TALLIES_H
#define TESTS_PROPERTY_TRMS_TALLIES_H

void trms_tallies_add_up(void **state);
void trms_tallies_fold_squares(void **state);

#endif
