/* Makes two versions of a routine, one of which measures.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * trms_pass.c adds the measuring code; trms_versions.c copies the routine and selects a version.
 */
#ifndef COMPILE_TRMS_TRMS_VERSIONS_H
#define COMPILE_TRMS_TRMS_VERSIONS_H

#include "compile/trms/trms_checks.h"

/* Returns whether the routine can have a second version: no version may use the address of a label
 * of the other version (trms_labels.c). */
bool versions_are_possible(LLVMValueRef function);

/* Returns whether the measured version can be a separate function, to which the entry jumps. */
bool versions_can_part(LLVMValueRef function);

/* Makes a separate measured version: returns a copy of the function, which is not measured yet. The
 * function itself becomes the unmeasured version, which begins with the choice of a version. Each
 * function's first block contains only variables, and `bare` and `*measured` are the next
 * blocks. */
void versions_part(const struct measuring *to, LLVMValueRef function, LLVMBasicBlockRef bare,
                   LLVMValueRef measured);

/* Adds copies of all blocks except the first, which must contain only variables and no terminator.
 * The first block's new terminator branches to the second block, `measured`, or to the copy of this
 * block. */
void versions_make(const struct measuring *to, LLVMValueRef function, LLVMBasicBlockRef measured);

#endif
