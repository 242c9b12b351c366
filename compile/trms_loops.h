/* Loops that count: between trms_rows.c, which tells of their accesses in front of them, trms_shapes.c,
 * which finds their blocks, and trms_loops.c, which finds out how often they run and where each access
 * begins and goes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef COMPILE_TRMS_LOOPS_H
#define COMPILE_TRMS_LOOPS_H

#include "compile/trms_looks.h"

/* constant + times of each value, in the arithmetic of as many bits as what it stands for has. */
struct loops_term {
    LLVMValueRef value;
    int64_t times;
};
enum { LOOPS_TERMS = 8 };
struct loops_form {
    bool is_unknown;
    unsigned n;
    int64_t constant;
    struct loops_term terms[LOOPS_TERMS];
};

/* What a value is in the first round, and what it grows by from round to round; nothing here changes
 * in the loop. */
struct loops_affine {
    struct loops_form start, step;
};

/* Blocks that are entered at `block` only, and left from `end` only, to `behind`, or begun again. */
enum { LOOPS_BLOCKS = 32 };
struct loops_shape {
    LLVMBasicBlockRef block, end, behind;
    unsigned again; /* which of the successors of `end` is `block` */
    unsigned n_blocks;
    LLVMBasicBlockRef blocks[LOOPS_BLOCKS]; /* the first one is `block` */
};

/* Rounds are counted from 0: the loop is left at the end of the first one for which what is tested,
 * start + round * step, does not compare like this with the bound. */
struct loops_counter {
    LLVMIntPredicate goes_on;
    LLVMTypeRef type; /* of what is compared */
    struct loops_form start, bound;
    int64_t step;
};

/* The loop that begins with this block, and which blocks are in it. */
bool loops_find_shape(LLVMBasicBlockRef block, struct loops_shape *shape);
bool loops_is_inside(const struct loops_shape *shape, LLVMBasicBlockRef block);

bool loops_find_counter(const struct measuring *to, const struct loops_shape *shape,
                        struct loops_counter *counter);

/* An address, or any number of up to 64 bits; false: it is no such sum. */
bool loops_find_affine(const struct measuring *to, const struct loops_shape *shape,
                       LLVMValueRef value, struct loops_affine *affine);

/* The sum that a value is, whatever changes in a loop; adds some of another one to it. */
struct loops_form loops_take_apart(const struct measuring *to, LLVMValueRef value);
void loops_add(struct loops_form *to, const struct loops_form *more, int64_t times);

/* They differ in their constants at most. */
bool loops_are_near(const struct loops_form *a, const struct loops_form *b);
bool loops_is_constant(const struct loops_form *form);

/* Where the builder stands, in front of the loop: the value, as a number of that type. */
LLVMValueRef loops_build_form(const struct measuring *to, const struct loops_form *form,
                              LLVMTypeRef type);

/* The number of the last round, 64 bits; *is_right: whether that can be told, NULL: it can. */
LLVMValueRef loops_build_last(const struct measuring *to, const struct loops_counter *counter,
                              LLVMValueRef *is_right);

#endif
