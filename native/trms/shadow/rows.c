/* Records accesses to many cells at once; equal cells share one computation.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A read changes nothing if the cell's word is not below the floor. The effect of any other read
 * depends on the cell's *past*, which is its word. In shared mode, the past also includes the token
 * if the word is older than the latest synchronisation. So cells with the same past are counted
 * together.
 *
 * Worked example. f, called at time 24, reads a range of 100 cells. The caller of f is g, which was
 * called at time 8. g wrote the first 60 cells and read the next 30 cells, both at time 12. The
 * words of these cells are 12 (OWN) 60 times, and 13 (READ) 30 times. Ten cells have the word 0. So
 * the cells have three different pasts:
 *
 *     12 x 60    first for f, not for g      f.rms += 60, g.rms -= 60, words 24
 *     13 x 30    the same                    f.rms += 30, g.rms -= 30, words 25
 *      0 x 10    first for all               f.rms += 10,              words 25
 *
 * The shadow words are changed before the sums of activations. In between, the stack is read again,
 * because an unrecognised signal handler may have used this execution context and moved its stack.
 */
#include "native/trms/shadow/rows.h"
#include "native/trms/core.h"
#include "native/trms/shadow/runs_apart.h"
#include "native/trms/shadow/words.h"

#define CELL_BYTES ((size_t)1 << TRMS_FAST_SHIFT)
#define FEW        16
#define PAGE_CELLS (((size_t)1 << TRMS_PAGE_LOG2) / CELL_BYTES)

struct past {
    uint32_t word;
    uint32_t token;   /* token of the source of induced input: the kernel or another context */
    uint32_t becomes; /* new value of words with this past; 0: the struct is empty */
    bool is_old;      /* whether the past includes the token */
    bool is_induced;
};

/* Counts the reads of cells with this past. */
static void count(struct trms_exec_context *ctx, const struct past *past, size_t n)
{
    uint32_t time = TRMS_TIME(past->word);
    if (UNLIKELY(past->is_induced))
        trms_count_induced(ctx, time, past->token, (int64_t)n);
    else
        trms_count_firsts(ctx, time, (int64_t)n);
}

/* Replaces the leading words that have this past; returns their number. */
APROF_INLINE size_t replace(uint32_t *words, const uint32_t *tokens, size_t n,
                            const struct past *past)
{
    return past->is_old
               ? runs_replace_beside(words, tokens, n, past->word, past->token, past->becomes)
               : runs_replace(words, n, past->word, past->becomes);
}

/* Replaces words of two pasts, in groups of four; returns how many words had the past `one`. Words
 * of two pasts alternate if, as in red-black orderings, every second number of an array was written
 * before the other numbers. */
static size_t replace_two(uint32_t *words, const uint32_t *tokens, size_t n, const struct past *one,
                          const struct past *other, size_t *n_one)
{
    const lanes any_one = lanes_of(one->is_old ? 0 : ~0u), any = lanes_of(other->is_old ? 0 : ~0u);
    lanes sum = lanes_zero();
    uint32_t sums[4];
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        lanes four = lanes_load(words + i), beside = lanes_load(tokens + i);
        lanes a = lanes_equal(four, lanes_of(one->word));
        lanes b = lanes_equal(four, lanes_of(other->word));
        a = lanes_and(a, lanes_or(any_one, lanes_equal(beside, lanes_of(one->token))));
        b = lanes_and(b, lanes_or(any, lanes_equal(beside, lanes_of(other->token))));
        if (!lanes_all(lanes_or(a, b)))
            break;
        lanes_store(words + i, lanes_or(lanes_and(a, lanes_of(one->becomes)),
                                        lanes_and_not(a, lanes_of(other->becomes))));
        sum = lanes_sub(sum, a);
    }
    lanes_store(sums, sum);
    *n_one = (size_t)sums[0] + sums[1] + sums[2] + sums[3];
    return i;
}

/* Records reads of the leading cells that have this past, or, if the previous span was short,
 * either this past or the past of the previous span. */
static size_t read_alike(struct trms_exec_context *ctx, uint32_t *words, const uint32_t *tokens,
                         size_t n, const struct past *past, struct past *before)
{
    size_t of_before = 0, run = 0;
    if (before->becomes)
        run = replace_two(words, tokens, n, before, past, &of_before);
    if (of_before)
        count(ctx, before, of_before);
    if (!run)
        run = replace(words, tokens, n, past);
    count(ctx, past, run - of_before);
    *before = *past;
    if (run - of_before >= FEW)
        before->becomes = 0;
    return run;
}

/* Returns the number of cells up to the end of a chunk; the words of a chunk are consecutive in
 * every direct-mapped shadow. */
static uint64_t cells_left(uint64_t cell)
{
    return TRMS_CHUNK_CELLS - cell % TRMS_CHUNK_CELLS;
}

/* ---------------------------------------------------------------- exclusive execution contexts */

APROF_INLINE struct past past_of(const struct trms_exec_context *ctx, uint32_t word)
{
    uint32_t state = word % TRMS_TICK, now = (uint32_t)ctx->stamp;
    if (UNLIKELY(state == TRMS_KERNEL))
        return (struct past){word, TRMS_TOKEN_KERNEL, now | TRMS_KERNEL_SEEN, false, true};
    return (struct past){word, 0, now | (word ? state : TRMS_READ), false, false};
}

/* Returns whether some of these cells, which were never accessed, may belong to a file and must be
 * tested one by one. */
APROF_INLINE bool may_be_file(const struct trms_exec_context *ctx, uint32_t word, uint64_t first,
                              uint64_t last)
{
    return !word && UNLIKELY(ctx->world->n_files) && trms_file_is_in(ctx->world, first, last);
}

/* Records reads of the first cell, whose word is below the floor, and of all directly following
 * cells with the same word. */
static size_t read_run(struct trms_exec_context *ctx, uint32_t *words, uint64_t cell, size_t n,
                       struct past *before)
{
    if (may_be_file(ctx, words[0], cell, cell + n - 1)) {
        trms_exclusive_read(ctx, cell, cell);
        return 1;
    }
    struct past past = past_of(ctx, words[0]);
    return read_alike(ctx, words, words, n, &past, before);
}

/* ---------------------------------------------------------------- shared execution contexts */

/* Makes the context catch up with signal handlers that have ended since the last call. */
APROF_INLINE void be_settled(struct trms_exec_context *ctx)
{
    if (UNLIKELY(trms_is_behind(ctx)))
        trms_catch_up(ctx);
}

/* Prepares a write: ensures that the context has a token, which the caller stores. */
static void be_writing(struct trms_exec_context *ctx)
{
    if (UNLIKELY(!ctx->token_limit))
        trms_token_next(ctx);
    be_settled(ctx);
    ctx->token_used = true;
}

/* Returns the past of a cell. The times are loaded after the token. If a signal handler ends
 * between these loads, the times already include the acquires of the handler. */
static struct past past_beside(struct trms_exec_context *ctx, uint32_t word, uint32_t token)
{
    uint32_t time = TRMS_TIME(word), state = word % TRMS_TICK, synced, now;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    while (UNLIKELY((synced = __atomic_load_n(&ctx->synced, __ATOMIC_RELAXED)) >
                    (now = (uint32_t)__atomic_load_n(&ctx->stamp, __ATOMIC_RELAXED))))
        trms_catch_up(ctx);
    bool is_old = word < synced;
    bool is_induced = is_old && trms_is_unseen(time, state, trms_seen_version(ctx, token, synced));
    now |= is_old ? TRMS_READ : state;
    return (struct past){word, token, now, is_old, is_induced};
}

static size_t read_run_beside(struct trms_exec_context *ctx, uint32_t *words,
                              const uint32_t *tokens, size_t n, struct past *before)
{
    be_settled(ctx);
    struct past past = past_beside(ctx, words[0], __atomic_load_n(&tokens[0], __ATOMIC_RELAXED));
    return read_alike(ctx, words, tokens, n, &past, before);
}

static uint32_t *tokens_at(struct trms_exec_context *ctx, uint64_t cell)
{
    uint8_t place = trms_remember(ctx, cell >> TRMS_CHUNK_LOG2);
    return (uint32_t *)(ctx->remembered.written[place] + CELL_BYTES * cell);
}

/* ---------------------------------------------------------------- cells that follow each other */

APROF_INLINE void read_in_chunk(struct trms_exec_context *ctx, uint64_t cell, size_t n)
{
    bool is_exclusive = trms_is_exclusive(ctx);
    if (!is_exclusive)
        be_settled(ctx);
    uint32_t *words = trms_words(ctx, cell), *tokens = is_exclusive ? NULL : tokens_at(ctx, cell);
    struct past before = {.becomes = 0};
    trms_pages_want_all(ctx, cell, n, TRMS_PAGE_WORDS);
    for (size_t i = runs_young(words, n, ctx->floor); i < n;
         i += runs_young(words + i, n - i, ctx->floor))
        i += is_exclusive ? read_run(ctx, words + i, cell + i, n - i, &before)
                          : read_run_beside(ctx, words + i, tokens + i, n - i, &before);
}

static void write_in_chunk(struct trms_exec_context *ctx, uint64_t cell, size_t n)
{
    bool is_exclusive;
    do {
        is_exclusive = trms_is_exclusive(ctx);
        uint32_t *words = trms_words(ctx, cell);
        if (!is_exclusive) {
            uint32_t *tokens = tokens_at(ctx, cell);
            trms_pages_want_all(ctx, cell, n, TRMS_PAGE_ALL);
            be_writing(ctx);
            runs_fill(tokens, n, (uint32_t)(ctx->stamp >> 32));
        } else {
            trms_pages_want_all(ctx, cell, n, TRMS_PAGE_WORDS);
        }
        runs_fill(words, n, (uint32_t)ctx->stamp | TRMS_OWN);
    } while (UNLIKELY(!is_exclusive && !trms_is_still_settled(ctx)));
}

void trms_row_read(struct trms_exec_context *ctx, uint64_t first, uint64_t last)
{
    uint64_t left;
    for (; UNLIKELY((left = cells_left(first)) <= last - first); first += left)
        read_in_chunk(ctx, first, left);
    read_in_chunk(ctx, first, last - first + 1);
}

void trms_row_write(struct trms_exec_context *ctx, uint64_t first, uint64_t last)
{
    uint64_t left;
    for (; UNLIKELY((left = cells_left(first)) <= last - first); first += left)
        write_in_chunk(ctx, first, left);
    write_in_chunk(ctx, first, last - first + 1);
}

/* ---------------------------------------------------------------- pieces of one cell, or of two */

/* A group of elements that are `step` cells apart, all in one chunk. `cells` is a constant where
 * the following functions are inlined. */
struct apart {
    uint64_t cell;
    size_t step, n;
};

/* Populates the pages of all elements; called if the first word was never stored. */
static APROF_NOINLINE void want_pages(struct trms_exec_context *ctx, struct apart p, unsigned kinds)
{
    if (p.step <= PAGE_CELLS) {
        trms_pages_want_all(ctx, p.cell, (p.n - 1) * p.step + 1, kinds);
        return;
    }
    for (; p.n; p.n--, p.cell += p.step)
        trms_pages_want(ctx, p.cell << TRMS_FAST_SHIFT, kinds);
}

/* Records reads of the first element, whose word is below the floor, and of all directly following
 * elements with the same words. */
APROF_INLINE size_t read_like(struct trms_exec_context *ctx, uint32_t *words, const struct apart *p,
                              unsigned cells)
{
    uint64_t last = p->cell + (p->n - 1) * p->step + cells - 1;
    if (words[0] != words[cells - 1] || may_be_file(ctx, words[0], p->cell, last)) {
        trms_row_read(ctx, p->cell, p->cell + cells - 1);
        return 1;
    }
    if (!words[0])
        want_pages(ctx, *p, TRMS_PAGE_WORDS);
    struct past past = past_of(ctx, words[0]);
    size_t run = runs_replace_apart(words, p->step, cells, p->n, past.word, past.becomes);
    count(ctx, &past, cells * run);
    return run;
}

APROF_INLINE void go_on(struct apart *p, size_t n)
{
    p->cell += n * p->step;
    p->n -= n;
}

APROF_INLINE size_t read_like_beside(struct trms_exec_context *ctx, uint32_t *words,
                                     const uint32_t *tokens, const struct apart *p, unsigned cells)
{
    if (!words[0])
        want_pages(ctx, *p, TRMS_PAGE_WORDS);
    be_settled(ctx);
    uint32_t token = __atomic_load_n(&tokens[0], __ATOMIC_RELAXED);
    bool are_alike = words[0] == words[cells - 1] &&
                     token == __atomic_load_n(&tokens[cells - 1], __ATOMIC_RELAXED);
    if (!are_alike) {
        trms_row_read(ctx, p->cell, p->cell + cells - 1);
        return 1;
    }
    struct past past = past_beside(ctx, words[0], token);
    size_t run = past.is_old
                     ? runs_replace_apart_beside(words, tokens, p->step, cells, p->n, past.word,
                                                 past.token, past.becomes)
                     : runs_replace_apart(words, p->step, cells, p->n, past.word, past.becomes);
    count(ctx, &past, cells * run);
    return run;
}

APROF_INLINE void read_apart(struct trms_exec_context *ctx, struct apart p, unsigned cells)
{
    bool is_exclusive = trms_is_exclusive(ctx);
    uint32_t *first = trms_words(ctx, p.cell) - p.cell;
    const uint32_t *tokens = is_exclusive ? NULL : tokens_at(ctx, p.cell) - p.cell;
    for (;;) {
        go_on(&p, runs_young_apart(first + p.cell, p.step, cells, p.n, ctx->floor));
        if (!p.n)
            return;
        go_on(&p, is_exclusive ? read_like(ctx, first + p.cell, &p, cells)
                               : read_like_beside(ctx, first + p.cell, tokens + p.cell, &p, cells));
    }
}

APROF_INLINE void write_apart(struct trms_exec_context *ctx, struct apart p, unsigned cells)
{
    bool is_exclusive;
    do {
        is_exclusive = trms_is_exclusive(ctx);
        uint32_t *words = trms_words(ctx, p.cell);
        if (!words[0])
            want_pages(ctx, p, is_exclusive ? TRMS_PAGE_WORDS : TRMS_PAGE_ALL);
        if (!is_exclusive) {
            be_writing(ctx);
            runs_fill_apart(tokens_at(ctx, p.cell), p.step, cells, p.n,
                            (uint32_t)(ctx->stamp >> 32));
        }
        runs_fill_apart(words, p.step, cells, p.n, (uint32_t)ctx->stamp | TRMS_OWN);
    } while (UNLIKELY(!is_exclusive && !trms_is_still_settled(ctx)));
}

APROF_INLINE void access_apart(struct trms_exec_context *ctx, struct apart p, unsigned cells,
                               enum watch_kind kind)
{
    if (kind == WATCH_WRITE)
        write_apart(ctx, p, cells);
    else
        read_apart(ctx, p, cells);
}

/* ------------------------------------------------------------ any pieces, any execution context */

struct pieces {
    uintptr_t address;
    size_t bytes, stride, n;
};

/* Returns whether the elements together cover one range of cells without gaps. */
APROF_INLINE bool are_one(const struct pieces *p, size_t cell_bytes)
{
    return p->n == 1 || p->stride < p->bytes + cell_bytes;
}

APROF_INLINE size_t bytes_of_all(const struct pieces *p)
{
    return (p->n - 1) * p->stride + p->bytes;
}

APROF_INLINE uint64_t last_of_all(const struct pieces *p)
{
    return (p->address + bytes_of_all(p) - 1) >> TRMS_FAST_SHIFT;
}

APROF_INLINE bool is_fast(const struct trms_exec_context *ctx)
{
    return LIKELY(ctx->world->config.shift == TRMS_FAST_SHIFT);
}

static void access_piece(struct trms_exec_context *ctx, uintptr_t address, size_t bytes,
                         enum watch_kind kind)
{
    uint64_t first = address >> TRMS_FAST_SHIFT, last = (address + bytes - 1) >> TRMS_FAST_SHIFT;
    if (is_fast(ctx))
        (kind == WATCH_READ ? trms_row_read : trms_row_write)(ctx, first, last);
    else
        trms_access_bytes(ctx, address, bytes, kind);
}

/* Returns the number of elements in the chunk in which the first element begins; 0 if the first
 * element ends in another chunk. */
static size_t pieces_in_chunk(const struct apart *p, unsigned cells)
{
    uint64_t left = cells_left(p->cell);
    if (LIKELY((p->n - 1) * p->step + cells <= left))
        return p->n;
    return left < cells ? 0 : (left - cells) / p->step + 1;
}

static void access_few(struct trms_exec_context *ctx, struct apart p, unsigned cells,
                       enum watch_kind kind)
{
    while (p.n) {
        size_t n = pieces_in_chunk(&p, cells);
        struct apart here = {p.cell, p.step, n};
        if (!n)
            access_piece(ctx, p.cell << TRMS_FAST_SHIFT, cells * CELL_BYTES, kind);
        else if (cells == 1)
            access_apart(ctx, here, 1, kind);
        else
            access_apart(ctx, here, 2, kind);
        go_on(&p, n ? n : 1);
    }
}

static void access_pieces(struct trms_exec_context *ctx, const struct pieces *p,
                          enum watch_kind kind)
{
    uintptr_t address = p->address, skip = address % CELL_BYTES;
    if (are_one(p, (size_t)1 << ctx->world->config.shift)) {
        access_piece(ctx, address, bytes_of_all(p), kind);
    } else if (is_fast(ctx) && !(p->stride % CELL_BYTES) && skip + p->bytes <= 2 * CELL_BYTES) {
        struct apart few = {address / CELL_BYTES, p->stride / CELL_BYTES, p->n};
        access_few(ctx, few, skip + p->bytes <= CELL_BYTES ? 1 : 2, kind);
    } else {
        for (size_t i = 0; i < p->n; i++, address += p->stride)
            access_piece(ctx, address, p->bytes, kind);
    }
}

void trms_rows_read(struct trms_exec_context *ctx, uintptr_t address, size_t bytes, size_t stride,
                    size_t n)
{
    const struct pieces p = {address, bytes, stride, n};
    if (UNLIKELY(!n || !bytes))
        return;
    if (LIKELY(is_fast(ctx) && are_one(&p, CELL_BYTES)))
        trms_row_read(ctx, address >> TRMS_FAST_SHIFT, last_of_all(&p));
    else
        access_pieces(ctx, &p, WATCH_READ);
}

static void write_rows(struct trms_exec_context *ctx, const struct pieces *p)
{
    if (LIKELY(is_fast(ctx) && are_one(p, CELL_BYTES)))
        trms_row_write(ctx, p->address >> TRMS_FAST_SHIFT, last_of_all(p));
    else
        access_pieces(ctx, p, WATCH_WRITE);
}

/* This function is called inside the guard, where the code can determine whether a signal handler
 * became the second execution context. */
void trms_rows_write(struct trms_exec_context *ctx, uintptr_t address, size_t bytes, size_t stride,
                     size_t n)
{
    const struct pieces p = {address, bytes, stride, n};
    bool is_to_repeat;
    if (UNLIKELY(!n || !bytes))
        return;
    do {
        is_to_repeat = ctx->careful == TRMS_EXCLUSIVE_CHUNKS;
        write_rows(ctx, &p);
    } while (UNLIKELY(is_to_repeat && !trms_is_exclusive(ctx)));
}

/* Returns the words of all elements; NULL if the words are not consecutive or do not exist. */
static uint32_t *words_of_all(const struct trms_exec_context *ctx, const struct pieces *p,
                              size_t *n_words)
{
    uint64_t cell = p->address >> TRMS_FAST_SHIFT;
    if (!trms_has_direct_shadow(ctx) || !p->n || !p->bytes || !are_one(p, CELL_BYTES))
        return NULL;
    *n_words = last_of_all(p) - cell + 1;
    return *n_words <= cells_left(cell) ? trms_direct_shadow_word(ctx, cell) : NULL;
}

bool trms_rows_are_read(const struct trms_exec_context *ctx, uintptr_t address, size_t bytes,
                        size_t stride, size_t n)
{
    const struct pieces p = {address, bytes, stride, n};
    size_t n_words;
    const uint32_t *words = words_of_all(ctx, &p, &n_words);
    return words && runs_young(words, n_words, ctx->floor) == n_words;
}

/* The tests are in the same order as in inline checks. */
bool trms_rows_write_again(struct trms_exec_context *ctx, uintptr_t address, size_t bytes,
                           size_t stride, size_t n)
{
    const struct pieces p = {address, bytes, stride, n};
    size_t n_words;
    uint32_t *words = words_of_all(ctx, &p, &n_words);
    uint32_t synced = __atomic_load_n(&ctx->synced, __ATOMIC_RELAXED);
    if (!words || !runs_have_none(words, n_words, synced, TRMS_WORDS_NOT_OWN))
        return false;
    runs_fill(words, n_words, (uint32_t)ctx->stamp | TRMS_OWN);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return __atomic_load_n(&ctx->synced, __ATOMIC_RELAXED) == synced;
}
