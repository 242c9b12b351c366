/* Lines and inlined functions of addresses, from debug data.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_REPORT_INLINED_CALLS_H
#define LIB_REPORT_INLINED_CALLS_H

#include "lib/base/memory.h"
#include "lib/base/vector.h"

#include <stdbool.h>
#include <stdint.h>

/* An inlined function, and the line that calls the function. This line is in the routine itself, or
 * in the preceding function of the list. */
struct inlined_call {
    const char *name;  /* name including the class and the namespace, if the function has them */
    const char *plain; /* name without class and namespace */
    const char *file;  /* "" when unknown */
    uint32_t line;
};
typedef VECTOR(struct inlined_call) inlined_calls;

struct Dwfl_Module;

/* Code at an address in an object. */
struct symbol_place {
    uint64_t offset;
    uint32_t object;
    uint32_t line;    /* line; 0: unknown, or code without a line */
    const char *file; /* "" when unknown */
    /* inlined functions around the code, outermost first; the caller frees the list */
    inlined_calls inlined;
};

/* Fills in file, line and inlined functions for code locations of one object, sorted by offset.
 * libdwfl's addresses are the offsets in the object plus `bias`. Strings are stored in the arena.
 * The function reads the debug data once for all code locations. Returns false if debug data are
 * damaged and the result is incomplete. */
bool inlined_calls_find(struct Dwfl_Module *module, uint64_t bias, struct arena *strings,
                        struct symbol_place *const *places, size_t count);

/* Appends all functions inlined anywhere into the routine at an address. */
void inlined_calls_list(struct Dwfl_Module *module, uint64_t address, struct arena *strings,
                        inlined_calls *calls);

#endif
