/* Makes two versions of a routine: one measures, and the other runs unchanged.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The version is chosen at the routine's entry and stays the same until the routine's end. In C:
 *
 *     int f(int *p)                    static thread_local struct sampling sampling;
 *     {                                if (ctx->activation == ctx->stack && sampling.left) {
 *                                          sampling.left--;
 *                                          goto bare;
 *                                      }
 *                                      struct sampling *due = sampling.left ? NULL : &sampling;
 *                                      sampling.left -= due == NULL;
 *                                      if (!choose(&return address, due)) goto bare;
 *         ...                          ... measured, with `leave` at its ends
 *     }                                bare: ... unchanged
 *
 * If possible, the measured version is a separate function, to which the entry jumps. Then the
 * entry saves no registers that only the measured version needs.
 *
 * While an activation is measured, all its callees are measured, too. For a routine that is not
 * sampled, the sampling decision reads two words and stores one word. An exception that reaches an
 * unmeasured routine may have ended measured activations, so unmeasured routines also report
 * exceptions.
 */
#include "compile/trms/trms_versions.h"

#include "compile/ir/copy.h"
#include "compile/trms/trms_labels.h"
#include "ground/trms_words.h"
#include "lib/base/memory.h"

#include <llvm-c/DebugInfo.h>

#include <stdlib.h>
#include <string.h>

/* Returns whether the routine has an instruction of this kind. Blocks without a terminator are
 * ignored: the terminator that will choose a version does not exist yet. */
static bool has_end(LLVMValueRef function, LLVMOpcode opcode)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        if (end && LLVMGetInstructionOpcode(end) == opcode)
            return true;
    }
    return false;
}

bool versions_are_possible(LLVMValueRef function)
{
    label_values labels = {0};
    bool possible = !has_end(function, LLVMCallBr) &&
                    (!has_end(function, LLVMIndirectBr) || labels_find(function, &labels));
    vector_free(&labels);
    return possible;
}

/* ---------------------------------------------------------------- The version that runs bare */

static LLVMValueRef behind_pad(LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    return LLVMIsALandingPadInst(at) ? LLVMGetNextInstruction(at) : NULL;
}

/* Removes attributes that promise how a call uses memory, because measured callees also write to
 * the profile. If the block is a landing pad, adds code that reports the exception. */
static void finish_bare(const struct measuring *to, LLVMBasicBlockRef block)
{
    LLVMValueRef pad = behind_pad(block), at = LLVMGetFirstInstruction(block);
    for (; at; at = LLVMGetNextInstruction(at))
        if (inst_is_call(at) && !inst_is_intrinsic_call(at))
            inst_forget_promises(at);
    if (!pad)
        return;
    LLVMPositionBuilderBefore(to->builder, pad);
    LLVMSetCurrentDebugLocation2(to->builder, NULL);
    checks_build_about_slot(to, TRMS_WORDS_LAND);
}

/* ---------------------------------------------------------------- The choice */

/* Libraries loaded at run time have little space for thread-local variables. So in libraries, all
 * threads share the sampling state, and a race may lose or add a sample. */
static LLVMValueRef build_sampling(const struct measuring *to)
{
    LLVMTypeRef type = LLVMArrayType(to->word, TRMS_WORDS_SAMPLING_WORDS);
    LLVMValueRef sampling = LLVMAddGlobal(to->module, type, "aprof_trms_sampling");
    LLVMSetInitializer(sampling, LLVMConstNull(type));
    LLVMSetLinkage(sampling, LLVMPrivateLinkage);
    if (LLVMGetThreadLocalMode(to->ctx) == LLVMLocalExecTLSModel)
        LLVMSetThreadLocalMode(sampling, LLVMLocalExecTLSModel);
    return sampling;
}

/* Builds a branch at the builder's position. If a sampling decision is due, or if a caller is
 * measured, the branch goes to `decides`; otherwise to `bare`. Returns the second argument for the
 * function that chooses a version: the routine's sampling state, or NULL if no sampling decision is
 * due. Only `decides` computes the argument, so the argument needs no register on the way to
 * `bare`. */
static LLVMValueRef build_question(const struct measuring *to, LLVMBasicBlockRef bare,
                                   LLVMBasicBlockRef decides)
{
    LLVMBuilderRef b = to->builder;
    LLVMBasicBlockRef counts = LLVMInsertBasicBlockInContext(to->context, bare, "");
    LLVMBasicBlockRef passes = LLVMInsertBasicBlockInContext(to->context, bare, "");
    LLVMValueRef none = LLVMConstInt(to->half, 0, false), sampling = build_sampling(to);
    LLVMValueRef one = LLVMConstInt(to->half, 1, false);
    LLVMValueRef place = LLVMConstBitCast(sampling, LLVMPointerType(to->half, 0));
    LLVMValueRef ctx = LLVMBuildLoad2(b, to->pointer, to->ctx, "");
    LLVMValueRef latest =
        LLVMBuildLoad2(b, to->word, checks_place(to, ctx, TRMS_WORDS_ACTIVATION, to->word), "");
    LLVMValueRef bottom =
        LLVMBuildLoad2(b, to->word, checks_place(to, ctx, TRMS_WORDS_STACK, to->word), "");
    inst_build_likely(b, LLVMBuildICmp(b, LLVMIntEQ, latest, bottom, ""), counts, decides);
    LLVMPositionBuilderAtEnd(b, counts);
    LLVMValueRef left = LLVMBuildLoad2(b, to->half, place, "");
    inst_build_likely(b, LLVMBuildICmp(b, LLVMIntNE, left, none, ""), passes, decides);
    LLVMPositionBuilderAtEnd(b, passes);
    LLVMBuildStore(b, LLVMBuildSub(b, left, one, ""), place);
    LLVMBuildBr(b, bare);
    LLVMPositionBuilderAtEnd(b, decides);
    LLVMValueRef still = LLVMBuildLoad2(b, to->half, place, "");
    LLVMValueRef is_due = LLVMBuildICmp(b, LLVMIntEQ, still, none, "");
    LLVMBuildStore(b, LLVMBuildSelect(b, is_due, none, LLVMBuildSub(b, still, one, ""), ""), place);
    return LLVMBuildSelect(b, is_due, LLVMConstBitCast(sampling, to->pointer),
                           LLVMConstNull(to->pointer), "");
}

bool versions_can_part(LLVMValueRef function)
{
    static const char *const in_memory[] = {"byval", "inalloca", "preallocated", "swifterror",
                                            "swiftasync"};
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    if (LLVMIsFunctionVarArg(type) || has_end(function, LLVMIndirectBr))
        return false;
    for (size_t i = 0; i < sizeof in_memory / sizeof *in_memory; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(in_memory[i], strlen(in_memory[i]));
        for (unsigned n = 1; n <= LLVMCountParams(function); n++)
            if (LLVMGetEnumAttributeAtIndex(function, n, kind))
                return false;
    }
    return true;
}

/* Copies the attributes of the function's result and parameters to the call. A call can only reuse
 * the caller's frame if these attributes are equal. */
static void copy_attributes(LLVMValueRef call, LLVMValueRef function)
{
    for (unsigned index = 0; index <= LLVMCountParams(function); index++) {
        unsigned n = LLVMGetAttributeCountAtIndex(function, index);
        LLVMAttributeRef *all = memory_get_zeroed(n + 1, sizeof *all);
        LLVMGetAttributesAtIndex(function, index, all);
        for (unsigned i = 0; i < n; i++)
            LLVMAddCallSiteAttribute(call, index, all[i]);
        free(all);
    }
}

/* Returns the function's first line as a source position. LLVM requires a source position for calls
 * in functions with debug information.
 */
static LLVMMetadataRef beginning_of(const struct measuring *to, LLVMValueRef function)
{
    LLVMMetadataRef lines = LLVMGetSubprogram(function);
    return lines ? LLVMDIBuilderCreateDebugLocation(to->context, LLVMDISubprogramGetLine(lines), 0,
                                                    lines, NULL)
                 : NULL;
}

/* Builds a call that reuses the caller's frame and return address. */
static void build_jump(const struct measuring *to, LLVMValueRef function, LLVMValueRef target)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    unsigned n = LLVMCountParams(function);
    LLVMValueRef *arguments = memory_get_zeroed(n + 1, sizeof *arguments);
    LLVMGetParams(function, arguments);
    LLVMValueRef call = LLVMBuildCall2(to->builder, type, target, arguments, n, "");
    free(arguments);
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
    copy_attributes(call, function);
    inst_set_must_tail(call);
    if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(to->builder);
    else
        LLVMBuildRet(to->builder, call);
}

void versions_part(const struct measuring *to, LLVMValueRef function, LLVMBasicBlockRef bare,
                   LLVMValueRef measured)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    for (LLVMBasicBlockRef at = bare; at; at = LLVMGetNextBasicBlock(at))
        finish_bare(to, at);
    LLVMBasicBlockRef decides = LLVMAppendBasicBlockInContext(to->context, function, "");
    LLVMBasicBlockRef jumps = LLVMAppendBasicBlockInContext(to->context, function, "");
    LLVMPositionBuilderAtEnd(to->builder, entry);
    LLVMSetCurrentDebugLocation2(to->builder, NULL);
    LLVMValueRef asked = build_question(to, bare, decides);
    LLVMValueRef chosen = checks_build_choice(to, asked);
    LLVMValueRef none = LLVMConstInt(to->half, 0, false);
    LLVMBuildCondBr(to->builder, LLVMBuildICmp(to->builder, LLVMIntNE, chosen, none, ""), jumps,
                    bare);
    LLVMPositionBuilderAtEnd(to->builder, jumps);
    LLVMSetCurrentDebugLocation2(to->builder, beginning_of(to, function));
    build_jump(to, function, measured);
}

void versions_make(const struct measuring *to, LLVMValueRef function, LLVMBasicBlockRef measured)
{
    VECTOR(LLVMBasicBlockRef) blocks = {0};
    inst_twins twins = {0};
    label_values labels = {0};
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    bool jumps = has_end(function, LLVMIndirectBr) && labels_find(function, &labels);
    for (LLVMBasicBlockRef at = measured; at; at = LLVMGetNextBasicBlock(at))
        vector_push(&blocks, at);
    inst_copy_blocks(to->builder, function, blocks.at, blocks.count, &twins);
    if (jumps)
        labels_copy(to, &labels, &twins);
    for (size_t i = 0; i < blocks.count; i++)
        finish_bare(to, inst_block_copy(&twins, blocks.at[i]));
    LLVMBasicBlockRef bare = inst_block_copy(&twins, measured);
    LLVMBasicBlockRef decides = LLVMInsertBasicBlockInContext(to->context, measured, "");
    LLVMPositionBuilderAtEnd(to->builder, entry);
    LLVMSetCurrentDebugLocation2(to->builder, NULL);
    LLVMValueRef asked = build_question(to, bare, decides);
    LLVMValueRef chosen = checks_build_choice(to, asked);
    LLVMValueRef none = LLVMConstInt(to->half, 0, false);
    LLVMBuildCondBr(to->builder, LLVMBuildICmp(to->builder, LLVMIntNE, chosen, none, ""), measured,
                    bare);
    vector_free(&blocks);
    vector_free(&twins);
    vector_free(&labels);
}
