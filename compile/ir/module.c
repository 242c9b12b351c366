/* Reads, writes and compiles whole modules, and returns properties of instructions.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "compile/ir/resolvers.h"
#include "ground/record_writer.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- Files */

/* Without a handler, LLVM would print errors and exit. */
static void take_diagnostic(LLVMDiagnosticInfoRef info, void *text)
{
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *message = LLVMGetDiagInfoDescription(info);
    failure_set(text, "%s", message);
    LLVMDisposeMessage(message);
}

bool inst_read_module(const char *path, LLVMModuleRef *module, char *identity, struct failure *why)
{
    LLVMMemoryBufferRef bytes;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &bytes, &message)) {
        failure_set(why, "%s: %s", path, message);
        LLVMDisposeMessage(message);
        return false;
    }
    snprintf(identity, 17, "%016" PRIx64,
             record_hash(RECORD_HASH_START, LLVMGetBufferStart(bytes), LLVMGetBufferSize(bytes)));
    struct failure said = {"unknown"};
    LLVMContextSetDiagnosticHandler(LLVMGetGlobalContext(), take_diagnostic, &said);
    bool fine = LLVMParseBitcode2(bytes, module) == 0;
    LLVMContextSetDiagnosticHandler(LLVMGetGlobalContext(), NULL, NULL);
    LLVMDisposeMemoryBuffer(bytes);
    return fine || failure_set(why, "%s: not LLVM bitcode of this version: %s", path, said.text);
}

bool inst_write_module(LLVMModuleRef module, const char *path, struct failure *why)
{
    if (LLVMWriteBitcodeToFile(module, path) != 0)
        return failure_set(why, "%s: cannot be written", path);
    return true;
}

bool inst_verify(LLVMModuleRef module, const char *path, struct failure *why)
{
    char *message = NULL;
    bool fine = LLVMVerifyModule(module, LLVMReturnStatusAction, &message) == 0;
    if (!fine)
        failure_set(why, "%s: broken after instrumentation: %s", path, message);
    LLVMDisposeMessage(message);
    return fine;
}

/* ---------------------------------------------------------------- Passes and code */

static void initialise(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
}

static LLVMTargetMachineRef machine_of(LLVMModuleRef module, struct failure *why)
{
    initialise();
    LLVMTargetRef target;
    char *message = NULL;
    const char *triple = LLVMGetTarget(module);
    /* LLVM's target for another processor is initialised only if it is needed. */
    if (LLVMGetTargetFromTriple(triple, &target, NULL)) {
        LLVMInitializeAllTargetInfos();
        LLVMInitializeAllTargets();
        LLVMInitializeAllTargetMCs();
    }
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        failure_set(why, "%s: %s", triple, message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    bool pic = LLVMGetModuleFlag(module, "PIC Level", strlen("PIC Level")) != NULL;
    return LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelDefault,
                                   pic ? LLVMRelocPIC : LLVMRelocStatic, LLVMCodeModelDefault);
}

bool inst_run_passes(LLVMModuleRef module, const char *passes, struct failure *why)
{
    LLVMTargetMachineRef machine = machine_of(module, why);
    if (!machine)
        return false;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    LLVMDisposeTargetMachine(machine);
    if (!error)
        return true;
    char *message = LLVMGetErrorMessage(error);
    failure_set(why, "LLVM: %s: %s", passes, message);
    LLVMDisposeErrorMessage(message);
    return false;
}

/* ---------------------------------------------------------------- Questions */

bool inst_is_amd64(LLVMModuleRef module)
{
    return strncmp(LLVMGetTarget(module), "x86_64", strlen("x86_64")) == 0;
}

bool inst_has_attribute(LLVMValueRef function, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    return kind && LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
}

bool inst_is_call(LLVMValueRef instruction)
{
    LLVMOpcode code = LLVMGetInstructionOpcode(instruction);
    return code == LLVMCall || code == LLVMInvoke || code == LLVMCallBr;
}

LLVMValueRef inst_direct_callee(LLVMValueRef call)
{
    return LLVMIsAFunction(LLVMGetCalledValue(call));
}

bool inst_is_intrinsic_call(LLVMValueRef instruction)
{
    LLVMValueRef callee = inst_direct_callee(instruction);
    return callee && LLVMGetIntrinsicID(callee) != 0;
}

bool inst_returns_twice(LLVMValueRef call)
{
    const char *name = "returns_twice";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMValueRef callee = inst_direct_callee(call);
    return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind) ||
           (callee && inst_has_attribute(callee, name));
}

bool inst_is_defined(LLVMValueRef function)
{
    return !LLVMIsDeclaration(function) &&
           LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage;
}

LLVMValueRef inst_cut_call(LLVMBasicBlockRef block)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    LLVMValueRef call = last ? LLVMGetPreviousInstruction(last) : NULL;
    if (!call || LLVMGetInstructionOpcode(last) != LLVMBr || LLVMIsConditional(last))
        return NULL;
    /* a store of the call's result may come after the call */
    while (LLVMGetInstructionOpcode(call) == LLVMStore)
        if (!(call = LLVMGetPreviousInstruction(call)))
            return NULL;
    return LLVMGetInstructionOpcode(call) == LLVMCall && inst_returns_twice(call) ? call : NULL;
}

static const char *skip_reason_of(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMCallBr:
        return "asm goto";
    case LLVMCatchSwitch:
    case LLVMCleanupPad:
        return "exception handling by funclets";
    case LLVMInvoke:
        return inst_returns_twice(instruction) ? "setjmp that may throw" : NULL;
    case LLVMCall:
        break;
    default:
        return NULL;
    }
    LLVMValueRef callee = inst_direct_callee(instruction);
    size_t length;
    const char *name = callee ? LLVMGetValueName2(callee, &length) : "";
    if (strncmp(name, "llvm.coro.", 10) == 0)
        return "coroutine that is not split yet";
    return strncmp(name, "llvm.localescape", 16) == 0 ? "shares its frame" : NULL;
}

const char *inst_skip_reason(LLVMValueRef function)
{
    if (inst_has_attribute(function, "naked"))
        return "naked";
    if (inst_has_attribute(function, "noprofile"))
        return "no_profile_instrument_function";
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef instruction = LLVMGetFirstInstruction(block);
        for (; instruction; instruction = LLVMGetNextInstruction(instruction)) {
            const char *reason = skip_reason_of(instruction);
            if (reason)
                return reason;
        }
    }
    return NULL;
}

/* ---------------------------------------------------------------- Changes */

void inst_forget_promises(LLVMValueRef function_or_call)
{
    static const char *const broken[] = {
        "readnone",   "readonly",     "writeonly",
        "argmemonly", "speculatable", "inaccessiblememonly",
        "memory",     "nosync",       "inaccessiblemem_or_argmemonly",
        NULL};
    for (const char *const *name = broken; *name; name++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(*name, strlen(*name));
        if (kind && LLVMIsAFunction(function_or_call))
            LLVMRemoveEnumAttributeAtIndex(function_or_call, LLVMAttributeFunctionIndex, kind);
        else if (kind)
            LLVMRemoveCallSiteEnumAttribute(function_or_call, LLVMAttributeFunctionIndex, kind);
    }
}

static bool has_room_for_code(LLVMValueRef function)
{
    return inst_is_defined(function) && !LLVMGetIntrinsicID(function) &&
           !inst_skip_reason(function);
}

void inst_change_routines(LLVMModuleRef module,
                          void (*change)(const void *pass, LLVMValueRef function), const void *pass)
{
    inst_functions resolving = inst_find_resolving(module);
    inst_free_resolving(&resolving);
    LLVMValueRef last = LLVMGetLastFunction(module);
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at; at = LLVMGetNextFunction(at))
        if (!LLVMGetIntrinsicID(at))
            inst_forget_promises(at);
    for (LLVMValueRef at = LLVMGetFirstFunction(module); at; at = LLVMGetNextFunction(at)) {
        if (has_room_for_code(at) && !inst_is_resolving(&resolving, at))
            change(pass, at);
        if (at == last)
            break;
    }
    vector_free(&resolving);
}

void inst_mark(LLVMModuleRef module, const char *name)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetModuleContext(module));
    LLVMValueRef made = LLVMAddGlobal(module, byte, name);
    LLVMSetInitializer(made, LLVMConstInt(byte, 1, false));
    LLVMSetLinkage(made, LLVMWeakAnyLinkage);
    LLVMSetVisibility(made, LLVMHiddenVisibility);
}

void inst_build_likely(LLVMBuilderRef builder, LLVMValueRef condition, LLVMBasicBlockRef yes,
                       LLVMBasicBlockRef no)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(condition));
    LLVMTypeRef half = LLVMInt32TypeInContext(context);
    LLVMValueRef branch = LLVMBuildCondBr(builder, condition, yes, no);
    LLVMMetadataRef weights[] = {
        LLVMMDStringInContext2(context, "branch_weights", strlen("branch_weights")),
        LLVMValueAsMetadata(LLVMConstInt(half, 1000, false)),
        LLVMValueAsMetadata(LLVMConstInt(half, 1, false))};
    LLVMMetadataRef node = LLVMMDNodeInContext2(context, weights, 3);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "prof", strlen("prof")),
                    LLVMMetadataAsValue(context, node));
}

LLVMBasicBlockRef inst_split_block(LLVMBuilderRef builder, LLVMValueRef first)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(first);
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(block)));
    LLVMBasicBlockRef rest = LLVMInsertBasicBlockInContext(context, block, "");
    LLVMMoveBasicBlockAfter(rest, block);
    LLVMPositionBuilderAtEnd(builder, rest);
    LLVMSetCurrentDebugLocation2(builder, NULL);
    for (LLVMValueRef at = first, next; at; at = next) {
        next = LLVMGetNextInstruction(at);
        LLVMInstructionRemoveFromParent(at);
        LLVMInsertIntoBuilder(builder, at);
    }
    return rest;
}

LLVMBasicBlockRef inst_make_first_block(LLVMBuilderRef builder, LLVMValueRef function)
{
    LLVMBasicBlockRef body = LLVMGetEntryBasicBlock(function);
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(body)));
    LLVMBasicBlockRef first = LLVMInsertBasicBlockInContext(context, body, "");
    LLVMPositionBuilderAtEnd(builder, first);
    LLVMSetCurrentDebugLocation2(builder, NULL);
    for (LLVMValueRef at = LLVMGetFirstInstruction(body), next; at; at = next) {
        next = LLVMGetNextInstruction(at);
        if (LLVMGetInstructionOpcode(at) != LLVMAlloca || !LLVMIsConstant(LLVMGetOperand(at, 0)))
            continue;
        LLVMInstructionRemoveFromParent(at);
        LLVMInsertIntoBuilder(builder, at);
    }
    return first;
}

/* Returns whether the call is `musttail`. The C interface of LLVM 14 cannot distinguish `musttail`
 * from `tail`. */
static bool is_must_tail(LLVMValueRef call)
{
    if (!call || LLVMGetInstructionOpcode(call) != LLVMCall || !LLVMIsTailCall(call))
        return false;
    char *text = LLVMPrintValueToString(call);
    const char *found = strstr(text, "musttail call "), *arguments = strchr(text, '(');
    bool is = found && arguments && found < arguments;
    LLVMDisposeMessage(text);
    return is;
}

LLVMValueRef inst_end_of_routine(LLVMValueRef end)
{
    LLVMValueRef call = LLVMGetPreviousInstruction(end);
    if (call && LLVMGetInstructionOpcode(call) == LLVMBitCast)
        call = LLVMGetPreviousInstruction(call);
    return is_must_tail(call) ? call : end;
}

/* ---------------------------------------------------------------- What the runtimes have */

static bool has_flag(LLVMModuleRef module, const char *flag)
{
    return LLVMGetModuleFlag(module, flag, strlen(flag)) != NULL;
}

/* The local-exec model of thread-local storage is only for executables, because a variable's
 * distance from the register fs is not known when a library is linked. */
LLVMValueRef inst_thread_variable(LLVMModuleRef module, const char *name, LLVMTypeRef type)
{
    LLVMValueRef variable = LLVMGetNamedGlobal(module, name);
    bool in_library = has_flag(module, "PIC Level") && !has_flag(module, "PIE Level");
    if (!variable)
        variable = LLVMAddGlobal(module, type, name);
    LLVMSetThreadLocalMode(variable, in_library ? LLVMInitialExecTLSModel : LLVMLocalExecTLSModel);
    return variable;
}

void inst_add_promise(LLVMValueRef function, const char *name)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, kind, 0));
}
