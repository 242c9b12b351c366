/* Range checks hoisted out of loops: the cells that the accesses of a loop touch together.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each access of such a loop moves by the same distance in each iteration. trms_pass.c calls trms_rows.c, which
 * builds the code; trms_order.c finds the order.
 *
 * The elements of a range have `bytes` each, at the distance that the loop moves in an iteration; there are `more`
 * of them than the loop has iterations.
 */
#ifndef COMPILE_TRMS_TRMS_ROWS_H
#define COMPILE_TRMS_TRMS_ROWS_H

#include "compile/trms/trms_loops.h"

#include "lib/base/vector.h"

/* Loops of fewer iterations always check each access. */
#define ROWS_FEWEST_ROUNDS 2

struct row_access {
    LLVMValueRef at; /* the load or store */
    bool writes;
    int64_t offset; /* distance from the start of its group */
    uint64_t bytes;
    unsigned group;
    unsigned level; /* ranges of lower levels are checked first */
};

/* Accesses at constant distances from each other, and the ranges that contain them. */
struct rows_group {
    struct loops_affine where;
    bool reads, writes;
    bool must_be_aligned; /* otherwise its order is wrong */
    int64_t low, high;    /* offsets of its first byte in a round, and behind its last one */
};

struct rows_row {
    unsigned group, level;
    bool writes;
    int64_t offset;
    uint64_t bytes, more;
};

enum { ROWS_ACCESSES = 64, ROWS_GROUPS = 16 };

struct rows_plan {
    unsigned n_accesses, n_groups, n_rows;
    unsigned fewest_rounds; /* for which it takes less time to tell of rows than to look */
    struct row_access accesses[ROWS_ACCESSES];
    struct rows_group groups[ROWS_GROUPS];
    struct rows_row rows[ROWS_ACCESSES]; /* in the order in which they are told */
};

/* An access in its turn; false: there are too many. */
bool rows_add(struct rows_plan *plan, LLVMValueRef at, bool writes, uint64_t bytes,
              const struct loops_affine *where);

/* Finds the rows; false: there is no order in which they can be told. */
bool rows_order(struct rows_plan *plan);

/* A block that was added to a routine, which does not count itself. */
struct rows_block {
    LLVMBasicBlockRef block;
    bool is_bare;       /* nothing in it is the program's */
    LLVMValueRef times; /* so many blocks are to be counted at its end; NULL: none */
};
typedef VECTOR(struct rows_block) rows_blocks;

/* If the block is a loop whose accesses can be reported in front of it, there is a copy of it then, whose
 * accesses are marked as known, and code that chooses between the two. */
void rows_take_out(const struct measuring *to, LLVMBasicBlockRef block, rows_blocks *made);

#endif
