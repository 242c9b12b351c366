/* The buffer between the instrumented code and the engine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Instrumented code stores its records at stream_cursor and moves it; everything else that happens
 * (thread switches, system calls, signals) is put into the same buffer by stream_put, so that the
 * engine sees one total order. Between superblocks the cursor always stands at the end of a record.
 */
#ifndef APROF_STREAM_H
#define APROF_STREAM_H

#include "events.h"

/* The buffer and the cursor are static, so that their addresses fit an instruction's immediate. The
 * size is a compromise: a buffer that stays in the second-level cache together with the shadow
 * memory it makes the engine touch, and long enough that flushing costs nothing. */
#define STREAM_WORDS (1u << 14)

extern aprof_word stream_buffer[STREAM_WORDS];
extern aprof_word *stream_cursor;

struct engine;

/* Everything flushed from now on goes to `engine`, which stays the caller's. */
void stream_open(struct engine *engine);

/* Hands all records to the engine and empties the buffer. Called from instrumented code too. */
void stream_flush(void);

/* Appends a record that is not a block. `kind` fixes the number of payload words (see events.h);
 * the words that it does not have are ignored. */
void stream_put(enum event_kind kind, aprof_word a, aprof_word b, aprof_word c);

/* The instruction at `address` has raised a signal. If that was in the midst of a segment, its
 * record is not in the buffer; one that says how far control got, without accesses, takes its
 * place. */
void stream_cut(aprof_word address);

#endif
