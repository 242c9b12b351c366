/* The front end's description of superblocks: segments, memory accesses, and how control leaves.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * superblock_scan collects the accesses, accesses.c drops or merges some of them, and instrument.c
 * emits the code that records the rest.
 */
#ifndef APROF_SUPERBLOCK_H
#define APROF_SUPERBLOCK_H

#include "aprof/events.h"

#define WORD_BYTES ((Int)sizeof(aprof_word))

/* A repeated string instruction costs one block more for each REPEATED_BYTES bytes. One block of
 * glibc's AVX loops also handles REPEATED_BYTES bytes. So a copy costs about the same with a loop
 * as with a string instruction. */
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
    Int statement; /* number of the statement before or after which the access is recorded */
    /* whether the access is recorded after the statement; the guard is then not known earlier */
    Bool after;
    IRExpr *address; /* address as an atom of the statement; not used for a merged access */
    IRExpr *guard;   /* NULL: unconditional */
    IRExpr *old_value[2], *expected[2]; /* values of a compare-and-swap, used instead of a guard */
    /* whether the access stores a return address; such an access is neither merged nor dropped */
    Bool pinned;
    Bool dropped;
    Int word; /* position of the access's word after the record's header */
};

struct segment {
    Int first_statement;
    Int leave; /* first exit after the segment's last event, or the superblock's end */
    Int n_instructions;
    Addr start;
    Bool jumps; /* whether an exit leads to neither the next nor the current instruction */
    enum block_end end;
    Addr next, repeat;
    Int n_accesses;
    struct block *block;
    /* for a repeated instruction: descriptor used instead of `block` once per REPEATED_BYTES bytes;
     * otherwise NULL */
    struct block *counted;
};

/* A superblock and the results of its scan. */
struct superblock {
    IRSB *in;
    IRTypeEnv *types;
    const VexGuestLayout *layout;
    Int first;               /* index of the first IMark */
    Int n_instructions;      /* number of instructions in the superblock */
    Int n_scanned;           /* number of instructions scanned so far */
    struct location *places; /* value of each temporary as base + offset */
    struct access_event *events;
    Int n_events;
    struct segment *segments;
    Int n_segments;
    Bool is_call;              /* whether the last instruction is a call */
    struct access_event *call; /* store of the return address by the call */
    IRTemp return_address;     /* temporary to which `ret` jumps */
    IRExpr *return_slot;       /* address from which the return address was loaded */
    IRExpr *stack_pointer;     /* latest new value of the stack pointer in this block */
    /* The instruction that is being scanned; after the scan, the last instruction. */
    Addr instruction;
    Int instruction_length;
    Bool left; /* whether an exit follows the latest event */
};

/* Scans the superblock `in`. Returns false if the superblock has no instructions. The result is
 * valid until the end of the translation. */
Bool superblock_scan(struct superblock *sb, IRSB *in, const VexGuestLayout *layout);

/* If the superblock's first instruction is a repeated string instruction, returns how many
 * repetitions handle REPEATED_BYTES bytes; otherwise, returns 0. */
Int superblock_repetitions(const struct superblock *sb);

/* Returns whether the exit ends the run, or raises a signal instead of executing the instruction.
 * Such an exit ends no segment. The segment's record stays incomplete, as when the processor raises
 * a signal. */
Bool superblock_is_fault(IRJumpKind kind);

#endif
