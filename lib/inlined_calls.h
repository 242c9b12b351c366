/* What debug data say is inlined at an address.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_INLINED_CALLS_H
#define LIB_INLINED_CALLS_H

#include "lib/memory.h"
#include "lib/vector.h"

#include <stdint.h>

/* A function that is inlined, and the line that calls it: of the routine itself, or of the function
 * before it in the list. */
struct inlined_call {
    const char *name;  /* with class and namespace, where there are such */
    const char *plain; /* without */
    const char *file;  /* "" when unknown */
    uint32_t line;
};
typedef VECTOR(struct inlined_call) inlined_calls;

struct Dwfl_Module;

/* Appends those around an address of libdwfl's, the outermost first. Strings go to the arena. */
void inlined_calls_find(struct Dwfl_Module *module, uint64_t address, struct arena *strings,
                        inlined_calls *calls);

/* Appends all that are inlined into the routine at an address, wherever. */
void inlined_calls_list(struct Dwfl_Module *module, uint64_t address, struct arena *strings,
                        inlined_calls *calls);

#endif
