/* Fallbacks for instrumented shared libraries in programs without the runtime; they do nothing.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program without the profiler may load a library (a plugin, Python's ctypes) that was compiled
 * with the profiler. All names in this file are weak, so the definitions of an executable take
 * precedence. stubs.S has the names of the compiler's hooks and of functions that keep registers.
 * native/base/atomics.c performs atomic operations.
 */
#include "native/base/watch.h"
#include "native/trms/state.h"

#include "ground/event_code.h"

#define WEAK __attribute__((weak, visibility("default")))
#define TLS  __thread __attribute__((tls_model("initial-exec")))

/* ---------------------------------------------------------------- Inline checks of input sizes */

/* The records of an activation and, before it, of its caller. */
static struct trms_activation no_stack[2] = {{.near = ~0u}, {.near = ~0u}};
static struct trms_activation not_found = {.stamp = ~0u};
static uint32_t nowhere[TRMS_NOWHERE];

/* The fields that inline code reads (ground/trms_words.h). Their values are the same as in
 * native/trms/runtime.c for a thread without profile. With these values, each inline check calls a
 * function of this file, which does nothing. */
static struct {
    uint64_t stamp, cost;
    uint32_t floor, call_limit;
    uintptr_t direct_shadow, mask;
    uint32_t careful, synced, time_limit;
    struct trms_activation *activation, *stack;
    void *unused[4];
    struct trms_activation *found;
} nobody = {
    .floor = ~0u,
    .direct_shadow = (uintptr_t)&nowhere[TRMS_NOWHERE_FIRST],
    .mask = TRMS_NOWHERE_MASK,
    .careful = 1,
    .activation = &no_stack[1],
    .stack = &no_stack[1],
    .found = &not_found,
};

#define IS_AT(field, offset)                                                                       \
    _Static_assert(__builtin_offsetof(__typeof__(nobody), field) == offset, #field)
IS_AT(stamp, TRMS_WORDS_STAMP);
IS_AT(cost, TRMS_WORDS_COST);
IS_AT(floor, TRMS_WORDS_FLOOR);
IS_AT(direct_shadow, TRMS_WORDS_DIRECT_SHADOW);
IS_AT(mask, TRMS_WORDS_MASK);
IS_AT(careful, TRMS_WORDS_CAREFUL);
IS_AT(synced, TRMS_WORDS_SYNCED);
IS_AT(activation, TRMS_WORDS_ACTIVATION);
IS_AT(stack, TRMS_WORDS_STACK);
IS_AT(found, TRMS_WORDS_FOUND);
_Static_assert(sizeof(struct trms_activation) == -TRMS_WORDS_CALLER, "an activation below another");

WEAK TLS void *aprof_trms_exec_context = &nobody;

/* Returns 0, so that the version without measurement runs. The function must change no register
 * except rax; a function that only returns a constant needs no other register. */
WEAK uint32_t aprof_trms_choose(const uintptr_t *slot, void *sampling);
uint32_t aprof_trms_choose(const uintptr_t *slot, void *sampling)
{
    (void)slot, (void)sampling;
    return 0;
}

/* ---------------------------------------------------------------- Events from inline code */

WEAK TLS void *aprof_events_self;
WEAK uint32_t aprof_events_wanted, aprof_native_gate;

/* ---------------------------------------------------------------- Hooks that do something */

WEAK void *__tsan_memcpy(void *to, const void *from, size_t bytes);
WEAK void *__tsan_memmove(void *to, const void *from, size_t bytes);
WEAK void *__tsan_memset(void *at, int byte, size_t bytes);

void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    return memcpy(to, from, bytes);
}

void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    return memmove(to, from, bytes);
}

void *__tsan_memset(void *at, int byte, size_t bytes)
{
    return memset(at, byte, bytes);
}

/* Functions of atomics.c and of the sanitizers' interface. */
void watch_thread_sync(void)
{
}

void watch_access(uintptr_t address, size_t bytes, enum watch_kind kind)
{
    (void)address, (void)bytes, (void)kind;
}
