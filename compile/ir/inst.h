/* The parts of aprof-instrument, the one program here that knows LLVM.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Everything goes through LLVM's C interface, in the subset that versions 14 to 21 share: values
 * have types of their own, pointers are only ever used together with the type they point to.
 */
#ifndef COMPILE_IR_INST_H
#define COMPILE_IR_INST_H

#include "paths/graph.h"

#include <llvm-c/Core.h>

/* ---------------------------------------------------------------- path_module.c */

/* Reads bitcode. `identity` (17 bytes) gets 16 hex digits that stand for the file's bytes. */
bool inst_read_module(const char *path, LLVMModuleRef *module, char *identity, struct failure *why);
bool inst_write_module(LLVMModuleRef module, const char *path, struct failure *why);

/* Passes as in `opt -passes=`. */
bool inst_run_passes(LLVMModuleRef module, const char *passes, struct failure *why);

bool inst_verify(LLVMModuleRef module, const char *path, struct failure *why);

bool inst_has_attribute(LLVMValueRef function, const char *name);

/* The call's callee if it is named directly, NULL otherwise. */
LLVMValueRef inst_direct_callee(LLVMValueRef call);
bool inst_is_call(LLVMValueRef instruction);
bool inst_is_intrinsic_call(LLVMValueRef instruction);
bool inst_returns_twice(LLVMValueRef call);

/* Why the procedure cannot be instrumented; NULL if it can. */
const char *inst_skip_reason(LLVMValueRef function);

/* Is this function's code in the program, and ours to look at? */
bool inst_is_defined(LLVMValueRef function);

/* Ends the block with a call of setjmp or the like? Returns that call, or NULL. */
LLVMValueRef inst_cut_call(LLVMBasicBlockRef block);

/* Calls `change` with each routine whose code may be added to; `change` may add others, which it is not
 * called with. What routines promise of memory is forgotten first. */
void inst_change_routines(LLVMModuleRef module,
                          void (*change)(const void *pass, LLVMValueRef function),
                          const void *pass);

/* A hidden byte of that name, by which a runtime sees that an executable has such code. */
void inst_mark(LLVMModuleRef module, const char *name);

/* What a function or a call promises of memory is no longer so. */
void inst_forget_promises(LLVMValueRef function_or_call);

/* A branch that is nearly always taken to `yes`. */
void inst_build_likely(LLVMBuilderRef builder, LLVMValueRef condition, LLVMBasicBlockRef yes,
                       LLVMBasicBlockRef no);

/* Moves this instruction and everything behind it to a new block. The old one then has no end: the
 * caller gives it one. */
LLVMBasicBlockRef inst_split_block(LLVMBuilderRef builder, LLVMValueRef first);

/* Puts a block in front of the routine's first one, in which the variables on the stack stay, where their
 * places are fixed. It has no end; the builder stands there. */
LLVMBasicBlockRef inst_make_first_block(LLVMBuilderRef builder, LLVMValueRef function);

/* The call that a return must follow at once (musttail), or the return itself. */
LLVMValueRef inst_end_of_routine(LLVMValueRef end);

/* A variable of each thread, which a runtime has in the executable. */
LLVMValueRef inst_thread_variable(LLVMModuleRef module, const char *name, LLVMTypeRef type);

/* nounwind, nonlazybind, ...: of a function that a runtime has. */
void inst_add_promise(LLVMValueRef function, const char *name);

/* ---------------------------------------------------------------- The jobs */

/* Rewrites the module so that there is a place for a probe on every edge. */
bool inst_normalise(LLVMModuleRef module, struct failure *why);

/* The graphs of all defined functions of a normalised module. */
void inst_list_graphs(LLVMModuleRef module, struct graph_program *program);

/* Adds code that counts calling contexts: contexts_pass.c. */
void inst_count_contexts(LLVMModuleRef module);

/* Adds code that makes events of entries and returns: events_pass.c. */
void inst_tell_events(LLVMModuleRef module);

/* Adds code that measures input sizes: trms_pass.c. */
void inst_measure_inputs(LLVMModuleRef module);

/* The same, to routines in two versions, of which the other one stays as it is: trms_versions.c. */
void inst_measure_samples(LLVMModuleRef module);

/* Removes the compiler's hooks from resolvers of indirect functions: resolvers.c. */
void inst_free_resolvers(LLVMModuleRef module);

/* Adds the probes that the file asks for. */
bool inst_add_probes(LLVMModuleRef module, const char *identity, const char *probes_path,
                     struct failure *why);

#endif
