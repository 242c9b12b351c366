/* The parallel TRMS: accesses.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * state.h has the idea, docs/parallel-trms.md the proof. Everything here works on one strand
 * and on written[]; no strand ever looks at another one's stack, time or entries.
 *
 * Words of written[] are loaded and stored with relaxed atomics: in a program without data races
 * its own synchronisation orders them as it orders the program's data, and in a program with races
 * a race on a cell makes at most the answer for that cell's access that of another order.
 *
 * Compiled without vector registers, for code that looks itself (quick.c) calls these functions where
 * it keeps values in them; but trms_access_bytes, which calls rows.c.
 */
#include "native/trms/core.h"
#include "native/trms/shadow/rows.h"
#include "native/trms/calls/tallies.h"
#include "native/trms/shadow/words.h"

/* ---------------------------------------------------------------- HOT: one cell */

#define NEAR 16

/* Most accesses never come here: their first look is in the hooks. Of those that do, most are of a
 * cell that no pending activation has accessed, or that the caller has. Entries and the strand's
 * stack are this strand's alone, so plain loads and stores do; the one word that others write is
 * written[l], which is loaded once, compared, and kept with the new time. */

/* The youngest activation below the top that is not younger than `time`. The latest answer is the
 * likeliest, for what was read some calls ago mostly was by the same one; then the nearest: a few
 * are asked one by one, and the rest is halved. O(log depth). */
struct trms_activation *trms_ancestor(struct trms_strand *strand, uint32_t time)
{
    struct trms_activation *at = strand->activation, *low = strand->stack;
    struct trms_activation *again = trms_ancestor_again(strand, time);
    if (again)
        return again;
    for (int i = 0; i < NEAR && at > low; i++)
        if ((--at)->stamp <= time)
            return strand->found = at;
    while (at - low > 1) {
        struct trms_activation *middle = low + (at - low) / 2;
        if (middle->stamp <= time)
            low = middle;
        else
            at = middle;
    }
    return strand->found = low;
}

/* First access of every activation younger than `time`: one more for the top, and one less for the
 * ancestor that has counted the cell already, so that the sums from each activation to the top are
 * right at every moment (Invariant 2 of paper 003). */
APROF_INLINE void count_first(struct trms_strand *strand, uint32_t time)
{
    struct trms_activation *top = strand->activation;
    top->rms++;
    if (!time)
        return;
    if (LIKELY(time >= top[-1].stamp))
        top[-1].rms--; /* the caller: the likeliest */
    else
        trms_ancestor(strand, time)->rms--;
}

void trms_count_fresh(struct trms_strand *strand, uint32_t time)
{
    if (time < strand->activation->stamp)
        count_first(strand, time);
}

/* Somebody else has written the cell: input of every pending activation. Those that have accessed
 * it before, by delta; the others as a first access, and the youngest of the former evens out. */
void trms_count_induced(struct trms_strand *strand, uint32_t time, uint32_t token, int64_t n)
{
    struct trms_activation *top = strand->activation, *ancestor;
    int64_t by_threads = TRMS_KIND(token) == TRMS_TOKEN_THREAD ? n : 0;
    top->tally = top->tally->aside;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* as in activations.c: never the rest without it */
    top->induced += (uint64_t)n;
    top->induced_thread += (uint64_t)by_threads;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (time >= top->stamp) {
        top->delta += n;
        top->delta_thread += by_threads;
        return;
    }
    top->rms += n;
    if (!time)
        return;
    ancestor = trms_ancestor(strand, time);
    ancestor->rms -= n;
    ancestor->delta += n;
    ancestor->delta_thread += by_threads;
}

/* written[l] is not what the strand saw. */
static APROF_NOINLINE void read_changed(struct trms_strand *strand, uint32_t time, uint32_t token)
{
    bool is_left_out = strand->world->sampled && TRMS_KIND(token) == TRMS_TOKEN_THREAD;
    if (!trms_token_is_own(strand, token) && !is_left_out)
        trms_count_induced(strand, time, token, 1);
    else if (time < strand->activation->stamp)
        count_first(strand, time);
}

/* There is no written[] here: one strand, and no input from the kernel. */
APROF_INLINE void read_private(struct trms_strand *strand, uint64_t *entry)
{
    uint32_t time = (uint32_t)*entry, now = (uint32_t)strand->stamp;
    if (time < strand->activation->stamp)
        count_first(strand, time);
    *entry = (*entry >> 32) << 32 | now;
}

/* A race of the program makes the loaded token that of another order, never a wrong one. */
APROF_INLINE void read_shared(struct trms_strand *strand, uint64_t *entry, const uint32_t *written)
{
    uint64_t old = *entry;
    uint32_t time = (uint32_t)old, now = (uint32_t)strand->stamp;
    if (time >= strand->floor)
        return;
    uint32_t token = __atomic_load_n(written, __ATOMIC_RELAXED);
    if (UNLIKELY(token != (uint32_t)(old >> 32)))
        read_changed(strand, time, token);
    else if (time < strand->activation->stamp)
        count_first(strand, time);
    *entry = (uint64_t)token << 32 | now;
}

/* ---------------------------------------------------------------- cells of one chunk */

/* Nothing needs to be caught up with. */
static void read_cells_now(struct trms_strand *strand, uint8_t place, uint64_t cell, uint64_t n)
{
    uintptr_t tokens = strand->remembered.written[place];
    uint64_t *entries = (uint64_t *)(strand->remembered.cells[place] + cell * sizeof(*entries));
    const uint32_t *written = (const uint32_t *)(tokens + cell * sizeof(*written));
    if (!tokens) {
        for (uint64_t i = 0; i < n; i++)
            read_private(strand, &entries[i]);
        return;
    }
    for (uint64_t i = 0; i < n; i++)
        read_shared(strand, &entries[i], &written[i]);
}

static void read_cells(struct trms_strand *strand, uint8_t place, uint64_t cell, uint64_t n)
{
    if (strand->remembered.written[place] && UNLIKELY(trms_is_behind(strand)))
        trms_catch_up(strand);
    read_cells_now(strand, place, cell, n);
}

/* False: a signal handler has ended meanwhile. Its end is an epoch's, and it may have written the cells, or been
 * the second strand: they are to be written again, and their chunk is to be found anew. */
static bool write_cells_now(struct trms_strand *strand, uint8_t place, uint64_t cell, uint64_t n)
{
    uintptr_t tokens = strand->remembered.written[place];
    uint64_t *entries = (uint64_t *)(strand->remembered.cells[place] + cell * sizeof(*entries));
    uint32_t *written = (uint32_t *)(tokens + cell * sizeof(*written));
    strand->token_used = true;
    for (uint64_t i = 0; i < n; i++)
        entries[i] = strand->stamp;
    for (uint64_t i = 0; tokens && i < n; i++)
        __atomic_store_n(&written[i], (uint32_t)(strand->stamp >> 32), __ATOMIC_RELAXED);
    return trms_is_still_settled(strand);
}

static void write_cells(struct trms_strand *strand, uint8_t place, uint64_t cell, uint64_t n)
{
    if (UNLIKELY(!strand->token_limit))
        trms_token_next(strand);
    do {
        if (UNLIKELY(trms_is_behind(strand)))
            trms_catch_up(strand);
        place = trms_remember(strand, cell >> TRMS_CHUNK_LOG2);
    } while (UNLIKELY(!write_cells_now(strand, place, cell, n)));
}

/* Calls `part` for each piece of cells [first, last] that lies in one chunk. */
static void each_piece(struct trms_strand *strand, uint64_t first, uint64_t last,
                       void (*part)(struct trms_strand *, uint8_t, uint64_t, uint64_t))
{
    while (first <= last) {
        uint64_t index = first >> TRMS_CHUNK_LOG2, end = (index + 1) << TRMS_CHUNK_LOG2;
        part(strand, trms_remember(strand, index), first, (last < end ? last + 1 : end) - first);
        first = end;
    }
}

static uint64_t first_cell(const struct trms_strand *strand, uint64_t address)
{
    return (address & TRMS_ADDRESS_MASK) >> strand->world->config.shift;
}

static uint64_t last_cell(const struct trms_strand *strand, uint64_t address, uint64_t bytes)
{
    uint64_t first = address & TRMS_ADDRESS_MASK, room = TRMS_ADDRESS_MASK - first;
    return (first + (bytes - 1 < room ? bytes - 1 : room)) >> strand->world->config.shift;
}

void trms_access_bytes(struct trms_strand *strand, uint64_t address, uint64_t bytes,
                       enum watch_kind kind)
{
    uint64_t first = first_cell(strand, address), last = last_cell(strand, address, bytes);
    if (trms_window_is_used(strand)) {
        if (kind != WATCH_WRITE)
            trms_row_read(strand, first, last);
        if (kind != WATCH_READ)
            trms_row_write(strand, first, last);
        if (kind == WATCH_READ || LIKELY(trms_window_is_used(strand)))
            return;
        kind = WATCH_WRITE; /* a signal handler was the second strand, and took what was there */
    }
    bool has_window = trms_has_window(strand);
    if (!has_window && trms_at_hand(strand, address) &&
        first >> TRMS_CHUNK_LOG2 == last >> TRMS_CHUNK_LOG2) {
        uint8_t place = (uint8_t)trms_chunk_of(address);
        if (kind != WATCH_WRITE)
            read_cells(strand, place, first, last - first + 1);
        if (kind != WATCH_READ)
            write_cells(strand, place, first, last - first + 1);
        return;
    }
    if (kind != WATCH_WRITE)
        each_piece(strand, first, last, has_window ? trms_words_read : read_cells);
    if (kind != WATCH_READ)
        each_piece(strand, first, last, has_window ? trms_words_write : write_cells);
}

bool trms_access_at_hand(struct trms_strand *strand, uint64_t address, uint64_t bytes,
                         enum watch_kind kind)
{
    uint64_t first = first_cell(strand, address), n = last_cell(strand, address, bytes) - first + 1;
    uint8_t place = (uint8_t)trms_chunk_of(address);
    bool reads = kind == WATCH_READ;
    if (UNLIKELY(trms_is_behind(strand)))
        return false;
    if (trms_has_window(strand))
        return (reads ? trms_words_read_now : trms_words_write_now)(strand, place, first, n);
    if (!reads)
        return write_cells_now(strand, place, first, n);
    read_cells_now(strand, place, first, n);
    return true;
}

/* ---------------------------------------------------------------- HOT: slow paths of the hooks */

/* Aligned accesses of n cells at the resolution that the inlined paths know. Cells of one variable
 * mostly have the same past and are then done at once; these paths call nothing but as their last
 * act, so that they need save no register. */

static APROF_NOINLINE void read_unlike(uintptr_t address, struct trms_strand *strand, int n)
{
    read_cells(strand, (uint8_t)trms_chunk_of(address), address >> TRMS_FAST_SHIFT, (uint64_t)n);
}

static APROF_NOINLINE void write_slowly(uintptr_t address, struct trms_strand *strand, int n)
{
    write_cells(strand, (uint8_t)trms_chunk_of(address), address >> TRMS_FAST_SHIFT, (uint64_t)n);
}

/* n cells that an older activation than the caller has accessed. */
static APROF_NOINLINE void take_from_ancestor(struct trms_strand *strand, uint32_t time, int n)
{
    trms_ancestor(strand, time)->rms -= n;
}

/* All n were last accessed at `time`, and nobody else has written them since. */
APROF_INLINE void read_alike(struct trms_strand *strand, uint64_t *entries, uint32_t time, int n)
{
    struct trms_activation *top = strand->activation;
    uint32_t now = (uint32_t)strand->stamp;
    for (int i = 0; i < n; i++) /* whole, for a write's hook may load it whole at once */
        __atomic_store_n(&entries[i], (entries[i] >> 32) << 32 | now, __ATOMIC_RELAXED);
    if (time >= top->stamp)
        return;
    top->rms += n;
    if (!time)
        return;
    if (LIKELY(time >= top[-1].stamp))
        top[-1].rms -= n; /* the caller: the likeliest */
    else
        take_from_ancestor(strand, time, n);
}

APROF_INLINE void read_few(uintptr_t address, struct trms_strand *strand, int n)
{
    uint8_t place = (uint8_t)trms_chunk_of(address);
    uint64_t *entries = (uint64_t *)(strand->remembered.cells[place] + 2 * address);
    uintptr_t tokens = strand->remembered.written[place];
    uint32_t time = (uint32_t)entries[0], differs = 0;
    for (int i = 1; i < n; i++)
        differs |= time ^ (uint32_t)entries[i];
    if (tokens) {
        const uint32_t *written = (const uint32_t *)(tokens + address);
        for (int i = 0; i < n; i++)
            differs |=
                __atomic_load_n(&written[i], __ATOMIC_RELAXED) ^ (uint32_t)(entries[i] >> 32);
        differs |= trms_is_behind(strand);
    }
    if (UNLIKELY(differs)) {
        read_unlike(address, strand, n);
        return;
    }
    read_alike(strand, entries, time, n);
}

APROF_INLINE void write_few(uintptr_t address, struct trms_strand *strand, int n)
{
    uint8_t place = (uint8_t)trms_chunk_of(address);
    uint64_t *entries = (uint64_t *)(strand->remembered.cells[place] + 2 * address);
    uintptr_t tokens = strand->remembered.written[place];
    uint64_t stamp = strand->stamp;
    if (UNLIKELY(!strand->token_limit || trms_is_behind(strand))) {
        write_slowly(address, strand, n);
        return;
    }
    strand->token_used = true;
    for (int i = 0; i < n; i++)
        entries[i] = stamp;
    if (!tokens)
        strand->remembered.blind[place] = strand->remembered.tag[place];
    for (int i = 0; tokens && i < n; i++)
        __atomic_store_n((uint32_t *)(tokens + address) + i, (uint32_t)(stamp >> 32),
                         __ATOMIC_RELAXED);
    if (UNLIKELY(!trms_is_still_settled(strand))) {
        trms_remembered_drop(strand, place); /* a signal handler may have been the second strand */
        write_slowly(address, strand, n);
    }
}

#define SLOW_PATHS(n)                                                                              \
    void trms_read_##n(uintptr_t address, struct trms_strand *strand)                              \
    {                                                                                              \
        read_few(address, strand, n);                                                              \
    }                                                                                              \
    void trms_write_##n(uintptr_t address, struct trms_strand *strand)                             \
    {                                                                                              \
        write_few(address, strand, n);                                                             \
    }
SLOW_PATHS(1)
SLOW_PATHS(2)
SLOW_PATHS(4)
