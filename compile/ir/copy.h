/* Copies of blocks within their routine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef COMPILE_IR_COPY_H
#define COMPILE_IR_COPY_H

#include "compile/ir/inst.h"
#include "lib/base/vector.h"

/* A block or an instruction, and its copy. */
struct inst_twin {
    LLVMValueRef original, copy;
};

typedef VECTOR(struct inst_twin) inst_twins;

/* Copies blocks. If a copied instruction uses a value from these blocks, it uses the value's copy
 * instead. A copied phi still refers to values from other blocks. The caller frees `twins`, the
 * list of all copied blocks and instructions. */
void inst_copy_blocks(LLVMBuilderRef builder, LLVMValueRef function,
                      const LLVMBasicBlockRef *blocks, size_t count, inst_twins *twins);

/* Returns a copy of the function, which only this module can call. The copy has its own debug data,
 * and the name of the function with the suffix .measured. */
LLVMValueRef inst_clone_function(LLVMValueRef function);

/* Makes a call reuse its caller's frame. The instruction after the call must be a return of the
 * call's result. */
void inst_set_must_tail(LLVMValueRef call);

/* Returns the copy of the value, or the value itself if it was not copied. */
LLVMValueRef inst_value_copy(const inst_twins *twins, LLVMValueRef value);
LLVMBasicBlockRef inst_block_copy(const inst_twins *twins, LLVMBasicBlockRef block);

#endif
