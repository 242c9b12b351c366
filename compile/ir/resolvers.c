/* Finds resolvers of indirect functions (IFUNC, target_clones), which no profiler may measure.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The dynamic linker calls a resolver while it relocates the object. During relocation,
 * thread-local variables have no values, and the runtimes' functions may not be reachable. So
 * neither a resolver nor a routine that a resolver of the same module calls directly is measured:
 *
 *     int has_avx(void) { ... }                     not measured, for any caller
 *     static void *choose(void) { has_avx(); ... }  not measured
 *     int sum(int *) __attribute__((ifunc("choose")));
 */
#include "compile/ir/resolvers.h"

#include <string.h>

/* Follows aliases and casts from `value` to a function. Returns this function, or NULL if there is
 * none. */
static LLVMValueRef function_behind(LLVMValueRef value)
{
    while (value && !LLVMIsAFunction(value)) {
        if (LLVMIsAGlobalAlias(value))
            value = LLVMAliasGetAliasee(value);
        else if (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMBitCast)
            value = LLVMGetOperand(value, 0);
        else
            value = NULL;
    }
    return value;
}

bool inst_is_resolving(const inst_functions *resolving, LLVMValueRef function)
{
    for (size_t i = 0; i < resolving->count; i++)
        if (resolving->at[i] == function)
            return true;
    return false;
}

static void add(inst_functions *resolving, LLVMValueRef function)
{
    if (function && inst_is_defined(function) && !inst_is_resolving(resolving, function))
        vector_push(resolving, function);
}

static void add_callees(inst_functions *resolving, LLVMValueRef function)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef at = LLVMGetFirstInstruction(block);
        for (; at; at = LLVMGetNextInstruction(at))
            if (inst_is_call(at))
                add(resolving, function_behind(LLVMGetCalledValue(at)));
    }
}

inst_functions inst_find_resolving(LLVMModuleRef module)
{
    inst_functions resolving = {0};
    for (LLVMValueRef at = LLVMGetFirstGlobalIFunc(module); at; at = LLVMGetNextGlobalIFunc(at))
        add(&resolving, function_behind(LLVMGetGlobalIFuncResolver(at)));
    for (size_t i = 0; i < resolving.count; i++)
        add_callees(&resolving, resolving.at[i]);
    return resolving;
}

/* ---------------------------------------------------------------- The compiler's hooks */

/* Returns whether the instruction is a call of a hook, and can be removed because the hook has no
 * result. Hooks that replace an atomic operation are kept. */
static bool is_hook(LLVMValueRef instruction)
{
    LLVMValueRef callee = inst_is_call(instruction) ? inst_direct_callee(instruction) : NULL;
    size_t length;
    if (!callee || LLVMGetTypeKind(LLVMTypeOf(instruction)) != LLVMVoidTypeKind)
        return false;
    const char *name = LLVMGetValueName2(callee, &length);
    return (strncmp(name, "__tsan_", 7) == 0 && strncmp(name, "__tsan_atomic", 13) != 0) ||
           strncmp(name, "__sanitizer_cov_", 16) == 0 ||
           strncmp(name, "__cyg_profile_func_", 19) == 0;
}

/* Removes an attribute that makes the code generator insert hooks. */
static bool remove_mark(LLVMValueRef function, const char *name)
{
    unsigned length = (unsigned)strlen(name);
    bool found =
        LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, length) != NULL;
    LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, length);
    return found;
}

/* clang adds the attribute for hooks to all routines except routines with no_instrument_function.
 * Some releases of clang replace this attribute by calls before they write bitcode. Other releases
 * (clang 19) replace the attribute when they generate code. */
bool inst_remove_hooks(LLVMValueRef function)
{
    bool any = remove_mark(function, "instrument-function-entry-inlined");
    any |= remove_mark(function, "instrument-function-exit-inlined");
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block), next; at; at = next) {
            next = LLVMGetNextInstruction(at);
            if (!is_hook(at))
                continue;
            LLVMInstructionEraseFromParent(at);
            any = true;
        }
    return any;
}

void inst_free_resolving(const inst_functions *resolving)
{
    for (size_t i = 0; i < resolving->count; i++)
        inst_remove_hooks(resolving->at[i]);
}

void inst_free_resolvers(LLVMModuleRef module)
{
    inst_functions resolving = inst_find_resolving(module);
    inst_free_resolving(&resolving);
    vector_free(&resolving);
}
