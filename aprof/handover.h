/* Passes records from the program's thread to the engine: by a call, or through a ring.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The program's thread fills one chunk of words after the other. In sequential mode there is one
 * chunk, and at its end the engine is called. In concurrent mode the chunks form a ring (cab.h),
 * and the analysis thread calls the engine. That thread starts at the end of the first chunk, so a
 * process that soon calls exec never starts it.
 */
#ifndef APROF_HANDOVER_H
#define APROF_HANDOVER_H

#include "aprof/valgrind_core.h"

#include "aprof/events.h"

struct engine;

struct handover_config {
    Bool concurrent;
    UInt chunk_words;
    UInt ring_chunks;
    struct engine *engine; /* owned by the caller, which may use it only between handover_drain and
                            * the next handover_chunk_end */

    /* Optional: receives all records on the program's thread, before the engine does. */
    void (*also)(const aprof_word *from, const aprof_word *to);

    /* All threads of the program have been killed: called on the analysis thread, which may now do
     * all that the program's thread could. The process ends by `signal` when this returns. */
    void (*orphaned)(Int signal);
};

void handover_open(const struct handover_config *config);

/* The chunk to fill, and its number of words. Waits until a chunk is free. */
aprof_word *handover_chunk_begin(SizeT *words);

/* Hands over the first `words` of the chunk. */
void handover_chunk_end(SizeT words);

/* Hands over the first `words` of the chunk, and waits until the engine has consumed all records.
 * False: the analysis thread was killed inside the engine, which must not be used any more.
 */
Bool handover_drain(SizeT words);

/* Waits until the engine has consumed all chunks that were handed over. */
void handover_settle(void);

/* The numbers of chunks handed over and of chunks consumed. */
ULong handover_ended(void);
ULong handover_consumed(void);

/* After a drain: ends the analysis thread; the next chunk starts it again. */
void handover_pause(void);

/* After a pause: never starts the analysis thread again. */
void handover_stay_sequential(void);

/* In a copy of the process, made after a drain by the program's thread `tid`: no analysis thread
 * exists yet. */
void handover_forked(ThreadId tid);

/* Prints the figures for --stats=yes; called after handover_settle. */
void handover_print_stats(void);

#endif
