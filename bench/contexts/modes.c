/* The modes of APROF_CONTEXTS, and the mode `empty`, which measures the cost of empty hooks.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces native/contexts/modes.c in bench/measured/libaprof_contexts.a.
 */
#include "native/contexts/runtime.h"

const char *const contexts_mode_names[] = {"hcct", "cct", "off", "empty", NULL};

const struct native_contexts_mode contexts_modes[] = {
    {.hot = true}, {.hot = false}, {.is_off = true}, {.empty_hook = contexts_entry_empty}};

__asm__(".text\n"
        ".globl  contexts_entry_empty\n"
        ".hidden contexts_entry_empty\n"
        ".type   contexts_entry_empty, @function\n"
        "contexts_entry_empty:\n"
        ".cfi_startproc\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size   contexts_entry_empty, . - contexts_entry_empty\n");
