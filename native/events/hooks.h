/* The hot path of every hook of the events runtime.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * As in Figure 3(a) of paper 001, an event takes one load, one test and one store. A guard around
 * the store prevents hooks from running inside other hooks. Without the guard, a signal handler
 * could write an event in the middle of another event, and corrupt the ring.
 */
#ifndef NATIVE_EVENTS_HOOKS_H
#define NATIVE_EVENTS_HOOKS_H

#include "native/events/runtime.h"

/* Marks the calling thread as inside a hook and returns the thread's record. Returns NULL if no
 * events may be emitted now. */
APROF_INLINE struct events_local *events_enter(void)
{
    struct native_thread *self = native_self;
    if (UNLIKELY(!self) && !(self = native_thread_attach()))
        return NULL;
    if (UNLIKELY(!native_enter(self)))
        return NULL;
    return native_thread_data(self);
}

APROF_INLINE void events_leave(void)
{
    native_leave(native_self);
}

/* A slot is free if it is clear (0). If the thread may overwrite slots, every slot is free except
 * for the slot at the end of the chunk. Acquire and release order are as in cab_enqueue64 and
 * cab_overwrite64.
 *
 * Cost of an event: the load and the store access the same word, next to the previous event's word.
 * The consumer last touched this cache line when it cleared the line, one pass through the ring
 * earlier. Producer and consumer never access the same word at the same time, and no locked
 * instruction is needed. The slot is not clear at the end of the chunk, in a full ring, and at the
 * end of a batch in sequential mode. So one test detects all three cases. */
APROF_INLINE void events_put(struct events_local *local, uint64_t event)
{
    _Atomic uint64_t *slot = local->cursor.slot;
    uint64_t word = atomic_load_explicit(slot, memory_order_acquire);
    if (UNLIKELY(word > local->highest))
        slot = events_slot(local);
    atomic_store_explicit(slot, event, memory_order_release);
    local->cursor.slot = slot + 1;
}

APROF_INLINE void events_emit(uint64_t event)
{
    struct events_local *local = events_enter();
    if (UNLIKELY(!local))
        return;
    events_put(local, event);
    events_leave();
}

#endif
