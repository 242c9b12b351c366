/* Routines in two versions, of which one measures.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * trms_pass.c adds the measuring, trms_versions.c copies the routine and chooses a version.
 */
#ifndef COMPILE_TRMS_TRMS_VERSIONS_H
#define COMPILE_TRMS_TRMS_VERSIONS_H

#include "compile/trms/trms_looks.h"

/* Whether the routine can have a second version: not if its labels have addresses
 * that may get from one to the other (trms_labels.c). */
bool versions_are_possible(LLVMValueRef function);

/* Adds copies of all blocks but the first one, which must be variables alone and has no end yet; it
 * gets one, which goes on to `measured`, the second block, or to its copy. */
void versions_make(const struct measuring *to, LLVMValueRef function, LLVMBasicBlockRef measured);

#endif
