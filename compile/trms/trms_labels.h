/* Computed jumps of routines in two versions: each version has separate addresses of labels.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef COMPILE_TRMS_TRMS_LABELS_H
#define COMPILE_TRMS_TRMS_LABELS_H

#include "compile/ir/copy.h"
#include "compile/trms/trms_checks.h"

/* All constants, tables and instructions that contain or receive the address of a label in the
 * routine, sorted. */
typedef VECTOR(LLVMValueRef) label_values;

/* Finds the values that contain or receive addresses of labels. Returns true if only computed jumps
 * of the routine use these values, so that a copy of the routine can have its own values. The
 * caller frees `values`. */
bool labels_find(LLVMValueRef function, label_values *values);

/* Makes the copied blocks in `twins` use the labels of copied blocks; labels_find must have found
 * `values` before the blocks were copied. */
void labels_copy(const struct measuring *to, const label_values *values, const inst_twins *twins);

#endif
