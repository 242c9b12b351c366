/* Copies blocks within their routine, for code in two versions.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "compile/ir/copy.h"

#include <stdlib.h>
#include <string.h>

static int by_original(const void *a, const void *b)
{
    const struct inst_twin *x = a, *y = b;
    return (x->original > y->original) - (x->original < y->original);
}

static LLVMValueRef find_copy(const inst_twins *twins, LLVMValueRef original)
{
    struct inst_twin key = {original, NULL};
    const struct inst_twin *found =
        bsearch(&key, twins->at, twins->count, sizeof *twins->at, by_original);
    return found ? found->copy : NULL;
}

LLVMValueRef inst_value_copy(const inst_twins *twins, LLVMValueRef value)
{
    LLVMValueRef copy = find_copy(twins, value);
    return copy ? copy : value;
}

LLVMBasicBlockRef inst_block_copy(const inst_twins *twins, LLVMBasicBlockRef block)
{
    return LLVMValueAsBasicBlock(find_copy(twins, LLVMBasicBlockAsValue(block)));
}

/* Returns whether the instruction is a debug intrinsic. Debug intrinsics are not copied, because
 * they may refer to a value of the other version. */
static bool is_debug_intrinsic(LLVMValueRef instruction)
{
    size_t length;
    LLVMValueRef callee = inst_is_call(instruction) ? inst_direct_callee(instruction) : NULL;
    return callee && strncmp(LLVMGetValueName2(callee, &length), "llvm.dbg.", 9) == 0;
}

/* Copies an instruction. The predecessors of a copied phi are added later. */
static LLVMValueRef copy_instruction(LLVMBuilderRef builder, LLVMValueRef at)
{
    if (LLVMIsAPHINode(at))
        return LLVMBuildPhi(builder, LLVMTypeOf(at), "");
    LLVMValueRef copy = LLVMInstructionClone(at);
    LLVMInsertIntoBuilder(builder, copy);
    return copy;
}

static void copy_block(LLVMBuilderRef builder, LLVMBasicBlockRef from, LLVMBasicBlockRef to,
                       inst_twins *twins)
{
    LLVMPositionBuilderAtEnd(builder, to);
    LLVMSetCurrentDebugLocation2(builder, NULL);
    LLVMValueRef at = LLVMGetFirstInstruction(from);
    for (; at; at = LLVMGetNextInstruction(at)) {
        if (is_debug_intrinsic(at))
            continue;
        struct inst_twin twin = {at, copy_instruction(builder, at)};
        vector_push(twins, twin);
    }
}

static void rewire_phi(const inst_twins *twins, const struct inst_twin *phi)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi->original); i++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi->original, i);
        LLVMValueRef twin = find_copy(twins, value);
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi->original, i);
        LLVMValueRef block = find_copy(twins, LLVMBasicBlockAsValue(from));
        from = block ? LLVMValueAsBasicBlock(block) : from;
        value = twin ? twin : value;
        LLVMAddIncoming(phi->copy, &value, &from, 1);
    }
}

/* Makes each copied instruction use the copies of its operands, for all operands that have a
 * copy. */
static void rewire(const inst_twins *twins)
{
    for (size_t i = 0; i < twins->count; i++) {
        LLVMValueRef copy = twins->at[i].copy;
        if (LLVMValueIsBasicBlock(copy))
            continue;
        if (LLVMIsAPHINode(copy)) {
            rewire_phi(twins, &twins->at[i]);
            continue;
        }
        int operands = LLVMGetNumOperands(copy);
        for (int o = 0; o < operands; o++) {
            LLVMValueRef twin = find_copy(twins, LLVMGetOperand(copy, (unsigned)o));
            if (twin)
                LLVMSetOperand(copy, (unsigned)o, twin);
        }
    }
}

void inst_copy_blocks(LLVMBuilderRef builder, LLVMValueRef function,
                      const LLVMBasicBlockRef *blocks, size_t count, inst_twins *twins)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    for (size_t i = 0; i < count; i++) {
        LLVMBasicBlockRef to = LLVMAppendBasicBlockInContext(context, function, "");
        struct inst_twin twin = {LLVMBasicBlockAsValue(blocks[i]), LLVMBasicBlockAsValue(to)};
        vector_push(twins, twin);
        copy_block(builder, blocks[i], to, twins);
    }
    qsort(twins->at, twins->count, sizeof *twins->at, by_original);
    rewire(twins);
}
