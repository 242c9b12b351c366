/* Routines in two versions, of which one measures: between trms_pass.c, which adds the measuring, and
 * trms_versions.c, which copies and chooses.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef COMPILE_TRMS_VERSIONS_H
#define COMPILE_TRMS_VERSIONS_H

#include "compile/trms_looks.h"

/* Whether the routine can have a second version: not if its labels have addresses
 * that may get from one to the other (trms_labels.c). */
bool versions_are_possible(LLVMValueRef function);

/* Adds copies of all blocks but the first one, which must be variables alone and has no end yet; it
 * gets one, which goes on to `measured`, the second block, or to its copy. */
void versions_make(const struct measuring *to, LLVMValueRef function, LLVMBasicBlockRef measured);

#endif
