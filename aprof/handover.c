/* Passes records from the program's thread to the engine, by a call or through a ring.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Paper 001 describes the ring and the cost model; `make bench-cost` measures the model's terms.
 *
 * Sleeping threads are woken late. The analysis thread is woken when a quarter of the ring is full.
 * The program's thread is woken when half of the ring is free. So one system call covers several
 * chunks if one thread is much faster, or if both threads share a processor.
 */
#include "aprof/handover.h"
#include "aprof/analysis_thread.h"
#include "aprof/engine.h"
#include "ground/host.h"

#include "cab/cab.h"

static struct handover_config config;

static struct cab *ring; /* ring; NULL in sequential mode */
static void *memory;     /* memory of the ring's chunks, or of the only chunk */
static Bool is_running;  /* whether the analysis thread runs */
static ULong ended;

static aprof_word *chunk; /* chunk that is being filled */
static size_t chunk_words;
static Bool is_begun; /* whether the ring's current chunk may be filled */

static Bool is_sequential;         /* whether no analysis thread may be started any more */
static volatile Bool is_analysing; /* whether the analysis thread is in the engine */
static Bool is_lost; /* whether the analysis thread was killed while it was in the engine */

static struct cab_stats past; /* sums of the statistics of closed rings */

/* A counter of the analysis thread, on its own cache line. */
static struct {
    ULong count;
} consumed __attribute__((aligned(64)));

/* A wake-up that is delayed until several chunks are ready. Each of the two threads has one delayed
 * wake-up. */
static _Atomic uint32_t *late_for_analysis;
static _Atomic uint32_t *late_for_program;
static Bool is_waiting; /* whether the program's thread waits; if it does, wake-ups are not
                         * delayed */

static void chunk_analyse(const aprof_word *from, const aprof_word *to)
{
    if (!is_lost)
        engine_consume(config.engine, from, to);
    /* This release store of `consumed.count` pairs with the acquire load in handover_consumed. */
    __atomic_store_n(&consumed.count, consumed.count + 1, __ATOMIC_RELEASE);
}

/*------------------------------------------------------------*/
/*--- Sleeping and waking                                  ---*/
/*------------------------------------------------------------*/

static void wake_analysis(Bool at_once)
{
    if (late_for_analysis == NULL ||
        (!at_once && cab_backlog_chunks(ring) < config.ring_chunks / 4))
        return;
    late_for_analysis = NULL;
    analysis_thread_wake();
}

static void wake_program(Bool at_once)
{
    if (late_for_program == NULL || (!at_once && cab_backlog_chunks(ring) > config.ring_chunks / 2))
        return;
    late_for_program = NULL;
    analysis_thread_wake();
}

/* After the analysis thread has been killed, the program's thread consumes the remaining
 * records. */
static void take_over(void)
{
    const aprof_word *from, *to;

    is_running = False;
    is_sequential = True;
    is_lost = is_analysing;
    if (is_lost)
        VG_(umsg)("aprof: the analysis thread was killed, perhaps by a seccomp filter: there will "
                  "be no report; use --concurrent=no\n");
    while (cab_chunk_try(ring, &from, &to) == CAB_READY) {
        chunk_analyse(from, to);
        cab_chunk_release(ring);
    }
}

static void ring_wait(void *context, _Atomic uint32_t *word, uint32_t expected)
{
    if (analysis_thread_is_current())
        wake_program(True);
    else
        wake_analysis(True);
    analysis_thread_wait((const UInt *)word, expected);
    if (is_running && !analysis_thread_is_current() && analysis_thread_has_ended())
        take_over();
}

static void ring_wake(void *context, _Atomic uint32_t *word)
{
    if (analysis_thread_is_current()) {
        late_for_program = word;
        wake_program(False);
    } else {
        late_for_analysis = word;
        wake_analysis(is_waiting);
    }
}

static uint64_t ring_clock(void *context)
{
    return analysis_thread_now_ns();
}

/*------------------------------------------------------------*/
/*--- Figures                                              ---*/
/*------------------------------------------------------------*/

static void side_add(struct cab_side_stats *to, const struct cab_side_stats *from)
{
    to->waits += from->waits;
    to->sleeps += from->sleeps;
    to->sleep_ns += from->sleep_ns;
    to->wakes += from->wakes;
}

/* Adds the statistics of the current ring to `to`. */
static void stats_add(struct cab_stats *to)
{
    struct cab_stats stats;

    cab_stats_get(ring, &stats);
    side_add(&to->producer, &stats.producer);
    side_add(&to->consumer, &stats.consumer);
    to->events += stats.events;
    if (to->most_chunks < stats.most_chunks)
        to->most_chunks = stats.most_chunks;
}

static void side_print(const HChar *who, const struct cab_side_stats *side)
{
    VG_(umsg)("aprof: %s waited %llu times, slept %llu times and %llu us\n", who,
              (ULong)side->waits, (ULong)side->sleeps, (ULong)side->sleep_ns / 1000);
}

void handover_print_stats(void)
{
    struct cab_stats all = past;

    VG_(umsg)("aprof: %llu chunks of up to %lu words, %s\n", ended, (UWord)chunk_words,
              ring && !is_sequential ? "handed over to the analysis thread"
                                     : "analysed by the program's thread");
    if (ring == NULL)
        return;
    stats_add(&all);
    VG_(umsg)("aprof: at most %u of %u chunks waited; %llu words went through the ring\n",
              all.most_chunks, config.ring_chunks, (ULong)all.events);
    side_print("the program", &all.producer);
    side_print("the analysis", &all.consumer);
    VG_(umsg)("aprof: processor time of the analysis thread: %llu us\n",
              is_running ? analysis_thread_cpu_ns() / 1000 : 0);
}

/*------------------------------------------------------------*/
/*--- The analysis thread                                  ---*/
/*------------------------------------------------------------*/

static void analyse(void)
{
    const aprof_word *from, *to;

    while (cab_chunk_wait(ring, &from, &to)) {
        is_analysing = True;
        chunk_analyse(from, to);
        is_analysing = False;
        cab_chunk_release(ring);
        wake_program(False);
    }
}

/* This function is called when the program's threads are dead and the ring is empty. From then on,
 * the analysis thread acts as the program's thread. */
static void orphaned(Int signal)
{
    is_running = False;
    is_sequential = True;
    config.orphaned(signal);
}

static void *pages_get(SizeT bytes)
{
    void *pages = valgrind_map(VG_PGROUNDUP(bytes));

    if (pages == NULL) {
        VG_(umsg)("aprof: out of memory: the buffer of events needs %lu bytes\n", bytes);
        VG_(exit)(1);
    }
    return pages;
}

static void ring_open(void)
{
    const struct cab_config ring_config = {
        .mode = CAB_RECORDS,
        .word_bytes = sizeof(aprof_word),
        .ring_bytes = (size_t)config.ring_chunks * config.chunk_words * sizeof(aprof_word),
        .chunk_bytes = config.chunk_words * sizeof(aprof_word),
        .wait = ring_wait,
        .wake = ring_wake,
        .clock_ns = ring_clock,
    };

    if (memory == NULL)
        memory = pages_get(cab_memory_bytes(&ring_config));
    ring = cab_open(&ring_config, memory);
    tl_assert(ring);
    is_begun = False;
}

/* After this call, no analysis thread runs, and the ring's current chunk is the only chunk in
 * use. */
static void fall_back(UWord error)
{
    VG_(umsg)("aprof: the analysis thread cannot be started: %s; the program's threads run the "
              "analysis\n",
              VG_(strerror)(error));
    is_sequential = True;
}

/* Starts the analysis thread unless it runs. */
static Bool is_started(void)
{
    UWord error;

    if (is_running || is_sequential)
        return is_running;
    error = analysis_thread_start(analyse, orphaned);
    is_running = error == 0;
    if (error)
        fall_back(error);
    return is_running;
}

/*------------------------------------------------------------*/
/*--- The program's thread                                 ---*/
/*------------------------------------------------------------*/

void handover_open(const struct handover_config *wanted)
{
    config = *wanted;
    if (config.concurrent)
        ring_open();
    if (ring == NULL) {
        chunk_words = config.chunk_words;
        chunk = memory = pages_get(chunk_words * sizeof(aprof_word));
    }
}

aprof_word *handover_chunk_begin(SizeT *words)
{
    if (ring && !is_begun) {
        is_waiting = True;
        chunk = cab_chunk_begin(ring, &chunk_words);
        is_waiting = False;
        is_begun = True;
    }
    *words = chunk_words;
    return chunk;
}

static void chunk_publish(SizeT words)
{
    /* is_begun is cleared before the chunk is published, because this thread may be killed while it
     * wakes the other thread */
    is_begun = False;
    cab_chunk_end(ring, words);
    wake_analysis(False);
    analysis_thread_attend();
}

/* Hands over the chunk. If `concurrently` is true and no analysis thread runs, starts one. */
static void chunk_end(SizeT words, Bool concurrently)
{
    /* the thread that should begin the chunk has been killed */
    if (words == 0 || (ring && !is_begun))
        return;
    if (config.also)
        config.also(chunk, chunk + words);
    ended++;
    if (is_running || (concurrently && ring && is_started()))
        chunk_publish(words);
    else
        chunk_analyse(chunk, chunk + words);
}

void handover_chunk_end(SizeT words)
{
    chunk_end(words, True);
}

void handover_settle(void)
{
    if (!is_running)
        return;
    is_waiting = True;
    wake_analysis(True);
    cab_chunks_drain(ring);
    is_waiting = False;
}

Bool handover_drain(SizeT words)
{
    chunk_end(words, False);
    handover_settle();
    return !is_lost;
}

ULong handover_ended(void)
{
    return ended;
}

ULong handover_consumed(void)
{
    /* This acquire load of `consumed.count` pairs with the release store in analyse. */
    return __atomic_load_n(&consumed.count, __ATOMIC_ACQUIRE);
}

void handover_pause(void)
{
    if (!is_running)
        return;
    handover_settle();
    cab_chunks_close(ring);
    wake_analysis(True);
    analysis_thread_join();
    is_running = False;
    stats_add(&past);
    ring_open();
}

void handover_stay_sequential(void)
{
    is_sequential = True;
}

void handover_forked(ThreadId tid)
{
    analysis_thread_forget(tid);
    late_for_analysis = late_for_program = NULL;
    is_running = False;
    VG_(memset)(&past, 0, sizeof past);
    if (ring)
        ring_open();
}
