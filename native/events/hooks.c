/* The hooks for routines and paths: each writes one event into the thread's ring.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Hooks for loads and stores are in memory.c. Inline instrumentation (ground/event_code.h) writes
 * events into the ring like events_emit, and calls these hooks only if this write fails.
 */
#include "native/events/hooks.h"

#include "ground/event_code.h"

NATIVE_EXPORT void __cyg_profile_func_enter(void *routine, void *site);
NATIVE_EXPORT void __cyg_profile_func_exit(void *routine, void *site);

/* Reports that a path with this number has ended. Instrumented programs, and sources that emit
 * events by hand, call this function. Numbers of procedures are below 2^24. */
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

_Static_assert((int)EVENT_CODE_ENTER == EVENT_ENTER && (int)EVENT_CODE_LEAVE == EVENT_LEAVE &&
                   (int)EVENT_CODE_CALL == EVENT_CALL && NATIVE_OPEN == 0,
               "event kinds equal the constants of inline code");
_Static_assert((int)EVENT_CODE_KIND_SHIFT == EVENT_KIND_SHIFT,
               "event words have the layout of inline code");
_Static_assert(offsetof(struct native_thread, idle) == EVENT_CODE_IDLE &&
                   sizeof(struct native_thread) + offsetof(struct events_local, cursor.slot) ==
                       EVENT_CODE_SLOT &&
                   sizeof(struct native_thread) + offsetof(struct events_local, highest) ==
                       EVENT_CODE_HIGHEST,
               "a thread's record has the layout of inline code");

/* aprof_events_tell, which preserves registers, calls this function. */
NATIVE_HIDDEN void events_slow(uint64_t event);

void events_slow(uint64_t event)
{
    void *routine = (void *)(uintptr_t)event_routine(event);
    if (event_kind_of(event) == EVENT_ENTER)
        __cyg_profile_func_enter(routine, NULL);
    else
        __cyg_profile_func_exit(routine, NULL);
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
