/* Rewrites a module so that a probe can be inserted on every edge of its graphs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All values that live across blocks are moved to the stack first, so that blocks can be rewired
 * without changing phi instructions. At the end of the instrumentation, these values return to
 * registers. The steps after the move are:
 *
 *     a function's indirect branches are merged into one; each target gets a block of its own
 *     a landing pad that several calls share is cloned for each call
 *     a call that returns twice (setjmp) ends its block; only stores of its result may follow
 *     critical edges get a block
 *
 * Each critical edge gets a block, so that every edge leaves a block with one successor or enters a
 * block with one predecessor. Functions that cannot be instrumented are unchanged.
 *
 * Attributes that restrict a function's memory accesses are removed. With such attributes,
 * optimisers would remove calls with unused results; but a function with probes also writes
 * counters.
 */
#include "compile/paths/path_jobs.h"

#include <string.h>

/* ---------------------------------------------------------------- Attributes */

static const char *const broken_promises[] = {
    "readnone",
    "readonly",
    "writeonly",
    "argmemonly",
    "inaccessiblememonly",
    "inaccessiblemem_or_argmemonly",
    "memory",
    "speculatable",
};

static void strip_call(LLVMValueRef call, unsigned kind)
{
    if (LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind))
        LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind);
}

static void strip_calls_in(LLVMValueRef function, unsigned kind)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef at = LLVMGetFirstInstruction(block);
        for (; at; at = LLVMGetNextInstruction(at))
            if (inst_is_call(at) && !inst_is_intrinsic_call(at))
                strip_call(at, kind);
    }
}

static void strip_promises(LLVMModuleRef module)
{
    for (size_t i = 0; i < sizeof broken_promises / sizeof *broken_promises; i++) {
        const char *name = broken_promises[i];
        unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
        LLVMValueRef function = LLVMGetFirstFunction(module);
        for (; kind && function; function = LLVMGetNextFunction(function)) {
            if (!inst_is_defined(function))
                continue;
            LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
            strip_calls_in(function, kind);
        }
    }
}

/* All passes skip functions with the attributes optnone and noinline. */
static void set_untouchable(LLVMModuleRef module, LLVMValueRef function, bool untouchable)
{
    static const char *const names[] = {"optnone", "noinline"};
    for (int i = 0; i < 2; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
        if (untouchable)
            LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                    LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, 0));
    }
}

/* ---------------------------------------------------------------- Rewiring */

struct surgeon {
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMValueRef function;
};

/* Makes a stack variable in the entry block. */
static LLVMValueRef make_slot(const struct surgeon *surgeon, LLVMTypeRef type)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(surgeon->function);
    LLVMPositionBuilderBefore(surgeon->builder, LLVMGetFirstInstruction(entry));
    return LLVMBuildAlloca(surgeon->builder, type, "");
}

static void redirect(LLVMValueRef terminator, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    unsigned count = LLVMGetNumSuccessors(terminator);
    for (unsigned i = 0; i < count; i++)
        if (LLVMGetSuccessor(terminator, i) == from)
            LLVMSetSuccessor(terminator, i, to);
}

typedef VECTOR(LLVMBasicBlockRef) block_list;
typedef VECTOR(LLVMValueRef) value_list;

/* ---------------------------------------------------------------- Indirect branches */

/* Makes the values `&&label` that refer to the block `old` refer to the block `new`. */
static void replace_address(const struct surgeon *surgeon, LLVMBasicBlockRef old,
                            LLVMBasicBlockRef new)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(old));
    while (use) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsABlockAddress(user)) {
            LLVMReplaceAllUsesWith(user, LLVMBlockAddress(surgeon->function, new));
            return; /* no other blockaddress value of this block exists */
        }
        use = LLVMGetNextUse(use);
    }
}

static bool add_once(block_list *list, LLVMBasicBlockRef block)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i] == block)
            return false;
    vector_push(list, block);
    return true;
}

static LLVMBasicBlockRef append_jump(const struct surgeon *surgeon, LLVMBasicBlockRef target)
{
    LLVMBasicBlockRef block =
        LLVMAppendBasicBlockInContext(surgeon->context, surgeon->function, "");
    LLVMPositionBuilderAtEnd(surgeon->builder, block);
    LLVMSetCurrentDebugLocation2(surgeon->builder, NULL);
    LLVMBuildBr(surgeon->builder, target);
    return block;
}

/* Makes the only indirect branch of the rewritten function. All original indirect branches become
 * jumps to this branch, and its targets are private blocks. */
static void make_dispatch(const struct surgeon *surgeon, LLVMBasicBlockRef dispatch,
                          LLVMValueRef slot, const block_list *targets)
{
    LLVMTypeRef address = LLVMPointerType(LLVMInt8TypeInContext(surgeon->context), 0);
    block_list private = {0};
    for (size_t i = 0; i < targets->count; i++) {
        LLVMBasicBlockRef block = append_jump(surgeon, targets->at[i]);
        replace_address(surgeon, targets->at[i], block);
        vector_push(&private, block);
    }
    LLVMPositionBuilderAtEnd(surgeon->builder, dispatch);
    LLVMValueRef branch =
        LLVMBuildIndirectBr(surgeon->builder, LLVMBuildLoad2(surgeon->builder, address, slot, ""),
                            (unsigned)private.count);
    for (size_t i = 0; i < private.count; i++)
        LLVMAddDestination(branch, private.at[i]);
    vector_free(&private);
}

static void merge_indirect_branches(const struct surgeon *surgeon)
{
    value_list branches = {0};
    block_list targets = {0};
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(surgeon->function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
        if (LLVMGetInstructionOpcode(last) != LLVMIndirectBr)
            continue;
        vector_push(&branches, last);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++)
            add_once(&targets, LLVMGetSuccessor(last, i));
    }
    if (branches.count) {
        LLVMTypeRef address = LLVMPointerType(LLVMInt8TypeInContext(surgeon->context), 0);
        LLVMValueRef slot = make_slot(surgeon, address);
        LLVMBasicBlockRef dispatch =
            LLVMAppendBasicBlockInContext(surgeon->context, surgeon->function, "");
        for (size_t i = 0; i < branches.count; i++) {
            LLVMPositionBuilderBefore(surgeon->builder, branches.at[i]);
            LLVMBuildStore(surgeon->builder, LLVMGetOperand(branches.at[i], 0), slot);
            LLVMBuildBr(surgeon->builder, dispatch);
            LLVMInstructionEraseFromParent(branches.at[i]);
        }
        make_dispatch(surgeon, dispatch, slot, &targets);
    }
    vector_free(&branches);
    vector_free(&targets);
}

/* ---------------------------------------------------------------- Landing pads */

static LLVMValueRef landing_pad_of(LLVMBasicBlockRef block)
{
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    return first && LLVMGetInstructionOpcode(first) == LLVMLandingPad ? first : NULL;
}

/* Finds the calls that unwind to this block. */
static void list_invokes(LLVMBasicBlockRef pad, value_list *invokes)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(pad));
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInvokeInst(user))
            vector_push(invokes, user);
    }
}

static void split_landing_pad(const struct surgeon *surgeon, LLVMBasicBlockRef block,
                              LLVMValueRef pad, const value_list *invokes)
{
    LLVMTypeRef type = LLVMTypeOf(pad);
    LLVMValueRef slot = make_slot(surgeon, type);
    for (size_t i = 0; i < invokes->count; i++) {
        LLVMBasicBlockRef private =
            LLVMAppendBasicBlockInContext(surgeon->context, surgeon->function, "");
        LLVMPositionBuilderAtEnd(surgeon->builder, private);
        LLVMSetCurrentDebugLocation2(surgeon->builder, NULL);
        LLVMValueRef clone = LLVMInstructionClone(pad);
        LLVMInsertIntoBuilder(surgeon->builder, clone);
        LLVMBuildStore(surgeon->builder, clone, slot);
        LLVMBuildBr(surgeon->builder, block);
        redirect(invokes->at[i], block, private);
    }
    LLVMPositionBuilderBefore(surgeon->builder, pad);
    LLVMReplaceAllUsesWith(pad, LLVMBuildLoad2(surgeon->builder, type, slot, ""));
    LLVMInstructionEraseFromParent(pad);
}

static void split_landing_pads(const struct surgeon *surgeon)
{
    LLVMBasicBlockRef last = LLVMGetLastBasicBlock(surgeon->function);
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(surgeon->function);
    for (; block; block = block == last ? NULL : LLVMGetNextBasicBlock(block)) {
        value_list invokes = {0};
        LLVMValueRef pad = landing_pad_of(block);
        if (pad)
            list_invokes(block, &invokes);
        if (invokes.count > 1)
            split_landing_pad(surgeon, block, pad, &invokes);
        vector_free(&invokes);
    }
}

/* ---------------------------------------------------------------- Calls that return twice */

static void split_behind_setjmp(const struct surgeon *surgeon)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(surgeon->function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef at = LLVMGetFirstInstruction(block);
        for (; at; at = LLVMGetNextInstruction(at))
            if (LLVMGetInstructionOpcode(at) == LLVMCall && inst_returns_twice(at)) {
                LLVMBasicBlockRef rest =
                    inst_split_block(surgeon->builder, LLVMGetNextInstruction(at));
                LLVMPositionBuilderAtEnd(surgeon->builder, block);
                LLVMBuildBr(surgeon->builder, rest);
                break; /* the block ends here; its remaining instructions are in the next block */
            }
    }
}

/* ---------------------------------------------------------------- Everything */

static void operate(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef function)
{
    struct surgeon surgeon = {LLVMGetModuleContext(module), builder, function};
    merge_indirect_branches(&surgeon);
    split_landing_pads(&surgeon);
    split_behind_setjmp(&surgeon);
}

bool inst_normalise(LLVMModuleRef module, struct failure *why)
{
    strip_promises(module);
    value_list skipped = {0};
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        bool skip = inst_is_defined(function) && inst_skip_reason(function);
        if (inst_is_defined(function))
            set_untouchable(module, function, skip);
        if (skip)
            vector_push(&skipped, function);
    }
    bool fine = inst_run_passes(module, "globaldce,function(mem2reg,reg2mem)", why);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (function = LLVMGetFirstFunction(module); fine && function;
         function = LLVMGetNextFunction(function))
        if (inst_is_defined(function) && !inst_skip_reason(function))
            operate(module, builder, function);
    LLVMDisposeBuilder(builder);
    fine = fine && inst_run_passes(module, "function(reg2mem,break-crit-edges)", why);
    for (size_t i = 0; fine && i < skipped.count; i++)
        set_untouchable(module, skipped.at[i], false);
    vector_free(&skipped);
    return fine;
}
