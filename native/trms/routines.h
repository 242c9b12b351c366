/* Routines that have run, and their names for the report.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef NATIVE_TRMS_ROUTINES_H
#define NATIVE_TRMS_ROUTINES_H

#include "native/trms/runtime.h"
#include "native/base/modules.h"

struct trms_routine {
    struct routine routine;
    uintptr_t pc;                       /* in it, behind the call of its entry hook */
    const struct native_module *module; /* the rest is known once trms_symbols_resolve has run */
    uint64_t offset, size;
    const char *name; /* NULL: no symbol covers it */
};

/* Ids are 0 .. count - 1. */
uint32_t trms_routines_count(void);
struct trms_routine *trms_routines_get(uint32_t id);

/* symbols.c: finds object, offset, size and name of every routine in the objects' symbol
 * tables. Files stay mapped, names point into them. */
void trms_symbols_resolve(void);

#endif
