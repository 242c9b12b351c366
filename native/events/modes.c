/* The modes of APROF_EVENTS. For measurements, bench/native/modes.c replaces this file.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/events/runtime.h"

const char *const events_mode_names[] = {"concurrent", "sequential", NULL};

const struct events_mode events_modes[] = {
    {.makes_events = true, .has_rings = true, .has_consumers = true, .analyses = true},
    {.makes_events = true, .analyses = true},
};
