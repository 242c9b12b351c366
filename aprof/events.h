/* The stream of events between a front end and an engine.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A stream is a sequence of machine words. Each record is a header word, the address of a static
 * `struct event_desc`, followed by the number of payload words in the descriptor. Facts known at
 * instrumentation are in the descriptor; the stream has only run-time values.
 *
 * Worked example. The guest block
 *
 *     f:  mov  (%rdi),%eax        reads 4 bytes at rdi
 *         add  %eax,8(%rsp)       reads and writes 4 bytes at rsp+8
 *         call g                  writes the return address at rsp-8
 *
 * has one descriptor {block, end = BLOCK_CALL, words = 3, access = R4, M4, W8}; an execution adds
 *
 *     &desc   rdi   rsp+8   rsp-8
 *
 * The pushed address of a call and the popped slot of a return give the engine the stack pointer
 * for free: both are the address of the return address, and so they identify an activation.
 *
 * On arm64 a call leaves the return address in a register. The slot is then the word below the
 * stack pointer, at the call and at the return: where the other machines would have pushed it.
 * Nothing is stored there, so the slot of a call is no access but a last word, as for a return.
 *
 * A guest block that may be left in the middle (a guarded exit) is cut into segments, one record
 * each; so every record in the stream was executed as a whole.
 *
 * Descriptors belong to the front end, which keeps them alive until the engine has consumed every
 * record that names them. Addresses are the guest's; a word is as wide as the guest's pointers.
 */
#ifndef APROF_EVENTS_H
#define APROF_EVENTS_H

#include "points/routine.h"

typedef uintptr_t aprof_word;

/* Kinds of records. The comment gives the payload words in order. */
enum event_kind {
    EVENT_BLOCK,          /* struct block: see there */
    EVENT_THREAD_START,   /* thread, lowest and highest address of its stack (0, 0: not known) */
    EVENT_THREAD_END,     /* thread: its pending activations end here */
    EVENT_THREAD_SWITCH,  /* thread: the records that follow are this thread's */
    EVENT_SIGNAL_ENTER,   /* thread, its stack pointer when it was interrupted */
    EVENT_SIGNAL_LEAVE,   /* thread, its stack pointer now: the handler has returned (sigreturn) */
    EVENT_KERNEL_READ,    /* address, bytes: the kernel read memory for the current thread */
    EVENT_KERNEL_WRITE,   /* address, bytes: the kernel wrote memory */
    EVENT_MAP_FILE,       /* address, bytes: a file is mapped here; reading it is external input */
    EVENT_FORGET,         /* address, bytes: unmapped, or fresh zeros: nothing was accessed here */
    EVENT_MOVE,           /* from, to, bytes: the kernel moved the contents; `from` is gone */
    EVENT_COLLECT_ON,     /* measure from here on */
    EVENT_COLLECT_OFF,    /* count nothing; stack and accesses are still followed */
    EVENT_COLLECT_TOGGLE, /* switch between the two */
    EVENT_ZERO,           /* clear all measurements; pending activations start again */
    EVENT_FORKED,         /* thread: we are a forked child: as ZERO, and only that thread is left */
    EVENT_REGION_BEGIN,   /* its routine: a region of the running activation begins */
    EVENT_REGION_END,     /* the running activation's innermost region ends */
    EVENT_BLOCK_GONE,     /* descriptor of a block that no later record will name */
    EVENT_KINDS
};

struct event_desc {
    uint16_t kind;  /* enum event_kind */
    uint16_t words; /* payload words */
};

enum access_kind {
    ACCESS_READ,
    ACCESS_WRITE,
    ACCESS_MODIFY, /* a read, then a write, of the same bytes */
};

/* One payload word, an address. A guarded access that did not take place has address 0. */
struct access {
    uint8_t kind : 4;    /* enum access_kind */
    uint8_t guarded : 4; /* 1: the address may be 0 */
    uint8_t shape;       /* access_shape(), or 0: the engine then takes its general path */
    uint16_t size_bytes; /* 1 or more */
};

/* A code for the common accesses, so that the engine can distinguish them with one test:
 * unguarded ones of 1, 2, 4, 8, 16, 24, 32, 40 or 48 bytes (the last ones are a routine's saved
 * registers); 0 for all others. */
#define ACCESS_SIZES               9
#define ACCESS_SHAPE(kind, n_size) (1 + (kind)*ACCESS_SIZES + (n_size))
/* After a block's last access, by its end: enum block_end. */
#define ACCESS_SHAPE_END(end) (ACCESS_SHAPE(3, 0) + (end))

APROF_INLINE uint8_t access_shape(enum access_kind kind, bool guarded, unsigned size_bytes)
{
    for (unsigned n = 0; n < ACCESS_SIZES && !guarded; n++)
        if (size_bytes == (n < 4 ? 1u << n : (n - 2) * 8))
            return (uint8_t)ACCESS_SHAPE(kind, n);
    return 0;
}

/* How control leaves a segment. */
enum block_end {
    BLOCK_JUMP,     /* to an address known when it was translated, conditionally or not */
    BLOCK_FALL,     /* on to the next segment: no transfer of control, see `next` and `repeat` */
    BLOCK_CALL,     /* the last access is the store of the return address */
    BLOCK_RETURN,   /* last payload word: the slot that the return address was popped from */
    BLOCK_INDIRECT, /* a computed jump; last payload word: the slot of a routine that it enters */
    BLOCK_LINKED_CALL, /* the return address is in a register; last payload word: the slot */
};

/* Whether the payload ends with a word that is no access. */
APROF_INLINE bool block_end_has_word(enum block_end end)
{
    return end == BLOCK_RETURN || end == BLOCK_INDIRECT || end == BLOCK_LINKED_CALL;
}

enum block_flag {
    BLOCK_ENTRY = 1, /* starts at the first address of its routine */
    /* The stub that enters the lazy binder; its one payload word (no access) is the slot of the
     * pending call. Until a computed jump leaves with that stack pointer nothing is recorded. */
    BLOCK_RESOLVER = 2,
    BLOCK_UNNAMED = 4, /* no symbol covers it: `routine` is what it would be if it were called */
};

struct block {
    struct event_desc event; /* kind EVENT_BLOCK */
    uint8_t end;             /* enum block_end */
    uint8_t flags;           /* enum block_flag */
    uint16_t n_accesses;     /* the first payload words */

    /* In the unit of the run: 1 block (0 for a later segment), or instructions. The other two: if
     * it continues the block before it, which ended with BLOCK_FALL to this address; and if it
     * repeats the last instruction of that. */
    uint32_t cost, cost_continued, cost_repeated;
    uint32_t span; /* the front end's number for this piece of code: charges.h, edges.h */
    struct routine *routine;

    /* The engine's members, zero at first: homes.h. */
    struct routine *home; /* in whose activations it goes on and begins nothing; NULL: not known */
    uint64_t charged;     /* what it has cost in them, if that is counted */

    aprof_word start;  /* guest address of the first instruction */
    aprof_word next;   /* BLOCK_FALL: where the block continues; BLOCK_CALL: the return address */
    aprof_word repeat; /* BLOCK_FALL: the last instruction, if it may repeat itself, else 0 */

    struct block *alike_before, *alike_behind; /* the engine's: of the same routine, with a home */
    struct access access[];                    /* n_accesses, and the end: block_close */
};

APROF_INLINE size_t block_bytes(unsigned n_accesses)
{
    return sizeof(struct block) + (n_accesses + 1) * sizeof(struct access);
}

/* To be called when the number of accesses and the end are known: the engine then needs neither
 * a counter nor a test for the end. */
APROF_INLINE void block_close(struct block *block)
{
    block->access[block->n_accesses] = (struct access){.shape = ACCESS_SHAPE_END(block->end)};
}

#endif
