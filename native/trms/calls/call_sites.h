/* Where calls come from: places in the report's words for the return addresses of call edges.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef NATIVE_TRMS_CALLS_CALL_SITES_H
#define NATIVE_TRMS_CALLS_CALL_SITES_H

#include "points/points_report.h"

/* Finds out which routines the sites of the world's edges are in. A site that is not in the code of the
 * caller is not known: something else has called, on its behalf. The routines are resolved before. */
void trms_call_sites_resolve(void);

/* What the report is told then: addresses, of which aprof makes lines. */
extern const struct source_map trms_call_sites_map;

#endif
