/* Range checks hoisted out of loops: one check for all cells that an access touches in the loop.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In loops with hoisted range checks, the address of each access changes by the same amount in each
 * iteration. trms_pass.c calls trms_rows.c, which builds the code; trms_order.c finds the order.
 *
 * The elements of a range have `bytes` bytes each, and are one loop step apart. The number of
 * elements is the number of the loop's iterations plus `more`.
 */
#ifndef COMPILE_TRMS_TRMS_ROWS_H
#define COMPILE_TRMS_TRMS_ROWS_H

#include "compile/trms/trms_loops.h"

#include "lib/base/vector.h"

/* Loops with fewer iterations than this number always check each access. */
#define ROWS_FEWEST_ROUNDS 2

struct row_access {
    LLVMValueRef at; /* load or store instruction */
    bool writes;
    int64_t offset; /* distance of the access from the start of its group */
    uint64_t bytes;
    unsigned group;
    unsigned level; /* level of the access's range; ranges of lower levels are checked first */
};

/* Accesses at constant distances from each other, and the ranges that contain them. */
struct rows_group {
    struct loops_affine where;
    bool reads, writes;
    /* whether the order of the range checks is correct only if the accesses are aligned */
    bool must_be_aligned;
    int64_t low,
        /* offset of the group's first byte in an iteration, and offset of the byte after its last
         * byte */
        high;
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
    /* least number of iterations for which range checks are faster than checks of each access */
    unsigned fewest_rounds;
    struct row_access accesses[ROWS_ACCESSES];
    struct rows_group groups[ROWS_GROUPS];
    struct rows_row rows[ROWS_ACCESSES]; /* ranges, in the order in which they are recorded */
};

/* Adds an access; accesses must be added in the order of the loop's instructions. Returns false if
 * there are too many accesses. */
bool rows_add(struct rows_plan *plan, LLVMValueRef at, bool writes, uint64_t bytes,
              const struct loops_affine *where);

/* Finds the ranges. Returns false if no order of recording the ranges is correct. */
bool rows_order(struct rows_plan *plan);

/* A block that was added to a routine and is itself not counted. */
struct rows_block {
    LLVMBasicBlockRef block;
    bool is_bare; /* the block contains no code of the program */
    /* number of further blocks that are counted at the end of this block; NULL: no further
     * blocks */
    LLVMValueRef times;
};
typedef VECTOR(struct rows_block) rows_blocks;

/* If possible, hoists range checks out of the block, which is a loop. Adds a copy of the loop in
 * which accesses are marked as known, and code that selects the loop or its copy. */
void rows_take_out(const struct measuring *to, LLVMBasicBlockRef block, rows_blocks *made);

#endif
