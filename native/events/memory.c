/* Loads and stores: the hooks that compilers put into code for -fsanitize=thread.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * libtsan is not linked. native/base/atomics.c, which the events runtime and the TRMS runtime
 * share, performs atomic operations and records them by watch_access.
 */
#include "native/events/hooks.h"
#include "native/base/watch.h"

/* ---------------------------------------------------------------- any access */

APROF_INLINE void access(enum event_word_kind kind, uintptr_t address, unsigned bytes)
{
    if (events_wanted & EVENT_BIT(kind))
        events_emit(event_access(kind, address, bytes));
}

/* A long access becomes several events. */
static APROF_NOINLINE void access_range(enum event_word_kind kind, uintptr_t address, size_t bytes)
{
    while (bytes) {
        unsigned part = bytes < EVENT_ACCESS_MAX_BYTES ? (unsigned)bytes : EVENT_ACCESS_MAX_BYTES;
        access(kind, address, part);
        address += part;
        bytes -= part;
    }
}

void watch_access(uintptr_t address, size_t bytes, enum watch_kind kind)
{
    if (kind != WATCH_WRITE)
        access(EVENT_LOAD, address, (unsigned)bytes);
    if (kind != WATCH_READ)
        access(EVENT_STORE, address, (unsigned)bytes);
}

/* Synchronisation is not recorded: the events of different threads have no common order. */
void watch_thread_sync(void)
{
}

/* ---------------------------------------------------------------- hooks */

#define HOOK(name, ...)                                                                            \
    NATIVE_EXPORT void name(__VA_ARGS__);                                                          \
    void name(__VA_ARGS__)

#define HOOKS(prefix, bytes)                                                                       \
    HOOK(prefix##_read##bytes, void *at)                                                           \
    {                                                                                              \
        access(EVENT_LOAD, (uintptr_t)at, bytes);                                                  \
    }                                                                                              \
    HOOK(prefix##_write##bytes, void *at)                                                          \
    {                                                                                              \
        access(EVENT_STORE, (uintptr_t)at, bytes);                                                 \
    }

#define HOOKS_OF_ALL_SIZES(prefix)                                                                 \
    HOOKS(prefix, 2) HOOKS(prefix, 4) HOOKS(prefix, 8) HOOKS(prefix, 16)

HOOKS(__tsan, 1)
HOOKS_OF_ALL_SIZES(__tsan)
HOOKS_OF_ALL_SIZES(__tsan_unaligned)
HOOKS(__tsan_volatile, 1)
HOOKS_OF_ALL_SIZES(__tsan_volatile)
HOOKS_OF_ALL_SIZES(__tsan_unaligned_volatile)

#define READ_WRITE_HOOK(name, bytes)                                                               \
    HOOK(name##bytes, void *at)                                                                    \
    {                                                                                              \
        access(EVENT_LOAD, (uintptr_t)at, bytes);                                                  \
        access(EVENT_STORE, (uintptr_t)at, bytes);                                                 \
    }
READ_WRITE_HOOK(__tsan_read_write, 1)
READ_WRITE_HOOK(__tsan_read_write, 2)
READ_WRITE_HOOK(__tsan_read_write, 4)
READ_WRITE_HOOK(__tsan_read_write, 8)
READ_WRITE_HOOK(__tsan_read_write, 16)
READ_WRITE_HOOK(__tsan_unaligned_read_write, 2)
READ_WRITE_HOOK(__tsan_unaligned_read_write, 4)
READ_WRITE_HOOK(__tsan_unaligned_read_write, 8)
READ_WRITE_HOOK(__tsan_unaligned_read_write, 16)

HOOK(__tsan_vptr_update, void **at, void *value)
{
    (void)value;
    access(EVENT_STORE, (uintptr_t)at, sizeof *at);
}

HOOK(__tsan_vptr_read, void **at)
{
    access(EVENT_LOAD, (uintptr_t)at, sizeof *at);
}

HOOK(__tsan_read_range, void *at, size_t bytes)
{
    access_range(EVENT_LOAD, (uintptr_t)at, bytes);
}

HOOK(__tsan_write_range, void *at, size_t bytes)
{
    access_range(EVENT_STORE, (uintptr_t)at, bytes);
}

NATIVE_EXPORT void *__tsan_memcpy(void *to, const void *from, size_t bytes);
NATIVE_EXPORT void *__tsan_memmove(void *to, const void *from, size_t bytes);
NATIVE_EXPORT void *__tsan_memset(void *at, int byte, size_t bytes);

void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    access_range(EVENT_LOAD, (uintptr_t)from, bytes);
    access_range(EVENT_STORE, (uintptr_t)to, bytes);
    return memcpy(to, from, bytes);
}

void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    access_range(EVENT_LOAD, (uintptr_t)from, bytes);
    access_range(EVENT_STORE, (uintptr_t)to, bytes);
    return memmove(to, from, bytes);
}

void *__tsan_memset(void *at, int byte, size_t bytes)
{
    access_range(EVENT_STORE, (uintptr_t)at, bytes);
    return memset(at, byte, bytes);
}

/* -finstrument-functions reports routines. */
HOOK(__tsan_func_entry, void *caller)
{
    (void)caller;
}

HOOK(__tsan_func_exit, void)
{
}

HOOK(__tsan_init, void)
{
}
