/* Names, files and lines for addresses in objects: offline, from symbol tables and debug data.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Files of calling contexts hold link-time addresses, so that neither position-independent code nor
 * address randomisation matters. Debug data in files of their own are found by build id
 * (/usr/lib/debug/.build-id/) and by debug link; stripped files give their dynamic symbols. A file
 * whose build id is not that of the profiled one gives nothing: wrong names are worse than none.
 */
#ifndef LIB_SYMBOLS_CONTEXTS_SYMBOLS_H
#define LIB_SYMBOLS_CONTEXTS_SYMBOLS_H

#include "lib/contexts/contexts_profile.h"
#include "lib/report/inlined_calls.h"

#include <stdio.h>

/* Was aprof built with libdw? Otherwise names are those that the file holds. */
bool contexts_symbols_available(void);

struct contexts_symbols {
    const char *debug_path; /* folders of debug files, between ':'; NULL: /usr/lib/debug */
    bool sites;             /* call sites too, which takes longer */
    const char *loss;     /* what objects lack about which notes are; NULL: the names of routines */
    VECTOR(char *) notes; /* what went wrong: one text per object; the caller frees them */
};

/* A routine, and what is inlined into it. */
struct symbol_routine {
    uint64_t offset;
    uint32_t object;
    inlined_calls inlined; /* the caller frees the list */
};

/* The tables of any file that has objects and routines. */
struct symbol_tables {
    struct arena *strings; /* takes the names */
    const struct context_object *objects;
    size_t object_count;
    struct report_routine *routines;
    size_t routine_count;
    struct context_site *sites;
    size_t site_count;
    struct symbol_place *places;
    size_t place_count;
    bool *found;      /* by object: its debug data have been found; may be NULL */
    bool keeps_names; /* a routine without a name stays so */
    bool
        lines; /* of routines that have a name, too, and of places, if all these routines are where the
                   object has them */
};

/* Names the routines that have no name yet, from objects that have a path: symbol, size, file and
 * line; the name that people read is the caller's to make of them. With `lines`, routines that have
 * a name but no file get file and line, unless a routine of that object is not where it was. */
void symbols_resolve(const struct symbol_tables *tables, struct contexts_symbols *symbols);

/* Finds what is inlined into some of the routines, if all of their object's are where it has them. */
void symbols_list_inlined(const struct symbol_tables *tables, struct symbol_routine *routines,
                          size_t count, struct contexts_symbols *symbols);

/* The same for a profile, whose routines get their readable names, too. */
void contexts_symbols_resolve(struct context_profile *profile, struct contexts_symbols *symbols);

#endif
