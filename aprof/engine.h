/* The engine: consumes a stream of events and measures every activation's input size and cost.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The engine is freestanding: it depends only on events.h and ground/host.h, not on a front end.
 * Only one thread at a time may call an engine.
 *
 *     struct engine *e = engine_new(&config);
 *     engine_consume(e, words, words + n);         as often as a buffer is full
 *     engine_finish(e);                            every pending activation ends here
 *     engine_report_write(e, &info, &writer);
 *     engine_free(e);
 */
#ifndef APROF_ENGINE_H
#define APROF_ENGINE_H

#include "aprof/events.h"
#include "points/points_report.h"
#include "points/process_contexts.h"

struct engine_config {
    uint8_t resolution_log2; /* 0 to 4; a cell has 1 << resolution_log2 bytes */
    /* width of the timestamp counter, 4 to 31; with fewer bits the counter overflows more often */
    uint8_t counter_bits;
    bool trms; /* keep a table of points by trms */
    bool rms;  /* keep a table of points by rms; at least one of `trms` and `rms` is true */
    /* keep one profile per thread; otherwise thread 0 has the measurements of all threads */
    bool separate_threads;
    bool collect_at_start;   /* true: collect from the start; false: collect from EVENT_COLLECT_ON
                              * on */
    bool edges;              /* keep call edges; an edge includes the span of code that makes the
                              * call */
    bool lines;              /* keep the cost of each span of code */
    bool collect_in_toggles; /* measure only while a routine is pending whose flag `toggles` is
                              * set */
    bool linked; /* blocks with a call end with BLOCK_LINKED_CALL, and slots lie below the stack
                  * pointer */
    /* settings of calling contexts; if all bytes are zero, contexts are not kept */
    struct contexts_config contexts;
};

struct engine;

/* Returns a new engine, owned by the caller. `config` is copied. */
struct engine *engine_new(const struct engine_config *config);

/* Consumes the records in [from, to), all of which are complete. The words may be reused as soon as
 * the function returns. */
void engine_consume(struct engine *engine, const aprof_word *from, const aprof_word *to);

/* Ends every pending activation as if the activation returned now. After this call, only
 * engine_gather, engine_report_write and engine_free may be called. */
void engine_finish(struct engine *engine);

/* Gathers the measurements of all activations that have ended since the last engine_clear, for a
 * report. Pending activations continue; each is counted completely when it ends. */
void engine_gather(struct engine *engine);

/* For each routine, `identify` returns the same routine, or another routine of which it turned out
 * to be a part. The gathered measurements of each routine are added to the returned routine. */
void engine_unify(struct engine *engine, struct routine *(*identify)(struct routine *));

/* Writes the gathered measurements. The engine stays unchanged. */
void engine_report_write(const struct engine *engine, const struct report_info *info,
                         struct record_writer *to);

/* Calls `visit` for each edge, and passes the span in which the edge's calls are made. */
void engine_each_site(const struct engine *engine, void (*visit)(uint32_t span));

/* Clears the gathered measurements, so that the next report starts empty. Pending activations are
 * unchanged. */
void engine_clear(struct engine *engine);

void engine_free(struct engine *engine);

/* Figures for --stats=yes. */
struct engine_stats {
    uint64_t words;         /* number of consumed words of the stream */
    uint64_t cost;          /* cost of all threads since the last engine_clear */
    uint64_t renumberings;  /* number of renumberings (Figure 13) */
    uint64_t exec_contexts; /* number of threads, signal handlers and coroutine stacks so far */
    uint64_t chunks;        /* number of chunks of shadow memory in use */
    /* number of chunks of the table of latest writes, included in `chunks` */
    uint64_t write_chunks;
    uint64_t deepest; /* largest number of pending activations on one stack */
};
void engine_get_stats(struct engine *engine, struct engine_stats *stats);

#endif
