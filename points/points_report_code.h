/* Writes the records about code in a report: files, inlined functions, edges and lines.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef POINTS_POINTS_REPORT_CODE_H
#define POINTS_POINTS_REPORT_CODE_H

#include "ground/record_writer.h"
#include "points/points_report.h"

/* Calls `visit` for each routine that has an edge or a charge; `visit` may be called several times
 * for a routine. */
void report_code_routines(const struct measurements *measured,
                          void (*visit)(void *context, struct routine *), void *context);

/* Returns whether the report has any records about code. */
bool report_code_exists(const struct measurements *measured);

/* Writes the records about code. The routine with id `id` has the number number_of[id] - 1 in the
 * report. */
void report_code_put(struct record_writer *to, const struct measurements *measured,
                     const struct source_map *map, const uint32_t *number_of);

#endif
