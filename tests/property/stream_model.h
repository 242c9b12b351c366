/* The model of the stream builder: threads, their execution contexts, unfinished segments.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each execution context of the model has a stack pointer and frames, and each frame the slot of
 * its return address. An execution context also has a segment under construction, which becomes a
 * record when something else happens: a call, a kernel event, a signal. A segment without accesses
 * may stay unwritten during a switch, because a real thread may lose the processor between a call
 * and the callee's first block. Then the oracle records the call slightly earlier than the engine,
 * which has no effect on measurements.
 *
 *     stream_builder.c   words, segments, accesses, the kernel, the beginning and the end
 *     stream_calls.c     calls, jumps, returns
 *     stream_threads.c   signal handlers, coroutines, threads
 */
#ifndef TESTS_PROPERTY_STREAM_MODEL_H
#define TESTS_PROPERTY_STREAM_MODEL_H

#include "tests/property/stream_builder.h"

enum {
    SEGMENT_ACCESSES_MAX = 12,
    EXEC_CONTEXTS_PER_THREAD_MAX = 12,
    WORD = sizeof(aprof_word),
    SIGNAL_FRAME_BYTES = 512,
    RECENT_BLOCKS = 128,
};

#define NO_SLOT               (~(aprof_word)0)
#define THREAD_STACK_BYTES    ((aprof_word)256 << 20)
#define COROUTINE_STACK_BYTES ((aprof_word)64 << 20)
#define THREAD_STACKS         ((aprof_word)0x7f0000000000)
#define COROUTINE_STACKS_LOW  ((aprof_word)0x7e0000000000)
#define COROUTINE_STACKS_HIGH ((aprof_word)0x7f8000000000)

struct model_frame {
    unsigned routine;
    aprof_word slot;
};

struct open_segment {
    struct access access[SEGMENT_ACCESSES_MAX];
    aprof_word address[SEGMENT_ACCESSES_MAX];
    unsigned n;
    unsigned routine, flags;
    bool critical; /* whether the engine checks the routine when control arrives at the block */
    bool arrives;  /* whether control arrived from elsewhere, and no record shows this yet */
    bool called;
};

enum model_kind { KIND_THREAD, KIND_HANDLER, KIND_COROUTINE };

struct model_exec_context {
    enum model_kind kind;
    unsigned oracle_exec_context;
    struct model_frame *frames;
    size_t depth, room;
    aprof_word pointer; /* the stack pointer */
    aprof_word start;   /* first stack pointer of a coroutine */
    unsigned below;     /* of a handler: position of the execution context it interrupted */
    bool below_is_open; /* the interrupted execution context has a segment that is not written */
    unsigned toggles;
    bool paused;
    struct open_segment segment;
    bool fell; /* the latest record ended with BLOCK_FALL ... */
    aprof_word next, repeat;
};

struct model_thread {
    bool alive, stack_is_known;
    struct model_exec_context exec_contexts[EXEC_CONTEXTS_PER_THREAD_MAX];
    unsigned n_exec_contexts, current;
};

struct owned { /* a descriptor follows */
    struct owned *next;
    uint64_t align;
};

struct builder {
    struct builder_config config;
    struct rng *rng;
    struct oracle *oracle;
    struct routine routines[BUILDER_ROUTINES_MAX + 1 + BUILDER_REGIONS]; /* n_routines, the
                                                              binder's stub, and the regions */
    bool was_called[BUILDER_ROUTINES_MAX];
    aprof_word *words;
    size_t n_words, room_words;
    struct owned *owned;
    const struct event_desc *events[EVENT_KINDS];
    struct block *recent[RECENT_BLOCKS]; /* blocks that may run again; NULL: there are none */
    unsigned next_recent;
    struct model_thread threads[BUILDER_THREADS_MAX];
    unsigned running; /* 0: none yet */
    bool collecting;
    aprof_word code;
    unsigned n_coroutines;
};

/* stream_builder.c */
void model_put_word(struct builder *b, aprof_word word);
void model_put_event(struct builder *b, enum event_kind kind, unsigned n,
                     const aprof_word *payload);
struct model_thread *model_thread_now(const struct builder *b);
struct model_exec_context *model_exec_context_now(const struct builder *b);
bool model_is_unnamed(const struct builder *b, unsigned routine);
bool model_is_entry(const struct builder *b, unsigned routine);
aprof_word model_top_slot(const struct model_exec_context *s);
aprof_word model_entry_slot(const struct builder *b, aprof_word pointer);
unsigned model_routine_seen(const struct builder *b, const struct model_exec_context *s,
                            size_t depth);
/* Whether a call of this routine is work of an interpreter for the running function of a script. */
bool model_is_folded(const struct builder *b, unsigned routine);
unsigned model_code_routine(const struct builder *b, const struct model_exec_context *s,
                            size_t depth);
void model_frame_push(struct builder *b, unsigned routine, aprof_word slot);
void model_frame_pop(struct builder *b);
void model_segment_arrive(struct builder *b, bool entry, bool critical);
struct block *model_block_new(struct builder *b, enum block_end end, unsigned n_accesses);
void model_segment_close(struct builder *b, enum block_end end, aprof_word word);
void model_segment_settle(struct builder *b);
void model_segment_settle_now(struct builder *b);
void model_segment_make_room(struct builder *b);
void model_segment_add(struct builder *b, enum access_kind kind, aprof_word address, unsigned bytes,
                       bool guarded);
void model_oracle_access(struct builder *b, enum access_kind kind, aprof_word address,
                         unsigned bytes);

/* stream_calls.c */
size_t model_unwind_target(const struct model_exec_context *s, size_t n);
void model_begin_root_if_empty(struct builder *b);
void model_pop_chain(struct builder *b);

/* stream_threads.c */
void model_thread_settle(struct builder *b);
void model_thread_end_exec_contexts(struct builder *b, unsigned number);
unsigned model_another_alive(const struct builder *b);

#endif
