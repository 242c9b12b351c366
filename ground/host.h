/* What the freestanding engine asks of the program it lives in.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One implementation stands in the Valgrind tool, one in the test programs (it counts live bytes
 * per site and fails on demand). None of these functions returns on failure: a host that is out of
 * memory says so and ends the process, so that the engine has no half-made state to clean up.
 */
#ifndef GROUND_HOST_H
#define GROUND_HOST_H

#include "ground/basics.h"

/* Small memory, zeroed. `site` names the allocation in the host's statistics
 * ("aprof.profile.points") and must be a string constant. The caller owns the block until
 * host_free. */
void *host_alloc(const char *site, size_t bytes);
void host_free(void *block);

/* Zeroed pages, taken lazily: an untouched page costs no memory. `bytes` is a multiple of 4096.
 * Any page-aligned part of a mapping may be given back on its own. */
void *host_map(const char *site, size_t bytes);
void host_unmap(void *pages, size_t bytes);

/* An invariant does not hold: say where and end the process. */
__attribute__((noreturn)) void host_panic(const char *what, const char *file, int line);

/* Never compiled out. For bad user input there are messages; this is for our own mistakes. */
#define APROF_ASSERT(expr)                                                                         \
    (LIKELY(expr) ? (void)0 : host_panic("assertion failed: " #expr, __FILE__, __LINE__))

#endif
