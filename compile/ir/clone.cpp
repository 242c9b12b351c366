/* Clones of whole functions, for which LLVM has no C interface.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <llvm-c/Core.h>

extern "C" LLVMValueRef inst_clone_function(LLVMValueRef function);

extern "C" void inst_set_must_tail(LLVMValueRef call);

void inst_set_must_tail(LLVMValueRef call)
{
    llvm::cast<llvm::CallInst>(llvm::unwrap(call))->setTailCallKind(llvm::CallInst::TCK_MustTail);
}

LLVMValueRef inst_clone_function(LLVMValueRef function)
{
    auto *original = llvm::cast<llvm::Function>(llvm::unwrap(function));
    llvm::ValueToValueMapTy values;
    llvm::Function *clone = llvm::CloneFunction(original, values);
    clone->setLinkage(llvm::GlobalValue::InternalLinkage);
    clone->setVisibility(llvm::GlobalValue::DefaultVisibility);
    clone->setDSOLocal(true);
    clone->setComdat(original->getComdat());
    clone->setName(original->getName() + ".measured");
    return llvm::wrap(clone);
}
