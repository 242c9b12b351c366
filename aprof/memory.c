/* Updates shadow memory for remembered chunks, file mappings, releases and moves of cells.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariants: if a file mapping overlaps a chunk that an execution context remembers, `written`
 * already has this chunk, and the chunk has the mapping's timestamps. So a mapped file of any size
 * is marked chunk by chunk, on first access. A chunk is never remembered longer than it exists in
 * its table.
 */
#include "aprof/state.h"
#include "ground/array.h"
#include "ground/host.h"

/* ---------------------------------------------------------------- remembering */

static void forget_all(struct remembered_chunk *remembered)
{
    for (uint32_t i = 0; i < REMEMBERED_CHUNKS; i++)
        remembered[i].index = NO_CHUNK;
}

/* Forgets the chunks that overlap the cells [first, last]. The running time is limited by the
 * number of chunks that an execution context remembers, even if the range is wider. */
static void forget_range(const struct engine *engine, struct exec_context *ctx, uint64_t first,
                         uint64_t last)
{
    uint64_t from = first >> CHUNK_CELLS_LOG2, to = last >> CHUNK_CELLS_LOG2;
    uint64_t n = to - from < REMEMBERED_CHUNKS ? to - from + 1 : REMEMBERED_CHUNKS;
    if (exec_context_is_small(engine, ctx))
        return;
    for (uint64_t i = from; i < from + n; i++) {
        struct remembered_chunk *chunk = &ctx->remembered[i % REMEMBERED_CHUNKS];
        if (chunk->index >= from && chunk->index <= to)
            chunk->index = NO_CHUNK;
    }
}

static bool file_in_chunk(const struct engine *engine, uint64_t index)
{
    uint64_t first = index << CHUNK_CELLS_LOG2, last = first + CHUNK_CELLS - 1;
    uint32_t low = 0, high = engine->n_files;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (engine->files[middle].last < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low < engine->n_files && engine->files[low].first <= last;
}

/* Returns the timestamps of the latest writes to this chunk, for comparison with reads. Returns
 * NULL if there were no writes. */
uint32_t *memory_written_for_reads(struct engine *engine, uint64_t index)
{
    uint32_t *written = shadow_find(&engine->written, index);
    if (!written && engine->n_files && file_in_chunk(engine, index))
        written = memory_written_chunk(engine, index);
    return written;
}

void memory_remember(struct engine *engine, struct exec_context *ctx, uint64_t index)
{
    struct remembered_chunk *chunk = &ctx->remembered[index % REMEMBERED_CHUNKS];
    uint32_t *written = memory_written_for_reads(engine, index);
    chunk->index = index;
    chunk->accessed = stamps_origin(shadow_make(&ctx->accessed, &engine->pool, index), index);
    chunk->written = stamps_origin(written, index);
}

/* -------------------------------------------------------- accesses of execution contexts */

void memory_start(struct engine *engine)
{
    forget_all(engine->none);
}

/* Starts the shadow memory of an execution context. A thread is expected to make many accesses, but
 * a coroutine or a handler only a few. */
void memory_exec_context_start(struct engine *engine, struct exec_context *ctx)
{
    ctx->remembered = engine->none;
    ctx->allowance = ALLOWED_ACCESSES;
    if (ctx->kind == EXEC_CONTEXT_THREAD)
        memory_exec_context_spread(engine, ctx);
}

/* Moves the shadow memory of an execution context from lines to chunks. */
void memory_exec_context_spread(struct engine *engine, struct exec_context *ctx)
{
    ctx->remembered = host_alloc("aprof.remembered", REMEMBERED_CHUNKS * sizeof(*ctx->remembered));
    forget_all(ctx->remembered);
    for (uint32_t i = 0; i < ctx->lines.n_lines; i++) {
        const struct shadow_line *line = &ctx->lines.lines[i];
        uint64_t cell = line->number << LINE_CELLS_LOG2;
        uint32_t *chunk = shadow_make(&ctx->accessed, &engine->pool, cell >> CHUNK_CELLS_LOG2);
        memcpy(&chunk[CELL_IN_CHUNK(cell)], line->stamps, sizeof(line->stamps));
    }
    shadow_lines_release(&ctx->lines);
}

/* Clears the shadow memory of an execution context, so that no cell counts as accessed. */
void memory_exec_context_clear(struct engine *engine, struct exec_context *ctx)
{
    shadow_lines_release(&ctx->lines);
    shadow_release(&ctx->accessed, &engine->pool);
    if (!exec_context_is_small(engine, ctx))
        forget_all(ctx->remembered);
}

void memory_exec_context_end(struct engine *engine, struct exec_context *ctx)
{
    memory_exec_context_clear(engine, ctx);
    if (!exec_context_is_small(engine, ctx))
        host_free(ctx->remembered);
}

static void accessed_each(struct engine *engine,
                          void (*visit)(struct engine *, struct exec_context *, void *context),
                          void *context)
{
    for (uint32_t t = 0; t < engine->n_threads; t++) {
        struct thread *thread = engine->threads[t];
        if (!thread)
            continue;
        if (thread->current->kind != EXEC_CONTEXT_COROUTINE)
            visit(engine, thread->current, context);
        for (uint32_t i = 0; i < thread->n_parked; i++)
            visit(engine, thread->parked[i], context);
    }
    for (uint32_t i = 0; i < engine->n_coroutines; i++)
        visit(engine, engine->coroutines[i].ctx, context);
}

/* ---------------------------------------------------------------- the table of latest writes */

static void mark_file(const struct file_range *file, uint64_t index, uint32_t *written)
{
    uint64_t first = index << CHUNK_CELLS_LOG2, last = first + CHUNK_CELLS - 1;
    if (file->first > first)
        first = file->first;
    if (file->last < last)
        last = file->last;
    for (uint64_t cell = first; cell <= last && first <= last; cell++)
        written[CELL_IN_CHUNK(cell)] = file->stamp;
}

/* After a chunk of `written` was made: if the execution context remembers this chunk, stores the
 * address of its shadow words. */
static void notify_exec_context(struct engine *engine, struct exec_context *ctx, void *context)
{
    const struct shadow_chunk *made = context;
    struct remembered_chunk *chunk = &ctx->remembered[made->index % REMEMBERED_CHUNKS];
    if (!exec_context_is_small(engine, ctx) && chunk->index == made->index)
        chunk->written = stamps_origin(made->cells, made->index);
}

uint32_t *memory_written_chunk(struct engine *engine, uint64_t index)
{
    uint32_t *written = shadow_find(&engine->written, index);
    if (written)
        return written;
    written = shadow_make(&engine->written, &engine->pool, index);
    for (uint32_t i = 0; i < engine->n_files; i++)
        mark_file(&engine->files[i], index, written);
    accessed_each(engine, notify_exec_context, &(struct shadow_chunk){index, written});
    return written;
}

static void share_chunk(struct engine *engine, const struct shadow_chunk *chunk)
{
    uint32_t *written = NULL;
    for (uint32_t i = 0; i < CHUNK_CELLS; i++) {
        if (!(chunk->cells[i] & STAMP_BIT))
            continue;
        if (!written)
            written = memory_written_chunk(engine, chunk->index);
        chunk->cells[i] &= ~STAMP_BIT;
        written[i] = chunk->cells[i];
    }
}

/* Call this function before a second execution context exists. Records the writes of the first
 * context in `written`. A write may be recorded with any timestamp up to the first context's latest
 * access to the cell. Reads by other contexts are then induced, and the first context's own reads
 * are not. */
void memory_share_writes(struct engine *engine)
{
    engine->shared = true;
    for (uint32_t t = 0; t < engine->n_threads; t++) {
        struct thread *thread = engine->threads[t];
        if (!thread)
            continue;
        for (uint32_t i = 0; i < thread->current->accessed.n_chunks; i++)
            share_chunk(engine, &thread->current->accessed.list[i]);
    }
}

/* ---------------------------------------------------------------- file mappings */

static void insert_file(struct engine *engine, uint32_t at, struct file_range file)
{
    engine->files = array_grow("aprof.files", engine->files, &engine->files_capacity,
                               engine->n_files + 1, sizeof(*engine->files));
    memmove(&engine->files[at + 1], &engine->files[at],
            (engine->n_files - at) * sizeof(*engine->files));
    engine->files[at] = file;
    engine->n_files++;
}

static void cut_files(struct engine *engine, uint64_t first, uint64_t last)
{
    for (uint32_t i = 0; i < engine->n_files; i++) {
        struct file_range *file = &engine->files[i];
        if (file->last < first || file->first > last)
            continue;
        struct file_range rest = {last + 1, file->last, file->stamp};
        bool keeps_rest = file->last > last;
        if (file->first < first) {
            file->last = first - 1;
        } else {
            engine->n_files--;
            memmove(file, file + 1, (engine->n_files - i) * sizeof(*file));
            i--;
        }
        if (keeps_rest)
            insert_file(engine, ++i, rest);
    }
}

static void cells_of(const struct engine *engine, uint64_t address, uint64_t bytes, uint64_t *first,
                     uint64_t *last)
{
    uint64_t highest = ADDRESS_MASK >> engine->shift;
    address &= ADDRESS_MASK;
    *first = address >> engine->shift;
    *last = (address + bytes - 1) >> engine->shift;
    if (*last > highest)
        *last = highest;
}

/* Marks the cells of a file mapping in chunks that already exist. */
static void mark_chunks(struct engine *engine, const struct file_range *file)
{
    for (uint32_t i = 0; i < engine->written.n_chunks; i++)
        mark_file(file, engine->written.list[i].index, engine->written.list[i].cells);
}

void memory_map_file(struct engine *engine, uint64_t address, uint64_t bytes)
{
    struct file_range file;
    uint32_t at = 0;
    memory_forget(engine, address, bytes);
    trms_tick(engine);
    cells_of(engine, address, bytes, &file.first, &file.last);
    file.stamp = engine->now | STAMP_BIT;
    while (at < engine->n_files && engine->files[at].first < file.first)
        at++;
    insert_file(engine, at, file);
    mark_chunks(engine, &file);
}

/* ---------------------------------------------------------------- release */

struct clearing {
    uint64_t first, last;
};

static void clear_accessed(struct engine *engine, struct exec_context *ctx, void *context)
{
    const struct clearing *clearing = context;
    shadow_lines_clear(&ctx->lines, clearing->first, clearing->last);
    shadow_clear(&ctx->accessed, &engine->pool, clearing->first, clearing->last);
    forget_range(engine, ctx, clearing->first, clearing->last);
}

static void forget_cleared(struct engine *engine, struct exec_context *ctx, void *context)
{
    const struct clearing *clearing = context;
    forget_range(engine, ctx, clearing->first, clearing->last);
}

void memory_forget(struct engine *engine, uint64_t address, uint64_t bytes)
{
    uint64_t first, last;
    cells_of(engine, address, bytes, &first, &last);
    cut_files(engine, first, last);
    struct clearing clearing = {first, last};
    shadow_clear(&engine->written, &engine->pool, first, last);
    accessed_each(engine, clear_accessed, &clearing);
}

/* Releases the shadow memory of frames that the program has left. These frames are far below the
 * stack pointer, and only this execution context has used them. */
void memory_release_dead_stack(struct engine *engine, struct exec_context *ctx, aprof_word slot)
{
    aprof_word deepest = ctx->deepest_slot, keep = slot - DEAD_STACK_BYTES / 8;
    ctx->deepest_slot = slot;
    if (ctx->kind != EXEC_CONTEXT_THREAD || deepest < engine->thread->stack_low ||
        slot > engine->thread->stack_high)
        return;
    struct clearing clearing = {deepest >> engine->shift, keep >> engine->shift};
    shadow_clear(&ctx->accessed, &engine->pool, clearing.first, clearing.last);
    shadow_clear(&engine->written, &engine->pool, clearing.first, clearing.last);
    accessed_each(engine, forget_cleared, &clearing);
}

/* ---------------------------------------------------------------- moves */

struct move {
    uint64_t from, to, n;
};

static uint32_t *chunk_for_move(struct engine *engine, struct shadow_table *table, uint64_t index)
{
    if (table == &engine->written)
        return memory_written_chunk(engine, index);
    return shadow_make(table, &engine->pool, index);
}

/* Copies the timestamps of n cells; the ranges do not overlap. */
static void move_stamps(struct engine *engine, struct shadow_table *table, const struct move *move)
{
    for (uint64_t i = 0; i < move->n;) {
        uint64_t from = move->from + i, to = move->to + i;
        uint64_t left = CHUNK_CELLS - CELL_IN_CHUNK(from);
        uint64_t end = i + (left < move->n - i ? left : move->n - i);
        const uint32_t *source = shadow_find(table, from >> CHUNK_CELLS_LOG2);
        for (; source && i < end; i++, from++, to++)
            if (source[CELL_IN_CHUNK(from)])
                chunk_for_move(engine, table, to >> CHUNK_CELLS_LOG2)[CELL_IN_CHUNK(to)] =
                    source[CELL_IN_CHUNK(from)];
        i = end;
    }
}

static void move_accessed(struct engine *engine, struct exec_context *ctx, void *context)
{
    const struct move *move = context;
    if (shadow_lines_touch(&ctx->lines, move->from, move->from + move->n - 1))
        memory_exec_context_spread(engine, ctx);
    move_stamps(engine, &ctx->accessed, move);
}

/* Copies the file mappings of [first, last] to the cells from `to` on. */
static void move_files(struct engine *engine, uint64_t first, uint64_t last, uint64_t to)
{
    for (uint32_t i = 0; i < engine->n_files; i++) {
        struct file_range file = engine->files[i];
        if (file.last < first || file.first > last)
            continue;
        uint64_t from = file.first > first ? file.first : first;
        uint64_t until = file.last < last ? file.last : last;
        uint32_t at = 0;
        file = (struct file_range){from - first + to, until - first + to, file.stamp};
        while (at < engine->n_files && engine->files[at].first < file.first)
            at++;
        insert_file(engine, at, file);
        mark_chunks(engine, &file);
        i += at <= i;
    }
}

void memory_move(struct engine *engine, uint64_t from, uint64_t to, uint64_t bytes)
{
    uint64_t first, last, target, target_last;
    cells_of(engine, from, bytes, &first, &last);
    cells_of(engine, to, bytes, &target, &target_last);
    memory_forget(engine, to, bytes);
    uint64_t room = target_last - target, n = last - first;
    struct move move = {first, target, (n < room ? n : room) + 1};
    move_files(engine, first, first + move.n - 1, target);
    move_stamps(engine, &engine->written, &move);
    accessed_each(engine, move_accessed, &move);
    memory_forget(engine, from, bytes);
}
