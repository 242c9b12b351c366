/* Finds resolvers of indirect functions (IFUNC) and the routines that they call.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef COMPILE_IR_RESOLVERS_H
#define COMPILE_IR_RESOLVERS_H

#include "compile/ir/inst.h"
#include "lib/base/vector.h"

typedef VECTOR(LLVMValueRef) inst_functions;

/* Returns the module's resolvers, and the routines of the module that they call directly. The
 * caller frees the vector. */
inst_functions inst_find_resolving(LLVMModuleRef module);

bool inst_is_resolving(const inst_functions *resolving, LLVMValueRef function);

/* Removes the compiler's calls of hooks from a function, and the attributes that would become
 * calls. Returns whether the function had such calls or attributes. */
bool inst_remove_hooks(LLVMValueRef function);

/* Removes the compiler's hooks from each routine in `resolving`. */
void inst_free_resolving(const inst_functions *resolving);

#endif
