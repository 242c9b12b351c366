/* Writes one event per call, with caller and callee from a stack that the hooks maintain.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A call graph needs pairs of caller and callee. In a sample, earlier events may be missing, so
 * each event must contain both the caller and the callee. While EVENT_CALL is requested, the thread
 * therefore keeps a stack of its active routines. One EVENT_CALL with two 30-bit codes represents a
 * call; the end of a call is not an event. The code of a routine in the executable is its distance
 * from the executable's beginning; other routines get a number from a lock-free table.
 *
 * Activations that were left by longjmp or an exception end when one of their callers ends.
 */
#include "native/events/hooks.h"

#include "ground/pages.h"

/* codes below this number are distances from the executable's beginning; higher codes index
 * `far` */
#define NEAR_CODES (1u << 29)
#define FAR_SLOTS  (1u << 18)

/* The linker's name for the lowest address of the executable. */
extern const char __executable_start[] __attribute__((visibility("hidden")));

/* hash table of routines' addresses, with open addressing; 0: a free slot. The words are atomic,
 * and each is written once. */
static uintptr_t *far;

/* ---------------------------------------------------------------- codes */

/* Returns the code of a routine outside the executable: NEAR_CODES plus the index of the routine's
 * slot in `far`. A new routine gets a free slot. The table has space for 2^18 routines of
 * libraries, so it is never full. */
static APROF_NOINLINE uint32_t code_far(uintptr_t routine)
{
    uint32_t slot = (uint32_t)((routine >> 2) * 0x9e3779b1u) % FAR_SLOTS;
    for (uint32_t tried = 0; tried < FAR_SLOTS; tried++, slot = (slot + 1) % FAR_SLOTS) {
        uintptr_t there = __atomic_load_n(&far[slot], __ATOMIC_RELAXED);
        if (!there && __atomic_compare_exchange_n(&far[slot], &there, routine, 0, __ATOMIC_RELAXED,
                                                  __ATOMIC_RELAXED))
            return NEAR_CODES + slot;
        if (there == routine)
            return NEAR_CODES + slot;
    }
    return 0;
}

APROF_INLINE uint32_t code_of(uintptr_t routine)
{
    uintptr_t distance = routine - (uintptr_t)__executable_start;
    return LIKELY(distance < NEAR_CODES) ? (uint32_t)distance : code_far(routine);
}

uint64_t events_routine_of_code(void *context, uint32_t code)
{
    (void)context;
    if (code == 0) /* code 0 is the ELF header, which is not a routine */
        return 0;
    if (code < NEAR_CODES)
        return (uintptr_t)__executable_start + code;
    return __atomic_load_n(&far[code - NEAR_CODES], __ATOMIC_RELAXED);
}

void events_calls_init(void)
{
    far = host_map("events.codes", FAR_SLOTS * sizeof *far);
}

/* ---------------------------------------------------------------- the stack */

static APROF_NOINLINE void stack_grow(struct events_calls *calls)
{
    calls->codes = pages_grow("events.calls", calls->codes, &calls->capacity, calls->depth + 1,
                              sizeof *calls->codes);
}

void events_calls_release(struct events_calls *calls)
{
    pages_free(calls->codes, calls->capacity, sizeof *calls->codes);
    *calls = (struct events_calls){0};
}

void events_call_enter(uintptr_t routine)
{
    struct events_local *local = events_enter();
    if (UNLIKELY(!local))
        return;
    struct events_calls *calls = &local->calls;
    uint32_t code = code_of(routine);
    if (UNLIKELY(calls->depth == calls->capacity))
        stack_grow(calls);
    events_put(local, event_call(calls->depth ? calls->codes[calls->depth - 1] : 0, code));
    calls->codes[calls->depth++] = code;
    events_leave();
}

void events_call_leave(uintptr_t routine)
{
    struct events_local *local = events_enter();
    if (UNLIKELY(!local))
        return;
    struct events_calls *calls = &local->calls;
    uint32_t code = code_of(routine), depth = calls->depth;
    while (depth && calls->codes[depth - 1] != code)
        depth--;
    if (depth)
        calls->depth = depth - 1;
    events_leave();
}
