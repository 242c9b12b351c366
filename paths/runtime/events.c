/* The runtime of a copy that emits events; an analysis, not the runtime, counts the paths.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Path profiling is one of the analyses that consume the events of a ring (paper 001, section 5.2).
 * The probe at the end of a path emits an event. native/ implements the ring, its consumer threads,
 * and the start and end of the process.
 */
#include "paths/runtime/runtime.h"

/* native/events/hooks.c */
extern void aprof_event_path(uint32_t procedure, uint64_t number);

__attribute__((visibility("hidden"))) void aprof_paths_count(uint32_t procedure, uint64_t value)
{
    aprof_event_path(procedure, value);
}
