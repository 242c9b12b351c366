/* Control-flow graphs of a whole program, which are read from and written to a text file.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The algorithms need no information about a program except these graphs. The file can be written
 * by hand, without a compiler. TABs separate fields (aprof-paths(1)):
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

/* Value of `call_sites` if the number is unknown, because the address of the procedure is taken. */
#define GRAPH_CALLS_UNKNOWN UINT32_MAX

struct graph_block {
    bool calls; /* control may leave the procedure inside the block: exit, longjmp, a throw */
    const char *lines; /* source lines such as "a.c:3-5,9;b.h:7"; "" if unknown */
};

struct graph_edge {
    uint32_t from, to;
    /* paths end and start at this edge, as at a back edge: `from` ends with a call of setjmp */
    bool cut;
};

struct graph {
    const char *name;    /* symbol */
    const char *skipped; /* reason why the procedure is not profiled; "" if it is profiled */
    uint32_t call_sites; /* number of call sites in the whole program, or GRAPH_CALLS_UNKNOWN */
    VECTOR(struct graph_block) blocks;
    VECTOR(struct graph_edge) edges;
};

struct graph_program {
    struct arena strings;
    const char *module; /* identity of the bitcode to which the graphs belong */
    VECTOR(struct graph) procedures;
};

bool graph_program_read(struct graph_program *program, const char *path, struct failure *why);
bool graph_program_write(const struct graph_program *program, const char *path,
                         struct failure *why);
void graph_program_free(struct graph_program *program);

/* Returns a copy of the text, which is freed together with `program`. */
const char *graph_program_string(struct graph_program *program, const char *text);

#endif
