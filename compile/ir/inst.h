/* The parts of aprof-instrument, the only program of aprof that uses LLVM.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All code uses LLVM's C interface, in the subset that versions 14 to 21 share. Loads, stores and
 * pointer arithmetic state the type of the value, because pointers are opaque in later versions of
 * LLVM.
 */
#ifndef COMPILE_IR_INST_H
#define COMPILE_IR_INST_H

#include "lib/base/memory.h"
#include "lib/base/message.h"

#include <llvm-c/Core.h>

#include <stddef.h>

/* ---------------------------------------------------------------- path_module.c */

/* Reads a bitcode file. `identity` (17 bytes) receives 16 hex digits, a hash of the file's
 * bytes. */
bool inst_read_module(const char *path, LLVMModuleRef *module, char *identity, struct failure *why);
bool inst_write_module(LLVMModuleRef module, const char *path, struct failure *why);

/* Runs the named passes; `passes` has the syntax of `opt -passes=`. */
bool inst_run_passes(LLVMModuleRef module, const char *passes, struct failure *why);

/* Returns whether the module's code is for x86-64; otherwise it is for arm64. */
bool inst_is_amd64(LLVMModuleRef module);

bool inst_verify(LLVMModuleRef module, const char *path, struct failure *why);

bool inst_has_attribute(LLVMValueRef function, const char *name);

/* Returns the callee of a direct call, otherwise NULL. */
LLVMValueRef inst_direct_callee(LLVMValueRef call);
bool inst_is_call(LLVMValueRef instruction);
bool inst_is_intrinsic_call(LLVMValueRef instruction);
bool inst_returns_twice(LLVMValueRef call);

/* Returns the reason why the routine cannot be instrumented; NULL if it can be instrumented. */
const char *inst_skip_reason(LLVMValueRef function);

/* Returns whether the function's code is in the program and may be instrumented. */
bool inst_is_defined(LLVMValueRef function);

/* Returns the call of setjmp or a similar function at the end of the block, or NULL. */
LLVMValueRef inst_cut_call(LLVMBasicBlockRef block);

/* Calls `change` for each routine that may be instrumented, except routines that `change` adds.
 * Before the first call of `change`, removes the attributes by which these routines promise
 * restricted memory accesses, for example `readonly`. */
void inst_change_routines(LLVMModuleRef module,
                          void (*change)(const void *pass, LLVMValueRef function),
                          const void *pass);

/* Adds a hidden byte with this name, by which a runtime recognises executables with instrumented
 * code. */
void inst_mark(LLVMModuleRef module, const char *name);

/* Removes the attributes by which a function or a call promises restricted memory accesses, for
 * example `readonly`. */
void inst_forget_promises(LLVMValueRef function_or_call);

/* Builds a branch that goes to `yes` almost always. */
void inst_build_likely(LLVMBuilderRef builder, LLVMValueRef condition, LLVMBasicBlockRef yes,
                       LLVMBasicBlockRef no);

/* Moves this instruction and all later instructions of its block to a new block. The caller must
 * end the old block with a terminator. */
LLVMBasicBlockRef inst_split_block(LLVMBuilderRef builder, LLVMValueRef first);

/* Inserts a block before the routine's first block. Stack variables (alloca) move to the new block,
 * so that they stay static. The new block has no terminator yet; the builder is positioned at its
 * end. */
LLVMBasicBlockRef inst_make_first_block(LLVMBuilderRef builder, LLVMValueRef function);

/* Returns the call that must directly precede the return instruction `end` (musttail). If there is
 * no such call, returns `end`. */
LLVMValueRef inst_end_of_routine(LLVMValueRef end);

/* Returns a thread-local variable of a runtime in the executable. */
LLVMValueRef inst_thread_variable(LLVMModuleRef module, const char *name, LLVMTypeRef type);

/* Adds an attribute such as nounwind or nonlazybind to a function of a runtime. */
void inst_add_promise(LLVMValueRef function, const char *name);

/* ---------------------------------------------------------------- The jobs */

/* Adds code that counts calling contexts (contexts_pass.c). */
void inst_count_contexts(LLVMModuleRef module);

/* Adds code that emits events of entries and returns (events_pass.c). */
void inst_add_events(LLVMModuleRef module);

/* Adds code that measures input sizes (trms_pass.c). */
void inst_measure_inputs(LLVMModuleRef module);

/* Makes two versions of each routine: the first gets code that measures input sizes, and the second
 * stays unchanged (trms_versions.c). */
void inst_measure_samples(LLVMModuleRef module);

/* Removes the compiler's hooks from resolvers of indirect functions (resolvers.c). */
void inst_free_resolvers(LLVMModuleRef module);

/* Jobs of path profiling that read and write files (compile/paths/path_jobs.c). inst_normalise_file
 * makes a normalised module and its graphs; inst_add_probes_to_file makes a module with probes. */
bool inst_normalise_file(char **files, struct failure *why);
bool inst_add_probes_to_file(char **files, struct failure *why);

#endif
