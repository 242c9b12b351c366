/* Routines that have run, and their names for the report.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef NATIVE_TRMS_REPORT_ROUTINES_H
#define NATIVE_TRMS_REPORT_ROUTINES_H

#include "native/trms/runtime.h"
#include "native/base/modules.h"

/* An address in the code, and its routine. */
struct trms_code {
    uintptr_t pc;
    const struct native_module *module; /* the other members are set when it has been resolved */
    uint64_t offset, size; /* start of the routine; without a symbol, the address itself */
    const char *name;      /* NULL: no symbol covers it */
};

struct trms_routine {
    struct routine routine;
    struct trms_code code; /* return address of the routine's call of its entry hook */
};

/* Ids are 0 .. count - 1. */
uint32_t trms_routines_count(void);
struct trms_routine *trms_routines_get(uint32_t id);

/* symbols.c: finds object, offset, size and name of these addresses in the objects' symbol tables,
 * and sorts them. Files stay mapped, because names point into them. */
void trms_symbols_resolve(struct trms_code **list, uint32_t n);

#endif
