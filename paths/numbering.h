/* Path numbers: Ball-Larus, selective path profiling (SPP) and its precise variant (PSPP).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each edge has a label, and the sum over a path's edges is the path's id. A path is interesting if
 * all its edges are interesting. A numbering is valid if no other path, interesting or not, has the
 * id of an interesting path. With a valid numbering, an interesting path is executed as often as
 * its id is counted.
 *
 *     edges e0 0->1, e1 0->2, e2 1->2, e3 1->2; interesting paths {e0 e2}, {e1}
 *     SPP, e1 taken before e0:  id(e1) = 0 = id(e0 e3): wrong
 *     PSPP:                     id(e0 e2) = 1, id(e1) = 2, id(e0 e3) = 0
 *
 * SPP is implemented to show its flaw in the example of this header. Plans use PSPP, which equals
 * Ball-Larus if all edges are interesting. Paper: P3, section 3.1.
 */
#ifndef PATHS_NUMBERING_H
#define PATHS_NUMBERING_H

#include "paths/dag.h"

struct numbering {
    bool *interesting; /* whether each edge is interesting; all arrays are indexed by edge */
    uint64_t *first;   /* labels of the first step, which decoding needs */
    int64_t *label;    /* final labels, which the program adds up */
};

void numbering_ball_larus(struct numbering *numbering, const struct dag *dag);

/* Numbers paths by PSPP. The most frequent edge of a vertex comes first and gets the label 0. */
void numbering_by_frequency(struct numbering *numbering, const struct dag *dag,
                            const uint64_t *frequency);
void numbering_pspp(struct numbering *numbering, const struct dag *dag, const bool *interesting);

/* Numbers paths by SPP. The interesting edges of a vertex are processed by increasing `rank`. */
void numbering_spp(struct numbering *numbering, const struct dag *dag, const bool *interesting,
                   const uint32_t *rank);

void numbering_free(struct numbering *numbering);

/* Finds the edges of the interesting path with this id. Returns the number of these edges, at most
 * the number of the dag's vertices; 0 if no interesting path has the id. */
uint32_t numbering_decode(const struct numbering *numbering, const struct dag *dag, uint64_t id,
                          uint32_t *edges);

/* Returns the id of a path that has only interesting edges. */
uint64_t numbering_id(const struct numbering *numbering, const uint32_t *edges, uint32_t count);

#endif
