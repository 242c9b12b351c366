/* The process's mappings, one by one, from /proc/self/maps.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Uses neither stdio nor the heap, so that it can be called anywhere. The reader takes almost 5 KiB
 * of stack.
 */
#ifndef NATIVE_BASE_MAPS_H
#define NATIVE_BASE_MAPS_H

#include "ground/basics.h"

struct native_mapping {
    uintptr_t start, end;
    bool readable, executable;
    const char *path; /* "" if it has none; valid until the next one is read */
};

struct native_maps {
    int fd;
    size_t n, at;
    char buffer[4096];
    char line[4600]; /* a path of 4096 bytes and the fields before it */
};

/* Returns false if there is no such file. */
__attribute__((visibility("hidden"))) bool native_maps_open(struct native_maps *maps);
__attribute__((visibility("hidden"))) bool native_maps_next(struct native_maps *maps,
                                                            struct native_mapping *mapping);
__attribute__((visibility("hidden"))) void native_maps_close(struct native_maps *maps);

#endif
