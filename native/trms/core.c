/* The parallel TRMS: accesses, calls, returns, synchronisation.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * state.h has the idea, docs/parallel-trms.md the proof. Everything here works on one strand
 * and on written[]; no strand ever looks at another one's stack, time or entries.
 *
 * Words of written[] are loaded and stored with relaxed atomics: in a program without data races
 * its own synchronisation orders them as it orders the program's data, and in a program with races
 * a race on a cell makes at most the answer for that cell's access that of another order.
 */
#include "native/trms/core.h"
#include "ground/host.h"

#define BOTTOM_TIME 1u

/* ---------------------------------------------------------------- HOT: one cell */

typedef uint32_t four_times __attribute__((vector_size(16)));

#define SEARCH_BLOCK 16
#define NEAR_BLOCKS  4

/* Most accesses never come here: their first look is in the hooks. Of those that do, most are of a
 * cell that no pending activation has accessed, or that the caller has. Entries and the strand's
 * stack are this strand's alone, so plain loads and stores do; the one word that others write is
 * written[l], which is loaded once, compared, and kept with the new time. */

/* How many of SEARCH_BLOCK times are not above `time`: no branch, since nobody could predict it. */
static size_t count_not_above(const uint32_t *times, uint32_t time)
{
    four_times limit = {time, time, time, time}, sum = {0};
    for (int i = 0; i < SEARCH_BLOCK; i += 4) {
        four_times four;
        __builtin_memcpy(&four, times + i, sizeof(four));
        sum -= (four_times)(four <= limit);
    }
    return sum[0] + sum[1] + sum[2] + sum[3];
}

/* The youngest activation below the top that is not younger than `time`. The nearest are the
 * likeliest: a few blocks are counted, then the rest is halved. O(log depth). */
static APROF_NOINLINE struct trms_activation *find_ancestor(struct trms_strand *strand,
                                                            uint32_t time)
{
    const uint32_t *stamps = strand->stamps;
    size_t end = strand->top, low = 0;
    for (int i = 0; i < NEAR_BLOCKS && end > SEARCH_BLOCK; i++, end -= SEARCH_BLOCK)
        if (stamps[end - SEARCH_BLOCK] <= time)
            return &strand->stack[end - SEARCH_BLOCK - 1 +
                                  count_not_above(stamps + end - SEARCH_BLOCK, time)];
    while (end - low > SEARCH_BLOCK) {
        size_t middle = low + (end - low) / 2;
        if (stamps[middle] <= time)
            low = middle;
        else
            end = middle;
    }
    while (end - low > 1 && stamps[end - 1] > time)
        end--;
    return &strand->stack[end - 1];
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
    if (LIKELY(time >= strand->parent_stamp))
        top[-1].rms--; /* the caller: the likeliest */
    else
        find_ancestor(strand, time)->rms--;
}

/* Somebody else has written the cell: input of every pending activation. Those that have accessed
 * it before, by delta; the others as a first access, and the youngest of the former evens out. */
static void count_induced(struct trms_strand *strand, uint32_t time, uint32_t token)
{
    struct trms_activation *top = strand->activation, *ancestor;
    bool by_thread = TRMS_KIND(token) == TRMS_TOKEN_THREAD;
    top->induced_thread += by_thread;
    top->induced_external += !by_thread;
    if (time >= strand->top_stamp) {
        top->delta++;
        top->delta_thread += by_thread;
        return;
    }
    top->rms++;
    if (!time)
        return;
    ancestor = find_ancestor(strand, time);
    ancestor->rms--;
    ancestor->delta++;
    ancestor->delta_thread += by_thread;
}

static bool is_own(const struct trms_strand *strand, uint32_t token)
{
    const struct trms_tokens *tokens = &strand->world->tokens;
    uint32_t block = token >> TRMS_KIND_BITS >> tokens->block_log2;
    return TRMS_KIND(token) == TRMS_TOKEN_THREAD && tokens->owners[block] == strand->serial;
}

/* written[l] is not what the strand saw. */
static APROF_NOINLINE void read_changed(struct trms_strand *strand, uint32_t time, uint32_t token)
{
    if (!is_own(strand, token))
        count_induced(strand, time, token);
    else if (time < strand->top_stamp)
        count_first(strand, time);
}

/* There is no written[] here: one strand, and no input from the kernel. */
APROF_INLINE void read_private(struct trms_strand *strand, uint64_t *entry)
{
    uint32_t time = (uint32_t)*entry, now = (uint32_t)strand->stamp;
    if (time < strand->top_stamp)
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
    else if (time < strand->top_stamp)
        count_first(strand, time);
    *entry = (uint64_t)token << 32 | now;
}

/* ---------------------------------------------------------------- cells of one chunk */

/* Acquire: partner of the release in ranges.c and tokens.c; on x86-64 it is a plain load. */
static bool is_behind(const struct trms_strand *strand)
{
    return strand->generation != __atomic_load_n(&strand->world->generation, __ATOMIC_ACQUIRE);
}

static void read_cells(struct trms_strand *strand, uint8_t place, uint64_t cell, uint64_t n)
{
    uintptr_t tokens = strand->remembered.written[place];
    uint64_t *entries = (uint64_t *)(strand->remembered.cells[place] + cell * sizeof(*entries));
    const uint32_t *written = (const uint32_t *)(tokens + cell * sizeof(*written));
    if (!tokens) {
        for (uint64_t i = 0; i < n; i++)
            read_private(strand, &entries[i]);
        return;
    }
    if (UNLIKELY(is_behind(strand)))
        trms_catch_up(strand);
    for (uint64_t i = 0; i < n; i++)
        read_shared(strand, &entries[i], &written[i]);
}

static void write_cells(struct trms_strand *strand, uint8_t place, uint64_t cell, uint64_t n)
{
    uintptr_t tokens = strand->remembered.written[place];
    uint64_t *entries = (uint64_t *)(strand->remembered.cells[place] + cell * sizeof(*entries));
    uint32_t *written = (uint32_t *)(tokens + cell * sizeof(*written));
    if (UNLIKELY(!strand->token_limit))
        trms_token_next(strand);
    if (UNLIKELY(is_behind(strand)))
        trms_catch_up(strand);
    strand->token_used = true;
    for (uint64_t i = 0; i < n; i++)
        entries[i] = strand->stamp;
    for (uint64_t i = 0; tokens && i < n; i++)
        __atomic_store_n(&written[i], (uint32_t)(strand->stamp >> 32), __ATOMIC_RELAXED);
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
    if (trms_at_hand(strand, address) && first >> TRMS_CHUNK_LOG2 == last >> TRMS_CHUNK_LOG2) {
        uint8_t place = (uint8_t)trms_chunk_of(address);
        if (kind != WATCH_WRITE)
            read_cells(strand, place, first, last - first + 1);
        if (kind != WATCH_READ)
            write_cells(strand, place, first, last - first + 1);
        return;
    }
    if (kind != WATCH_WRITE)
        each_piece(strand, first, last, read_cells);
    if (kind != WATCH_READ)
        each_piece(strand, first, last, write_cells);
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
    find_ancestor(strand, time)->rms -= n;
}

/* All n were last accessed at `time`, and nobody else has written them since. */
APROF_INLINE void read_alike(struct trms_strand *strand, uint64_t *entries, uint32_t time, int n)
{
    struct trms_activation *top = strand->activation;
    uint32_t now = (uint32_t)strand->stamp;
    for (int i = 0; i < n; i++) /* whole, for a write's hook may load it whole at once */
        __atomic_store_n(&entries[i], (entries[i] >> 32) << 32 | now, __ATOMIC_RELAXED);
    if (time >= strand->top_stamp)
        return;
    top->rms += n;
    if (!time)
        return;
    if (LIKELY(time >= strand->parent_stamp))
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
        differs |= is_behind(strand);
    }
    if (UNLIKELY(differs))
        read_unlike(address, strand, n);
    else
        read_alike(strand, entries, time, n);
}

APROF_INLINE void write_few(uintptr_t address, struct trms_strand *strand, int n)
{
    uint8_t place = (uint8_t)trms_chunk_of(address);
    uint64_t *entries = (uint64_t *)(strand->remembered.cells[place] + 2 * address);
    uintptr_t tokens = strand->remembered.written[place];
    uint64_t stamp = strand->stamp;
    if (UNLIKELY(!strand->token_limit || is_behind(strand))) {
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

/* ---------------------------------------------------------------- time */

/* Time has run out: between which two activations an entry's time lies is all that is ever asked.
 * So activation i gets time i + 1, and so do the entries that are as old as it or older than the
 * next one. Only this strand's own memory is visited. */
static APROF_NOINLINE void renumber(struct trms_strand *strand);

APROF_INLINE void tick(struct trms_strand *strand)
{
    if (UNLIKELY((uint32_t)strand->stamp >= strand->time_limit))
        renumber(strand);
    strand->stamp++;
}

static uint32_t renumbered(const uint32_t *stamps, size_t n, uint32_t time)
{
    size_t low = 0, end = n;
    while (end - low > 1) {
        size_t middle = low + (end - low) / 2;
        if (stamps[middle] <= time)
            low = middle;
        else
            end = middle;
    }
    return (uint32_t)low + BOTTOM_TIME;
}

static void renumber_entries(const struct trms_strand *strand, uint64_t *entries)
{
    uint32_t last = 0, last_renumbered = 0;
    for (uint64_t i = 0; i < TRMS_CHUNK_CELLS; i++) {
        uint32_t time = (uint32_t)entries[i];
        if (!time)
            continue;
        if (time != last) {
            last = time;
            last_renumbered = renumbered(strand->stamps, strand->top + 1, time);
        }
        entries[i] = (entries[i] >> 32) << 32 | last_renumbered;
    }
}

static APROF_NOINLINE void renumber(struct trms_strand *strand)
{
    for (uint32_t i = 0; i < strand->n_mappings; i++)
        if (strand->mappings[i].is_cells)
            renumber_entries(strand, strand->mappings[i].pages);
    for (size_t i = 0; i <= strand->top; i++)
        strand->stamps[i] = (uint32_t)i + BOTTOM_TIME;
    strand->synced =
        (uint32_t)strand->top + BOTTOM_TIME + 1; /* older than it are all entries now */
    trms_top_set(strand, strand->top);
    strand->stamp = (strand->stamp >> 32) << 32 | (strand->top_stamp + 1);
    trms_time_limit_set(strand);
    strand->renumberings++;
}

/* The present epoch of the strand ends. */
void trms_epoch_end(struct trms_strand *strand)
{
    tick(strand);
    strand->synced = strand->floor = (uint32_t)strand->stamp;
    if (strand->token_used)
        trms_token_next(strand);
}

/* There is nobody to synchronise with if there is one strand. */
void trms_sync(struct trms_strand *strand)
{
    if (strand->world->shared)
        trms_epoch_end(strand);
}

/* The strand's clock may be about to change and is not touched: until it next does, no entry is as
 * young as the floor, which costs time and changes nothing. */
void trms_interrupted(struct trms_strand *strand)
{
    strand->synced = strand->floor = (uint32_t)strand->stamp + 1;
}

/* ---------------------------------------------------------------- calls and returns */

/* The stack is whole at every moment, for a signal handler's hooks may use this strand too if
 * nobody has told us of the handler. */
void trms_strand_call(struct trms_strand *strand, struct routine_profile *profile, uintptr_t slot,
                      uintptr_t caller)
{
    tick(strand);
    if (UNLIKELY(strand->top + 1 == strand->capacity))
        trms_stack_grow(strand);
    bool measured = strand->world->collecting;
    uint32_t now = (uint32_t)strand->stamp;
    strand->activation[1] = (struct trms_activation){
        .profile = profile,
        .slot = slot,
        .caller = caller,
        .cost_before = strand->cost,
        .measured = measured,
    };
    strand->stamps[strand->top + 1] = now;
    strand->activation++;
    strand->top++;
    strand->parent_stamp = strand->top_stamp;
    strand->top_stamp = strand->floor = now; /* nothing was accessed at this time */
    profile->pending += measured;
    if (UNLIKELY(strand->contexts))
        trms_contexts_call(strand, profile, measured);
}

static void collect(struct trms_strand *strand, const struct trms_activation *top, uint64_t cost)
{
    struct routine_profile *profile = top->profile;
    struct measurement m = {
        .input = {(uint64_t)(top->rms + top->delta), (uint64_t)top->rms},
        .cost = cost,
        .self = cost - top->cost_of_callees,
        .thread_again = (uint64_t)top->delta_thread,
        .induced_thread = top->induced_thread,
        .induced_external = top->induced_external,
    };
    if (--profile->pending == 0)
        profile->cost_total += cost;
    profile_add(profile, &m, strand->world->config.metrics);
    strand->activations++;
    if (UNLIKELY(strand->contexts))
        trms_contexts_return(strand, &m);
}

void trms_strand_return(struct trms_strand *strand)
{
    struct trms_activation *top = strand->activation, *parent = top - 1;
    uint64_t cost = strand->cost - top->cost_before;
    if (LIKELY(top->measured))
        collect(strand, top, cost);
    else if (strand->contexts)
        trms_contexts_return(strand, NULL);
    parent->rms += top->rms;
    parent->delta += top->delta;
    parent->delta_thread += top->delta_thread;
    parent->induced_thread += top->induced_thread;
    parent->induced_external += top->induced_external;
    parent->cost_of_callees += cost;
    strand->activation = parent;
    strand->top--;
    strand->top_stamp = strand->parent_stamp;
    strand->parent_stamp = strand->stamps[strand->top ? strand->top - 1 : 0];
    trms_floor_set(strand);
}
