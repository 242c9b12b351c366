/* Code in two versions: one with probes, one without, and the checks that change between them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A sliced copy records the paths that start in its own intervals of the run. The check at the
 * start of a path counts it and decides whether it is recorded: control continues in one version or
 * in the other. The path stays in the chosen version to its end, even if intervals begin or end
 * meanwhile in procedures that it calls.
 *
 * Example, a loop with 25 iterations, intervals of 10 paths and 2 copies: copy 1 records the first
 * 10 paths, copy 2 the next 10, and copy 1 the last 5, together with what follows.
 *
 * Since all values that live across blocks are on the stack (see path_normalise.c), a version is a
 * plain copy of the blocks.
 */
#ifndef COMPILE_PATHS_PATH_SLICE_H
#define COMPILE_PATHS_PATH_SLICE_H

#include "compile/ir/inst.h"
#include "lib/base/vector.h"

/* An edge of the graph in the program. `to` may differ from the present target of the branch. */
struct inst_edge {
    LLVMBasicBlockRef from, to;
    unsigned successor;
};

/* Places in the program, indexed by numbers in the graph. */
struct inst_places {
    VECTOR(LLVMBasicBlockRef) blocks;
    VECTOR(struct inst_edge) edges;
};

struct inst_versions {
    LLVMBuilderRef builder;
    LLVMValueRef left, recording; /* addresses of the two counters */
    LLVMTypeRef word;
    LLVMValueRef next; /* the function that begins the next interval */
    LLVMTypeRef next_type;

    LLVMValueRef version;    /* on the stack, for computed gotos; NULL: no computed gotos */
    LLVMBasicBlockRef entry; /* before both versions */
};

/* Adds the second version of a function with these places. Each version gets an entry of its
 * own. */
void inst_versions_make(struct inst_versions *versions, LLVMValueRef function,
                        struct inst_places *recording, struct inst_places *silent);

/* Starts a path at the function's entry. */
void inst_versions_enter(const struct inst_versions *versions, struct inst_places *recording,
                         struct inst_places *silent, uint64_t path_start);

/* Starts a path at two corresponding places of the two versions. */
void inst_versions_check(const struct inst_versions *versions, struct inst_places *recording,
                         LLVMValueRef at, struct inst_places *silent, LLVMValueRef silent_at,
                         uint64_t path_start);

#endif
