/* Finds the source positions of call sites; a call site is the return address of a call.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef NATIVE_TRMS_CALLS_CALL_SITES_H
#define NATIVE_TRMS_CALLS_CALL_SITES_H

#include "points/points_report.h"

/* Finds the routines that contain the sites of the world's edges. A site outside the caller's code
 * is unknown, because uninstrumented code made the call. The routines must be resolved before this
 * call. */
void trms_call_sites_resolve(void);

/* The report's source map has addresses, which the command aprof converts to lines. */
extern const struct source_map trms_call_sites_map;

#endif
