/* Replaces a load by a load of the low half, if the program uses only the low half.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     return (int)a->weight - (int)b->weight;      of two numbers of 8 bytes: 4 bytes each
 *     if (a->weight & 1)                           the same
 *     return table[a->weight & 1023];              8 bytes: such a mask is applied to the whole
 *                                                  number
 *
 * The code generator itself narrows a load if the load and its uses are in one block. Without this
 * pass, an access would count more cells than the program reads. The pass follows the rules of LLVM
 * 14 for x86-64 and arm64, determined from LLVM's output for about fifty small routines. Without
 * optimisation the code generator narrows nothing, except a masked load on arm64.
 */
#include "compile/trms/trms_checks.h"

#include <llvm-c/DebugInfo.h>

#define CELL_BITS 32

/* Maximum number of operations between a load and the operation that discards the upper half. */
#define MOST_STEPS 3

static bool is_wide_number(LLVMValueRef at)
{
    return LLVMIsALoadInst(at) && !LLVMGetVolatile(at) &&
           LLVMGetOrdering(at) == LLVMAtomicOrderingNotAtomic &&
           LLVMGetTypeKind(LLVMTypeOf(at)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMTypeOf(at)) == 2 * CELL_BITS;
}

/* Returns whether no bit of the upper half can be set. */
static bool is_low_number(LLVMValueRef value)
{
    if (LLVMIsAConstantInt(value))
        return LLVMConstIntGetZExtValue(value) >> CELL_BITS == 0;
    return LLVMIsAZExtInst(value) &&
           LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(value, 0))) <= CELL_BITS;
}

/* Returns whether a narrower load can replace this mask: 0xff, 0xffff or 0xffffffff, or a variable
 * mask on amd64. */
static bool is_mask_of_load(const struct measuring *to, LLVMValueRef mask)
{
    if (!LLVMIsAConstantInt(mask))
        return !to->on_arm64;
    uint64_t bits = LLVMConstIntGetZExtValue(mask);
    return bits == UINT8_MAX || bits == UINT16_MAX || bits == UINT32_MAX;
}

static bool is_used_in(LLVMBasicBlockRef block, LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (LLVMGetInstructionParent(LLVMGetUser(use)) != block)
            return false;
    return true;
}

/* Returns whether the code generator tests a masked load in place. On arm64, it does so only if the
 * test compares the masked value with 0 or with the mask. */
static bool is_test_of_load(const struct measuring *to, LLVMValueRef masked, LLVMValueRef user)
{
    if (!LLVMIsAICmpInst(user) || !LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
        return false;
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(user);
    LLVMValueRef wanted = LLVMGetOperand(user, 1);
    return !to->on_arm64 || ((predicate == LLVMIntEQ || predicate == LLVMIntNE) &&
                             (LLVMIsNull(wanted) || wanted == LLVMGetOperand(masked, 1)));
}

/* Returns whether the masked load's only use is a comparison with a constant, and the result of the
 * comparison is used only in this block. */
static bool is_tested_once(const struct measuring *to, LLVMValueRef masked)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(masked);
    LLVMValueRef user = LLVMGetUser(LLVMGetFirstUse(masked));
    return !LLVMGetNextUse(LLVMGetFirstUse(masked)) && is_test_of_load(to, masked, user) &&
           is_used_in(block, masked) && is_used_in(block, user);
}

/* Returns whether the operation clears the upper half of its first operand. If the operand is a
 * load, the caller must narrow the load. */
static bool is_masked(const struct measuring *to, LLVMValueRef operation)
{
    if (LLVMGetInstructionOpcode(operation) != LLVMAnd ||
        !is_low_number(LLVMGetOperand(operation, 1)) || !LLVMGetFirstUse(operation))
        return false;
    return !LLVMIsALoadInst(LLVMGetOperand(operation, 0)) ||
           is_mask_of_load(to, LLVMGetOperand(operation, 1)) || is_tested_once(to, operation);
}

/* Returns whether the low half of the result depends only on the low halves of the operands. */
static bool passes_low_half(LLVMOpcode operation)
{
    return operation == LLVMAdd || operation == LLVMSub || operation == LLVMMul ||
           operation == LLVMAnd || operation == LLVMOr || operation == LLVMXor;
}

/* Returns whether the user shifts left by half of the bits, so that the result depends only on the
 * low half. */
static bool is_shifted_out(LLVMValueRef user)
{
    return LLVMIsABinaryOperator(user) && LLVMGetInstructionOpcode(user) == LLVMShl &&
           LLVMIsAConstantInt(LLVMGetOperand(user, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(user, 1)) == CELL_BITS;
}

static bool is_used_in_low_half(const struct measuring *to, LLVMValueRef value, unsigned depth);

/* Returns whether the user needs at most the low half of a number. */
static bool needs_low_half(const struct measuring *to, LLVMValueRef user, unsigned depth)
{
    if (LLVMIsATruncInst(user))
        return LLVMGetIntTypeWidth(LLVMTypeOf(user)) <= CELL_BITS;
    if (is_shifted_out(user))
        return true;
    if (!LLVMIsABinaryOperator(user) || !passes_low_half(LLVMGetInstructionOpcode(user)))
        return false;
    return is_masked(to, user) || (depth && is_used_in_low_half(to, user, depth - 1));
}

/* Returns whether each use needs at most the low half of the value, and all uses are in the value's
 * block. */
static bool is_used_in_low_half(const struct measuring *to, LLVMValueRef value, unsigned depth)
{
    if (!LLVMGetFirstUse(value) || !is_used_in(LLVMGetInstructionParent(value), value))
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (!needs_low_half(to, LLVMGetUser(use), depth))
            return false;
    return true;
}

/* Returns whether the only use of the value is a mask that a load can apply. */
static bool is_masked_at_once(const struct measuring *to, LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);
    LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
    return user && LLVMGetInstructionOpcode(user) == LLVMAnd &&
           is_mask_of_load(to, LLVMGetOperand(user, 1));
}

static void narrow(const struct measuring *to, LLVMValueRef load)
{
    LLVMBuilderRef b = to->builder;
    LLVMPositionBuilderBefore(b, load);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(load));
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    pointer = LLVMBuildBitCast(b, pointer, LLVMPointerType(to->half, space), "");
    LLVMValueRef half = LLVMBuildLoad2(b, to->half, pointer, "");
    LLVMSetAlignment(half, LLVMGetAlignment(load));
    LLVMReplaceAllUsesWith(load, LLVMBuildZExt(b, half, LLVMTypeOf(load), ""));
    LLVMInstructionEraseFromParent(load);
}

void checks_narrow(const struct measuring *to, LLVMValueRef function)
{
    bool is_optimised = !inst_has_attribute(function, "optnone");
    if (!is_optimised && !to->on_arm64)
        return;
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block), next; at; at = next) {
            next = LLVMGetNextInstruction(at);
            if (is_wide_number(at) && (is_optimised ? is_used_in_low_half(to, at, MOST_STEPS)
                                                    : is_masked_at_once(to, at)))
                narrow(to, at);
        }
}
