/* Control-flow graphs of a whole program, as read from and written to a text file.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The algorithms need no other input about a program. The file can be written by hand, without a
 * compiler (fields are separated by TABs; aprof-paths(1)):
 *
 *     aprof-graphs 1
 *     module MODULE-ID
 *     procedure NAME CALL-SITES SKIPPED     blocks and edges of this procedure follow, from 0 on
 *     block CALLS LINES                     block 0 is the entry
 *     edge FROM TO CUT
 *     complete ...
 */
#ifndef PATHS_GRAPH_H
#define PATHS_GRAPH_H

#include "paths/record.h"

/* Unknown, possibly more than one: the address of the procedure is taken. */
#define GRAPH_CALLS_UNKNOWN UINT32_MAX

struct graph_block {
    bool calls;        /* control may leave the procedure in the middle of it: exit, longjmp, a
                        * throw */
    const char *lines; /* "a.c:3-5,9;b.h:7", "" when unknown */
};

struct graph_edge {
    uint32_t from, to;
    bool cut; /* paths end and start here, as at a back edge: `from` ends with a call of setjmp */
};

struct graph {
    const char *name;    /* symbol */
    const char *skipped; /* reason why the procedure is not profiled; "" if it is */
    uint32_t call_sites; /* in the whole program, or GRAPH_CALLS_UNKNOWN */
    VECTOR(struct graph_block) blocks;
    VECTOR(struct graph_edge) edges;
};

struct graph_program {
    struct arena strings;
    const char *module; /* identity of the bitcode of the graphs */
    VECTOR(struct graph) procedures;
};

bool graph_program_read(struct graph_program *program, const char *path, struct failure *why);
bool graph_program_write(const struct graph_program *program, const char *path,
                         struct failure *why);
void graph_program_free(struct graph_program *program);

/* A copy of the text that lives as long as the program. */
const char *graph_program_string(struct graph_program *program, const char *text);

#endif
