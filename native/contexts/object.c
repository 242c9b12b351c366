/* The part of the context profiler in each shared object: registers the object with the runtime.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shared objects have their own patchable entries, but the runtime is only in the executable.
 * Without the runtime, a shared object does nothing.
 */
#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden"), weak))

extern const uintptr_t __start___patchable_function_entries[] HIDDEN;
extern const uintptr_t __stop___patchable_function_entries[] HIDDEN;

__attribute__((weak)) void aprof_contexts_object_loaded(const uintptr_t *start,
                                                        const uintptr_t *stop);
__attribute__((weak)) void aprof_contexts_object_unloaded(const uintptr_t *start);

/* These functions run before the object's own constructors, and after the object's destructors. */
__attribute__((constructor(101))) static void loaded(void)
{
    if (__start___patchable_function_entries && aprof_contexts_object_loaded)
        aprof_contexts_object_loaded(__start___patchable_function_entries,
                                     __stop___patchable_function_entries);
}

__attribute__((destructor(101))) static void unloaded(void)
{
    if (__start___patchable_function_entries && aprof_contexts_object_unloaded)
        aprof_contexts_object_unloaded(__start___patchable_function_entries);
}
