/* The functions that the freestanding engine requires from its host program.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The Valgrind tool and users' programs have implementations of these functions. The test programs
 * have another implementation, which counts live bytes per site and simulates failures on demand.
 * No function returns on failure: a host without memory writes a message and ends the process. So
 * the engine never has to clean up a partial state.
 */
#ifndef GROUND_HOST_H
#define GROUND_HOST_H

#include "ground/basics.h"

/* Allocates small memory, zeroed. `site` names the allocation in the host's statistics
 * ("aprof.profile.points") and must be a string constant. The caller owns the block until
 * host_free. */
void *host_alloc(const char *site, size_t bytes);
void host_free(void *block);

/* Maps zeroed pages, which take memory only when they are touched. `bytes` is a multiple of 4096.
 * Any page-aligned part of a mapping may be unmapped on its own. */
void *host_map(const char *site, size_t bytes);
void host_unmap(void *pages, size_t bytes);

/* Reports a violated invariant and its source position, then ends the process. */
__attribute__((noreturn)) void host_panic(const char *what, const char *file, int line);

/* An assertion that is never compiled out. Assertions check internal invariants; invalid user input
 * causes a message instead. */
#define APROF_ASSERT(expr)                                                                         \
    (LIKELY(expr) ? (void)0 : host_panic("assertion failed: " #expr, __FILE__, __LINE__))

#endif
