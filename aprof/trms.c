/* The threaded read memory size: the read/write timestamping algorithm and the loop that feeds it.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Paper 003, sections 2 and 4, Figures 10 to 12. For an activation r of a strand t, and a cell l:
 *   - a read is a first access if neither r nor a descendant accessed l before;
 *   - it is an induced first access if l was written by another strand or the kernel since r or a
 *     descendant last accessed it;
 *   - rms(r) counts the first accesses, trms(r) the first and the induced first accesses.
 *
 * Worked example (Figure 1a). f in T1 reads x, g in T2 writes x, f reads x again. With times 2
 * (call of f), 3 (switch), 4 (call of g), 5 (switch): the first read finds accessed[x] = 0 < 2 =
 * f's time, so rms(f) = 1. The write sets written[x] = 4. The second read finds accessed[x] = 2 < 4
 * = written[x]: it is induced; 2 is not below f's time, so rms(f) stays and delta(f) becomes 1: rms
 * = 1, trms = 2.
 *
 * One pass yields both metrics: `rms` follows the rule for first accesses alone, `delta` what
 * induced accesses add, and the induced ones are counted by the kind of the latest writer. A read
 * that is both first and induced is counted as induced.
 */
#include "state.h"
#include "host.h"

/* ---------------------------------------------------------------- HOT: one cell */

typedef uint32_t four_stamps __attribute__((vector_size(16)));

#define SEARCH_BLOCK 16
#define NEAR_BLOCKS  4

/* How many of SEARCH_BLOCK stamps are not above `time`: no branch, since nobody could predict it.
 */
static size_t count_not_above(const uint32_t *stamps, uint32_t time)
{
    four_stamps limit = {time, time, time, time}, sum = {0};
    for (int i = 0; i < SEARCH_BLOCK; i += 4) {
        four_stamps four;
        __builtin_memcpy(&four, stamps + i, sizeof(four));
        sum -= (four_stamps)(four <= limit);
    }
    return sum[0] + sum[1] + sum[2] + sum[3];
}

/* The youngest activation below the top that is not younger than `time`. The nearest are the
 * likeliest: a few blocks are counted, then the rest is halved. O(log depth). */
static struct activation *find_ancestor(struct strand *strand, uint32_t time)
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

static APROF_NOINLINE void count_induced(struct strand *strand, uint32_t accessed, uint32_t written)
{
    struct activation *top = &strand->stack[strand->top];
    uint32_t top_stamp = strand->stamps[strand->top];
    if (written & STAMP_BIT)
        top->induced_external++;
    else
        top->induced_thread++;
    if (accessed >= top_stamp) {
        top->delta++;
        return;
    }
    top->rms++;
    if (!accessed)
        return;
    struct activation *ancestor = find_ancestor(strand, accessed);
    ancestor->rms--;
    ancestor->delta++;
}

static APROF_NOINLINE void count_first(struct strand *strand, uint32_t accessed)
{
    struct activation *top = &strand->stack[strand->top];
    top->rms++;
    if (!accessed)
        return;
    if (strand->stamps[strand->top - 1] <= accessed)
        top[-1].rms--; /* the caller: the likeliest */
    else
        find_ancestor(strand, accessed)->rms--;
}

/* What the hot loop keeps in registers. */
struct view {
    struct engine *engine;
    struct strand *strand;
    uint32_t now;
    uint32_t top_stamp;
    unsigned shift; /* constant in each instance of the loop, as is: */
    bool shared;
};

/* `written` is NULL where no write needs to be known. */
APROF_INLINE void read_cell(struct view *v, uint32_t *accessed, const uint32_t *written)
{
    uint32_t stamp = *accessed, time = stamp & ~STAMP_BIT;
    if (time == v->now)
        return;
    if (written && UNLIKELY(time < (*written & ~STAMP_BIT)))
        count_induced(v->strand, time, *written);
    else if (time < v->top_stamp)
        count_first(v->strand, time);
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

/* Cells [first, last], which may span chunks, in chunks that may not be remembered yet. */
static void access_range(struct view *v, unsigned kind, uint64_t first, uint64_t last)
{
    if (last > ADDRESS_MASK >> v->shift)
        last = ADDRESS_MASK >> v->shift;
    while (first <= last) {
        uint64_t index = first >> CHUNK_CELLS_LOG2, end = (index + 1) << CHUNK_CELLS_LOG2;
        struct remembered_chunk *chunk = &v->strand->remembered[index % REMEMBERED_CHUNKS];
        uint32_t **written = &v->strand->remembered_written[index % REMEMBERED_CHUNKS];
        if (chunk->index != index)
            memory_remember(v->engine, v->strand, index);
        if (kind != ACCESS_READ && v->shared && !*written)
            *written = memory_written_chunk(v->engine, index);
        uint32_t at = CELL_IN_CHUNK(first);
        access_cells(v, kind, chunk->accessed + at, *written ? *written + at : NULL,
                     (size_t)((last < end ? last + 1 : end) - first));
        first = end;
    }
}

static APROF_NOINLINE void access_generally(struct engine *engine, unsigned kind, uint64_t address,
                                            uint64_t bytes)
{
    struct strand *strand = engine->strand;
    struct view v = {engine,        strand,        engine->now, strand->stamps[strand->top],
                     engine->shift, engine->shared};
    address &= ADDRESS_MASK;
    access_range(&v, kind, address >> v.shift, (address + bytes - 1) >> v.shift);
}

/* ---------------------------------------------------------------- HOT: the common accesses */

/* Two neighbouring cells as one word. */
APROF_INLINE uint64_t load_pair(const uint32_t *cells)
{
    uint64_t pair;
    __builtin_memcpy(&pair, cells, sizeof(pair));
    return pair;
}

APROF_INLINE void store_pair(uint32_t *cells, uint64_t pair)
{
    __builtin_memcpy(cells, &pair, sizeof(pair));
}

/* True if all n cells were accessed at this very time (and, to be skipped by a write, written). */
APROF_INLINE bool is_up_to_date(const struct view *v, const uint32_t *cells, size_t n, bool written)
{
    uint64_t now = v->shared ? v->now : v->now | STAMP_BIT, pair = now << 32 | now;
    uint64_t bits = v->shared || written ? 0 : ((uint64_t)STAMP_BIT << 32 | STAMP_BIT);
    if (n == 1)
        return (*cells | (uint32_t)bits) == (uint32_t)now;
    for (size_t i = 0; i < n; i += 2)
        if ((load_pair(cells + i) | bits) != pair)
            return false;
    return true;
}

/* An access of a constant number of cells, if the address is aligned so that it touches no more. */
APROF_INLINE void access_cells_of(struct view *v, unsigned kind, uint64_t address, size_t n)
{
    uint64_t first = address >> v->shift, index = first >> CHUNK_CELLS_LOG2;
    struct remembered_chunk *chunk = &v->strand->remembered[index % REMEMBERED_CHUNKS];
    uint32_t **written = &v->strand->remembered_written[index % REMEMBERED_CHUNKS];
    uint32_t at = CELL_IN_CHUNK(first);
    if (UNLIKELY(chunk->index != index || (n > 1 && at > CHUNK_CELLS - n) ||
                 (kind != ACCESS_READ && v->shared && !*written))) {
        access_generally(v->engine, kind, first << v->shift, n << v->shift);
        return;
    }
    uint32_t *cells = chunk->accessed + at;
    uint64_t stamp = v->shared ? v->now : v->now | STAMP_BIT;
    if (kind != ACCESS_WRITE && !is_up_to_date(v, cells, n, false))
        for (size_t i = 0; i < n; i++)
            read_cell(v, &cells[i], *written ? *written + at + i : NULL);
    if (kind == ACCESS_READ)
        return;
    for (size_t i = 0; i + 1 < n; i += 2)
        store_pair(cells + i, stamp << 32 | stamp);
    if (n == 1)
        *cells = (uint32_t)stamp;
    for (size_t i = 0; v->shared && i < n; i++)
        (*written)[at + i] = v->now;
}

APROF_INLINE void access_bytes(struct view *v, unsigned kind, unsigned log2_bytes, uint64_t address)
{
    uint64_t bytes = (uint64_t)1 << log2_bytes, in_cell = ((uint64_t)1 << v->shift) - 1;
    if (log2_bytes <= v->shift) {
        if (LIKELY((address & in_cell) + bytes - 1 <= in_cell))
            access_cells_of(v, kind, address, 1);
        else
            access_generally(v->engine, kind, address, bytes);
        return;
    }
    if (LIKELY(!(address & in_cell)))
        access_cells_of(v, kind, address, (size_t)1 << (log2_bytes - v->shift));
    else
        access_generally(v->engine, kind, address, bytes);
}

/* Joined accesses have any size. */
APROF_INLINE void access_sized(struct view *v, unsigned kind, uint64_t address, uint64_t bytes)
{
    uint64_t first = address >> v->shift, last = (address + bytes - 1) >> v->shift;
    uint64_t index = first >> CHUNK_CELLS_LOG2;
    struct remembered_chunk *chunk = &v->strand->remembered[index % REMEMBERED_CHUNKS];
    uint32_t *written = v->strand->remembered_written[index % REMEMBERED_CHUNKS];
    uint32_t at = CELL_IN_CHUNK(first);
    if (UNLIKELY(chunk->index != index || last >> CHUNK_CELLS_LOG2 != index ||
                 (kind != ACCESS_READ && v->shared && !written))) {
        access_generally(v->engine, kind, address, bytes);
        return;
    }
    access_cells(v, kind, chunk->accessed + at, written ? written + at : NULL,
                 (size_t)(last - first + 1));
}

#define SHAPES_OF(kind)                                                                            \
    case ACCESS_SHAPE(kind, 0):                                                                    \
        access_bytes(v, kind, 0, address);                                                         \
        break;                                                                                     \
    case ACCESS_SHAPE(kind, 1):                                                                    \
        access_bytes(v, kind, 1, address);                                                         \
        break;                                                                                     \
    case ACCESS_SHAPE(kind, 2):                                                                    \
        access_bytes(v, kind, 2, address);                                                         \
        break;                                                                                     \
    case ACCESS_SHAPE(kind, 3):                                                                    \
        access_bytes(v, kind, 3, address);                                                         \
        break;                                                                                     \
    case ACCESS_SHAPE(kind, 4):                                                                    \
        access_bytes(v, kind, 4, address);                                                         \
        break

APROF_INLINE void access_unusual(struct view *v, struct access access, uint64_t address)
{
    if (UNLIKELY(access.guarded && !address))
        return;
    if (access.kind == ACCESS_READ)
        access_sized(v, ACCESS_READ, address, access.size_bytes);
    else if (access.kind == ACCESS_WRITE)
        access_sized(v, ACCESS_WRITE, address, access.size_bytes);
    else
        access_sized(v, ACCESS_MODIFY, address, access.size_bytes);
}

APROF_INLINE void block_accesses(struct view *v, const struct block *block,
                                 const aprof_word *payload)
{
    const struct access *access = block->access, *end = access + block->n_accesses;
    for (; access < end; access++) {
        uint64_t address = *payload++;
        switch (access->shape) {
            SHAPES_OF(ACCESS_READ);
            SHAPES_OF(ACCESS_WRITE);
            SHAPES_OF(ACCESS_MODIFY);
        default:
            access_unusual(v, *access, address);
        }
    }
}

/* ---------------------------------------------------------------- HOT: calls, returns, time */

APROF_INLINE void tick(struct engine *engine)
{
    engine->now += 1u << 1;
    if (UNLIKELY(engine->now >= engine->limit))
        overflow_renumber(engine);
}

APROF_INLINE void call(struct engine *engine, struct strand *strand, struct routine *routine,
                       aprof_word slot)
{
    tick(engine);
    if (UNLIKELY(++strand->top == strand->capacity))
        strand_grow_stack(strand);
    struct routine_profile *profile = profile_get(&strand->profile, routine);
    strand->routine = routine;
    strand->stamps[strand->top] = engine->now;
    strand->stack[strand->top] = (struct activation){
        .profile = profile,
        .slot = slot,
        .cost_before = strand->cost,
        .toggled = routine->toggles,
    };
    strand->toggles += routine->toggles;
    strand->stack[strand->top].measured = !strand_is_silent(engine, strand);
    profile->pending += strand->stack[strand->top].measured;
    if (slot < strand->deepest_slot)
        strand->deepest_slot = slot;
    if (UNLIKELY(strand->top > engine->stats.deepest))
        engine->stats.deepest = strand->top;
}

/* Collects the top activation and adds its partials to its parent's: Invariant 2. */
APROF_INLINE void return_(struct engine *engine, struct strand *strand)
{
    struct activation *top = &strand->stack[strand->top], *parent = top - 1;
    struct routine_profile *profile = top->profile;
    uint64_t cost = strand->cost - top->cost_before;
    APROF_ASSERT(strand->top > 0);
    if (LIKELY(top->measured)) {
        if (--profile->pending == 0)
            profile->cost_total += cost;
        struct measurement m = {
            .input = {(uint64_t)(top->rms + top->delta), (uint64_t)top->rms},
            .cost = cost,
            .self = cost - top->cost_of_callees,
            .induced_thread = top->induced_thread,
            .induced_external = top->induced_external,
        };
        profile_add(profile, &m, engine->metrics);
        engine->activations++;
    }
    parent->rms += top->rms;
    parent->delta += top->delta;
    parent->induced_thread += top->induced_thread;
    parent->induced_external += top->induced_external;
    parent->cost_of_callees += cost;
    strand->top--;
    strand->toggles -= top->toggled;
    strand->routine = parent->profile ? parent->profile->routine : NULL;
    if (UNLIKELY(top->slot - strand->deepest_slot > DEAD_STACK_BYTES) && top->slot != NO_SLOT)
        memory_release_dead_stack(engine, strand, top->slot);
}

void trms_tick(struct engine *engine)
{
    tick(engine);
}

void trms_call(struct engine *engine, struct strand *strand, struct routine *routine,
               aprof_word slot)
{
    call(engine, strand, routine, slot);
}

void trms_return(struct engine *engine, struct strand *strand)
{
    return_(engine, strand);
}

/* Inside a routine, as far as anybody can tell: reached by a jump, nothing begins here. */
APROF_INLINE bool is_inside(const struct block *block)
{
    return !(block->flags & (BLOCK_ENTRY | BLOCK_RESOLVER)) &&
           (!(block->flags & BLOCK_UNNAMED) || !block->routine->was_called);
}

/* The plain cases: a call, the return from it, a jump within a routine that has no name or is in
 * parts, a block that goes on. Everything else is for callstack_arrive. */
APROF_INLINE bool arrive_quickly(struct engine *engine, struct strand *strand,
                                 const struct block *block, uint32_t *cost)
{
    const struct activation *top = &strand->stack[strand->top];
    switch (strand->end) {
    case BLOCK_JUMP:
        return is_inside(block) && strand->top;
    case BLOCK_CALL:
        if (!(block->flags == BLOCK_ENTRY || block->flags == BLOCK_UNNAMED) ||
            strand->pointer >= top->slot)
            return false;
        if (block->flags == BLOCK_UNNAMED)
            block->routine->was_called = true;
        call(engine, strand, block->routine, strand->pointer);
        return true;
    case BLOCK_RETURN:
        if (strand->pointer != top->slot || strand->top < 2 || top[-1].slot == top->slot ||
            top->toggled || !is_inside(block))
            return false;
        return_(engine, strand);
        return true;
    case BLOCK_FALL:
        if (strand->next != block->start || !strand->top)
            return false;
        *cost = block->cost_continued;
        return true;
    case BLOCK_INDIRECT:
        return block->routine == strand->routine && strand->pointer <= top->slot;
    default:
        return false;
    }
}

/* ---------------------------------------------------------------- HOT: the stream */

APROF_INLINE void view_load(struct view *v)
{
    v->strand = v->engine->strand;
    v->now = v->engine->now;
    if (v->strand)
        v->top_stamp = v->strand->stamps[v->strand->top];
}

static APROF_NOINLINE void block_accesses_generally(struct engine *engine,
                                                    const struct block *block,
                                                    const aprof_word *payload)
{
    for (uint32_t i = 0; i < block->n_accesses; i++)
        if (payload[i] || !block->access[i].guarded)
            access_generally(engine, block->access[i].kind, payload[i],
                             block->access[i].size_bytes);
}

/* What the arrival of the next record will want to know of this one, which ends before `next`. */
APROF_INLINE void block_left(struct strand *strand, const struct block *block,
                             const aprof_word *next)
{
    strand->end = block->end;
    if (block->end == BLOCK_JUMP)
        return;
    strand->pointer = next[-1];
    strand->next = block->next;
    strand->repeat = block->repeat;
}

/* Consumes records until there are no more or `shared` has changed; returns where it stopped. One
 * instance per resolution and value of `shared`. */
APROF_INLINE const aprof_word *consume(struct engine *engine, const aprof_word *at,
                                       const aprof_word *to, unsigned shift, bool shared)
{
    struct view v = {.engine = engine, .shift = shift, .shared = shared};
    view_load(&v);
    while (at < to) {
        const struct event_desc *event = (const struct event_desc *)*at;
        const aprof_word *payload = at + 1;
        at = payload + event->words;
        if (UNLIKELY(event->kind != EVENT_BLOCK)) {
            engine_event(engine, event, payload);
            view_load(&v);
            if (engine->shared != shared)
                return at;
            continue;
        }
        const struct block *block = (const struct block *)event;
        uint32_t cost = block->cost;
        if (UNLIKELY(v.strand->end != BLOCK_JUMP || block->routine != v.strand->routine)) {
            bool skip = !arrive_quickly(engine, v.strand, block, &cost) &&
                        callstack_arrive(engine, block, payload, &cost);
            view_load(&v);
            if (skip)
                continue;
            if (UNLIKELY(engine->shared != shared)) {
                v.strand->cost += cost;
                block_accesses_generally(engine, block, payload);
                block_left(v.strand, block, at);
                return at;
            }
        }
        v.strand->cost += cost;
        block_accesses(&v, block, payload);
        block_left(v.strand, block, at);
    }
    return at;
}

void engine_consume(struct engine *engine, const aprof_word *at, const aprof_word *to)
{
    engine->stats.words += (uint64_t)(to - at);
    while (at < to) {
        switch (engine->shift << 1 | engine->shared) {
#define INSTANCE(shift)                                                                            \
    case shift << 1:                                                                               \
        at = consume(engine, at, to, shift, false);                                                \
        break;                                                                                     \
    case shift << 1 | 1:                                                                           \
        at = consume(engine, at, to, shift, true);                                                 \
        break
            INSTANCE(0);
            INSTANCE(1);
            INSTANCE(2);
            INSTANCE(3);
            INSTANCE(4);
#undef INSTANCE
        default:
            host_panic("no such resolution", __FILE__, __LINE__);
        }
    }
}

/* ---------------------------------------------------------------- the kernel (Figure 12) */

void trms_range_read(struct engine *engine, uint64_t address, uint64_t bytes)
{
    access_generally(engine, ACCESS_READ, address, bytes);
}

/* A kernel write makes the private write of the only strand obsolete: the bit goes. */
static void forget_private_writes(struct engine *engine, uint64_t index, uint32_t at, size_t n)
{
    uint32_t *accessed = engine->shared ? NULL : shadow_find(&engine->strand->accessed, index);
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
