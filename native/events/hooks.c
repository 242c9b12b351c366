/* What instrumented programs call for routines and paths: one event into the thread's ring.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Loads and stores are in memory.c.
 */
#include "native/events/hooks.h"

NATIVE_EXPORT void __cyg_profile_func_enter(void *routine, void *site);
NATIVE_EXPORT void __cyg_profile_func_exit(void *routine, void *site);

/* A path has ended, as paths/ numbers them: called by instrumented programs, and by hand.
 * Procedures are below 2^24. */
NATIVE_EXPORT void aprof_event_path(uint32_t procedure, uint64_t number);

void __cyg_profile_func_enter(void *routine, void *site)
{
    (void)site;
    if (events_wanted & EVENT_BIT(EVENT_CALL))
        events_call_enter((uintptr_t)routine);
    else if (events_wanted & EVENT_BIT(EVENT_ENTER))
        events_emit(event_enter((uintptr_t)routine));
}

void __cyg_profile_func_exit(void *routine, void *site)
{
    (void)site;
    if (events_wanted & EVENT_BIT(EVENT_CALL))
        events_call_leave((uintptr_t)routine);
    else if (events_wanted & EVENT_BIT(EVENT_LEAVE))
        events_emit(event_leave((uintptr_t)routine));
}

void aprof_event_path(uint32_t procedure, uint64_t number)
{
    uint64_t words[2];
    struct events_local *local;
    if (!(events_wanted & EVENT_BIT(EVENT_PATH)) || !(local = events_enter()))
        return;
    unsigned n = event_path(words, procedure, number);
    for (unsigned i = 0; i < n; i++)
        events_put(local, words[i]);
    events_leave();
}
