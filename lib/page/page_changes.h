/* Writes the data of a page about the comparison of two reports.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     changes  [[report, other report, routine, other routine, name, self cost, other self
 * cost]...]
 *
 *     or the first four members alone, for a routine that has another symbol or file in the other
 *     report
 *
 * `aprof diff` makes the same comparison (compare.h). The page itself pairs routines with equal
 * symbols and files. If a routine is divided into inlined functions, the page has a row for each of
 * these functions, and a row with the name "" for the rest of the routine.
 */
#ifndef LIB_PAGE_PAGE_CHANGES_H
#define LIB_PAGE_PAGE_CHANGES_H

#include "lib/base/json.h"
#include "lib/base/message.h"

/* Writes the member "changes" if there are two reports or more. If there are many reports, only the
 * first four are compared, each with each. Reports that cannot be compared have no changes. */
void page_changes_write(struct json *json, const string_list *paths);

#endif
