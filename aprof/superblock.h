/* What a superblock does, as the front end sees it: segments, memory accesses, how control leaves.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * superblock_scan finds it, accesses.c keeps the accesses few, instrument.c writes it down.
 */
#ifndef APROF_SUPERBLOCK_H
#define APROF_SUPERBLOCK_H

#include "aprof/events.h"

#define WORD_BYTES ((Int)sizeof(aprof_word))

/* A repeated string instruction costs one more for each so many bytes: as many as a block of
 * glibc's loops for the same purpose takes with AVX, so that a copy costs about the same by either.
 */
#define REPEATED_BYTES 128

/* An address in the form base + offset; a constant has no base. */
struct location {
    IRTemp base;
    Long offset;
};

struct access_event {
    struct location at;
    Int size;
    enum access_kind kind;
    Int segment;
    Int statement;                      /* the address is known before this statement ... */
    Bool after;                         /* ... or the guard is known only after it */
    IRExpr *address;                    /* atom, as the statement has it; not of a joined access */
    IRExpr *guard;                      /* NULL: takes place always */
    IRExpr *old_value[2], *expected[2]; /* of a compare-and-swap, instead of a guard */
    Bool pinned; /* the store of a return address: neither joined nor dropped */
    Bool dropped;
    Int word; /* its place behind the header */
};

struct segment {
    Int first_statement;
    Int leave; /* the first exit behind which nothing of this segment happens, or the block's end */
    Int n_instructions;
    Addr start;
    Bool jumps; /* one of its exits leads neither to the next instruction nor to its own */
    enum block_end end;
    Addr next, repeat;
    Int n_accesses;
    struct block *block;
    struct block *counted; /* takes its place once for each REPEATED_BYTES; else NULL */
};

/* A superblock and all that is known about it. */
struct superblock {
    IRSB *in;
    IRTypeEnv *types;
    const VexGuestLayout *layout;
    Int first;               /* the first IMark */
    Int n_instructions;      /* in all */
    Int n_scanned;           /* of them, so far */
    struct location *places; /* of each temporary */
    struct access_event *events;
    Int n_events;
    struct segment *segments;
    Int n_segments;
    Bool is_call;              /* the last instruction calls ... */
    struct access_event *call; /* ... and stores the return address here */
    IRTemp return_address;     /* the temporary that `ret` jumps to */
    IRExpr *return_slot;       /* the address it was loaded from */
    IRExpr *stack_pointer;     /* its latest new value in this block */
    /* The instruction being scanned, the last one when the scan is over. */
    Addr instruction;
    Int instruction_length;
    Bool left; /* an exit stands behind the latest event */
};

/* Scans `in`. False: it has no instructions. What the scan needs lives until the translation is
 * made. */
Bool superblock_scan(struct superblock *sb, IRSB *in, const VexGuestLayout *layout);

/* How often the string instruction that the superblock starts with repeats itself for each
 * REPEATED_BYTES; 0 if it starts with another. */
Int superblock_repetitions(const struct superblock *sb);

/* The instruction raises a signal instead of being executed, or the run ends. Such an exit ends no
 * segment: the record is abandoned in its midst, as it is when the hardware raises the signal. */
Bool superblock_is_fault(IRJumpKind kind);

#endif
