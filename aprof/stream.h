/* The records between the instrumented code and the engine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Instrumented code stores its records at the cursor and moves it; everything else that happens
 * (thread switches, system calls, signals) is put at the same place by stream_put, so that the
 * engine sees one total order. Between superblocks the cursor always stands at the end of a record.
 *
 * The records go into one chunk after the other (handover.h). Behind the limit there is room for
 * STREAM_SLACK words: what needs no more of them compares the cursor with the limit and nothing
 * else.
 */
#ifndef APROF_STREAM_H
#define APROF_STREAM_H

#include "aprof/handover.h"

/* A chunk that stays in the second-level cache together with the shadow memory it makes the engine
 * touch, and long enough that handing it over costs nothing. No superblock fills a small one. */
#define STREAM_CHUNK_WORDS (1u << 14)
#define STREAM_CHUNK_LEAST (1u << 10)
#define STREAM_SLACK       64u

/* All chunks of the ring are several times what the caches of one processor's own hold (8 MiB of
 * words of 64 bits), so that the lines that the program's thread writes are no longer in those of
 * the analysis thread, which it would have to wait for: docs/measurements/performance.md. Pages of
 * a ring that is never filled cost nothing. */
#define STREAM_RING_CHUNKS 64

struct stream_room {
    aprof_word *cursor, *limit;
};
extern struct stream_room stream_room;

/* Where the first set of shadow registers has the address of it. Code that has it from there names
 * it by a register; an address of 64 bits would be an instruction of ten bytes for each use. */
#define STREAM_REGISTER 0

/* The thread is about to run instrumented code. */
void stream_run(ThreadId tid);

/* Everything goes where `config` says from now on. */
void stream_open(const struct handover_config *config);

/* Ends the chunk and begins the next one. Called from instrumented code too. */
void stream_flush(void);

/* Waits until the engine has consumed all records: it is the caller's until the next one. Not in
 * the midst of a superblock. False: the measurements are lost (handover_drain). */
Bool stream_drain(void);

/* Drains, and leaves the process without an analysis thread until the next chunk is full. */
void stream_pause(void);

/* Pauses, and from then on the program's thread analyses what it does. */
void stream_stay_sequential(void);

/* Frees `node`, of which a block of VG_(malloc) begins, as soon as the engine has consumed all
 * records that may name it. */
void stream_free_later(VgHashNode *node);

/* Appends a record that is not a block. `kind` fixes the number of payload words (see events.h);
 * the words that it does not have are ignored. */
void stream_put(enum event_kind kind, aprof_word a, aprof_word b, aprof_word c);

/* The instruction at `address` has raised a signal. If that was in the midst of a segment, its
 * record is not in the chunk; one that says how far control got, without accesses, takes its
 * place. */
void stream_cut(aprof_word address);

#endif
