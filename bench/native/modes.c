/* Modes of APROF_EVENTS that leave out parts of the work, so that each part's cost can be measured.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * This file replaces native/events/modes.c in bench/measured/libaprof_events.a. The first two modes
 * are for users. The other modes are:
 *
 *     none          hooks return at once: measures the cost of instrumentation alone
 *     enqueue       hooks write into a ring that nothing reads
 *     communicate   a consumer also takes the events out, and ignores them
 */
#include "native/events/runtime.h"

const char *const events_mode_names[] = {"concurrent", "sequential",  "none",
                                         "enqueue",    "communicate", NULL};

const struct events_mode events_modes[] = {
    {.makes_events = true, .has_rings = true, .has_consumers = true, .analyses = true},
    {.makes_events = true, .analyses = true},
    {.has_rings = true},
    {.makes_events = true, .has_rings = true},
    {.makes_events = true, .has_rings = true, .has_consumers = true},
};
