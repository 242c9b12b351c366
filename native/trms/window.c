/* Windows: what reads and writes do there, and how they become tables.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cells are TRMS_FAST_SHIFT wide here. Compiled without vector registers, as core.c.
 */
#include "native/trms/window.h"
#include "native/trms/core.h"
#include "ground/host.h"

void trms_window_none(struct trms_strand *strand)
{
    strand->window = (uintptr_t)&strand->nowhere[TRMS_NOWHERE_FIRST];
    strand->mask = TRMS_NOWHERE_MASK;
    strand->careful = 1;
}

void trms_window_begin(struct trms_strand *strand, uintptr_t words, uintptr_t mask)
{
    strand->window = words;
    strand->mask = mask;
    strand->careful = strand->world->shared;
}

/* ---------------------------------------------------------------- accesses */

/* The token of a mapped file that has this cell; 0: none has. */
static uint32_t file_at(const struct trms_world *world, uint64_t cell)
{
    for (uint32_t i = 0; i < world->n_ranges; i++)
        if (cell >= world->ranges[i].first && cell <= world->ranges[i].last)
            return world->ranges[i].token;
    return 0;
}

/* Input that the strand has not seen yet. */
static bool is_from_kernel(const struct trms_strand *strand, uint32_t word, uint64_t cell)
{
    if (word)
        return word % TRMS_TICK == TRMS_KERNEL;
    return strand->world->n_files && file_at(strand->world, cell);
}

void trms_window_read(struct trms_strand *strand, uint64_t first, uint64_t last)
{
    for (uint64_t cell = first; cell <= last; cell++) {
        uint32_t *at = trms_window_word(strand, cell), word = *at, state = word % TRMS_TICK;
        if (word >= strand->floor)
            continue;
        if (is_from_kernel(strand, word, cell)) {
            trms_count_induced(strand, TRMS_TIME(word), TRMS_TOKEN_KERNEL);
            state = TRMS_KERNEL_SEEN;
        } else {
            trms_count_fresh(strand, TRMS_TIME(word));
            state = word ? state : TRMS_READ;
        }
        *at = (uint32_t)strand->stamp | state;
    }
}

/* Cells of one variable mostly have the same past. */
void trms_window_read_few(struct trms_strand *strand, uintptr_t address, int n)
{
    uint32_t *words = (uint32_t *)(strand->window + (address & strand->mask));
    uint32_t word = words[0], time = TRMS_TIME(word), differs = 0;
    for (int i = 1; i < n; i++)
        differs |= words[i] ^ word;
    if (UNLIKELY(differs || word % TRMS_TICK == TRMS_KERNEL || (!word && strand->world->n_files) ||
                 word >= strand->floor)) {
        uint64_t cell = address >> TRMS_FAST_SHIFT;
        trms_window_read(strand, cell, cell + (uint64_t)n - 1);
        return;
    }
    uint32_t now = (uint32_t)strand->stamp | (word ? word % TRMS_TICK : TRMS_READ);
    for (int i = 0; i < n; i++)
        words[i] = now;
    if (time >= strand->activation->stamp)
        return;
    strand->activation->rms += n;
    if (time)
        trms_ancestor(strand, time)->rms -= n;
}

void trms_window_write(struct trms_strand *strand, uint64_t first, uint64_t last)
{
    trms_words_own(strand, first, last - first + 1);
}

/* ---------------------------------------------------------------- HOT: careful strands */

/* First accesses of all activations younger than `time`, which is before the floor. */
APROF_INLINE void count_few(struct trms_strand *strand, uint32_t time, int n)
{
    if (time >= strand->activation->stamp)
        return;
    strand->activation->rms += n;
    if (!time)
        return;
    if (LIKELY(time >= strand->activation[-1].stamp))
        strand->activation[-1].rms -= n; /* the caller: the likeliest */
    else
        trms_ancestor(strand, time)->rms -= n;
}

/* The tables of these cells are at hand, and nothing needs to be caught up with. */
APROF_INLINE bool are_at_hand(const struct trms_strand *strand, uintptr_t address, int n)
{
    const uintptr_t chunk = (uintptr_t)1 << (TRMS_CHUNK_LOG2 + TRMS_FAST_SHIFT);
    return trms_at_hand(strand, address) && address % chunk + 4 * (uintptr_t)n <= chunk &&
           strand->remembered.written[(uint8_t)trms_chunk_of(address)] && !trms_is_behind(strand);
}

/* What the strand has seen of all n cells is what is there, and no entry is younger than `time`. */
APROF_INLINE bool are_unchanged(const struct trms_strand *strand, uintptr_t address, uint32_t time,
                                int n)
{
    uintptr_t tokens = strand->remembered.written[(uint8_t)trms_chunk_of(address)];
    const uint32_t *written = (const uint32_t *)(tokens + address);
    const uint64_t *entries = trms_entry(strand, address);
    uint32_t differs = 0, is_younger = 0;
    for (int i = 0; i < n; i++) {
        uint32_t token = __atomic_load_n(&written[i], __ATOMIC_RELAXED);
        differs |= token ^ (uint32_t)(entries[i] >> 32);
        is_younger |= (uint32_t)entries[i] > time;
    }
    return !(differs | is_younger);
}

/* Entries that are right as they are stay: the time is in the words. */
APROF_INLINE bool careful_read(struct trms_strand *strand, uintptr_t address, int n)
{
    uint32_t *words = (uint32_t *)(strand->window + (address & strand->mask));
    uint32_t word = words[0], time = TRMS_TIME(word), state = word % TRMS_TICK;
    for (int i = 1; i < n; i++)
        if (UNLIKELY(words[i] != word))
            return false;
    if (time < strand->synced) {
        if (UNLIKELY(!trms_has_window(strand) || !are_at_hand(strand, address, n) ||
                     !are_unchanged(strand, address, time, n)))
            return false;
        state = TRMS_READ;
    }
    for (int i = 0; i < n; i++)
        words[i] = (uint32_t)strand->stamp | state;
    count_few(strand, time, n);
    return true;
}

APROF_INLINE bool careful_write(struct trms_strand *strand, uintptr_t address, int n)
{
    if (UNLIKELY(!trms_has_window(strand) || !strand->token_limit ||
                 !are_at_hand(strand, address, n)))
        return false;
    uintptr_t tokens = strand->remembered.written[(uint8_t)trms_chunk_of(address)];
    uint64_t *entries = trms_entry(strand, address), stamp = strand->stamp;
    strand->token_used = true;
    for (int i = 0; i < n; i++)
        entries[i] = stamp;
    for (int i = 0; i < n; i++)
        __atomic_store_n((uint32_t *)(tokens + address) + i, (uint32_t)(stamp >> 32),
                         __ATOMIC_RELAXED);
    return true;
}

#define CAREFUL(n)                                                                                 \
    bool trms_careful_read_##n(struct trms_strand *strand, uintptr_t address)                      \
    {                                                                                              \
        return careful_read(strand, address, n);                                                   \
    }                                                                                              \
    bool trms_careful_write_##n(struct trms_strand *strand, uintptr_t address)                     \
    {                                                                                              \
        return careful_write(strand, address, n);                                                  \
    }
CAREFUL(1)
CAREFUL(2)
CAREFUL(4)

/* ---------------------------------------------------------------- the kernel, and time */

/* The strand's time has advanced: no word is as young as the floor. */
void trms_window_kernel_wrote(struct trms_strand *strand, uint64_t first, uint64_t last)
{
    for (uint64_t cell = first; cell <= last; cell++) {
        uint32_t *at = trms_window_word(strand, cell);
        *at = TRMS_TIME(*at) | TRMS_KERNEL;
    }
}

static void renumber_words(void *context, uint32_t *words, uint64_t cell, uint64_t n)
{
    const struct trms_strand *strand = context;
    (void)cell;
    for (uint64_t i = 0; i < n; i++)
        if (TRMS_TIME(words[i]))
            words[i] = trms_time_renumbered(strand, TRMS_TIME(words[i])) | words[i] % TRMS_TICK;
}

void trms_window_renumber(struct trms_strand *strand)
{
    if (trms_has_window(strand))
        trms_window_each(strand, renumber_words, strand);
}

/* ---------------------------------------------------------------- the end of a window */

/* What the strand has seen: its own token where it has written, the kernel's where that has. */
static void move_words(void *context, uint32_t *words, uint64_t cell, uint64_t n)
{
    struct trms_strand *strand = context;
    uint64_t own = strand->stamp >> 32, kernel = own | TRMS_TOKEN_KERNEL;
    const uint64_t seen[] = {[TRMS_OWN] = own, [TRMS_KERNEL_SEEN] = kernel};
    uint64_t *entries = NULL;
    for (uint64_t i = 0; i < n; i++) {
        if (!words[i])
            continue;
        if (!entries)
            entries = trms_entries_make(strand, cell >> TRMS_CHUNK_LOG2) + cell % TRMS_CHUNK_CELLS;
        entries[i] = seen[words[i] % TRMS_TICK] << 32 | TRMS_TIME(words[i]);
    }
}

static void tell_kernels(void *context, uint32_t *words, uint64_t cell, uint64_t n)
{
    struct trms_strand *strand = context;
    uint32_t kernel = (uint32_t)(strand->stamp >> 32) | TRMS_TOKEN_KERNEL, *tokens = NULL;
    for (uint64_t i = 0; i < n; i++) {
        if (words[i] % TRMS_TICK != TRMS_KERNEL)
            continue;
        if (!tokens)
            tokens =
                trms_written_make(strand->world, cell >> TRMS_CHUNK_LOG2) + cell % TRMS_CHUNK_CELLS;
        tokens[i] = kernel;
    }
}

/* Entries first, for trms_written_make takes tokens from them. A signal handler may have come
 * between a write and its word: the write calls after it. */
void trms_window_end(struct trms_strand *strand)
{
    if (!strand->token_limit)
        trms_token_next(strand);
    strand->token_used = true;
    trms_window_each(strand, move_words, strand);
    trms_window_each(strand, tell_kernels, strand);
    strand->careful = 1;
}

static void move_times(void *context, uint32_t *words, uint64_t cell, uint64_t n)
{
    struct trms_strand *strand = context;
    uint64_t *entries = NULL;
    for (uint64_t i = 0; i < n; i++) {
        if (!TRMS_TIME(words[i]))
            continue;
        if (!entries)
            entries = trms_entries_make(strand, cell >> TRMS_CHUNK_LOG2) + cell % TRMS_CHUNK_CELLS;
        trms_words_take(strand, cell + i, 1, &entries[i]);
    }
}

void trms_window_leave(struct trms_strand *strand)
{
    if (trms_window_is_used(strand))
        trms_window_end(strand);
    else if (trms_has_window(strand))
        trms_window_each(strand, move_times, strand);
    trms_window_none(strand);
}
