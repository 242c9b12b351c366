/* Which routine a guest address belongs to.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A routine is an object file and an address in it, never a name: two `static work()` stay apart,
 * and code that is unloaded and loaded again, perhaps elsewhere, is the same routine.
 */
#ifndef APROF_SYMBOLS_H
#define APROF_SYMBOLS_H

#include "aprof/events.h"

/* A routine and what the report says about it. All strings are ours and live as long as the run. */
struct named_routine {
    struct routine routine;
    struct code_object *object;
    Addr offset;       /* link-time address in the object */
    SizeT size;        /* bytes, 0 if not known */
    HChar *name;       /* as in the symbol table, NULL if no symbol covers it */
    const HChar *file; /* NULL if not known */
    UInt line;         /* 0 if not known */
};

struct code_object {
    HChar *path; /* NULL: code of no object */
    UInt number; /* in order of first appearance */
};

/* Where a guest address lies. */
struct code_place {
    struct routine *routine;
    Bool is_entry;  /* the first address of its routine */
    Bool is_named;  /* a symbol covers it */
    Bool is_stub;   /* in a procedure linkage table */
    Bool is_mapped; /* its code is that of the routine's object, and not a copy of Valgrind's own */
    PtrdiffT bias;  /* from link-time addresses to these */
};

/* Looks `address` up; its routine is made if this is the first time that it is seen. */
struct code_place symbols_find(Addr address);

/* The object of regions. */
#define REGIONS_OBJECT "[regions]"

/* The routine that is the region of that name; `where` it is opened for the first time. */
struct routine *symbols_region(const HChar *name, Addr where);

/* Whether `address` is the client's code, in a file or generated, and not Valgrind's own. */
Bool symbols_is_client(Addr address);

/* All routines found so far, by id. */
UInt symbols_count(void);
const struct named_routine *symbols_get(UInt id);

#endif
