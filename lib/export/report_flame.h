/* Draws flame graphs of reports from contexts or call edges, by means of contexts_flame.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_EXPORT_REPORT_FLAME_H
#define LIB_EXPORT_REPORT_FLAME_H

#include "lib/contexts/contexts_flame.h"
#include "lib/report/report_frames.h"

/* Draws the report; unless `base` is NULL, compares it with `base`. Sets the unit of `flame`. If
 * `flame` has no title, also sets a title, which names the source of the frames. */
void report_flame_write(const struct report *report, const struct report *base,
                        struct contexts_flame *flame, FILE *to);

#endif
