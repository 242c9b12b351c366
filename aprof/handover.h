/* Passes records from the program's thread to the engine, by a call or through a ring.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The program's thread fills one chunk of words after another. In sequential mode there is one
 * chunk, and the engine is called at the end of this chunk. In concurrent mode the chunks form a
 * ring (cab.h), and the analysis thread calls the engine. The analysis thread starts at the end of
 * the first chunk, so a process that soon calls exec never starts this thread.
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
    /* engine that the caller provides, and may use only between handover_drain and the next
     * handover_chunk_end */
    struct engine *engine;

    /* If not NULL, this function receives all records on the program's thread before the engine
     * does. */
    void (*also)(const aprof_word *from, const aprof_word *to);

    /* This function is called on the analysis thread after all threads of the program have been
     * killed. From this call on, the analysis thread may do everything that the program's thread
     * could do. The process ends by `signal` when the function returns. */
    void (*orphaned)(Int signal);
};

void handover_open(const struct handover_config *config);

/* Waits until a chunk is free, and returns it with its number of words. */
aprof_word *handover_chunk_begin(SizeT *words);

/* Hands over the first `words` words of the chunk. */
void handover_chunk_end(SizeT words);

/* Hands over the first `words` words of the chunk, and waits until the engine has consumed all
 * records. Returns false if the analysis thread was killed inside the engine; the engine must then
 * not be used any more. */
Bool handover_drain(SizeT words);

/* Waits until the engine has consumed all chunks that were handed over. */
void handover_settle(void);

/* handover_ended returns the number of chunks that were handed over; handover_consumed returns how
 * many of these chunks the engine has consumed. */
ULong handover_ended(void);
ULong handover_consumed(void);

/* Ends the analysis thread after a drain; the next chunk starts it again. */
void handover_pause(void);

/* Keeps the next chunk from starting the analysis thread again; call this function after
 * handover_pause. */
void handover_stay_sequential(void);

/* Call this function in a copy of the process that the program's thread `tid` made after a drain.
 * The copy does not have an analysis thread yet. */
void handover_forked(ThreadId tid);

/* Prints the figures for --stats=yes; must be called after handover_settle. */
void handover_print_stats(void);

#endif
