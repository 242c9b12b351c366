/* Makes two versions of the code, with and without probes, and the checks that select a version.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "compile/paths/path_slice.h"

#include "compile/ir/copy.h"

#include <string.h>

/* ---------------------------------------------------------------- Copying */

static void copy_blocks(const struct inst_versions *versions, LLVMValueRef function,
                        const struct inst_places *recording, struct inst_places *silent)
{
    inst_twins twins = {0};
    inst_copy_blocks(versions->builder, function, recording->blocks.at, recording->blocks.count,
                     &twins);
    for (size_t i = 0; i < recording->blocks.count; i++)
        vector_push(&silent->blocks, inst_block_copy(&twins, recording->blocks.at[i]));
    for (size_t i = 0; i < recording->edges.count; i++) {
        const struct inst_edge *edge = &recording->edges.at[i];
        struct inst_edge twin = {inst_block_copy(&twins, edge->from),
                                 inst_block_copy(&twins, edge->to), edge->successor};
        vector_push(&silent->edges, twin);
    }
    vector_free(&twins);
}

/* ---------------------------------------------------------------- Blocks that move */

/* Updates blocks and edges after the end of `block` was moved to `rest`. */
static void move_end(struct inst_places *places, LLVMBasicBlockRef block, LLVMBasicBlockRef rest)
{
    for (size_t i = 0; i < places->blocks.count; i++)
        if (places->blocks.at[i] == block)
            places->blocks.at[i] = rest;
    for (size_t i = 0; i < places->edges.count; i++)
        if (places->edges.at[i].from == block)
            places->edges.at[i].from = rest;
}

static LLVMBasicBlockRef split(const struct inst_versions *versions, struct inst_places *places,
                               LLVMValueRef at)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(at);
    LLVMBasicBlockRef rest = inst_split_block(versions->builder, at);
    move_end(places, block, rest);
    return rest;
}

/* Returns the first instruction after the stack variables, which belong to both versions. The other
 * version has copies of all later instructions. */
static LLVMValueRef behind_variables(LLVMBasicBlockRef entry)
{
    LLVMValueRef behind = LLVMGetFirstInstruction(entry);
    for (LLVMValueRef at = behind; at; at = LLVMGetNextInstruction(at))
        if (LLVMGetInstructionOpcode(at) == LLVMAlloca)
            behind = LLVMGetNextInstruction(at);
    return behind;
}

/* ---------------------------------------------------------------- Computed gotos */

/* Returns the constant that is the block's address; NULL if the address is not used. */
static LLVMValueRef address_of(LLVMBasicBlockRef block)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    for (; use; use = LLVMGetNextUse(use))
        if (LLVMIsABlockAddress(LLVMGetUser(use)))
            return LLVMGetUser(use);
    return NULL;
}

static void branch_to_version(const struct inst_versions *versions, LLVMValueRef recording,
                              LLVMBasicBlockRef loud, LLVMBasicBlockRef silent)
{
    LLVMBuildCondBr(versions->builder, recording, loud, silent);
}

/* Replaces the block's address by the address of a new block, which jumps to the right version. */
static LLVMBasicBlockRef share_address(struct inst_versions *versions, LLVMValueRef function,
                                       LLVMValueRef address, LLVMBasicBlockRef loud,
                                       LLVMBasicBlockRef silent)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMTypeRef bit = LLVMInt1TypeInContext(context);
    LLVMBasicBlockRef shared = LLVMAppendBasicBlockInContext(context, function, "");
    LLVMReplaceAllUsesWith(address, LLVMBlockAddress(function, shared));
    if (!versions->version) {
        LLVMPositionBuilderBefore(versions->builder, LLVMGetFirstInstruction(versions->entry));
        versions->version = LLVMBuildAlloca(versions->builder, bit, "");
    }
    LLVMPositionBuilderAtEnd(versions->builder, shared);
    LLVMValueRef recording = LLVMBuildLoad2(versions->builder, bit, versions->version, "");
    branch_to_version(versions, recording, loud, silent);
    return shared;
}

static void redirect_gotos(const struct inst_places *places, LLVMBasicBlockRef block,
                           LLVMBasicBlockRef shared)
{
    for (size_t i = 0; i < places->edges.count; i++) {
        const struct inst_edge *edge = &places->edges.at[i];
        LLVMValueRef last = LLVMGetBasicBlockTerminator(edge->from);
        if (edge->to == block && LLVMGetInstructionOpcode(last) == LLVMIndirectBr)
            LLVMSetSuccessor(last, edge->successor, shared);
    }
}

static void share_addresses(struct inst_versions *versions, LLVMValueRef function,
                            const struct inst_places *recording, const struct inst_places *silent)
{
    for (size_t i = 0; i < recording->blocks.count; i++) {
        LLVMBasicBlockRef loud = recording->blocks.at[i], quiet = silent->blocks.at[i];
        LLVMValueRef address = address_of(loud);
        if (!address)
            continue;
        LLVMBasicBlockRef shared = share_address(versions, function, address, loud, quiet);
        redirect_gotos(recording, loud, shared);
        redirect_gotos(silent, quiet, shared);
    }
}

void inst_versions_make(struct inst_versions *versions, LLVMValueRef function,
                        struct inst_places *recording, struct inst_places *silent)
{
    versions->version = NULL;
    versions->entry = recording->blocks.at[0];
    split(versions, recording, behind_variables(versions->entry));
    copy_blocks(versions, function, recording, silent);
    share_addresses(versions, function, recording, silent);
}

/* ---------------------------------------------------------------- Checks */

static void mark_unlikely(LLVMContextRef context, LLVMValueRef branch)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(context);
    LLVMMetadataRef weights[] = {
        LLVMMDStringInContext2(context, "branch_weights", strlen("branch_weights")),
        LLVMValueAsMetadata(LLVMConstInt(word, 1, false)),
        LLVMValueAsMetadata(LLVMConstInt(word, 1 << 20, false)),
    };
    LLVMMetadataRef node = LLVMMDNodeInContext2(context, weights, 3);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "prof", strlen("prof")),
                    LLVMMetadataAsValue(context, node));
}

/* Builds, at the end of a block, code that counts the path and continues in the version for the
 * current interval. */
static void build_check(const struct inst_versions *versions, LLVMBasicBlockRef block,
                        LLVMBasicBlockRef loud, LLVMBasicBlockRef silent, uint64_t path_start)
{
    LLVMBuilderRef b = versions->builder;
    LLVMValueRef function = LLVMGetBasicBlockParent(block);
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(context, function, "");
    LLVMBasicBlockRef choose = LLVMAppendBasicBlockInContext(context, function, "");
    LLVMValueRef zero = LLVMConstInt(versions->word, 0, false);
    LLVMValueRef one = LLVMConstInt(versions->word, 1, false);

    LLVMMoveBasicBlockAfter(choose, block);
    LLVMPositionBuilderAtEnd(b, block);
    LLVMSetCurrentDebugLocation2(b, NULL);
    LLVMValueRef left = LLVMBuildLoad2(b, versions->word, versions->left, "");
    LLVMBuildStore(b, LLVMBuildSub(b, left, one, ""), versions->left);
    mark_unlikely(context,
                  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, left, zero, ""), next, choose));

    LLVMPositionBuilderAtEnd(b, next);
    LLVMValueRef place = LLVMConstInt(versions->word, path_start, false);
    LLVMBuildCall2(b, versions->next_type, versions->next, &place, 1, "");
    LLVMBuildBr(b, choose);

    LLVMPositionBuilderAtEnd(b, choose);
    LLVMValueRef recording = LLVMBuildICmp(
        b, LLVMIntNE, LLVMBuildLoad2(b, versions->word, versions->recording, ""), zero, "");
    if (versions->version)
        LLVMBuildStore(b, recording, versions->version);
    branch_to_version(versions, recording, loud, silent);
}

void inst_versions_enter(const struct inst_versions *versions, struct inst_places *recording,
                         struct inst_places *silent, uint64_t path_start)
{
    build_check(versions, versions->entry, recording->blocks.at[0], silent->blocks.at[0],
                path_start);
}

void inst_versions_check(const struct inst_versions *versions, struct inst_places *recording,
                         LLVMValueRef at, struct inst_places *silent, LLVMValueRef silent_at,
                         uint64_t path_start)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(at);
    LLVMBasicBlockRef silent_block = LLVMGetInstructionParent(silent_at);
    LLVMBasicBlockRef loud = split(versions, recording, at);
    LLVMBasicBlockRef quiet = split(versions, silent, silent_at);
    build_check(versions, block, loud, quiet, path_start);
    build_check(versions, silent_block, loud, quiet, path_start);
}
