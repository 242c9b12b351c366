/* What code of shared objects that counts its own contexts finds in a program without the runtime.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The executable's own come first if it has some (places.c), since all names here are weak. These count
 * nothing: every routine has the same edge, no place of which knows anyone, and enter.S says so by itself soon.
 */
#include "ground/call_places.h"

#include <stdint.h>

#define WEAK  __attribute__((weak, visibility("default")))
#define TLS   __thread __attribute__((tls_model("initial-exec")))
#define WORDS (CALL_PLACES_EDGE_PLACES / sizeof(void *))

/* In front of the places stands a number that is no routine's, so that each call comes here. */
static void *nothing[WORDS + CALL_PLACES_MOST];
static void *nobody = nothing;

WEAK TLS void **aprof_contexts_place = &nobody;
WEAK TLS void *aprof_contexts_edge;
WEAK TLS uint64_t aprof_contexts_calls;

#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN void contexts_places_enter(void);
extern HIDDEN void *contexts_idle; /* enter.S: what it says at once */
void *contexts_idle;

/* The first place is filled last: other threads look at it. */
void contexts_places_enter(void)
{
    if (!__atomic_load_n(&nothing[WORDS], __ATOMIC_ACQUIRE))
        for (int i = CALL_PLACES_MOST; i-- > 0;)
            __atomic_store_n(&nothing[WORDS + (unsigned)i], (void *)nothing, __ATOMIC_RELEASE);
    aprof_contexts_edge = nothing;
    __atomic_store_n(&contexts_idle, (void *)nothing, __ATOMIC_RELEASE);
}
