/* The modes that APROF_CONTEXTS knows. bench/contexts/modes.c stands in its place for measurements.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/contexts/runtime.h"

const char *const contexts_mode_names[] = {"hcct", "cct", "off", NULL};

const struct native_contexts_mode contexts_modes[] = {
    {.hot = true}, {.hot = false}, {.is_off = true}};
