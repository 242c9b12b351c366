/* The parallel TRMS: records accesses.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * state.h explains the algorithm, and docs/parallel-trms.md proves it. Each function in this file
 * uses only one execution context and the table written[]. No execution context reads the stack,
 * time or shadow words of another context.
 *
 * Words of written[] are loaded and stored with relaxed atomic operations. In a program without
 * data races, the program's own synchronisation orders these loads and stores as it orders the
 * program's data. In a program with data races, the racing accesses of a cell are counted as if
 * they had happened in some order, which may differ from the real order.
 *
 * This file is compiled without vector registers: inline checks (quick.c) call these functions
 * while the program has values in vector registers. The exception is trms_access_bytes, which calls
 * rows.c.
 */
#include "native/trms/core.h"
#include "native/trms/shadow/rows.h"
#include "native/trms/calls/accumulators.h"
#include "native/trms/shadow/words.h"

/* ---------------------------------------------------------------- HOT: one cell */

#define NEAR 16

/* Returns the youngest activation below the top that began no later than `time`. The result of the
 * latest search is tested first, because it is most often the right one. Then the nearest
 * activations are tested one by one. The remaining activations are searched by bisection, in O(log
 * depth). */
struct trms_activation *trms_ancestor(struct trms_exec_context *ctx, uint32_t time)
{
    struct trms_activation *at = ctx->activation, *low = ctx->stack;
    struct trms_activation *again = trms_ancestor_again(ctx, time);
    if (again)
        return again;
    for (int i = 0; i < NEAR && at > low; i++)
        if ((--at)->stamp <= time)
            return ctx->found = at;
    while (at - low > 1) {
        struct trms_activation *middle = low + (at - low) / 2;
        if (middle->stamp <= time)
            low = middle;
        else
            at = middle;
    }
    return ctx->found = low;
}

/* Counts a first access for every activation younger than `time`. Adds one to rms of the latest
 * activation, and subtracts one from rms of the youngest ancestor that has already accessed the
 * cell. Invariant: an activation's true rms is the sum of `rms` from this activation to the top of
 * the stack (Invariant 2 of paper 003). */
APROF_INLINE void count_first(struct trms_exec_context *ctx, uint32_t time)
{
    struct trms_activation *top = ctx->activation;
    top->rms++;
    if (!time)
        return;
    if (LIKELY(time >= top[-1].stamp))
        top[-1].rms--; /* the most frequent case: the ancestor is the caller */
    else
        trms_ancestor(ctx, time)->rms--;
}

void trms_count_fresh(struct trms_exec_context *ctx, uint32_t time)
{
    if (time < ctx->activation->stamp)
        count_first(ctx, time);
}

/* Counts a read of n cells that another writer wrote; the cells become input of all pending
 * activations. In activations that have accessed the cells before, the cells count as induced input
 * (delta). For activations that began after the latest access, the read is a first access. So n is
 * added to rms of the latest activation. The same number is subtracted from rms of the youngest
 * activation that has accessed the cells before. */
void trms_count_induced(struct trms_exec_context *ctx, uint32_t time, uint32_t token, int64_t n)
{
    struct trms_activation *top = ctx->activation, *ancestor;
    int64_t by_threads = TRMS_KIND(token) == TRMS_TOKEN_THREAD ? n : 0;
    top->accumulator = top->accumulator->aside;
    /* The accumulator is set before the sums, because a signal handler may jump away between the
     * stores. */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
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
    ancestor = trms_ancestor(ctx, time);
    ancestor->rms -= n;
    ancestor->delta += n;
    ancestor->delta_thread += by_threads;
}

/* ---------------------------------------------------------------- any access */

static uint64_t first_cell(const struct trms_exec_context *ctx, uint64_t address)
{
    return (address & TRMS_ADDRESS_MASK) >> ctx->world->config.shift;
}

static uint64_t last_cell(const struct trms_exec_context *ctx, uint64_t address, uint64_t bytes)
{
    uint64_t first = address & TRMS_ADDRESS_MASK, room = TRMS_ADDRESS_MASK - first;
    return (first + (bytes - 1 < room ? bytes - 1 : room)) >> ctx->world->config.shift;
}

/* If a signal handler became the second execution context and derived tokens before this write, the
 * write must be repeated. */
void trms_access_bytes(struct trms_exec_context *ctx, uint64_t address, uint64_t bytes,
                       enum watch_kind kind)
{
    uint64_t first = first_cell(ctx, address), last = last_cell(ctx, address, bytes);
    bool was_exclusive = kind != WATCH_READ;
    if (kind != WATCH_WRITE)
        trms_row_read(ctx, first, last);
    while (was_exclusive) {
        was_exclusive = trms_is_exclusive(ctx);
        trms_row_write(ctx, first, last);
        was_exclusive &= !trms_is_exclusive(ctx);
    }
}

static bool write_exclusively(struct trms_exec_context *ctx, uint64_t first, uint64_t n)
{
    trms_words_own(ctx, first, n);
    return trms_is_exclusive(ctx);
}

bool trms_access_at_hand(struct trms_exec_context *ctx, uint64_t address, uint64_t bytes,
                         enum watch_kind kind)
{
    uint64_t first = first_cell(ctx, address), n = last_cell(ctx, address, bytes) - first + 1;
    bool reads = kind == WATCH_READ;
    if (trms_is_exclusive(ctx)) {
        if (!reads)
            return write_exclusively(ctx, first, n);
        trms_exclusive_read(ctx, first, first + n - 1);
        return true;
    }
    if (UNLIKELY(trms_is_behind(ctx)))
        return false;
    return (reads ? trms_shared_read : trms_shared_write)(ctx, first, n);
}
