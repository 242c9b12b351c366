/* Resolves addresses in objects to names, files and lines, from symbol tables and debug data.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Files of calling contexts hold link-time addresses, so position-independent code and address
 * randomisation do not matter. Separate debug files are found by build id
 * (/usr/lib/debug/.build-id/) and by debug link. For stripped files, dynamic symbols are used. A
 * file is ignored if its build id differs from the profiled file's, because wrong names are worse
 * than none.
 */
#ifndef LIB_SYMBOLS_CONTEXTS_SYMBOLS_H
#define LIB_SYMBOLS_CONTEXTS_SYMBOLS_H

#include "lib/contexts/contexts_profile.h"
#include "lib/report/inlined_calls.h"

#include <stdio.h>

/* Whether aprof was built with libdw. Without libdw, only the names recorded in the report itself
 * are available. */
bool contexts_symbols_available(void);

struct contexts_symbols {
    const char *debug_path; /* folders of debug files, separated by ':'; NULL: /usr/lib/debug */
    bool sites;             /* whether call sites are also resolved; this takes longer */
    const char *loss;       /* how notes describe the missing data; NULL: as names of routines */
    VECTOR(char *) notes;   /* problems, one text for each object; the caller frees the texts */
};

/* A routine, and the functions inlined into the routine. */
struct symbol_routine {
    uint64_t offset;
    uint32_t object;
    inlined_calls inlined; /* the caller frees the list */
};

/* The tables of any file that has objects and routines. */
struct symbol_tables {
    struct arena *strings; /* arena that receives the names */
    const struct context_object *objects;
    size_t object_count;
    struct report_routine *routines;
    size_t routine_count;
    struct context_site *sites;
    size_t site_count;
    struct symbol_place *places;
    size_t place_count;
    bool *found;      /* for each object: whether its debug data were found; may be NULL */
    bool keeps_names; /* whether routines without a name stay without a name */
    /* whether named routines and code locations are also resolved; this requires that the object
     * has all these routines at their addresses */
    bool lines;
};

/* Finds symbol, size, file and line of each routine without a name, if its object has a path. The
 * caller derives the name for users. `lines`: routines with a name but no file get file and line,
 * unless a routine of their object has moved. */
void symbols_resolve(const struct symbol_tables *tables, struct contexts_symbols *symbols);

/* Lists the functions inlined into some routines, provided that no routine of the object has
 * moved. */
void symbols_list_inlined(const struct symbol_tables *tables, struct symbol_routine *routines,
                          size_t count, struct contexts_symbols *symbols);

/* The build id of an object file in hexadecimal, or "" if the file has no build id or cannot be
 * read. The caller frees the text. */
char *symbols_build_id(const char *path);

/* Resolves the routines of a profile, and sets their readable names. */
void contexts_symbols_resolve(struct context_profile *profile, struct contexts_symbols *symbols);

#endif
