/* What code that looks itself calls where its look does not suffice: compile/trms_pass.c.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * These functions change no register, so that the program keeps its values in them across the calls,
 * which are rare. So this file, and core.c and window.c which it calls, are compiled without vector
 * registers; what may use them is called by native_with_vectors. As in hooks.c nothing here enters
 * the guard (native_enter) but watch_access.
 */
#include "native/trms/runtime.h"

#include "ground/trms_words.h"
#include "native/base/vectors.h"
#include "native/trms/window.h"

#define QUICK(name, ...)                                                                           \
    NATIVE_EXPORT __attribute__((no_caller_saved_registers)) void name(__VA_ARGS__);               \
    void name(__VA_ARGS__)

#define PLACE(field, offset)                                                                       \
    _Static_assert(__builtin_offsetof(struct trms_strand, field) == (offset), "trms_words.h")
PLACE(stamp, TRMS_WORDS_STAMP);
PLACE(cost, TRMS_WORDS_COST);
PLACE(floor, TRMS_WORDS_FLOOR);
PLACE(window, TRMS_WORDS_WINDOW);
PLACE(mask, TRMS_WORDS_MASK);
PLACE(synced, TRMS_WORDS_SYNCED);
PLACE(careful, TRMS_WORDS_CAREFUL);
_Static_assert(TRMS_NOWHERE_MASK / 4 + TRMS_WORDS_INLINE < TRMS_NOWHERE, "trms_words.h");

/* ---------------------------------------------------------------- strands that are careful */

/* That go the general way. */
#define MANY_BYTES 256

struct request {
    uintptr_t address;
    size_t bytes;
    enum watch_kind kind;
};

static void *perform(void *argument)
{
    const struct request *request = argument;
    watch_access(request->address, request->bytes, request->kind);
    return NULL;
}

static APROF_NOINLINE void access_any(uintptr_t address, size_t bytes, enum watch_kind kind)
{
    struct request request = {address, bytes, kind};
    native_with_vectors(perform, &request);
}

/* The chunk of these cells is at hand, has them all, and nothing needs to be caught up with. */
static bool is_simple(const struct trms_strand *strand, uintptr_t address, int n)
{
    const uintptr_t chunk = (uintptr_t)1 << (TRMS_CHUNK_LOG2 + TRMS_FAST_SHIFT);
    return trms_at_hand(strand, address) && address % chunk + 4 * (uintptr_t)n <= chunk &&
           strand->token_limit && !trms_is_behind(strand);
}

static APROF_NOINLINE void read_carefully(struct trms_strand *strand, uintptr_t address,
                                          size_t bytes)
{
    uintptr_t first = address & ~(uintptr_t)3;
    int n = bytes <= 4 ? 1 : (int)bytes / 4;
    if (trms_window_read_known(strand, first, n))
        return;
    if (is_simple(strand, first, n))
        (n == 1 ? trms_read_1 : n == 2 ? trms_read_2 : trms_read_4)(first, strand);
    else
        access_any(address, bytes, WATCH_READ);
}

/* A few cells, one by one. */
static void read_any_carefully(struct trms_strand *strand, uintptr_t address, size_t bytes)
{
    uintptr_t first = address & ~(uintptr_t)3, last = (address + bytes - 1) & ~(uintptr_t)3;
    int n = (int)((last - first) / 4) + 1;
    if (last - first >= MANY_BYTES || !is_simple(strand, first, n)) {
        access_any(address, bytes, WATCH_READ);
        return;
    }
    for (; first <= last; first += 4)
        if (*trms_window_word(strand, first >> TRMS_FAST_SHIFT) < strand->floor)
            read_carefully(strand, first, 4);
}

static void write_carefully(struct trms_strand *strand, uintptr_t address, size_t bytes)
{
    uintptr_t first = address & ~(uintptr_t)3, end = address + bytes;
    if (bytes >= MANY_BYTES || !is_simple(strand, first, (int)(end - first + 3) / 4))
        access_any(address, bytes, WATCH_WRITE);
    else if (end - first <= 4)
        trms_write_1(first, strand);
    else if (bytes == 8 && first == address)
        trms_write_2(first, strand);
    else
        trms_access_bytes(strand, address, bytes, WATCH_WRITE);
    if (!trms_has_window(strand))
        trms_nowhere_clear(strand);
}

/* ---------------------------------------------------------------- HOT */

#define READ(bytes)                                                                                \
    QUICK(aprof_trms_read_##bytes, uintptr_t address)                                              \
    {                                                                                              \
        struct trms_strand *strand = trms_current;                                                 \
        if (LIKELY(trms_window_is_used(strand)))                                                   \
            trms_window_read_few(strand, address, bytes <= 4 ? 1 : bytes / 4);                     \
        else                                                                                       \
            read_carefully(strand, address, bytes);                                                \
    }
READ(1)
READ(2)
READ(4)
READ(8)
READ(16)

QUICK(aprof_trms_read, uintptr_t address, size_t bytes)
{
    struct trms_strand *strand = trms_current;
    if (LIKELY(trms_window_is_used(strand)))
        trms_window_read(strand, address >> TRMS_FAST_SHIFT,
                         (address + bytes - 1) >> TRMS_FAST_SHIFT);
    else
        read_any_carefully(strand, address, bytes);
}

QUICK(aprof_trms_write, uintptr_t address, size_t bytes)
{
    struct trms_strand *strand = trms_current;
    if (LIKELY(trms_window_is_used(strand))) {
        trms_window_write(strand, address >> TRMS_FAST_SHIFT,
                          (address + bytes - 1) >> TRMS_FAST_SHIFT);
        return;
    }
    write_carefully(strand, address, bytes);
}
