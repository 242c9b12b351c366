/* Regions of a report: measured parts of a program; their names may declare sizes or bounds.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A region's name may end in a declared size, `sort n=1024` (APROF_REGION_SIZED). All regions with
 * the same name before the size become one routine, such as `sort`, with the declared sizes as
 * input sizes:
 *
 *     sort n=1024   10 calls, cost 51000          sort   1024: 10 calls, cost 51000
 *     sort n=2048   10 calls, cost 112000                2048: 10 calls, cost 112000
 *
 * A region with the name `expect parse  n log n` declares a bound (APROF_EXPECT_GROWTH). A region
 * that declares a bound measures nothing; the region that contains the declaration is the test case
 * of the bound.
 */
#ifndef LIB_REPORT_REPORT_REGIONS_H
#define LIB_REPORT_REPORT_REGIONS_H

#include "lib/report/report.h"

/* Whether the routine is a region that the program measures, and does not declare a bound. */
bool report_is_region(const struct report *report, uint32_t routine);

/* The declared bound, in the form of a line in a file of bounds; NULL if the routine declares
 * none. */
const char *report_region_bound(const struct report *report, uint32_t routine);

/* Merges regions of the same name with declared sizes. Call report_merge_threads first. */
void report_join_sizes(struct report *report);

#endif
