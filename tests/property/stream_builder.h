/* Makes event streams from a program's actions, and passes the actions to the brute force.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The caller chooses the actions of the running thread: calls, returns, accesses. The builder
 * chooses how a front end divides and describes these actions (segments, kinds of jumps, guarded
 * accesses, slots on the stack) and appends records. At the same time, the builder applies the
 * definition to an oracle. So the oracle has the expected measurements of every engine that
 * consumes the words.
 *
 *     struct builder *b = builder_new(&config, &rng);
 *     builder_thread_start(b, 1);                  the first thread runs at once
 *     builder_call(b, 3);
 *     builder_access(b, ACCESS_READ, address, 4);
 *     builder_finish(b);                           all threads end
 *     words = builder_words(b, &n);
 */
#ifndef TESTS_PROPERTY_STREAM_BUILDER_H
#define TESTS_PROPERTY_STREAM_BUILDER_H

#include "aprof/engine.h"
#include "tests/property/oracle.h"
#include "tests/property/rng.h"

enum { BUILDER_ROUTINES_MAX = 300, BUILDER_REGIONS = 3, BUILDER_THREADS_MAX = 64 };

struct builder_config {
    unsigned resolution_bytes;
    unsigned n_routines;     /* the last quarter of the routines has no symbol, one other routine is
                              * transparent */
    bool controls;           /* builder_collect, builder_zero and builder_fork may be used */
    bool collect_at_start;   /* may be false only with `controls` */
    bool collect_in_toggles; /* routine 1 toggles collection; needs `controls` */
    bool wide_frames;        /* frames of many pages, so that dead stack is released */
    bool repeats;            /* each routine mostly calls one other, and its blocks run again */
    bool linked;             /* calls leave the return address in a register, as on arm64 */
    /* some routines belong to scripts, to their interpreter, or to hooks */
    bool scripts;
};

struct builder;
struct builder *builder_new(const struct builder_config *config, struct rng *rng);
void builder_delete(struct builder *b);

struct oracle *builder_oracle(struct builder *b);
const aprof_word *builder_words(const struct builder *b, size_t *n);
struct routine *builder_routines(struct builder *b);
/* Removes an engine's data in routines, before another engine consumes the words. */
void builder_reset_routines(struct builder *b);

/* Threads. The first thread runs at once. If a thread ends, another one continues; the last thread
 * must not end. */
void builder_thread_start(struct builder *b, unsigned number);
void builder_thread_end(struct builder *b, unsigned number);
void builder_thread_switch(struct builder *b, unsigned number);
bool builder_thread_alive(const struct builder *b, unsigned number);

/* Number of pending activations of the running execution context. */
size_t builder_depth(const struct builder *b);
void builder_call(struct builder *b, unsigned routine);
void builder_call_by_binder(struct builder *b, unsigned routine);
void builder_tail_call(struct builder *b, unsigned routine);
/* Returns, also from the outermost activation, which another activation then replaces. */
void builder_return(struct builder *b);
/* Leaves about `n` activations by longjmp, or fewer if fewer are pending. */
void builder_unwind(struct builder *b, size_t n);
/* A region of the running activation begins, or its innermost region ends, if any. */
void builder_region_begin(struct builder *b, unsigned region);
void builder_region_end(struct builder *b);
/* With `scripts`, a hook reports that a function of a script begins or ends, with or without a slot
 * of its own. */
void builder_script_begin(struct builder *b, unsigned routine, bool has_slot);
void builder_script_end(struct builder *b);
void builder_pause(struct builder *b, bool paused);

/* Signals: a handler on the running execution context; false if there is no handler to leave. */
void builder_signal_enter(struct builder *b);
bool builder_signal_leave(struct builder *b);
bool builder_signal_longjmp(struct builder *b);
/* Coroutines of the running thread; false if this is not possible now. */
bool builder_coroutine_new(struct builder *b, unsigned routine);
bool builder_coroutine_resume(struct builder *b);
/* The stack of a parked coroutine is moved or freed. */
bool builder_coroutine_move(struct builder *b);
bool builder_coroutine_free(struct builder *b);

/* Memory. */
void builder_access(struct builder *b, enum access_kind kind, uintptr_t address, unsigned bytes);
void builder_access_stack(struct builder *b);
void builder_segment(struct builder *b);
void builder_kernel_read(struct builder *b, uintptr_t address, size_t bytes);
void builder_kernel_write(struct builder *b, uintptr_t address, size_t bytes);
void builder_map_file(struct builder *b, uintptr_t address, size_t bytes);
void builder_forget(struct builder *b, uintptr_t address, size_t bytes);
void builder_move(struct builder *b, uintptr_t from, uintptr_t to, size_t bytes);

void builder_collect(struct builder *b, enum event_kind kind);
void builder_zero(struct builder *b);
void builder_fork(struct builder *b);
void builder_finish(struct builder *b);

#endif
