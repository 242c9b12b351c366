/* Analysis threads: each thread serves several streams, or all threads share a heavy analysis.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Streams are assigned to the analysis threads in turn. When a thread of the program ends, its ring
 * is closed, and the remaining chunks are consumed as usual. When these chunks are consumed, the
 * ended thread's analysis states are added to the totals. The list of streams corresponds to the
 * paper's pending queue. The cache simulator can be divided into slices by cache sets. If a sliced
 * analysis has several analysis threads, all streams belong to the first thread, but all threads
 * process every batch. Each thread has the state of its slice.
 *
 * A system call filter may kill an analysis thread. Threads that wait for the dead consumer detect
 * its death and do its work from then on. The state that the dead consumer was changing is omitted
 * from the totals.
 *
 * The sampling rate is adaptive. If a stream has lost chunks, or half a ring of chunks is waiting,
 * the stream is sampled half as densely. A stream with a nearly empty ring is sampled an eighth
 * more densely, until all events are sampled.
 */
#include "native/events/runtime.h"

#include "ground/host.h"
#include "ground/pages.h"
#include "native/base/owner.h"
#include "native/base/raw_thread.h"

#define STACK_BYTES ((size_t)256 << 10)
/* an analysis thread takes at most this number of batches from one stream before the next stream */
#define BATCHES_AT_ONCE 16
#define IDLE_SPINS      200
#define TEAM_SPINS      2000
#define ADAPT_BATCHES   32
#define SETTLE_NS       100000000

/* The step of work during which a consumer's thread died. A consumer makes system calls only
 * between two steps. */
enum work { BETWEEN_BATCHES, ANALYSING, ADDING };

struct consumer {
    struct cab_bell bell;
    struct native_raw_thread thread;
    /* atomic: list of new streams; threads add streams, and the consumer takes the whole list */
    struct events_stream *inbox;
    struct events_stream *streams; /* streams of this consumer */
    void *totals[EVENTS_CONSUMERS_MAX];
    uint32_t number;
    /* atomic: whether the consumer's thread is missing; threads that wait for the consumer then do
     * its work, under the lock `orphans` */
    uint32_t is_orphaned;
    enum work work;
    struct events_stream *stream; /* stream that the consumer is analysing */
};

static struct consumer *consumers;
static uint32_t n_consumers; /* number of consumers that own streams */
static uint32_t n_slices = 1;
static uint32_t unsettled; /* atomic: number of closed streams that are not yet in the totals */

static struct {
    uint32_t lock;
    void *totals[EVENTS_CONSUMERS_MAX];
} sequential;

static uint32_t orphans; /* a lock */

/* The batch that all analysis threads process together, as a team. */
static struct {
    uint32_t generation; /* atomic futex: number of the newest batch */
    uint32_t remaining;  /* atomic futex: number of members that have not finished the batch */
    uint32_t is_broken;  /* atomic: whether a member has died; the leader then does all the work */
    void *const *states;
    struct cab_batch batch;
} team;

static struct member {
    struct native_raw_thread thread;
    uint32_t slice;
    uint32_t generation; /* number of the batch that the member began last */
    uint32_t done;       /* atomic: number of the batch that the member finished last */
} members[EVENTS_CONSUMERS_MAX];

/* ---------------------------------------------------------------- states */

static size_t state_pages(void)
{
    return pages_bytes(events_analysis->state_bytes);
}

void events_states_make(void *states[])
{
    for (uint32_t i = 0; i < n_slices; i++) {
        struct analysis_options options = {
            .routine_of_code = events_routine_of_code, .slice = i, .slices = n_slices};
        states[i] = host_map("events.state", state_pages());
        events_analysis->init(states[i], &options);
    }
}

/* Ends the states, adds them to `totals` and frees them. */
static void states_add(void *totals[], void *states[])
{
    for (uint32_t i = 0; i < n_slices; i++) {
        events_analysis->finish(states[i]);
        events_analysis->merge(totals[i], states[i]);
        events_analysis->release(states[i]);
        host_unmap(states[i], state_pages());
    }
}

/* A thread that calls this function has blocked its signals, or is in a hook that no other hook
 * interrupts. So waiting for the lock cannot deadlock. */
void events_total_add(void *states[])
{
    native_lock(&sequential.lock);
    if (!sequential.totals[0])
        events_states_make(sequential.totals);
    states_add(sequential.totals, states);
    native_unlock(&sequential.lock);
}

void *events_consumed(void)
{
    if (!sequential.totals[0])
        events_states_make(sequential.totals);
    for (uint32_t i = 0; i < n_consumers; i++)
        for (uint32_t slice = 0; slice < n_slices; slice++)
            events_analysis->merge(sequential.totals[slice], consumers[i].totals[slice]);
    for (uint32_t slice = 1; slice < n_slices; slice++)
        events_analysis->merge(sequential.totals[0], sequential.totals[slice]);
    return sequential.totals[0];
}

/* ---------------------------------------------------------------- sleeping and waking */

static bool serve_orphans(void);

static void orphan(struct consumer *consumer, const char *message)
{
    static bool has_said;
    __atomic_store_n(&consumer->is_orphaned, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_exchange_n(&has_said, true, __ATOMIC_SEQ_CST))
        native_message("events", message);
}

static bool has_died(const struct consumer *consumer)
{
    return UNLIKELY(native_raw_thread_has_died(&consumer->thread));
}

/* Waits with a time limit, because the analysis thread that would wake this thread may have
 * died. */
void events_wait(void *context, _Atomic uint32_t *word, uint32_t expected)
{
    (void)context;
    for (uint32_t i = 0; i < n_consumers; i++)
        if (!consumers[i].is_orphaned && has_died(&consumers[i]))
            orphan(&consumers[i],
                   "an analysis thread was killed; the program's threads run the analysis");
    if (!serve_orphans())
        native_futex_wait((uint32_t *)word, expected, SETTLE_NS);
}

void events_wake(void *context, _Atomic uint32_t *word)
{
    (void)context;
    native_futex_wake((uint32_t *)word);
}

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    /* isb takes longer than the instruction `yield`; cab_ring.h uses isb, too */
    __asm__ volatile("isb");
#endif
}

/* ---------------------------------------------------------------- a team for one batch */

static bool must_stop(const struct native_raw_thread *thread)
{
    return __atomic_load_n(&thread->stop, __ATOMIC_SEQ_CST);
}

/* Waits until the word changes. Returns false if the thread must stop and the word is unchanged. */
static bool team_wait(uint32_t *word, uint32_t while_it_is, const struct native_raw_thread *thread)
{
    for (unsigned spins = 0; spins < TEAM_SPINS; spins++) {
        if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != while_it_is)
            return true;
        relax();
    }
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == while_it_is) {
        if (must_stop(thread))
            return false;
        native_futex_wait(word, while_it_is, SETTLE_NS);
    }
    return true;
}

static void member_wake(void *argument)
{
    (void)argument;
    native_futex_wake(&team.generation);
}

/* Runs a member of the team. Raw threads are stopped in reverse order, so the leader, which was
 * started after the members, is stopped before them. Therefore no batch is waiting when a member is
 * stopped. */
static void member_run(void *argument)
{
    struct member *member = argument;
    /* Acquire order, in team_wait, pairs with the release in team_consume. */
    while (team_wait(&team.generation, member->generation, &member->thread)) {
        member->generation++;
        events_analysis->consume(team.states[member->slice], team.batch.events, team.batch.count);
        __atomic_store_n(&member->done, member->generation, __ATOMIC_RELEASE);
        /* Release order pairs with the acquire in team_consume, so the leader may use the state
         * again. */
        if (__atomic_sub_fetch(&team.remaining, 1, __ATOMIC_RELEASE) == 0)
            native_futex_wake(&team.remaining);
    }
}

/* Returns whether all members with unfinished work have died. */
static bool is_team_dead(void)
{
    bool is_dead = false;
    for (uint32_t i = 1; i < n_slices; i++) {
        if (__atomic_load_n(&members[i].done, __ATOMIC_ACQUIRE) == team.generation)
            continue;
        if (!native_raw_thread_has_died(&members[i].thread))
            return false;
        is_dead = true;
    }
    return is_dead;
}

/* Waits for all members. Returns false if a member has died and its slice is incomplete. */
static bool team_await(void)
{
    uint32_t left;
    while ((left = __atomic_load_n(&team.remaining, __ATOMIC_ACQUIRE)) != 0) {
        if (is_team_dead())
            return false;
        native_futex_wait(&team.remaining, left, SETTLE_NS);
    }
    return true;
}

static void break_team(void)
{
    if (!__atomic_exchange_n(&team.is_broken, 1, __ATOMIC_SEQ_CST))
        native_message("events", "cannot start all analysis threads; one thread runs the analysis");
}

static void consume_all_slices(void *const *states, const struct cab_batch *batch)
{
    for (uint32_t i = 0; i < n_slices; i++)
        events_analysis->consume(states[i], batch->events, batch->count);
}

/* Processes a batch with all analysis threads together. Returns false if the states are
 * incomplete. */
static bool team_consume(void *const *states, const struct cab_batch *batch)
{
    team.states = states;
    team.batch = *batch;
    __atomic_store_n(&team.remaining, n_slices - 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&team.generation, 1, __ATOMIC_RELEASE);
    native_futex_wake(&team.generation);
    events_analysis->consume(states[0], batch->events, batch->count);
    for (unsigned spins = 0; spins < TEAM_SPINS; spins++) {
        if (__atomic_load_n(&team.remaining, __ATOMIC_ACQUIRE) == 0)
            return true;
        relax();
    }
    if (team_await())
        return true;
    break_team();
    return false;
}

/* ---------------------------------------------------------------- one stream */

/* This function is hot. A batch has up to 4 KiB of words, so hundreds of events share the cost of
 * the indirect call and of the tests. An event therefore costs little more than its analysis. */
static void consume(struct events_stream *stream, const struct cab_batch *batch)
{
    if (!events_mode()->analyses || stream->is_torn)
        return;
    if (batch->after_gap)
        for (uint32_t i = 0; i < n_slices; i++)
            events_analysis->gap(stream->states[i]);
    if (n_slices == 1 || __atomic_load_n(&team.is_broken, __ATOMIC_RELAXED))
        consume_all_slices(stream->states, batch);
    else
        stream->is_torn = !team_consume(stream->states, batch);
}

static void adapt_rate(struct events_stream *stream)
{
    struct cab *cab = stream->ring->cab;
    struct cab_stats stats;
    uint32_t stride = stream->stride_words;
    if (++stream->batches % ADAPT_BATCHES)
        return;
    cab_stats_get(cab, &stats);
    unsigned backlog = cab_backlog_chunks(cab);
    if (stats.overwritten_chunks != stream->overwritten || backlog * 2 > stats.chunks_in_ring)
        stride = stride * 2 > EVENTS_STRIDE_LARGEST ? EVENTS_STRIDE_LARGEST : stride * 2;
    else if (backlog * 4 < stats.chunks_in_ring)
        stride -= (stride - EVENTS_BURST_WORDS + 7) / 8;
    stream->overwritten = stats.overwritten_chunks;
    if (stride != stream->stride_words) {
        stream->stride_words = stride;
        cab_sampling_set(cab, EVENTS_BURST_WORDS, stride);
    }
}

/* Replaces the stream's ring, which is closed and empty, by the stream's next ring. Returns true if
 * the stream continues in a larger ring. */
static bool next_ring(struct events_stream *stream)
{
    struct events_ring *done = stream->ring;
    /* Acquire order pairs with the release in `grow`, which stores the next ring before it closes
     * the old ring. */
    stream->ring = __atomic_load_n(&done->next, __ATOMIC_ACQUIRE);
    events_ring_recycle(done);
    return stream->ring != NULL;
}

enum served { NOTHING, SOMETHING, ENDED };

static void work_begin(struct consumer *consumer, enum work work)
{
    consumer->work = work;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static void work_end(struct consumer *consumer)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    consumer->work = BETWEEN_BATCHES;
}

static enum served serve(struct consumer *consumer, struct events_stream *stream)
{
    struct cab_batch batch;
    enum served served = NOTHING;
    if (!stream->ring) /* the analysis thread died after it had recycled the last ring */
        return ENDED;
    for (unsigned i = 0; i < BATCHES_AT_ONCE; i++) {
        enum cab_state state = cab_batch_try(stream->ring->cab, &batch);
        if (state == CAB_EMPTY)
            return served;
        served = SOMETHING;
        if (state == CAB_CLOSED) {
            if (!next_ring(stream))
                return ENDED;
            continue;
        }
        consumer->stream = stream;
        work_begin(consumer, ANALYSING);
        consume(stream, &batch);
        work_end(consumer);
        cab_batch_release(stream->ring->cab);
        if (events_config.adapts_sampling)
            adapt_rate(stream);
    }
    return served;
}

/* Release order pairs with the acquire in events_consumers_settle, so that the totals are complete
 * there. */
static void settled(void)
{
    if (__atomic_sub_fetch(&unsettled, 1, __ATOMIC_RELEASE) == 0)
        native_futex_wake(&unsettled);
}

static void settle(struct consumer *consumer, struct events_stream *stream)
{
    if (!stream->is_torn) {
        work_begin(consumer, ADDING);
        states_add(consumer->totals, stream->states);
        work_end(consumer);
    }
    settled();
    host_free(stream);
}

/* Omits the state that a dead thread was changing. The dead thread is the consumer's thread, or a
 * thread that did the consumer's work. */
static void leave_out_torn(struct consumer *consumer)
{
    enum work work = consumer->work;
    consumer->work = BETWEEN_BATCHES;
    if (work == BETWEEN_BATCHES)
        return;
    native_message("events", "events of a thread are missing: its analysis thread was killed");
    if (work == ADDING) {
        events_states_make(consumer->totals);
        settled();
        return;
    }
    consumer->stream->is_torn = true;
    cab_batch_release(consumer->stream->ring->cab);
}

/* ---------------------------------------------------------------- the loop */

static void take_inbox(struct consumer *consumer)
{
    /* Acquire order pairs with the release in events_consumers_add. */
    struct events_stream *list = __atomic_exchange_n(&consumer->inbox, NULL, __ATOMIC_ACQUIRE);
    while (list) {
        struct events_stream *stream = list;
        list = list->next;
        stream->next = consumer->streams;
        consumer->streams = stream;
    }
}

static bool serve_all(struct consumer *consumer)
{
    bool worked = false;
    if (__atomic_load_n(&consumer->inbox, __ATOMIC_SEQ_CST))
        take_inbox(consumer);
    for (struct events_stream **at = &consumer->streams; *at;) {
        struct events_stream *stream = *at;
        enum served served = serve(consumer, stream);
        worked |= served != NOTHING;
        if (served == ENDED) {
            *at = stream->next;
            settle(consumer, stream);
        } else {
            at = &stream->next;
        }
    }
    return worked;
}

static void consumer_wake(void *argument)
{
    struct consumer *consumer = argument;
    cab_bell_ring(&consumer->bell, events_wake, NULL);
}

static void consumer_lost(void *argument)
{
    orphan(argument, "cannot start an analysis thread; the program's threads run the analysis");
}

static void member_lost(void *argument)
{
    (void)argument;
    break_team();
}

static bool serve_orphan(struct consumer *consumer)
{
    bool worked = false;
    if (!__atomic_load_n(&consumer->is_orphaned, __ATOMIC_ACQUIRE))
        return false;
    leave_out_torn(consumer);
    while (serve_all(consumer))
        worked = true;
    return worked;
}

/* Does the work of dead consumers. Returns false if there was no work. */
static bool serve_orphans(void)
{
    bool worked = false, any = false;
    for (uint32_t i = 0; i < n_consumers; i++)
        any |= __atomic_load_n(&consumers[i].is_orphaned, __ATOMIC_RELAXED);
    if (LIKELY(!any) || !native_try_lock_longer(&orphans, 0))
        return false;
    for (uint32_t i = 0; i < n_consumers; i++)
        worked |= serve_orphan(&consumers[i]);
    native_unlock(&orphans);
    return worked;
}

static void consumer_run(void *argument)
{
    struct consumer *consumer = argument;
    unsigned idle = 0;
    while (!must_stop(&consumer->thread)) {
        if (serve_all(consumer)) {
            idle = 0;
            continue;
        }
        if (++idle < IDLE_SPINS) {
            relax();
            continue;
        }
        idle = 0;
        cab_bell_arm(&consumer->bell);
        if (!serve_all(consumer) && !must_stop(&consumer->thread))
            cab_bell_sleep(&consumer->bell, events_wait, NULL);
        cab_bell_disarm(&consumer->bell);
    }
}

/* ---------------------------------------------------------------- for the program's threads */

struct cab_bell *events_consumers_bell(const struct events_stream *stream)
{
    return n_consumers ? &consumers[stream->thread % n_consumers].bell : NULL;
}

void events_consumers_add(struct events_stream *stream)
{
    struct consumer *consumer = &consumers[stream->thread % n_consumers];
    stream->next = __atomic_load_n(&consumer->inbox, __ATOMIC_RELAXED);
    /* The exchange is sequentially consistent, as cab_bell_ring requires. */
    while (!__atomic_compare_exchange_n(&consumer->inbox, &stream->next, stream, 1,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    cab_bell_ring(&consumer->bell, events_wake, NULL);
}

void events_consumers_expect_end(void)
{
    __atomic_add_fetch(&unsettled, 1, __ATOMIC_RELAXED);
}

void events_consumers_settle(void)
{
    uint32_t n;
    while ((n = __atomic_load_n(&unsettled, __ATOMIC_ACQUIRE)) != 0)
        events_wait(NULL, (_Atomic uint32_t *)&unsettled, n);
}

/* ---------------------------------------------------------------- beginning */

static struct native_raw_thread analysis_thread(void (*function)(void *argument),
                                                void (*wake)(void *argument),
                                                void (*lost)(void *argument), void *argument)
{
    return (struct native_raw_thread){.name = "aprof-analysis",
                                      .function = function,
                                      .wake = wake,
                                      .lost = lost,
                                      .argument = argument,
                                      .stack_bytes = STACK_BYTES};
}

static bool start_team(uint32_t slices)
{
    for (uint32_t i = 1; i < slices; i++) {
        members[i] = (struct member){.slice = i};
        members[i].thread = analysis_thread(member_run, member_wake, member_lost, &members[i]);
        if (native_raw_thread_start(&members[i].thread) < 0)
            return false;
    }
    return true;
}

static bool start_threads(void)
{
    for (uint32_t i = 0; i < n_consumers; i++) {
        consumers[i].number = i;
        events_states_make(consumers[i].totals);
        consumers[i].thread =
            analysis_thread(consumer_run, consumer_wake, consumer_lost, &consumers[i]);
        if (native_raw_thread_start(&consumers[i].thread) < 0)
            return false;
    }
    return true;
}

static uint32_t power_of_two_up_to(uint32_t n)
{
    uint32_t power = 1;
    while (power * 2 <= n)
        power *= 2;
    return power;
}

bool events_consumers_start(void)
{
    uint32_t wanted = (uint32_t)events_config.consumers;
    n_slices = events_analysis->sliced ? power_of_two_up_to(wanted) : 1;
    n_consumers = n_slices > 1 ? 1 : wanted;
    consumers = host_map("events.consumers", pages_bytes(wanted * sizeof *consumers));
    if (start_team(n_slices) && start_threads())
        return true;
    n_consumers = 0;
    n_slices = 1;
    return false;
}

/* Discards the work of the parent's analysis threads, which do not exist in a forked child. */
void events_consumers_forked(void)
{
    memset(&sequential, 0, sizeof sequential);
    memset(&team, 0, sizeof team);
    orphans = 0;
    unsettled = 0;
    n_consumers = 0;
    n_slices = 1;
}
