/* Fallbacks for shared objects that count their own contexts, in a program without the runtime.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All names in this file are weak, so the executable's definitions (places.c) take precedence. The
 * functions count nothing, because all routines get the same edge.
 */
#include "ground/call_places.h"

#include <stdint.h>

#define WEAK  __attribute__((weak, visibility("default")))
#define TLS   __thread __attribute__((tls_model("initial-exec")))
#define WORDS (CALL_PLACES_EDGE_PLACES / sizeof(void *))

/* The edge's initial number belongs to no routine, so the first call takes the slow path.
 * After the first call, the number is CALL_PLACES_OFF. */
static void *nothing[WORDS + CALL_PLACES_MOST];
static void *nobody = nothing;

WEAK TLS void **aprof_contexts_place = &nobody;
WEAK TLS uint64_t aprof_contexts_calls;

#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN void *contexts_places_enter(void);

#if defined(__x86_64__)
/* The edge's number is stored last, because other threads read the number. */
void *contexts_places_enter(void)
{
    for (unsigned i = 0; i < CALL_PLACES_MOST; i++)
        __atomic_store_n(&nothing[WORDS + i], (void *)nothing, __ATOMIC_RELAXED);
    __atomic_store_n(&nothing[0], (void *)(uintptr_t)CALL_PLACES_OFF, __ATOMIC_RELEASE);
    return nothing;
}
#else
/* Inline code uses plain loads for the number and for a place, and arm64 may execute plain loads in
 * any order. So the edge's number stays unknown, and inline code calls this function at each call.
 * This acquire load pairs with the release store of places[0], which is stored after all other
 * places. */
void *contexts_places_enter(void)
{
    if (__atomic_load_n(&nothing[WORDS], __ATOMIC_ACQUIRE))
        return nothing;
    for (unsigned i = CALL_PLACES_MOST; i-- > 0;)
        __atomic_store_n(&nothing[WORDS + i], (void *)nothing, __ATOMIC_RELEASE);
    return nothing;
}
#endif
