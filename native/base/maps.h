/* Reads the process's mappings one by one from /proc/self/maps.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The functions use neither stdio nor the heap, so they are safe in any context. A `struct
 * native_maps` takes almost 5 KiB of stack.
 */
#ifndef NATIVE_BASE_MAPS_H
#define NATIVE_BASE_MAPS_H

#include "ground/basics.h"

struct native_mapping {
    uintptr_t start, end;
    bool readable, executable;
    /* path, or "" if the mapping has none; valid until the next mapping is read */
    const char *path;
};

struct native_maps {
    int fd;
    size_t n, at;
    char buffer[4096];
    char line[4600]; /* size of a line with a path of 4096 bytes and the fields before the path */
};

/* Opens /proc/self/maps; returns false if the file does not exist. */
__attribute__((visibility("hidden"))) bool native_maps_open(struct native_maps *maps);
__attribute__((visibility("hidden"))) bool native_maps_next(struct native_maps *maps,
                                                            struct native_mapping *mapping);
__attribute__((visibility("hidden"))) void native_maps_close(struct native_maps *maps);

#endif
