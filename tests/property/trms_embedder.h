/* The environment of the trms core in tests of one thread: a lock, and direct-mapped shadows.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_PROPERTY_TRMS_EMBEDDER_H
#define TESTS_PROPERTY_TRMS_EMBEDDER_H

#include "native/trms/shadow/words.h"

#define TRMS_TEST_DIRECT_SHADOWS     6
#define TRMS_TEST_DIRECT_SHADOW_MASK 0x3ffc

/* If not 0, no signal handler runs (trms_quiet_begin). */
extern uint32_t trms_test_quiet;

/* The cells that direct-mapped shadows have words for. */
void trms_test_cells(uint64_t first, uint64_t n);

/* Gives the execution context the direct-mapped shadow of this number, all zero. */
void trms_test_direct_shadow_give(struct trms_exec_context *ctx, unsigned number);

#endif
