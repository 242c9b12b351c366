/* Counted loops: their number of iterations, and the start and increment of each access.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * trms_rows.c builds the range checks before these loops; trms_loops.c finds iterations, starts and
 * increments.
 */
#ifndef COMPILE_TRMS_TRMS_LOOPS_H
#define COMPILE_TRMS_TRMS_LOOPS_H

#include "compile/trms/trms_checks.h"

/* A constant plus multiples of values, computed modulo the width of the represented value. */
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

/* A value in the first iteration, and its increment; both are loop invariants. */
struct loops_affine {
    struct loops_form start, step;
};

/* A loop of one block, which branches to itself or to the block `behind`. */
struct loops_shape {
    LLVMBasicBlockRef block, behind;
    unsigned again; /* index of the successor that is the block itself */
};

/* Iterations count from 0. The loop ends after the first iteration for which the tested value,
 * start + iteration * step, fails the comparison with the bound. */
struct loops_counter {
    LLVMIntPredicate goes_on;
    LLVMTypeRef type; /* type of the compared values */
    struct loops_form start, bound;
    int64_t step;
};

/* Returns whether the block is a loop that branches to itself or to one other block. */
bool loops_find_shape(LLVMBasicBlockRef block, struct loops_shape *shape);

bool loops_find_counter(const struct measuring *to, const struct loops_shape *shape,
                        struct loops_counter *counter);

/* Decomposes an address or a number of up to 64 bits into a start and a constant step per
 * iteration. Returns false if this is impossible. */
bool loops_find_affine(const struct measuring *to, const struct loops_shape *shape,
                       LLVMValueRef value, struct loops_affine *affine);

/* Returns whether two forms differ at most in their constants. */
bool loops_are_near(const struct loops_form *a, const struct loops_form *b);
bool loops_is_constant(const struct loops_form *form);

/* Builds the value of the form as a number of this type, at the builder's position before the
 * loop. */
LLVMValueRef loops_build_form(const struct measuring *to, const struct loops_form *form,
                              LLVMTypeRef type);

/* Builds the number of the last iteration as a 64-bit number. *is_right is a run-time value that is
 * true if the number is right; NULL: the number is always right. */
LLVMValueRef loops_build_last(const struct measuring *to, const struct loops_counter *counter,
                              LLVMValueRef *is_right);

#endif
