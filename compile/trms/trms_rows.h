/* Range checks hoisted out of loops: one check for all cells that an access of a loop touches.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each access of such a loop moves by the same distance in each iteration. trms_pass.c calls
 * trms_rows.c, which builds the code; trms_order.c finds the order.
 *
 * The elements of a range have `bytes` each, one loop step apart. The number of elements is the
 * number of the loop's iterations plus `more`.
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
    int64_t low,
        high; /* offsets of its first byte in an iteration, and of the byte after its last one */
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
    /* number of iterations from which on range checks take less time than checks of each access */
    unsigned fewest_rounds;
    struct row_access accesses[ROWS_ACCESSES];
    struct rows_group groups[ROWS_GROUPS];
    struct rows_row rows[ROWS_ACCESSES]; /* the ranges, in the order in which they are recorded */
};

/* Adds an access, in the order of the loop; false: there are too many. */
bool rows_add(struct rows_plan *plan, LLVMValueRef at, bool writes, uint64_t bytes,
              const struct loops_affine *where);

/* Finds the ranges; false: no order of recording them is correct. */
bool rows_order(struct rows_plan *plan);

/* A block that was added to a routine and is not counted itself. */
struct rows_block {
    LLVMBasicBlockRef block;
    bool is_bare;       /* it contains no code of the program */
    LLVMValueRef times; /* this many blocks are counted at its end; NULL: none */
};
typedef VECTOR(struct rows_block) rows_blocks;

/* If range checks can be hoisted out of the block, a loop, adds a copy of it whose accesses are
 * marked as known, and code that selects one of the two. */
void rows_take_out(const struct measuring *to, LLVMBasicBlockRef block, rows_blocks *made);

#endif
