/* Replaces hooks on arm64, where only inline code counts calls.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Patched entries (hook.c, patch.c) and the walk over the stack (unwind.c) exist only for x86-64,
 * and aprof-cc refuses contexts,hooks for arm64. Inline code (places.c) needs neither patched
 * entries nor walks over the stack. The other parts of the runtime call some functions of the
 * missing files; the versions in this file have no effect.
 */
#include "native/contexts/runtime.h"

NATIVE_TLS int64_t contexts_left;
uint32_t contexts_functions_seen;

/* On arm64, no entry is patched, so these functions are not called. */
void contexts_entry_calls(void)
{
}

void contexts_entry_time(void)
{
}

void contexts_patch_start(contexts_hook *hook)
{
    (void)hook;
}

uintptr_t contexts_patch_entry_at(uintptr_t address)
{
    (void)address;
    return 0;
}

/* Without hooks, the shadow stack is always empty, so no walk over the stack finds an
 * activation. */
enum contexts_step contexts_unwind(struct contexts_thread *t, struct contexts_place *place)
{
    (void)t, (void)place;
    return STEP_BROKEN;
}

void contexts_unwind_free(struct contexts_thread *t)
{
    (void)t;
}
