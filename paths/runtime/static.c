/* Replaces the C library's pthread_create in statically linked programs (ld --wrap).
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "paths/runtime/runtime.h"

/* Programs are linked with `-u aprof_paths_static`, so that the linker takes this file from the
 * library. */
extern const char aprof_paths_static;
const char aprof_paths_static = 1;

pthread_creator __wrap_pthread_create, __real_pthread_create;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*routine)(void *), void *argument)
{
    return aprof_paths_start_thread(__real_pthread_create, thread, attributes, routine, argument);
}
