/* Finds the routine of a guest address.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A routine is identified by object file and address, not by name. So two functions `static work()`
 * are two routines, but a function that is loaded again, perhaps elsewhere, stays one routine.
 */
#ifndef APROF_SYMBOLS_H
#define APROF_SYMBOLS_H

#include "aprof/events.h"

/* A routine as the report describes it. symbols.c owns all strings, which are valid until the run
 * ends. */
struct named_routine {
    struct routine routine;
    struct code_object *object;
    Addr offset;       /* link-time address in the object */
    SizeT size;        /* size in bytes, 0 if not known */
    HChar *name;       /* name in the symbol table, NULL if no symbol covers the routine */
    const HChar *file; /* source file; NULL if not known */
    UInt line;         /* source line; 0 if not known */
    /* for code whose name became known only after it had run: the routine with the name; otherwise
     * NULL */
    struct named_routine *late;
};

struct code_object {
    HChar *path; /* path of the object file; NULL: code of no object */
    UInt number; /* objects are numbered in the order in which they are first seen */
    /* whether the object is an interpreter or virtual machine, whose cost counts as cost of the
     * scripts */
    Bool is_runtime;
    Bool is_hook; /* whether the object is one of aprof's hooks, which have no cost and no input */
};

/* The position of a guest address. */
struct code_place {
    struct routine *routine;
    Bool is_entry; /* whether this is the first address of its routine */
    Bool is_named; /* whether a symbol covers the address */
    Bool is_stub;  /* whether the address is in a procedure linkage table */
    /* whether the code belongs to the routine's object: it is neither Valgrind's copy nor generated
     * by the program */
    Bool is_mapped;
    PtrdiffT bias; /* difference between run-time and link-time addresses */
};

/* Looks up `address`, and adds the routine at `address` if it is new. */
struct code_place symbols_find(Addr address);

/* Call this function before a report. It finds names for generated code (code without a file) whose
 * name was not known when the code was translated. Run-time systems such as Java's list their code
 * at the end of the run. A reused address gets the latest name. */
void symbols_name_late(void);

/* If the name of the routine's code became known only after the code had run, returns the routine
 * with this name; otherwise, returns `routine`. */
struct routine *symbols_identify(struct routine *routine);

/* The name of the object file to which regions belong. */
#define REGIONS_OBJECT "[regions]"

/* Returns the routine for the region of this name. `where` is the code that first opened the
 * region. */
struct routine *symbols_region(const HChar *name, Addr where);

/* Returns the routine for a function of a script that a hook reports. `name` has the form of names
 * in a perf map. */
struct routine *symbols_script(const HChar *name, UInt line);

/* Returns whether `address` is code of the client, in a file or generated, and not Valgrind's
 * code. */
Bool symbols_is_client(Addr address);

/* These functions list all routines found so far, by id. */
UInt symbols_count(void);
const struct named_routine *symbols_get(UInt id);

#endif
