/* The modes of APROF_CONTEXTS. For measurements, bench/contexts/modes.c replaces this file.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/contexts/runtime.h"

const char *const contexts_mode_names[] = {"hcct", "cct", "off", NULL};

const struct native_contexts_mode contexts_modes[] = {
    {.hot = true}, {.hot = false}, {.is_off = true}};
