/* The stream of events between a front end and an engine.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A stream is a sequence of machine words. Each record is a header word and payload words. The
 * header is the address of a static `struct event_desc`. This descriptor has the number of payload
 * words, and all other data that are known at translation; the stream has only run-time values.
 *
 * Worked example: this guest block has one descriptor.
 *
 *     f:  mov  (%rdi),%eax        reads 4 bytes at rdi
 *         add  %eax,8(%rsp)       reads and writes 4 bytes at rsp+8
 *         call g                  writes the return address at rsp-8
 *
 * The descriptor is {block, end = BLOCK_CALL, words = 3, access = R4, M4, W8}. An execution of the
 * block adds these words to the stream:
 *
 *     &desc   rdi   rsp+8   rsp-8
 *
 * A call stores its return address, and a return loads it. So the record of the call and the record
 * of the return both contain the address of the return address. This address identifies an
 * activation, and also gives the engine the stack pointer without a further word.
 *
 * On arm64 a call leaves the return address in a register. The slot is then the word below the
 * stack pointer at call and return, where other machines store the return address. A call stores
 * nothing in its slot, so the call's record has no access for it. The slot is an extra word at the
 * end of a call's record, as in the record of a return.
 *
 * If a guarded exit may leave a guest block in the middle, the block is divided into segments, each
 * with its own record. So every record in the stream belongs to code that was executed completely.
 *
 * Descriptors belong to the front end, which keeps them alive until the engine has consumed every
 * record that names them. Addresses are guest addresses; a word is as wide as a guest pointer.
 */
#ifndef APROF_EVENTS_H
#define APROF_EVENTS_H

#include "points/routine.h"

typedef uintptr_t aprof_word;

/* The kinds of records. The comment after each kind lists the payload words in order. */
enum event_kind {
    EVENT_BLOCK,         /* the payload is described by the descriptor, a struct block */
    EVENT_THREAD_START,  /* thread, lowest and highest address of its stack (0, 0: not known) */
    EVENT_THREAD_END,    /* thread: all pending activations of the thread end */
    EVENT_THREAD_SWITCH, /* thread: the following records belong to this thread */
    EVENT_SIGNAL_ENTER,  /* thread, its stack pointer when a signal interrupted it */
    /* thread, its current stack pointer: the handler has returned (sigreturn) */
    EVENT_SIGNAL_LEAVE,
    EVENT_KERNEL_READ,  /* address, bytes: the kernel read memory for the current thread */
    EVENT_KERNEL_WRITE, /* address, bytes: the kernel wrote memory */
    /* address, bytes: a file was mapped at the address; reading the file is external input */
    EVENT_MAP_FILE,
    /* address, bytes: memory was unmapped or filled with zeros, and counts as never accessed */
    EVENT_FORGET,
    EVENT_MOVE,       /* from, to, bytes: the kernel moved the contents; `from` is unmapped */
    EVENT_COLLECT_ON, /* measure from this event on */
    /* count nothing from this event on, but still track the stack and accesses */
    EVENT_COLLECT_OFF,
    EVENT_COLLECT_TOGGLE, /* switch between EVENT_COLLECT_ON and EVENT_COLLECT_OFF */
    /* clear all measurements; the measurement of pending activations starts from zero */
    EVENT_ZERO,
    /* thread: this process is a forked child with only this thread; measurements are cleared as by
     * EVENT_ZERO */
    EVENT_FORKED,
    EVENT_REGION_BEGIN, /* routine of a region that the running activation begins */
    EVENT_REGION_END,   /* the running activation's innermost region ends */
    EVENT_SCRIPT_BEGIN, /* routine, and slot or 0: a hook reports that a script's function begins */
    EVENT_SCRIPT_END,   /* the running activation ends, if it is a function of a script */
    /* the running execution context counts nothing, because a hook is working */
    EVENT_PAUSE,
    EVENT_RESUME,     /* ends a pause; a pause also ends when a script's function begins or ends */
    EVENT_BLOCK_GONE, /* descriptor of a block that no later record names */
    /* the program has moved a coroutine to a new stack: lowest and highest address of the old
     * stack, highest address of the new stack */
    EVENT_STACK_MOVED,
    /* lowest and highest address: the program has freed the coroutine's stack */
    EVENT_STACK_FREED,
    EVENT_KINDS
};

struct event_desc {
    uint16_t kind;  /* enum event_kind */
    uint16_t words; /* payload words */
};

enum access_kind {
    ACCESS_READ,
    ACCESS_WRITE,
    ACCESS_MODIFY, /* a read and then a write of the same bytes */
};

/* An access has one payload word, its address. If a guarded access did not take place, the address
 * is 0. */
struct access {
    uint8_t kind : 4;    /* enum access_kind */
    uint8_t guarded : 4; /* 1: the access is guarded, and its address may be 0 */
    uint8_t shape;       /* result of access_shape(); 0: the engine uses its general path */
    uint16_t size_bytes; /* number of bytes, 1 or more */
};

/* A code for the kind and size of an access, so that the engine needs only one test to recognise a
 * common access. The common accesses are unguarded accesses of 1, 2, 4, 8, 16, 24, 32, 40 or 48
 * bytes. The larger sizes occur when a routine saves registers. The code of all other accesses is
 * 0. */
#define ACCESS_SIZES               9
#define ACCESS_SHAPE(kind, n_size) (1 + (kind)*ACCESS_SIZES + (n_size))
/* The code that follows the codes of a block's accesses; it says how the block ends (enum
 * block_end). */
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
    BLOCK_JUMP, /* jumps, conditionally or not, to an address known at translation */
    /* continues in the next segment, without control transfer; see `next` and `repeat` */
    BLOCK_FALL,
    BLOCK_CALL,   /* the last access is the store of the return address */
    BLOCK_RETURN, /* the last payload word is the slot from which the return address was popped */
    /* a computed jump; the last payload word is the slot of the routine that the jump enters */
    BLOCK_INDIRECT,
    /* a call with the return address in a register; the last payload word is the slot */
    BLOCK_LINKED_CALL,
};

/* Returns whether the payload ends with a word that is not an access. */
APROF_INLINE bool block_end_has_word(enum block_end end)
{
    return end == BLOCK_RETURN || end == BLOCK_INDIRECT || end == BLOCK_LINKED_CALL;
}

enum block_flag {
    BLOCK_ENTRY = 1, /* the block starts at the first address of its routine */
    /* The block is the stub that enters the lazy binder. The stub's record has one payload word,
     * the slot of the pending call. This word does not describe an access. Until a computed jump
     * leaves the binder with the slot's stack pointer, nothing is recorded. */
    BLOCK_RESOLVER = 2,
    /* no symbol covers the block; a call of the block's address would begin `routine` */
    BLOCK_UNNAMED = 4,
};

struct block {
    struct event_desc event; /* kind EVENT_BLOCK */
    uint8_t end;             /* enum block_end */
    uint8_t flags;           /* enum block_flag */
    uint16_t n_accesses;     /* number of accesses, which are the first payload words */

    /* The cost in the run's unit, blocks or instructions. In blocks, the cost of the first segment
     * is 1, and the cost of later segments is 0. cost_continued applies if the block continues the
     * previous block, which ended with BLOCK_FALL to this address. cost_repeated applies if the
     * block repeats the previous block's last instruction. */
    uint32_t cost, cost_continued, cost_repeated;
    uint32_t span; /* the front end's number for this code (charges.h, edges.h) */
    struct routine *routine;

    /* Members that the engine uses (homes.h); initially zero. */
    /* the block's owning routine (NULL: not known). When the block runs in an activation of this
     * routine, it begins no activation */
    struct routine *home;
    uint64_t charged; /* the block's cost in activations of `home`, if costs are counted */

    aprof_word start; /* guest address of the first instruction */
    /* BLOCK_FALL: address where execution continues; BLOCK_CALL: the return address */
    aprof_word next;
    /* BLOCK_FALL: address of the last instruction if this instruction can repeat itself; otherwise
     * 0 */
    aprof_word repeat;

    /* for the engine: previous and next block with the same owning routine */
    struct block *alike_before, *alike_behind;
    struct access access[]; /* n_accesses accesses, and the end record that block_close appends */
};

APROF_INLINE size_t block_bytes(unsigned n_accesses)
{
    return sizeof(struct block) + (n_accesses + 1) * sizeof(struct access);
}

/* Call this function when the number of accesses and the block's end are known. With the end
 * record, the engine needs neither a counter nor a test for the last access. */
APROF_INLINE void block_close(struct block *block)
{
    block->access[block->n_accesses] = (struct access){.shape = ACCESS_SHAPE_END(block->end)};
}

#endif
