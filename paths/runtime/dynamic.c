/* Replaces the C library's pthread_create in dynamically linked programs.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#define _GNU_SOURCE
#include "paths/runtime/runtime.h"

#include <dlfcn.h>
#include <errno.h>

/* Programs are linked with `-u aprof_paths_dynamic`, so that the linker takes this file from the
 * library. */
extern const char aprof_paths_dynamic;
const char aprof_paths_dynamic = 1;

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*routine)(void *), void *argument)
{
    pthread_creator *create;
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    return create ? aprof_paths_start_thread(create, thread, attributes, routine, argument)
                  : EAGAIN;
}
