/* Flame graphs of reports: frames as contexts_flame.h draws them, of whatever the report knows.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_EXPORT_REPORT_FLAME_H
#define LIB_EXPORT_REPORT_FLAME_H

#include "lib/contexts/contexts_flame.h"
#include "lib/report/report_frames.h"

/* Draws the report; `flame` gets its unit, and its title if it has none, which says what the frames
 * rest on. */
void report_flame_write(const struct report *report, struct contexts_flame *flame, FILE *to);

#endif
