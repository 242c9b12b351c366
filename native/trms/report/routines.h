/* Routines that have run, and their names for the report.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef NATIVE_TRMS_REPORT_ROUTINES_H
#define NATIVE_TRMS_REPORT_ROUTINES_H

#include "native/trms/runtime.h"
#include "native/base/modules.h"

/* An address in the code, and the routine that contains this address. */
struct trms_code {
    uintptr_t pc;
    /* module of the address; the following members are set when the address has been resolved */
    const struct native_module *module;
    uint64_t offset, size; /* start of the routine; without a symbol, the address itself */
    const char *name;      /* name of the routine; NULL: no symbol covers the address */
};

struct trms_routine {
    struct routine routine;
    /* code position to which the routine's entry hook returns; a region has only name and offset */
    struct trms_code code;
    struct trms_routine *next; /* for a region: the next region with this hash */
};

/* Ids are 0 .. count - 1. */
uint32_t trms_routines_count(void);
struct trms_routine *trms_routines_get(uint32_t id);

/* In symbols.c: sets the members of all entries from the symbol tables of the objects, and sorts
 * the list. Files stay mapped, because names point into the files. */
void trms_symbols_resolve(struct trms_code **list, uint32_t n);

#endif
