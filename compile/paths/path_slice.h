/* Makes two versions of the code, with and without probes, and the checks that select a version.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A sliced copy records the paths that start in its own intervals of the run. The check at the
 * start of a path counts the path, and decides whether this copy records it. After the check,
 * control continues in one of the two versions. The rest of the path stays in this version, even if
 * an interval begins or ends in procedures that the path calls.
 *
 * Example: a loop has 25 iterations, an interval has 10 paths, and there are 2 copies. Copy 1
 * records the first 10 paths, copy 2 the next 10, and copy 1 the last 5 and the paths after the
 * loop.
 *
 * All values that live across blocks are on the stack (see path_normalise.c), so a version is a
 * plain copy of the blocks.
 */
#ifndef COMPILE_PATHS_PATH_SLICE_H
#define COMPILE_PATHS_PATH_SLICE_H

#include "compile/ir/inst.h"
#include "lib/base/vector.h"

/* The program's branch that corresponds to an edge of the graph. `to` may differ from the branch's
 * present target. */
struct inst_edge {
    LLVMBasicBlockRef from, to;
    unsigned successor;
};

/* The blocks and edges of the program, indexed by numbers in the graph. */
struct inst_places {
    VECTOR(LLVMBasicBlockRef) blocks;
    VECTOR(struct inst_edge) edges;
};

struct inst_versions {
    LLVMBuilderRef builder;
    LLVMValueRef left, recording; /* addresses of the counters SLICE_LEFT and SLICE_RECORDING */
    LLVMTypeRef word;
    LLVMValueRef next; /* function that is called when the next interval begins */
    LLVMTypeRef next_type;

    LLVMValueRef version;    /* stack variable for computed gotos; NULL: no computed gotos */
    LLVMBasicBlockRef entry; /* entry block, which precedes both versions */
};

/* Adds the second version of a function with these blocks and edges. Each version of the function
 * gets a separate entry. */
void inst_versions_make(struct inst_versions *versions, LLVMValueRef function,
                        struct inst_places *recording, struct inst_places *silent);

/* Starts a path at the function's entry. */
void inst_versions_enter(const struct inst_versions *versions, struct inst_places *recording,
                         struct inst_places *silent, uint64_t path_start);

/* Builds the start of a path in both versions: before `at` in one version, and before the
 * corresponding instruction `silent_at` in the other. */
void inst_versions_check(const struct inst_versions *versions, struct inst_places *recording,
                         LLVMValueRef at, struct inst_places *silent, LLVMValueRef silent_at,
                         uint64_t path_start);

#endif
