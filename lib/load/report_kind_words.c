/* Texts about the kinds of reports; option parsers use this file without report_kind.c.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/load/report_kind.h"
#include "ground/record_schema.h"

#include <stddef.h>

const struct report_kind_words report_kinds[REPORT_KINDS] = {
    [REPORT_POINTS] = {"points", RECORD_POINTS_FIRST, "points of routines", NULL},
    [REPORT_CONTEXTS] = {"contexts", RECORD_CONTEXTS_FIRST, "calling contexts", "contexts"},
    [REPORT_EVENTS] = {"events", RECORD_EVENTS_FIRST, "counts of events", "events"},
    [REPORT_PATHS] = {"paths", "aprof-path-profile", "counts of paths", "paths"},
};
