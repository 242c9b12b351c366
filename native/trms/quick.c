/* The slow path of inline checks (compile/trms/trms_pass.c) and of hooks (hooks.c).
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The functions that inline checks call change no register, so the program can keep values in
 * registers across these rare calls. So that few registers must be saved, this file, core.c and
 * words.c are compiled without vector registers. Functions that may use vector registers are called
 * by native_with_vectors, which saves these registers. As in hooks.c, only watch_access enters the
 * guard (native_enter).
 */
#include "native/trms/runtime.h"

#include "ground/trms_words.h"
#include "native/base/vectors.h"
#include "native/trms/shadow/seen_versions.h"
#include "native/trms/shadow/words.h"

#if defined(__x86_64__)
#define QUICKLY __attribute__((no_caller_saved_registers))
#else
#define QUICKLY /* arm64 has no functions that preserve all registers, so the program saves its
                 * registers */
#endif
#define QUICK(name, ...)                                                                           \
    NATIVE_EXPORT QUICKLY void name(__VA_ARGS__);                                                  \
    void name(__VA_ARGS__)

#define PLACE(field, offset)                                                                       \
    _Static_assert(__builtin_offsetof(struct trms_exec_context, field) == (offset), "trms_words."  \
                                                                                    "h")
PLACE(stamp, TRMS_WORDS_STAMP);
PLACE(cost, TRMS_WORDS_COST);
PLACE(floor, TRMS_WORDS_FLOOR);
PLACE(direct_shadow, TRMS_WORDS_DIRECT_SHADOW);
PLACE(mask, TRMS_WORDS_MASK);
PLACE(synced, TRMS_WORDS_SYNCED);
PLACE(careful, TRMS_WORDS_CAREFUL);
PLACE(activation, TRMS_WORDS_ACTIVATION);
PLACE(stack, TRMS_WORDS_STACK);
PLACE(found, TRMS_WORDS_FOUND);
_Static_assert(__builtin_offsetof(struct trms_activation, rms) == TRMS_WORDS_RMS, "trms_words.h");
_Static_assert(__builtin_offsetof(struct trms_activation, near) == TRMS_WORDS_NEAR, "trms_words.h");
_Static_assert(__builtin_offsetof(struct trms_activation, stamp) == TRMS_WORDS_BEGUN,
               "trms_words.h");
_Static_assert(sizeof(struct trms_activation) == -TRMS_WORDS_CALLER, "trms_words.h");

/* -------------------------------------------------- accesses that a word alone cannot decide */

/* Accesses of more bytes than this number take the general path. */
#define MANY_BYTES 256
_Static_assert(MANY_BYTES / 4 + 2 <= TRMS_SEEN_VERSIONS_SPARE, "is_simple");

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

/* Processes a read of n cells that have equal shadow words, in any mode. Returns false, without any
 * effect, if the general path is needed. */
APROF_INLINE bool read_few(struct trms_exec_context *ctx, uint32_t *words, uintptr_t address, int n)
{
    if (trms_is_exclusive(ctx)) {
        trms_exclusive_read_few(ctx, words, address, n);
        return true;
    }
    return n == 1   ? trms_shared_read_1(ctx, words, address)
           : n == 2 ? trms_shared_read_2(ctx, words, address)
                    : trms_shared_read_4(ctx, words, address);
}

/* Returns true if the state of these cells is cached, and an access needs no memory for tokens or
 * last seen versions. */
static bool is_simple(const struct trms_exec_context *ctx, uintptr_t address, size_t bytes)
{
    bool has_room =
        trms_is_exclusive(ctx) || (trms_seen_versions_have_room(ctx) && ctx->token_limit);
    return has_room && trms_at_hand(ctx, address) && bytes <= MANY_BYTES &&
           trms_chunk_of(address) == trms_chunk_of(address + bytes - 1);
}

/* Records an access inside the guard, because the access may add last seen versions. */
static bool access_simply(struct trms_exec_context *ctx, uintptr_t address, size_t bytes,
                          enum watch_kind kind)
{
    if (ctx == &trms_nobody || !native_enter(native_self))
        return false;
    bool is_done = is_simple(ctx, address, bytes) && trms_access_at_hand(ctx, address, bytes, kind);
    trms_leave(native_self);
    return is_done;
}

static APROF_NOINLINE void access_guarded(struct trms_exec_context *ctx, uintptr_t address,
                                          size_t bytes, enum watch_kind kind)
{
    if (!access_simply(ctx, address, bytes, kind))
        access_any(address, bytes, kind);
}

/* Records reads of cells one by one, because the earlier accesses to the cells differ. */
static APROF_NOINLINE void read_one_by_one(struct trms_exec_context *ctx, uintptr_t address,
                                           size_t bytes)
{
    uintptr_t end = address + bytes;
    for (uintptr_t next; address < end; address = next) {
        uintptr_t first = address & ~(uintptr_t)3;
        uint32_t *words = trms_words_at_hand(ctx, first, 1);
        next = first + 4;
        if (!words) {
            access_guarded(ctx, address, end - address, WATCH_READ);
            return;
        }
        if (!read_few(ctx, words, first, 1))
            access_guarded(ctx, address, (next < end ? next : end) - address, WATCH_READ);
    }
}

/* Records reads of cells in order, as many cells at once as possible. */
static void read_in_order(struct trms_exec_context *ctx, uintptr_t address, size_t bytes)
{
    uintptr_t first = address & ~(uintptr_t)3, end = address + bytes;
    if (bytes >= MANY_BYTES) {
        access_any(address, bytes, WATCH_READ);
        return;
    }
    while (first < end) {
        uintptr_t n = end - first > 12 ? 4 : end - first > 4 ? 2 : 1, next = first + 4 * n;
        uint32_t *words = trms_words_at_hand(ctx, first, (int)n);
        if (!words || !read_few(ctx, words, first, (int)n)) {
            uintptr_t from = first > address ? first : address;
            read_one_by_one(ctx, from, (next < end ? next : end) - from);
        }
        first = next;
    }
}

/* Records any write; some or all words of the write may already be in the direct-mapped shadow. */
static APROF_NOINLINE void write_any(struct trms_exec_context *ctx, uintptr_t address, size_t bytes)
{
    if (LIKELY(trms_is_alone_in_direct_shadow(ctx))) {
        trms_exclusive_write(ctx, address >> TRMS_FAST_SHIFT,
                             (address + bytes - 1) >> TRMS_FAST_SHIFT);
        /* During the stores, a signal handler may have become the second execution context. */
        if (LIKELY(trms_is_alone_in_direct_shadow(ctx)))
            return;
    }
    if (bytes > MANY_BYTES || !trms_write_at_hand(ctx, address, bytes))
        access_guarded(ctx, address, bytes, WATCH_WRITE);
}

/* ---------------------------------------------------------------- HOT */

/* The most frequent case calls no other function, so that few registers must be saved. */
#define CELLS(bytes) ((bytes) <= 4 ? 1 : (bytes) / 4)
APROF_INLINE bool half_is_read(struct trms_exec_context *ctx, uint32_t *words, uintptr_t address)
{
    return (words[0] >= ctx->floor && words[1] >= ctx->floor) ||
           trms_read_likely(ctx, words, address, 2);
}

/* Four words are also tested as two halves, because often only one of two neighbouring variables
 * has been read before. */
APROF_INLINE bool read_likely(struct trms_exec_context *ctx, uint32_t *words, uintptr_t address,
                              int n)
{
    if (LIKELY(trms_read_likely(ctx, words, address, n)))
        return true;
    return n == 4 && half_is_read(ctx, words, address) && half_is_read(ctx, words + 2, address + 8);
}

/* Records a read of aligned bytes, in one cell or in n cells. */
APROF_INLINE void read_slowly(uintptr_t address, int bytes)
{
    struct trms_exec_context *ctx = trms_current;
    uint32_t *words = trms_words_at_hand(ctx, address, CELLS(bytes));
    if (UNLIKELY(!words))
        read_one_by_one(ctx, address, (size_t)bytes);
    else if (UNLIKELY(!read_likely(ctx, words, address, CELLS(bytes))) &&
             !read_few(ctx, words, address & ~(uintptr_t)3, CELLS(bytes)))
        read_one_by_one(ctx, address, (size_t)bytes);
}

/* Without a direct-mapped shadow, the inline check has stored words in an array that must contain
 * only zeros; these words are cleared. */
static APROF_NOINLINE void write_after_check(struct trms_exec_context *ctx, uintptr_t address,
                                             size_t bytes)
{
    if (!trms_has_direct_shadow(ctx))
        trms_nowhere_clear(ctx);
    write_any(ctx, address, bytes);
}

/* Records a read at any misaligned address. */
static QUICKLY APROF_NOINLINE void read_any_slowly(uintptr_t address, size_t bytes)
{
    struct trms_exec_context *ctx = trms_current;
    if (LIKELY(trms_is_alone_in_direct_shadow(ctx)))
        trms_exclusive_read(ctx, address >> TRMS_FAST_SHIFT,
                            (address + bytes - 1) >> TRMS_FAST_SHIFT);
    else
        read_in_order(ctx, address, bytes);
}

/* A misaligned element shares a cell with the previous element, so this cell has usually just been
 * read. `address` moves past each recorded cell, so that no cell is recorded twice if a signal
 * handler runs between two records. */
#define FEW_BYTES 8
static QUICKLY APROF_NOINLINE void read_one_after_the_other(uintptr_t address, size_t bytes)
{
    struct trms_exec_context *ctx = trms_current;
    uintptr_t cell = address & ~(uintptr_t)3, end = address + bytes;
    if (bytes <= FEW_BYTES && trms_has_direct_shadow(ctx))
        while (
            cell < end &&
            (trms_is_read(ctx, cell, 1) ||
             trms_read_likely(ctx, trms_direct_shadow_word(ctx, cell >> TRMS_FAST_SHIFT), cell, 1)))
            address = cell += 4;
    if (UNLIKELY(address < end))
        read_any_slowly(address, end - address);
}

/* In large routines, inline checks call this function for each access. The function uses few
 * registers if the cell has been read already. */
QUICK(aprof_trms_read, uintptr_t address, size_t bytes)
{
    const struct trms_exec_context *ctx = trms_current;
    uintptr_t cell = address & ~(uintptr_t)3, end = address + bytes;
    if (bytes <= FEW_BYTES)
        while (cell < end && trms_is_read(ctx, cell, 1))
            address = cell += 4;
    if (UNLIKELY(address < end))
        read_one_after_the_other(address, end - address);
}

/* Records a misaligned write. The compiler assumed an aligned address, so the inline check has
 * stored the time in words that must stay zero. */
static QUICKLY APROF_NOINLINE void write_misaligned(uintptr_t address, size_t bytes)
{
    trms_nowhere_clear(trms_current);
    write_any(trms_current, address, bytes);
}

static QUICKLY APROF_NOINLINE void write_any_slowly(uintptr_t address, size_t bytes)
{
    write_after_check(trms_current, address, bytes);
}

/* Records a write; the inline check may or may not have stored the words of the written cells. */
QUICK(aprof_trms_write, uintptr_t address, size_t bytes)
{
    struct trms_exec_context *ctx = trms_current;
    uintptr_t cell = address & ~(uintptr_t)3, end = address + bytes;
    if (bytes <= FEW_BYTES && trms_is_alone_in_direct_shadow(ctx)) {
        uint32_t now = (uint32_t)ctx->stamp;
        for (; cell < end; cell += 4)
            *(uint32_t *)(ctx->direct_shadow + (cell & ctx->mask)) = now;
        /* During the stores, a signal handler may have become the second execution context. */
        if (LIKELY(trms_is_alone_in_direct_shadow(ctx)))
            return;
    }
    write_any_slowly(address, bytes);
}

/* Records a read of cells that the caller, or the activation found by the latest search, accessed
 * after the latest synchronisation. Small routines make this check inline. `synced` is loaded after
 * the word, because the end of a signal handler raises `synced`. */
APROF_INLINE bool read_near(const struct trms_exec_context *ctx, uintptr_t address, int n)
{
    struct trms_activation *latest = ctx->activation, *ancestor = latest - 1;
    uint32_t *words = (uint32_t *)(ctx->direct_shadow + (address & ctx->mask));
    uint32_t word = *(volatile uint32_t *)words, now;
    for (int i = 1; i < n; i++)
        if (words[i] != word)
            return false;
    if (word >= ctx->floor)
        return false;
    if (word < latest->near) {
        ancestor = ctx->found;
        if (word < ancestor->stamp || word >= ancestor[1].stamp ||
            word < *(const volatile uint32_t *)&ctx->synced || ancestor >= latest)
            return false;
    }
    now = (uint32_t)ctx->stamp | word % TRMS_TICK;
    for (int i = 0; i < n; i++)
        words[i] = now;
    latest->rms += n;
    ancestor->rms -= n;
    return true;
}

/* Entry points for hooks and for inline checks; these functions preserve the registers of inline
 * checks. */
#define ALIGNED(bytes)                                                                             \
    static QUICKLY APROF_NOINLINE void read_slowly_##bytes(uintptr_t address)                      \
    {                                                                                              \
        read_slowly(address, bytes);                                                               \
    }                                                                                              \
    QUICK(aprof_trms_read_##bytes, uintptr_t address)                                              \
    {                                                                                              \
        if (UNLIKELY(TRMS_IS_MISALIGNED(address, bytes)))                                          \
            aprof_trms_read(address, bytes);                                                       \
        else if (UNLIKELY(!read_near(trms_current, address, CELLS(bytes))))                        \
            read_slowly_##bytes(address);                                                          \
    }                                                                                              \
    QUICK(aprof_trms_write_##bytes, uintptr_t address)                                             \
    {                                                                                              \
        if (UNLIKELY(TRMS_IS_MISALIGNED(address, bytes)))                                          \
            write_misaligned(address, bytes);                                                      \
        else if (!trms_write_likely(trms_current, address & ~(uintptr_t)3, CELLS(bytes)))          \
            write_after_check(trms_current, address, bytes);                                       \
    }                                                                                              \
    void trms_hook_read_##bytes(uintptr_t address)                                                 \
    {                                                                                              \
        struct trms_exec_context *ctx = trms_current;                                              \
        if (UNLIKELY(!trms_has_direct_shadow(ctx))) {                                              \
            if (!trms_chunk_is_read(ctx, address, CELLS(bytes)))                                   \
                read_slowly(address, bytes);                                                       \
        } else if (UNLIKELY(!read_near(ctx, address, CELLS(bytes)))) {                             \
            read_slowly(address, bytes);                                                           \
        }                                                                                          \
    }                                                                                              \
    void trms_hook_write_##bytes(uintptr_t address)                                                \
    {                                                                                              \
        struct trms_exec_context *ctx = trms_current;                                              \
        uintptr_t first = address & ~(uintptr_t)3;                                                 \
        bool is_done = LIKELY(trms_has_direct_shadow(ctx))                                         \
                           ? trms_write_likely(ctx, first, CELLS(bytes))                           \
                           : trms_chunk_is_written(ctx, first, CELLS(bytes));                      \
        if (!is_done)                                                                              \
            write_any(ctx, address, bytes);                                                        \
    }
ALIGNED(1)
ALIGNED(2)
ALIGNED(4)
ALIGNED(8)
ALIGNED(16)

/* Short inline checks do not test the old words, so these functions test them. `synced` is loaded
 * after the words, because the end of a signal handler raises `synced`. */
#define STORED(bytes)                                                                              \
    QUICK(aprof_trms_stored_##bytes, uintptr_t address, uint64_t old)                              \
    {                                                                                              \
        uint32_t synced = *(const volatile uint32_t *)&trms_current->synced;                       \
        uint32_t since =                                                                           \
            ((uint32_t)old - synced) | ((bytes) > 4 ? (uint32_t)(old >> 32) - synced : 0);         \
        if (since & TRMS_WORDS_NOT_OWN || TRMS_IS_MISALIGNED(address, bytes))                      \
            aprof_trms_write_##bytes(address);                                                     \
    }
STORED(1)
STORED(2)
STORED(4)
STORED(8)

void trms_hook_read(uintptr_t address, size_t bytes)
{
    read_one_after_the_other(address, bytes);
}

void trms_hook_write(uintptr_t address, size_t bytes)
{
    write_any(trms_current, address, bytes);
}
