/* Renumbers all timestamps when the counter is about to overflow, and keeps all relevant orders.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The algorithm is from paper 003, section 4.4, Figure 13. The engine compares a cell's timestamps
 * only with the times of activations and with each other. Let A be the sorted times of all pending
 * activations. The position of each timestamp relative to these times must stay the same. For each
 * cell, the latest write and the latest accesses of all execution contexts must keep their order.
 * Three values for each gap between neighbouring times of A suffice:
 *
 *     activation of rank p            -> 3p
 *     written, in the gap above q     -> 3q + 1
 *     accessed: in another gap j      -> 3j
 *               in the gap of written -> 3q if earlier, 3q + 1 if equal, 3q + 2 if later
 *
 * (In the paper's figure, the comparison that selects q has the wrong direction; the paper's text
 * is right.)
 *
 * The bottom entry of every stack has time 1 and rank 1. So no accessed cell is renumbered to 0,
 * which means "never". The flag bits of timestamps (private write, kernel) are kept.
 *
 * Cost: one pass over the existing chunks, with a binary search for each timestamp that differs
 * from its neighbour.
 */
#include "aprof/state.h"
#include "ground/host.h"
#include "ground/pages.h"

struct ranks {
    uint32_t *times; /* A: sorted, distinct; times[0] = 0 is a sentinel */
    uint32_t n;      /* largest rank */
    uint32_t capacity;
    uint32_t last; /* latest result, usually also right for the next cell */
};

/* ---------------------------------------------------------------- A */

static void count_activations(struct engine *engine, struct exec_context *ctx)
{
    engine->renumbering->capacity += (uint32_t)ctx->top;
}

static void append_activations(struct engine *engine, struct exec_context *ctx)
{
    struct ranks *ranks = engine->renumbering;
    for (size_t i = 1; i <= ctx->top; i++)
        ranks->times[++ranks->n] = ctx->stamps[i];
}

/* Bottom-up merge sort: each stack of activations is already a sorted run. */
static void sort_times(uint32_t *times, size_t n)
{
    uint32_t *other = host_map("aprof.overflow.sort", pages_bytes(n * sizeof(*other)));
    uint32_t *from = times, *to = other;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * width) {
            size_t middle = begin + width < n ? begin + width : n;
            size_t end = begin + 2 * width < n ? begin + 2 * width : n;
            size_t a = begin, b = middle, at = begin;
            while (a < middle || b < end)
                to[at++] = b == end || (a < middle && from[a] <= from[b]) ? from[a++] : from[b++];
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != times)
        memcpy(times, from, n * sizeof(*times));
    host_unmap(other, pages_bytes(n * sizeof(*other)));
}

static size_t times_bytes(const struct ranks *ranks)
{
    return pages_bytes(ranks->capacity * sizeof(uint32_t));
}

static void ranks_make(struct engine *engine)
{
    struct ranks *ranks = engine->renumbering;
    ranks->capacity = 2;
    exec_contexts_each(engine, count_activations);
    ranks->times = host_map("aprof.overflow.times", times_bytes(ranks));
    ranks->times[1] = BOTTOM_STAMP;
    ranks->n = 1;
    exec_contexts_each(engine, append_activations);
    sort_times(ranks->times + 1, ranks->n);
}

/* Returns the largest rank whose time is not later than `time`. */
static uint32_t rank_of(struct ranks *ranks, uint32_t time)
{
    uint32_t last = ranks->last;
    if (ranks->times[last] <= time && (last == ranks->n || time < ranks->times[last + 1]))
        return last;
    uint32_t low = 0, high = ranks->n + 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (ranks->times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    ranks->last = low;
    return low;
}

/* ---------------------------------------------------------------- stamps */

static uint32_t to_stamp(uint32_t time)
{
    return time << 1;
}

static uint32_t new_written(struct ranks *ranks, uint32_t stamp)
{
    if (!stamp)
        return 0;
    return to_stamp(3 * rank_of(ranks, stamp & ~STAMP_BIT) + 1) | (stamp & STAMP_BIT);
}

static uint32_t new_accessed(struct ranks *ranks, uint32_t stamp, uint32_t written)
{
    uint32_t time = stamp & ~STAMP_BIT, written_time = written & ~STAMP_BIT;
    uint32_t rank = rank_of(ranks, time), renumbered = 3 * rank;
    if (rank == rank_of(ranks, written_time) && time >= written_time)
        renumbered += time == written_time ? 1 : 2;
    return to_stamp(renumbered) | (stamp & STAMP_BIT);
}

/* Renumbers `n` timestamps of one chunk, from cell `first` on. */
static void renumber_accessed(struct engine *engine, uint32_t *accessed, uint64_t first, uint32_t n)
{
    const uint32_t *written = shadow_find(&engine->written, first >> CHUNK_CELLS_LOG2);
    uint32_t at = CELL_IN_CHUNK(first);
    for (uint32_t i = 0; i < n; i++)
        if (accessed[i])
            accessed[i] =
                new_accessed(engine->renumbering, accessed[i], written ? written[at + i] : 0);
}

static void renumber_exec_context(struct engine *engine, struct exec_context *ctx)
{
    struct ranks *ranks = engine->renumbering;
    for (size_t i = 0; i <= ctx->top; i++)
        ctx->stamps[i] = to_stamp(3 * rank_of(ranks, ctx->stamps[i]));
    for (uint32_t c = 0; c < ctx->accessed.n_chunks; c++)
        renumber_accessed(engine, ctx->accessed.list[c].cells,
                          ctx->accessed.list[c].index << CHUNK_CELLS_LOG2, CHUNK_CELLS);
    for (uint32_t l = 0; l < ctx->lines.n_lines; l++)
        renumber_accessed(engine, ctx->lines.lines[l].stamps,
                          ctx->lines.lines[l].number << LINE_CELLS_LOG2, LINE_CELLS);
}

static void renumber_writes(struct engine *engine)
{
    struct ranks *ranks = engine->renumbering;
    for (uint32_t c = 0; c < engine->written.n_chunks; c++) {
        uint32_t *cells = engine->written.list[c].cells;
        for (uint32_t i = 0; i < CHUNK_CELLS; i++)
            if (cells[i])
                cells[i] = new_written(ranks, cells[i]);
    }
    for (uint32_t i = 0; i < engine->n_files; i++)
        engine->files[i].stamp = new_written(ranks, engine->files[i].stamp);
}

/* ---------------------------------------------------------------- entry point */

/* Sets the counter `now` to a value just above all timestamps. If the pending activations alone
 * need more timestamps than the counter has, the counter stays wider until fewer activations are
 * pending. */
static void restart_counter(struct engine *engine, uint32_t n)
{
    uint32_t configured = (uint32_t)(((uint64_t)1 << engine->config.counter_bits) - 1) << 1;
    engine->now = to_stamp(3 * n + 3);
    engine->limit = configured;
    if (engine->now >= configured - configured / 4)
        engine->limit = engine->now + configured / 2;
    APROF_ASSERT(engine->limit > engine->now);
}

void overflow_renumber(struct engine *engine)
{
    struct ranks ranks = {0};
    engine->renumbering = &ranks;
    ranks_make(engine);
    exec_contexts_each(engine, renumber_exec_context);
    renumber_writes(engine);
    restart_counter(engine, ranks.n);
    host_unmap(ranks.times, times_bytes(&ranks));
    engine->renumbering = NULL;
    engine->stats.renumberings++;
}
