/* The front end's description of superblocks: segments, memory accesses, how control leaves.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * superblock_scan collects the accesses, accesses.c drops and joins some of them, and instrument.c
 * emits the code that records accesses.
 */
#ifndef APROF_SUPERBLOCK_H
#define APROF_SUPERBLOCK_H

#include "aprof/events.h"

#define WORD_BYTES ((Int)sizeof(aprof_word))

/* A repeated string instruction costs one more for each REPEATED_BYTES. One block of glibc's AVX
 * loops handles as many bytes, so a copy costs about the same with either. */
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
    Int statement;                      /* the access is recorded before or after this statement */
    Bool after;                         /* after it, because the guard is known only then */
    IRExpr *address;                    /* the statement's atom; unused for a joined access */
    IRExpr *guard;                      /* NULL: unconditional */
    IRExpr *old_value[2], *expected[2]; /* of a compare-and-swap, instead of a guard */
    Bool pinned; /* the store of a return address: neither joined nor dropped */
    Bool dropped;
    Int word; /* position of the access after the record's header */
};

struct segment {
    Int first_statement;
    Int leave; /* first exit after the segment's last event; or the superblock's end */
    Int n_instructions;
    Addr start;
    Bool jumps; /* an exit leads to another address than the next or the same instruction */
    enum block_end end;
    Addr next, repeat;
    Int n_accesses;
    struct block *block;
    struct block *counted; /* replaces `block` once for each REPEATED_BYTES; else NULL */
};

/* A superblock and the results of its scan. */
struct superblock {
    IRSB *in;
    IRTypeEnv *types;
    const VexGuestLayout *layout;
    Int first;               /* the first IMark */
    Int n_instructions;      /* of the superblock */
    Int n_scanned;           /* instructions scanned so far */
    struct location *places; /* by temporary: its value as base + offset */
    struct access_event *events;
    Int n_events;
    struct segment *segments;
    Int n_segments;
    Bool is_call;              /* the last instruction is a call */
    struct access_event *call; /* the call's store of the return address */
    IRTemp return_address;     /* the temporary that `ret` jumps to */
    IRExpr *return_slot;       /* the address that it was loaded from */
    IRExpr *stack_pointer;     /* its latest new value in this block */
    /* The instruction being scanned; after the scan, the last one. */
    Addr instruction;
    Int instruction_length;
    Bool left; /* an exit follows the latest event */
};

/* Scans `in`. Returns false if the superblock has no instructions. The result is valid until the
 * end of the translation. */
Bool superblock_scan(struct superblock *sb, IRSB *in, const VexGuestLayout *layout);

/* The repetitions of the superblock's first string instruction in REPEATED_BYTES; 0 if the
 * superblock starts with another instruction. */
Int superblock_repetitions(const struct superblock *sb);

/* Whether the exit raises a signal instead of executing the instruction, or ends the run. An exit
 * of either kind ends no segment: its record stays incomplete, as when the hardware raises the
 * signal. */
Bool superblock_is_fault(IRJumpKind kind);

#endif
