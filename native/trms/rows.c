/* Accesses of many cells at once: what equal cells have in common is found out once.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A read changes nothing where the word is not below the floor. What it does elsewhere depends on the
 * word alone, and, if the strand is careful and the word older than its latest synchronisation, on
 * the token beside it: the cell's past. So cells of one past are counted together.
 *
 * Worked example. f, at time 24, reads a row of 100 cells; its caller g, at time 8, has written the
 * first 60 of them at 12, and has then read some others that lay behind them, at 12, too. The words
 * are 12 (OWN) 60 times, 13 (READ) 30 times, and 0 ten times. Three pasts:
 *
 *     12 x 60    first for f, not for g      f.rms += 60, g.rms -= 60, words 24
 *     13 x 30    the same                    f.rms += 30, g.rms -= 30, words 25
 *      0 x 10    first for all               f.rms += 10,              words 25
 *
 * Sums are changed after the words, and the stack is looked at anew then: a signal handler that nobody
 * has told of may have used this strand meanwhile, and moved its stack.
 */
#include "native/trms/rows.h"
#include "native/trms/core.h"
#include "native/trms/runs.h"
#include "native/trms/window.h"

#define CELL_BYTES ((size_t)1 << TRMS_FAST_SHIFT)
#define SHORT      16 /* cells of a piece that are looked at one by one */

/* Pieces that lie apart. */
struct pieces {
    uintptr_t address;
    size_t bytes, stride, n;
};

struct past {
    uint32_t word;
    uint32_t token;   /* of whom it is input if it is induced; the kernel's or another strand's */
    uint32_t becomes; /* what its words do */
    bool is_old;      /* the token had to be looked at */
    bool is_induced;
};

/* What was read of cells with this past. */
static void count(struct trms_strand *strand, const struct past *past, size_t n)
{
    uint32_t time = TRMS_TIME(past->word);
    if (UNLIKELY(past->is_induced))
        trms_count_induced(strand, time, past->token, (int64_t)n);
    else
        trms_count_firsts(strand, time, (int64_t)n);
}

/* Cells of a chunk, whose words follow each other in every window. */
static uint64_t cells_left(uint64_t cell)
{
    return TRMS_CHUNK_CELLS - cell % TRMS_CHUNK_CELLS;
}

/* ---------------------------------------------------------------- the only strand */

APROF_INLINE struct past past_of(const struct trms_strand *strand, uint32_t word)
{
    uint32_t state = word % TRMS_TICK, now = (uint32_t)strand->stamp;
    if (UNLIKELY(state == TRMS_KERNEL))
        return (struct past){word, TRMS_TOKEN_KERNEL, now | TRMS_KERNEL_SEEN, false, true};
    return (struct past){word, 0, now | (word ? state : TRMS_READ), false, false};
}

/* Cells that were never accessed, and some of which a file has: they are asked one by one. */
APROF_INLINE bool may_be_file(const struct trms_strand *strand, uint32_t word, uint64_t first,
                              uint64_t last)
{
    return !word && UNLIKELY(strand->world->n_files) && trms_file_is_in(strand->world, first, last);
}

/* Reads the first of some words, which is below the floor, and all that are like it. */
static size_t read_run(struct trms_strand *strand, uint32_t *words, uint64_t cell, size_t n)
{
    if (may_be_file(strand, words[0], cell, cell + n - 1)) {
        trms_window_read(strand, cell, cell);
        return 1;
    }
    struct past past = past_of(strand, words[0]);
    size_t run = runs_replace(words, n, past.word, past.becomes);
    count(strand, &past, run);
    return run;
}

APROF_INLINE void read_in_chunk(struct trms_strand *strand, uint64_t cell, size_t n)
{
    uint32_t *words = trms_window_word(strand, cell), floor = strand->floor;
    for (size_t i = runs_young(words, n, floor); i < n; i += runs_young(words + i, n - i, floor))
        i += read_run(strand, words + i, cell + i, n - i);
}

void trms_row_read(struct trms_strand *strand, uint64_t first, uint64_t last)
{
    uint64_t left;
    trms_pages_want_all(strand, first, last - first + 1, TRMS_PAGE_WORDS);
    for (; UNLIKELY((left = cells_left(first)) <= last - first); first += left)
        read_in_chunk(strand, first, left);
    read_in_chunk(strand, first, last - first + 1);
}

void trms_row_write(struct trms_strand *strand, uint64_t first, uint64_t last)
{
    uint32_t now = (uint32_t)strand->stamp | TRMS_OWN;
    uint64_t left;
    trms_pages_want_all(strand, first, last - first + 1, TRMS_PAGE_WORDS);
    for (; UNLIKELY((left = cells_left(first)) <= last - first); first += left)
        runs_fill(trms_window_word(strand, first), left, now);
    runs_fill(trms_window_word(strand, first), last - first + 1, now);
}

/* Of pieces that lie apart, each cell is compared with the past of the one before. */
struct pending {
    struct past past;
    size_t n; /* cells that have it and have not been counted */
};

APROF_INLINE void settle(struct trms_strand *strand, struct pending *pending)
{
    if (pending->n)
        count(strand, &pending->past, pending->n);
    pending->n = 0;
}

static APROF_NOINLINE void turn_to(struct trms_strand *strand, struct pending *pending,
                                   uint32_t word)
{
    settle(strand, pending);
    pending->past = past_of(strand, word);
}

APROF_INLINE void read_one(struct trms_strand *strand, struct pending *pending, uint64_t cell)
{
    uint32_t *at = trms_window_word(strand, cell), word = *at;
    if (word >= strand->floor)
        return;
    if (UNLIKELY(may_be_file(strand, word, cell, cell))) {
        trms_window_read(strand, cell, cell);
        return;
    }
    if (UNLIKELY(word != pending->past.word || !pending->n))
        turn_to(strand, pending, word);
    *at = pending->past.becomes;
    pending->n++;
}

static void read_pieces(struct trms_strand *strand, const struct pieces *p)
{
    struct pending pending = {.n = 0};
    uintptr_t address = p->address;
    for (size_t i = 0; i < p->n; i++, address += p->stride) {
        uint64_t cell = address >> TRMS_FAST_SHIFT;
        uint64_t last = (address + p->bytes - 1) >> TRMS_FAST_SHIFT;
        if (last - cell >= SHORT) {
            trms_row_read(strand, cell, last);
            continue;
        }
        for (; cell <= last; cell++)
            read_one(strand, &pending, cell);
    }
    settle(strand, &pending);
}

static void write_pieces(struct trms_strand *strand, const struct pieces *p)
{
    uintptr_t address = p->address;
    for (size_t i = 0; i < p->n; i++, address += p->stride) {
        uint64_t cell = address >> TRMS_FAST_SHIFT;
        uint64_t last = (address + p->bytes - 1) >> TRMS_FAST_SHIFT;
        if (last - cell >= SHORT)
            trms_row_write(strand, cell, last);
        else
            trms_words_own(strand, cell, last - cell + 1);
    }
}

/* ---------------------------------------------------------------- careful strands */

/* A signal handler may have come since the last time: what it has acquired comes before what is
 * looked at from now on. */
APROF_INLINE void be_settled(struct trms_strand *strand)
{
    if (UNLIKELY(trms_is_behind(strand)))
        trms_catch_up(strand);
}

/* It has a token, which is about to be stored. */
static void be_writing(struct trms_strand *strand)
{
    if (UNLIKELY(!strand->token_limit))
        trms_token_next(strand);
    be_settled(strand);
    strand->token_used = true;
}

static struct past past_beside(struct trms_strand *strand, uint32_t word, uint32_t token)
{
    uint32_t time = TRMS_TIME(word), state = word % TRMS_TICK, now;
    bool is_old = word < strand->synced;
    bool is_induced = is_old && trms_is_unseen(time, state, trms_sight(strand, token));
    now = (uint32_t)strand->stamp | (is_old ? TRMS_READ : state);
    return (struct past){word, token, now, is_old, is_induced};
}

static size_t read_run_beside(struct trms_strand *strand, uint32_t *words, const uint32_t *tokens,
                              size_t n)
{
    be_settled(strand);
    struct past past = past_beside(strand, words[0], __atomic_load_n(&tokens[0], __ATOMIC_RELAXED));
    size_t run = past.is_old
                     ? runs_replace_beside(words, tokens, n, past.word, past.token, past.becomes)
                     : runs_replace(words, n, past.word, past.becomes);
    count(strand, &past, run);
    return run;
}

void trms_words_read(struct trms_strand *strand, uint8_t place, uint64_t cell, uint64_t n)
{
    be_settled(strand);
    const uint32_t *tokens = (const uint32_t *)(strand->remembered.written[place] + 4 * cell);
    uint32_t *words = trms_window_word(strand, cell);
    trms_pages_want_all(strand, cell, n, TRMS_PAGE_WORDS);
    for (size_t i = runs_young(words, n, strand->floor); i < n;
         i += runs_young(words + i, n - i, strand->floor))
        i += read_run_beside(strand, words + i, tokens + i, n - i);
}

void trms_words_write(struct trms_strand *strand, uint8_t place, uint64_t cell, uint64_t n)
{
    be_writing(strand);
    uint32_t *tokens = (uint32_t *)(strand->remembered.written[place] + 4 * cell);
    trms_pages_want_all(strand, cell, n, TRMS_PAGE_ALL);
    runs_fill(tokens, n, (uint32_t)(strand->stamp >> 32));
    runs_fill(trms_window_word(strand, cell), n, (uint32_t)strand->stamp | TRMS_OWN);
}

/* The tokens of the chunk that the latest cell was in. */
struct beside {
    struct pending pending;
    uint64_t chunk;
    uint32_t *tokens; /* biased: of cell 0 */
};

APROF_INLINE uint32_t *tokens_of(struct trms_strand *strand, struct beside *b, uint64_t cell)
{
    if (UNLIKELY(cell >> TRMS_CHUNK_LOG2 != b->chunk)) {
        b->chunk = cell >> TRMS_CHUNK_LOG2;
        b->tokens = (uint32_t *)strand->remembered.written[trms_remember(strand, b->chunk)];
    }
    return (uint32_t *)((uintptr_t)b->tokens + CELL_BYTES * cell);
}

static APROF_NOINLINE void turn_beside(struct trms_strand *strand, struct pending *pending,
                                       uint32_t word, uint32_t token)
{
    settle(strand, pending);
    pending->past = past_beside(strand, word, token);
}

APROF_INLINE bool is_same(const struct pending *pending, uint32_t word, uint32_t token)
{
    return pending->n && word == pending->past.word &&
           (!pending->past.is_old || token == pending->past.token);
}

APROF_INLINE void read_one_beside(struct trms_strand *strand, struct beside *b, uint64_t cell)
{
    uint32_t *at = trms_window_word(strand, cell), word, token;
    if (*at >= strand->floor)
        return;
    if (UNLIKELY(trms_is_behind(strand))) {
        settle(strand, &b->pending);
        trms_catch_up(strand);
    }
    word = *at;
    token = __atomic_load_n(tokens_of(strand, b, cell), __ATOMIC_RELAXED);
    if (UNLIKELY(!is_same(&b->pending, word, token)))
        turn_beside(strand, &b->pending, word, token);
    *at = b->pending.past.becomes;
    b->pending.n++;
}

static void read_pieces_beside(struct trms_strand *strand, const struct pieces *p)
{
    struct beside beside = {.chunk = TRMS_NOT_REMEMBERED};
    uintptr_t address = p->address;
    be_settled(strand);
    for (size_t i = 0; i < p->n; i++, address += p->stride)
        for (uint64_t cell = address >> TRMS_FAST_SHIFT;
             cell <= (address + p->bytes - 1) >> TRMS_FAST_SHIFT; cell++)
            read_one_beside(strand, &beside, cell);
    settle(strand, &beside.pending);
}

static void write_pieces_beside(struct trms_strand *strand, const struct pieces *p)
{
    struct beside beside = {.chunk = TRMS_NOT_REMEMBERED};
    uintptr_t address = p->address;
    be_writing(strand);
    for (size_t i = 0; i < p->n; i++, address += p->stride)
        for (uint64_t cell = address >> TRMS_FAST_SHIFT;
             cell <= (address + p->bytes - 1) >> TRMS_FAST_SHIFT; cell++) {
            __atomic_store_n(tokens_of(strand, &beside, cell), (uint32_t)(strand->stamp >> 32),
                             __ATOMIC_RELAXED);
            *trms_window_word(strand, cell) = (uint32_t)strand->stamp | TRMS_OWN;
        }
}

/* ---------------------------------------------------------------- any pieces, any strand */

/* Where no cell lies between two pieces all of them are one. */
APROF_INLINE bool are_one(const struct pieces *p, size_t cell_bytes)
{
    return p->n == 1 || p->stride < p->bytes + cell_bytes;
}

APROF_INLINE size_t bytes_of_all(const struct pieces *p)
{
    return (p->n - 1) * p->stride + p->bytes;
}

static void access_generally(struct trms_strand *strand, const struct pieces *p,
                             enum watch_kind kind)
{
    uintptr_t address = p->address;
    if (are_one(p, (size_t)1 << strand->world->config.shift)) {
        trms_access_bytes(strand, address, bytes_of_all(p), kind);
        return;
    }
    if (trms_has_window(strand)) {
        (kind == WATCH_READ ? read_pieces_beside : write_pieces_beside)(strand, p);
        return;
    }
    for (size_t i = 0; i < p->n; i++, address += p->stride)
        trms_access_bytes(strand, address, p->bytes, kind);
}

void trms_rows_read(struct trms_strand *strand, uintptr_t address, size_t bytes, size_t stride,
                    size_t n)
{
    const struct pieces p = {address, bytes, stride, n};
    if (UNLIKELY(!n || !bytes))
        return;
    if (UNLIKELY(!trms_window_is_used(strand)))
        access_generally(strand, &p, WATCH_READ);
    else if (are_one(&p, CELL_BYTES))
        trms_row_read(strand, address >> TRMS_FAST_SHIFT,
                      (address + bytes_of_all(&p) - 1) >> TRMS_FAST_SHIFT);
    else
        read_pieces(strand, &p);
}

void trms_rows_write(struct trms_strand *strand, uintptr_t address, size_t bytes, size_t stride,
                     size_t n)
{
    const struct pieces p = {address, bytes, stride, n};
    if (UNLIKELY(!n || !bytes))
        return;
    if (UNLIKELY(!trms_window_is_used(strand)))
        access_generally(strand, &p, WATCH_WRITE);
    else if (are_one(&p, CELL_BYTES))
        trms_row_write(strand, address >> TRMS_FAST_SHIFT,
                       (address + bytes_of_all(&p) - 1) >> TRMS_FAST_SHIFT);
    else
        write_pieces(strand, &p);
}
