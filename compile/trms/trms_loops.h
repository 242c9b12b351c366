/* Counted loops: how often they run, and where each access begins and goes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * trms_rows.c builds the range checks in front of these loops, and
 * trms_loops.c finds how often they run and where each access begins and goes.
 */
#ifndef COMPILE_TRMS_TRMS_LOOPS_H
#define COMPILE_TRMS_TRMS_LOOPS_H

#include "compile/trms/trms_looks.h"

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

/* A block that branches to itself, or to `behind`. */
struct loops_shape {
    LLVMBasicBlockRef block, behind;
    unsigned again; /* which of its two successors is the block */
};

/* Rounds are counted from 0: the loop is left at the end of the first one for which what is tested,
 * start + round * step, does not compare like this with the bound. */
struct loops_counter {
    LLVMIntPredicate goes_on;
    LLVMTypeRef type; /* of what is compared */
    struct loops_form start, bound;
    int64_t step;
};

/* Whether the block is such a loop. */
bool loops_find_shape(LLVMBasicBlockRef block, struct loops_shape *shape);

bool loops_find_counter(const struct measuring *to, const struct loops_shape *shape,
                        struct loops_counter *counter);

/* An address, or any number of up to 64 bits; false: it is no such sum. */
bool loops_find_affine(const struct measuring *to, const struct loops_shape *shape,
                       LLVMValueRef value, struct loops_affine *affine);

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
