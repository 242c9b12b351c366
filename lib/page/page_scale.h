/* Writes the data of a page about runs of several sizes: the prediction of `aprof scale`.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     {axis, sizes: [...], routines: [[report (index), routine (index), own share, predicted
 *     share at ten times the size, its lower and upper bound, growth, reason, 1 if it rises]...]}
 */
#ifndef LIB_PAGE_PAGE_SCALE_H
#define LIB_PAGE_PAGE_SCALE_H

#include "lib/base/json.h"
#include "lib/base/message.h"

/* Writes a member "scale" if there are several reports and each report has the size of its run. */
bool page_scale_write(struct json *json, const string_list *paths, struct failure *why);

#endif
