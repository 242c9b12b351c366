/* Computed jumps of routines in two versions: each version has addresses of labels of its own.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef COMPILE_TRMS_TRMS_LABELS_H
#define COMPILE_TRMS_TRMS_LABELS_H

#include "compile/ir/copy.h"
#include "compile/trms/trms_checks.h"

/* Everything that contains an address of a label of the routine, or receives one: constants, tables, instructions.
 * Sorted. */
typedef VECTOR(LLVMValueRef) label_values;

/* True if they are used only for computed jumps of the routine, so that a copy of it can have its own. The
 * caller frees `values`. */
bool labels_find(LLVMValueRef function, label_values *values);

/* Lets the copies in `twins` name labels of copied blocks instead of `values`, which were found before the
 * copies were made. */
void labels_copy(const struct measuring *to, const label_values *values, const inst_twins *twins);

#endif
