/* The stream of records from the instrumented code to the engine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Instrumented code stores its records at the cursor and advances the cursor. stream_put appends
 * all other events (thread switches, system calls, signals) at the same cursor. So the engine reads
 * all records in one total order. Between superblocks the cursor is always at the end of a record.
 *
 * The records go into one chunk after another (handover.h). After the limit, STREAM_SLACK words are
 * free. So code that writes at most STREAM_SLACK words only compares the cursor with the limit.
 */
#ifndef APROF_STREAM_H
#define APROF_STREAM_H

#include "aprof/handover.h"

/* A chunk is so small that it fits into the second-level cache together with the shadow memory that
 * its records access. A chunk is so long that the cost of handing over a chunk is negligible. Even
 * a small chunk is larger than the records of a superblock. */
#define STREAM_CHUNK_WORDS (1u << 14)
#define STREAM_CHUNK_LEAST (1u << 10)
#define STREAM_SLACK       64u

/* The ring is several times as large as the private caches of one processor (8 MiB of 64-bit
 * words). So the cache lines that the program's thread writes have already left the caches of the
 * analysis thread. The writes therefore do not wait for the analysis thread
 * (docs/measurements/performance.md). A ring's unused pages cost nothing. */
#define STREAM_RING_CHUNKS 64

struct stream_room {
    aprof_word *cursor, *limit;
};
extern struct stream_room stream_room;

/* The offset in the first set of shadow registers at which the stream's address is stored. Code
 * loads the address from the shadow register, because a 64-bit constant would take an instruction
 * of ten bytes for each use. */
#define STREAM_REGISTER 0

/* Call this function before a thread runs instrumented code. */
void stream_run(ThreadId tid);

/* Passes later records to the consumer that `config` describes. */
void stream_open(const struct handover_config *config);

/* Ends the chunk and begins the next chunk. Instrumented code also calls this function. */
void stream_flush(void);

/* Waits until the engine has consumed all records. After the wait, the caller may use the engine
 * until the next record. This function must not be called in the middle of a superblock. Returns
 * false if the measurements are lost (handover_drain). */
Bool stream_drain(void);

/* Drains the stream, and ends the analysis thread. The thread is started again when the next chunk
 * is full. */
void stream_pause(void);

/* Pauses the stream; from then on the program's thread runs the engine. */
void stream_stay_sequential(void);

/* Frees `node`, the beginning of a block of VG_(malloc), when the engine has consumed all records
 * that may name the block. */
void stream_free_later(VgHashNode *node);

/* Appends a record that is not a block. `kind` fixes the number of payload words (see events.h);
 * further arguments are ignored. */
void stream_put(enum event_kind kind, aprof_word a, aprof_word b, aprof_word c);

/* Call this function when the instruction at `address` has raised a signal. If the instruction is
 * in the middle of a segment, the segment's own record is not yet in the chunk. In this case, the
 * function appends a record without accesses, which says where the segment ended. */
void stream_cut(aprof_word address);

#endif
