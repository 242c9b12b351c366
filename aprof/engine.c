/* The engine: creation, events other than blocks, clearing, statistics, end.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "aprof/state.h"
#include "ground/host.h"

struct engine *engine_new(const struct engine_config *config)
{
    struct engine *engine = host_alloc("aprof.engine", sizeof(*engine));
    engine->config = *config;
    engine->shift = config->resolution_log2;
    engine->now = FIRST_STAMP;
    engine->limit = (uint32_t)(((uint64_t)1 << config->counter_bits) - 1) << 1;
    engine->collecting = config->collect_at_start;
    engine->metrics = (unsigned)config->trms << METRIC_TRMS | (unsigned)config->rms << METRIC_RMS;
    engine->homes.discard = !config->lines;
    edge_table_start(&engine->edges);
    memory_start(engine);
    engine->contexts = process_contexts_new(&config->contexts, config->separate_threads);
    engine->plain = engine->metrics == BOTH_METRICS && !engine->contexts && config->edges &&
                    !config->collect_in_toggles;
    return engine;
}

void engine_free(struct engine *engine)
{
    engine_finish(engine);
    if (engine->spare)
        exec_context_free(engine->spare);
    for (uint32_t i = 0; i < engine->n_gathered; i++)
        profile_free(&engine->gathered[i]);
    shadow_release(&engine->written, &engine->pool);
    chunk_pool_free(&engine->pool);
    if (engine->contexts)
        process_contexts_free(engine->contexts);
    edge_table_free(&engine->edges);
    charge_table_free(&engine->charges);
    host_free(engine->gathered);
    host_free(engine->threads);
    host_free(engine->files);
    host_free(engine->coroutines);
    host_free(engine);
}

static void add_stats(struct engine *engine, struct exec_context *ctx)
{
    engine->stats.chunks += ctx->accessed.n_chunks;
    engine->stats.cost += ctx->cost - ctx->cost_reported;
}

void engine_get_stats(struct engine *engine, struct engine_stats *stats)
{
    engine->stats.write_chunks = engine->written.n_chunks;
    engine->stats.chunks = engine->written.n_chunks;
    engine->stats.cost = engine->cost_total;
    exec_contexts_each(engine, add_stats);
    *stats = engine->stats;
}

void engine_unify(struct engine *engine, struct routine *(*identify)(struct routine *))
{
    for (uint32_t i = 0; i < engine->n_gathered; i++)
        profile_unify(&engine->gathered[i], identify);
}

void engine_report_write(const struct engine *engine, const struct report_info *info,
                         struct record_writer *to)
{
    const struct measurements measured = {
        .by_thread = engine->gathered,
        .n_threads = engine->n_gathered,
        .metrics = engine->metrics,
        .resolution_log2 = engine->shift,
        .separate_threads = engine->config.separate_threads,
        .cost = engine->cost_total,
        .activations = engine->activations,
        .reads = engine->reads,
        .induced_thread = engine->induced_thread,
        .induced_external = engine->induced_external,
        .contexts = engine->contexts,
        .edges = engine->config.edges ? &engine->edges : NULL,
        .charges = engine->config.lines ? &engine->charges : NULL,
    };
    points_report_write(&measured, info, to);
}

void engine_each_site(const struct engine *engine, void (*visit)(uint32_t span))
{
    for (uint32_t i = EDGE_NONE + 1; i < engine->edges.n_edges; i++)
        visit(engine->edges.edges[i].site);
}

/* ---------------------------------------------------------------- what is measured */

static void update_silence(struct engine *engine, struct exec_context *ctx)
{
    ctx->silent = exec_context_is_silent(engine, ctx);
    if (ctx->binder_slot || ctx->silent)
        ctx->end |= END_SILENT;
    else
        ctx->end &= END_MASK;
}

static void set_collecting(struct engine *engine, bool collecting)
{
    engine->collecting = collecting;
    exec_contexts_each(engine, update_silence);
}

/* Gives the activations new times in the order of the stack, and restarts their measurement.
 */
static void restart_exec_context(struct engine *engine, struct exec_context *ctx)
{
    ctx->stamps[0] = BOTTOM_STAMP; /* renumbering may have changed the bottom entry's timestamp */
    for (size_t i = 0; i <= ctx->top; i++) {
        struct activation *a = &ctx->stack[i];
        a->rms = 0;
        a->is_induced = 0;
        a->cost_before = a->cost_of_callees = 0;
        if (i > 0)
            ctx->stamps[i] = engine->now += 1u << 1;
    }
    ctx->cost = ctx->cost_reported = 0;
    profile_clear(&ctx->profile);
    memory_exec_context_clear(engine, ctx);
}

/* Clears all measurements, so that no cell counts as accessed. Reads of mapped files still count as
 * external input. */
static void zero(struct engine *engine)
{
    engine_clear(engine);
    shadow_release(&engine->written, &engine->pool);
    engine->shared = engine->n_exec_contexts > 1;
    engine->now = FIRST_STAMP;
    for (uint32_t i = 0; i < engine->n_files; i++)
        engine->files[i].stamp = FIRST_STAMP | STAMP_BIT;
    exec_contexts_each(engine, restart_exec_context);
    if (engine->now >= engine->limit)
        overflow_renumber(engine);
}

/* A forked child has only the thread that called fork. The other threads' pending activations and
 * all measurements belong to the parent, so the child discards them. */
static void keep_only(struct engine *engine, uint32_t number)
{
    for (uint32_t t = 0; t < engine->n_threads; t++)
        if (t != number)
            thread_end(engine, t);
    zero(engine);
}

/* ---------------------------------------------------------------- events */

/* Begins or ends a pause, during which the work of an interpreter's hook is not counted. */
static void set_paused(struct engine *engine, bool paused)
{
    if (!engine->ctx)
        return;
    engine->ctx->paused = paused;
    update_silence(engine, engine->ctx);
}

static void script_event(struct engine *engine, unsigned kind, const aprof_word *payload)
{
    set_paused(engine, kind == EVENT_PAUSE);
    if (kind == EVENT_SCRIPT_BEGIN)
        callstack_script_begin(engine, (struct routine *)payload[0], payload[1]);
    else if (kind == EVENT_SCRIPT_END)
        callstack_script_end(engine);
}

static void switch_thread(struct engine *engine, uint32_t number)
{
    APROF_ASSERT(number < engine->n_threads && engine->threads[number]);
    if (engine->thread == engine->threads[number])
        return;
    engine->thread = engine->threads[number];
    engine->ctx = engine->thread->current;
    trms_tick(engine);
}

static struct thread *thread_by_number(const struct engine *engine, aprof_word number)
{
    return number < engine->n_threads ? engine->threads[number] : NULL;
}

static void signal_event(struct engine *engine, unsigned kind, const aprof_word *payload)
{
    struct thread *thread = thread_by_number(engine, payload[0]);
    if (!thread)
        return;
    switch_thread(engine, thread->number);
    if (kind == EVENT_SIGNAL_ENTER)
        callstack_signal_enter(engine, thread, payload[1]);
    else
        callstack_signal_leave(engine, thread, payload[1]);
}

static void kernel_event(struct engine *engine, unsigned kind, uint64_t address, uint64_t bytes)
{
    if (!bytes || !engine->ctx)
        return;
    if (kind == EVENT_KERNEL_WRITE)
        trms_kernel_write(engine, address, bytes);
    else if (!engine->ctx->binder_slot)
        trms_access(engine, ACCESS_READ, address, bytes);
}

void engine_event(struct engine *engine, const struct event_desc *event, const aprof_word *payload)
{
    switch (event->kind) {
    case EVENT_THREAD_START:
        thread_start(engine, (uint32_t)payload[0], payload[1], payload[2]);
        break;
    case EVENT_THREAD_END:
        thread_end(engine, (uint32_t)payload[0]);
        break;
    case EVENT_THREAD_SWITCH:
        switch_thread(engine, (uint32_t)payload[0]);
        break;
    case EVENT_SIGNAL_ENTER:
    case EVENT_SIGNAL_LEAVE:
        signal_event(engine, event->kind, payload);
        break;
    case EVENT_KERNEL_READ:
    case EVENT_KERNEL_WRITE:
        kernel_event(engine, event->kind, payload[0], payload[1]);
        break;
    case EVENT_MAP_FILE:
        if (payload[1])
            memory_map_file(engine, payload[0], payload[1]);
        break;
    case EVENT_FORGET:
        if (payload[1])
            memory_forget(engine, payload[0], payload[1]);
        break;
    case EVENT_MOVE:
        if (payload[2])
            memory_move(engine, payload[0], payload[1], payload[2]);
        break;
    case EVENT_COLLECT_ON:
        set_collecting(engine, true);
        break;
    case EVENT_COLLECT_OFF:
        set_collecting(engine, false);
        break;
    case EVENT_COLLECT_TOGGLE:
        set_collecting(engine, !engine->collecting);
        break;
    case EVENT_ZERO:
        zero(engine);
        break;
    case EVENT_FORKED:
        keep_only(engine, (uint32_t)payload[0]);
        break;
    case EVENT_REGION_BEGIN:
        callstack_region_begin(engine, (struct routine *)payload[0]);
        break;
    case EVENT_REGION_END:
        callstack_region_end(engine);
        break;
    case EVENT_SCRIPT_BEGIN:
    case EVENT_SCRIPT_END:
    case EVENT_PAUSE:
    case EVENT_RESUME:
        script_event(engine, event->kind, payload);
        break;
    case EVENT_BLOCK_GONE:
        homes_leave(&engine->homes, &engine->charges, (struct block *)payload[0]);
        break;
    case EVENT_STACK_MOVED:
        coroutines_move(engine, payload[0], payload[1], payload[2]);
        break;
    case EVENT_STACK_FREED:
        coroutines_end(engine, payload[0], payload[1]);
        break;
    default:
        host_panic("unknown event in the stream", __FILE__, __LINE__);
    }
}
