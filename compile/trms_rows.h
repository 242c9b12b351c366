/* Rows: what the accesses of a loop come to when each goes on by the same distance from round to round.
 * Between trms_pass.c, trms_rows.c, which builds the code, and trms_order.c, which finds the order.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The pieces of a row have `bytes` each, and begin as far from each other as the loop goes in a round;
 * there are `more` of them than the loop has rounds.
 */
#ifndef COMPILE_TRMS_ROWS_H
#define COMPILE_TRMS_ROWS_H

#include "compile/trms_loops.h"

#include "lib/vector.h"

/* Loops of fewer rounds always look at each access. */
#define ROWS_FEWEST_ROUNDS 2

struct row_access {
    LLVMValueRef at; /* the load or store */
    bool writes;
    int64_t offset; /* from where its group begins */
    uint64_t bytes;
    unsigned group;
    unsigned level; /* rows of lower levels are told first */
};

/* Accesses at constant distances from each other, and those that they come to lie in. */
struct rows_group {
    struct loops_affine where;
    bool reads, writes;
    bool must_be_aligned; /* or its order is not right */
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

/* The group of what begins and goes on like this, and how far from there it begins; false: too far, or there are
 * too many groups. Its accesses come to these offsets. */
bool rows_find_group(struct rows_plan *plan, const struct loops_affine *where, unsigned *group,
                     int64_t *offset);
void rows_widen(struct rows_group *group, bool writes, int64_t low, int64_t high);

/* Finds the rows; false: there is no order in which they can be told. */
bool rows_order(struct rows_plan *plan);

/* Of a loop of several blocks, and which accesses they are (trms_nests.c). */
typedef VECTOR(LLVMValueRef) rows_values;
bool rows_find_in_nest(const struct measuring *to, const struct loops_shape *shape,
                       struct rows_plan *plan, rows_values *told);

/* A load or store that nobody may use to synchronise; what is no access, and neither ends a loop nor a stretch. */
bool rows_is_plain(LLVMValueRef access);
bool rows_is_harmless(LLVMValueRef at);

/* A block that was added to a routine. */
struct rows_block {
    LLVMBasicBlockRef block;
    bool is_bare;       /* nothing in it is the program's */
    bool counts;        /* itself, as it did before it was copied */
    bool comes_again;   /* what is counted is given now and then */
    LLVMValueRef times; /* so many blocks are to be counted at its end; NULL: none */
};
typedef VECTOR(struct rows_block) rows_blocks;

/* If the block begins a loop whose accesses can be told in front of it, there is a copy of that then, whose
 * accesses are marked as known, and code that chooses between the two. The loop is the block itself, or
 * has others, too. */
void rows_take_out(const struct measuring *to, LLVMBasicBlockRef block, rows_blocks *made);
void rows_take_out_nest(const struct measuring *to, LLVMBasicBlockRef block, rows_blocks *made);

#endif
