/* The events runtime: the interface between its parts.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The runtime implements section 4 of paper 001. Hooks put events into the ring of their thread
 * (hooks.c); analysis threads take events out (consumers.c). A thread's events are a *stream*. A
 * stream continues in a larger ring if the thread's rate requires one (rings.c). In sequential
 * mode, a few words in the thread's record replace the ring, and the thread itself analyses its
 * events.
 */
#ifndef NATIVE_EVENTS_RUNTIME_H
#define NATIVE_EVENTS_RUNTIME_H

#include "native/base/native.h"
#include "native/base/dump.h"
#include "native/base/environment.h"

#include "analyses/analysis.h"
#include "cab/cab.h"

enum { EVENTS_CONCURRENT, EVENTS_SEQUENTIAL }; /* indices into events_modes */

/* How events are processed. */
struct events_mode {
    bool makes_events;
    /* whether each thread has a ring; otherwise the thread that emits events analyses them */
    bool has_rings;
    bool has_consumers;
    bool analyses; /* whether events are analysed, not only consumed */
};

#define EVENTS_BATCH_WORDS   64 /* size of a batch in sequential mode */
#define EVENTS_CONSUMERS_MAX 64

/* Sampling: each burst has this number of words, and at least one of a thousand words is in a
 * burst. */
#define EVENTS_BURST_WORDS    256
#define EVENTS_STRIDE_LARGEST (EVENTS_BURST_WORDS * 1000)

struct events_config {
    char analysis[NATIVE_OPTION_TEXT_BYTES];
    char out[NATIVE_OPTION_TEXT_BYTES];
    uint32_t mode;            /* index into events_modes */
    uint32_t statistics;      /* whether a line is printed to standard error at the end */
    uint64_t ring_bytes;      /* size of a ring; 0: the size grows with the thread's rate */
    uint64_t chunk_bytes;     /* size of a chunk; 0: a sixteenth of the ring */
    uint64_t consumers;       /* number of analysis threads */
    double sampling;          /* fraction of events that are analysed; 0: all events */
    uint32_t adapts_sampling; /* whether the sampling rate adapts to the speed of the analysis */
    struct native_dump_settings dump;
};

/* A ring and its memory. */
struct events_ring {
    struct cab *cab;
    struct events_ring *next; /* ring in which the stream continues, or the next free ring */
    size_t bytes, memory_bytes;
    /* atomic: whether the producer has returned from cab_close and no longer accesses the ring */
    uint32_t left;
};

/* The events of one thread. A stream outlives its thread; the analysis thread ends the stream. */
struct events_stream {
    struct events_stream *next;
    struct events_ring *ring; /* ring that the consumer reads */
    uint32_t thread;
    uint32_t stride_words; /* sampling: current rate */
    uint64_t overwritten;  /* number of overwritten chunks when the rate was last adapted */
    uint32_t batches;      /* number of batches since the rate was last adapted */
    /* whether the analysis was interrupted; if so, its results are omitted */
    bool is_torn;
    void *states[EVENTS_CONSUMERS_MAX]; /* analysis states: one, or one per slice */
};

/* The pending routines, as codes of EVENT_CALL. */
struct events_calls {
    uint32_t *codes;
    size_t depth, capacity;
};

/* The events runtime's data of a thread, which are stored after struct native_thread. */
struct events_local {
    struct cab_cursor cursor;
    uint64_t highest; /* a slot may be written if its word is at most this value */
    struct events_stream *stream;
    struct events_ring *ring; /* ring that the producer fills */
    bool overwrites;          /* whether the thread may overwrite slots that are not clear */
    bool ended;
    bool analysing; /* sequential mode: whether an analysis is running in the hook */
    struct events_calls calls;
    /* events of the current batch in sequential mode, with CAB_MAGIC64 at the end */
    uint64_t batch[EVENTS_BATCH_WORDS + 1];
};

extern NATIVE_HIDDEN struct events_config events_config;
extern NATIVE_HIDDEN const struct analysis *events_analysis;
/* mask of EVENT_BIT: kinds of events that hooks emit */
extern NATIVE_HIDDEN uint32_t events_wanted;

/* ---------------------------------------------------------------- modes.c */

extern NATIVE_HIDDEN const char *const events_mode_names[];
extern NATIVE_HIDDEN const struct events_mode events_modes[];

APROF_INLINE const struct events_mode *events_mode(void)
{
    return &events_modes[events_config.mode];
}

/* ---------------------------------------------------------------- rings.c */

/* Returns a slot for the next event. Hooks call this function when the ring, the chunk or the batch
 * is full. The function may analyse events, wait, or continue in a larger ring. */
NATIVE_HIDDEN APROF_NOINLINE void *events_slot(struct events_local *local);

NATIVE_HIDDEN void events_stream_begin(struct events_local *local, uint32_t thread);
NATIVE_HIDDEN void events_stream_end(struct events_local *local);

/* Waits until all enqueued events have been analysed. The stream's thread must not be running. */
NATIVE_HIDDEN void events_stream_drain(struct events_local *local);

/* Adds the statistics of the thread's current ring to events_sums. Call this function in a copy of
 * the process. */
NATIVE_HIDDEN void events_stream_sum(const struct events_local *local);

/* Frees a closed ring when the consumer has finished with the ring. */
NATIVE_HIDDEN void events_ring_recycle(struct events_ring *ring);

/* Call this function in a forked child, which does not own the parent's stream. */
NATIVE_HIDDEN void events_stream_forget(struct events_local *local);

/* Sums over all rings, for the option `stats`. */
struct events_sums {
    uint64_t made; /* words that threads wrote; the member `events` counts the analysed words */
    uint64_t streams, events, chunks, overwritten_chunks, producer_sleeps, consumer_sleeps;
    uint64_t largest_ring_bytes;
};
extern NATIVE_HIDDEN struct events_sums events_sums;

/* ---------------------------------------------------------------- consumers.c */

/* Starts the analysis threads. Returns false if the threads could not be started; the mode must
 * then be sequential. */
NATIVE_HIDDEN bool events_consumers_start(void);

/* Gives a stream with its first ring to one of the analysis threads. */
NATIVE_HIDDEN void events_consumers_add(struct events_stream *stream);

/* Returns the bell that wakes the analysis thread of the stream. */
NATIVE_HIDDEN struct cab_bell *events_consumers_bell(const struct events_stream *stream);

/* Waits until every ended stream has been completely analysed. */
NATIVE_HIDDEN void events_consumers_settle(void);

/* Announces the end of a stream: from now on, events_consumers_settle also waits for this
 * stream. */
NATIVE_HIDDEN void events_consumers_expect_end(void);

/* Makes one new state for each slice. */
NATIVE_HIDDEN void events_states_make(void *states[]);

/* Merges the totals of all analysis threads and of sequential streams into one state, and returns
 * this state. */
NATIVE_HIDDEN void *events_consumed(void);
/* Adds states of sequential mode to the totals, under a lock. */
NATIVE_HIDDEN void events_total_add(void *states[]);

NATIVE_HIDDEN void events_consumers_forked(void);

NATIVE_HIDDEN void events_wait(void *context, _Atomic uint32_t *word, uint32_t expected);
NATIVE_HIDDEN void events_wake(void *context, _Atomic uint32_t *word);

/* ---------------------------------------------------------------- calls.c */

NATIVE_HIDDEN void events_calls_init(void);
NATIVE_HIDDEN void events_calls_release(struct events_calls *calls);

/* Hooks call these functions if events_wanted has EVENT_CALL and a routine is entered or left. */
NATIVE_HIDDEN void events_call_enter(uintptr_t routine);
NATIVE_HIDDEN void events_call_leave(uintptr_t routine);

/* The value of the member routine_of_code in struct analysis_options. */
NATIVE_HIDDEN uint64_t events_routine_of_code(void *context, uint32_t code);

/* ---------------------------------------------------------------- report.c */

NATIVE_HIDDEN void events_report(const char *reason);

#endif
