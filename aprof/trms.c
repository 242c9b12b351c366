/* The threaded read memory size: the read/write timestamping algorithm of paper 003.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The algorithm is in sections 2 and 4 and in Figures 10 to 12 of paper 003. Let r be an activation
 * of an execution context t, and let l be a cell.
 *
 * - A read is a first access if neither r nor a descendant of r has accessed l before.
 * - A read is an induced first access if another execution context or the kernel wrote l after the
 *   latest access by r or a descendant of r.
 * - The sum rms(r) counts first accesses; trms(r) counts first accesses and induced first accesses.
 *
 * Worked example (Figure 1a). f in T1 reads x, g in T2 writes x, f reads x again. The times are 2
 * (call of f), 3 (switch), 4 (call of g) and 5 (switch). The first read finds accessed[x] = 0 < 2 =
 * f's time, so rms(f) = 1. The write sets written[x] = 4. The second read finds accessed[x] = 2 < 4
 * = written[x], so the read is induced. accessed[x] is not below f's time, so rms(f) stays the
 * same, and delta(f) becomes 1: rms = 1, trms = 2.
 *
 * accessed[l] is compared only with the times of pending activations and with written[l]. If l was
 * not written between the time of the top activation and now, these comparisons have the same
 * results for all values of accessed[l] in this interval. So a read that is neither a first nor an
 * induced access need not change accessed[l], and the loop in consume.c leaves it unchanged. In the
 * example, a third read of x by f would leave accessed[x] unchanged.
 *
 * One pass yields both metrics: `rms` counts first accesses, and `delta` counts additional induced
 * accesses. Induced accesses are also counted by the kind of the latest writer. A read that is both
 * first and induced is counted as induced.
 */
#include "aprof/activation.h"
#include "aprof/state.h"
#include "aprof/exec_cursor.h"
#include "ground/host.h"

/* ---------------------------------------------------------------- HOT: one cell */

typedef uint32_t four_stamps __attribute__((vector_size(16)));

/* Subtracts 1 from each of four sums if the timestamp at the same index is above `limit`. */
APROF_INLINE void take_above(four_stamps *sums, const uint32_t *stamps, const four_stamps *limit)
{
    four_stamps four;
    __builtin_memcpy(&four, stamps, sizeof(four));
    *sums += (four_stamps)(four > *limit);
}

/* Returns how many of the STAMPS_BELOW timestamps beginning at `stamps` are not above `time`. The
 * code is unrolled by hand, because the compiler would keep a loop. */
APROF_INLINE size_t count_not_above(const uint32_t *stamps, uint32_t time)
{
    _Static_assert(STAMPS_BELOW == 16, "four times four");
    const four_stamps limit = {time, time, time, time};
    four_stamps sums = {4, 4, 4, 4};
    take_above(&sums, stamps, &limit);
    take_above(&sums, stamps + 4, &limit);
    take_above(&sums, stamps + 8, &limit);
    take_above(&sums, stamps + 12, &limit);
    sums += __builtin_shufflevector(sums, sums, 2, 3, 0, 1);
    sums += __builtin_shufflevector(sums, sums, 1, 0, 3, 2);
    return sums[0];
}

/* Finds in O(log depth) an ancestor that is not near the top. */
static APROF_NOINLINE struct activation *find_far_ancestor(struct exec_context *ctx, uint32_t time)
{
    const uint32_t *stamps = ctx->stamps;
    size_t end = ctx->top - STAMPS_BELOW, low = 0;
    while (end - low > 1) {
        size_t middle = low + (end - low) / 2;
        if (stamps[middle] <= time)
            low = middle;
        else
            end = middle;
    }
    return &ctx->stack[low];
}

/* Returns the youngest activation below the top that began no later than `time`. This activation is
 * usually near the top, but branch prediction cannot predict its position. So the nearest ancestors
 * are all compared, without branches. */
APROF_INLINE struct activation *find_ancestor(const struct tip *tip, uint32_t time)
{
    size_t near = count_not_above(tip->stamp - STAMPS_BELOW, time);
    if (UNLIKELY(!near))
        return find_far_ancestor(tip->ctx, time);
    return tip->top - (STAMPS_BELOW + 1 - near);
}

static APROF_NOINLINE void count_induced(struct exec_context *ctx, uint32_t accessed,
                                         uint32_t written)
{
    if (UNLIKELY(ctx->silent))
        return;
    struct induced *top = activation_induced(ctx, ctx->top);
    bool by_thread = !(written & STAMP_BIT);
    top->thread += by_thread;
    top->external += !by_thread;
    if (accessed >= ctx->stamps[ctx->top]) {
        top->delta++;
        top->delta_thread += by_thread;
        return;
    }
    ctx->stack[ctx->top].rms++;
    if (!accessed)
        return;
    const struct tip tip = exec_context_tip(ctx);
    struct activation *ancestor = find_ancestor(&tip, accessed);
    struct induced *its = activation_induced(ctx, (size_t)(ancestor - ctx->stack));
    ancestor->rms--;
    its->delta++;
    its->delta_thread += by_thread;
}

/* Subtracts `n` cells, last accessed at time `accessed`, from the ancestor that has counted them.
 * If `accessed` is 0, the cells were never accessed, and nothing is subtracted. */
APROF_NOINLINE void trms_take_from_ancestor(const struct tip *tip, uint32_t accessed, int64_t n)
{
    if (LIKELY(accessed))
        find_ancestor(tip, accessed)->rms -= n;
}

/* The values that the hot loop keeps in registers. */
struct view {
    struct engine *engine;
    struct exec_context *ctx;
    struct tip tip;
    uint32_t now;
    /* 0 in a silent execution context (exec_context_is_silent), so that no read counts as a first
     * access */
    uint32_t top_stamp;
    unsigned shift; /* `shift` and `shared` are constants in each instance of the loop */
    bool shared;
};

static struct view view_of(struct engine *engine)
{
    struct exec_context *ctx = engine->ctx;
    return (struct view){engine,
                         ctx,
                         exec_context_tip(ctx),
                         engine->now,
                         ctx->silent ? 0 : ctx->stamps[ctx->top],
                         engine->shift,
                         engine->shared};
}

/* Reads a cell. If `written` is NULL, `accessed` is not compared with the time of the latest
 * write. */
APROF_INLINE void read_cell(struct view *v, uint32_t *accessed, const uint32_t *written)
{
    uint32_t stamp = *accessed, time = v->shared ? stamp : stamp & ~STAMP_BIT;
    if (time == v->now)
        return;
    if (written && UNLIKELY(time < (*written & ~STAMP_BIT)))
        count_induced(v->ctx, time, *written);
    else if (time < v->top_stamp)
        activation_count_first(&v->tip, time, 1);
    *accessed = v->now | (stamp & STAMP_BIT);
}

APROF_INLINE void write_cell(struct view *v, uint32_t *accessed, uint32_t *written)
{
    if (v->shared)
        *accessed = *written = v->now;
    else
        *accessed = v->now | STAMP_BIT;
}

/* ---------------------------------------------------------------- any range of cells */

APROF_INLINE void access_cells(struct view *v, unsigned kind, uint32_t *accessed, uint32_t *written,
                               size_t n)
{
    for (size_t i = 0; kind != ACCESS_WRITE && i < n; i++)
        read_cell(v, &accessed[i], written ? &written[i] : NULL);
    for (size_t i = 0; kind != ACCESS_READ && i < n; i++)
        write_cell(v, &accessed[i], written ? &written[i] : NULL);
}

/* Accesses the cells [first, last]. The cells may lie in several chunks, and in chunks that are not
 * yet remembered. */
static void access_range(struct view *v, unsigned kind, uint64_t first, uint64_t last)
{
    while (first <= last) {
        uint64_t index = first >> CHUNK_CELLS_LOG2, end = (index + 1) << CHUNK_CELLS_LOG2;
        struct remembered_chunk *chunk = &v->ctx->remembered[index % REMEMBERED_CHUNKS];
        if (chunk->index != index)
            memory_remember(v->engine, v->ctx, index);
        if (kind != ACCESS_READ && v->shared && chunk->written == NO_ORIGIN)
            memory_written_chunk(v->engine, index);
        access_cells(v, kind, stamp_at(chunk->accessed, first),
                     chunk->written == NO_ORIGIN ? NULL : stamp_at(chunk->written, first),
                     (size_t)((last < end ? last + 1 : end) - first));
        first = end;
    }
}

/* Accesses cells in the lines of a small execution context; switches to chunks if its lines do not
 * suffice. */
static void access_lines(struct view *v, unsigned kind, uint64_t first, uint64_t last)
{
    while (first <= last) {
        uint64_t number = first >> LINE_CELLS_LOG2, end = (number + 1) << LINE_CELLS_LOG2;
        uint64_t index = first >> CHUNK_CELLS_LOG2;
        uint32_t *written = kind == ACCESS_READ ? memory_written_for_reads(v->engine, index)
                                                : memory_written_chunk(v->engine, index);
        uint32_t *accessed = shadow_lines_make(&v->ctx->lines, number);
        if (UNLIKELY(!accessed)) {
            memory_exec_context_spread(v->engine, v->ctx);
            access_range(v, kind, first, last);
            return;
        }
        access_cells(v, kind, &accessed[first % LINE_CELLS],
                     written ? &written[CELL_IN_CHUNK(first)] : NULL,
                     (size_t)((last < end ? last + 1 : end) - first));
        first = end;
    }
}

void trms_access(struct engine *engine, unsigned kind, uint64_t address, uint64_t bytes)
{
    struct view v = view_of(engine);
    address &= ADDRESS_MASK;
    uint64_t first = address >> v.shift, last = (address + bytes - 1) >> v.shift;
    if (last > ADDRESS_MASK >> v.shift)
        last = ADDRESS_MASK >> v.shift;
    if (UNLIKELY(exec_context_is_small(engine, v.ctx))) {
        if (v.ctx->allowance) {
            v.ctx->allowance--;
            access_lines(&v, kind, first, last);
            return;
        }
        memory_exec_context_spread(engine, v.ctx);
    }
    access_range(&v, kind, first, last);
}

/* ---------------------------------------------------------------- calls, returns, time */

/* Adds the counts of the top activation to its parent. */
static void hand_induced_down(struct exec_context *ctx)
{
    const struct induced *top = &ctx->induced[ctx->top];
    struct induced *parent = activation_induced(ctx, ctx->top - 1);
    parent->delta += top->delta;
    parent->delta_thread += top->delta_thread;
    parent->thread += top->thread;
    parent->external += top->external;
}

void trms_tick(struct engine *engine)
{
    activation_tick(engine);
}

void trms_call(struct engine *engine, struct exec_context *ctx, struct routine *routine,
               aprof_word slot)
{
    if (engine->config.collect_in_toggles)
        ctx->toggles += routine->toggles;
    activation_call(engine, ctx, routine, slot, !exec_context_is_silent(engine, ctx));
}

/* Counts the top activation in all tables; returns the input size for the activation's call
 * edge. */
static APROF_NOINLINE uint64_t measure(struct engine *engine, struct exec_context *ctx,
                                       uint64_t cost)
{
    const struct activation *top = &ctx->stack[ctx->top];
    struct induced induced = {0};
    if (top->is_induced)
        induced = ctx->induced[ctx->top];
    struct measurement m = {
        .input = {(uint64_t)(top->rms + induced.delta), (uint64_t)top->rms},
        .cost = cost,
        .self = cost - top->cost_of_callees,
        .thread_again = (uint64_t)induced.delta_thread,
        .induced_thread = induced.thread,
        .induced_external = induced.external,
    };
    profile_add(top->profile, &m, engine->metrics);
    if (engine->contexts)
        exec_cursor_return(engine, ctx, &m);
    return m.input[engine->metrics & 1u << METRIC_TRMS ? METRIC_TRMS : METRIC_RMS];
}

/* Counts the top activation when it is about to end. */
static void count_activation(struct engine *engine, struct exec_context *ctx, uint64_t cost)
{
    const struct activation *top = &ctx->stack[ctx->top];
    uint64_t input = (uint64_t)top->rms;
    if (UNLIKELY(!top->measured)) {
        if (engine->contexts)
            exec_cursor_return(engine, ctx, NULL);
        return;
    }
    if (UNLIKELY(!engine->plain) || UNLIKELY(top->is_induced) ||
        UNLIKELY(!profile_add_again(top->profile, input, cost, cost - top->cost_of_callees)))
        input = measure(engine, ctx, cost);
    activation_count_edge(engine, top, cost, input);
}

void trms_end(struct engine *engine, struct exec_context *ctx)
{
    struct tip tip = exec_context_tip(ctx);
    const struct activation *top = tip.top;
    uint64_t cost = ctx->cost - top->cost_before;
    APROF_ASSERT(ctx->top > 0);
    if (engine->config.collect_in_toggles)
        ctx->toggles -= ctx->routine->toggles;
    count_activation(engine, ctx, cost);
    if (UNLIKELY(top->is_induced))
        hand_induced_down(ctx);
    activation_pop(&tip, top[-1].profile ? top[-1].profile->routine : NULL, cost);
}

void trms_return(struct engine *engine, struct exec_context *ctx)
{
    aprof_word slot = ctx->stack[ctx->top].slot;
    trms_end(engine, ctx);
    if (UNLIKELY(slot - ctx->deepest_slot > DEAD_STACK_BYTES) && slot != NO_SLOT)
        memory_release_dead_stack(engine, ctx, slot);
}

/* ---------------------------------------------------------------- the kernel (Figure 12) */

/* While there is only one execution context, the lowest bit of accessed[l] marks a private write. A
 * kernel write makes these marks obsolete, so this function clears them. */
static void forget_private_writes(struct engine *engine, uint64_t index, uint32_t at, size_t n)
{
    uint32_t *accessed = engine->shared ? NULL : shadow_find(&engine->ctx->accessed, index);
    for (size_t i = 0; accessed && i < n; i++)
        accessed[at + i] &= ~STAMP_BIT;
}

void trms_kernel_write(struct engine *engine, uint64_t address, uint64_t bytes)
{
    trms_tick(engine);
    address &= ADDRESS_MASK;
    uint64_t first = address >> engine->shift, last = (address + bytes - 1) >> engine->shift;
    if (last > ADDRESS_MASK >> engine->shift)
        last = ADDRESS_MASK >> engine->shift;
    while (first <= last) {
        uint64_t index = first >> CHUNK_CELLS_LOG2;
        uint64_t end = (index + 1) << CHUNK_CELLS_LOG2;
        uint32_t *written = memory_written_chunk(engine, index);
        uint32_t at = CELL_IN_CHUNK(first);
        size_t n = (size_t)((last < end ? last + 1 : end) - first);
        for (size_t i = 0; i < n; i++)
            written[at + i] = engine->now | STAMP_BIT;
        forget_private_writes(engine, index, at, n);
        first = end;
    }
}
