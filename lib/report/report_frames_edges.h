/* The frames of a flame graph, approximated from call edges.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The cost of an edge includes only calls of a callee that was not yet pending. So the costs of all
 * edges to a routine add up to the routine's cost, and a recursive call adds no cost to its edge. A
 * routine occurs only once in a path. The callees of a recursively called routine become frames of
 * the routine that made the recursive call:
 *
 *     edges    main > run 100    run > load 100    load > run 0    run > sort 60
 *     frames   main/run/load/sort
 *
 * In this example, run calls load, load calls run again, and the inner run calls sort.
 *
 * The distribution of an edge's cost over frames is not known. In each frame, the edge's cost is
 * assumed to be proportional to the frame's cost times a factor. The factor is chosen so that the
 * edge's cost over all frames equals its cost in the report (iterative proportional fitting). So
 * the total width of a routine's frames is the routine's cost in the table.
 */
#ifndef LIB_REPORT_REPORT_FRAMES_EDGES_H
#define LIB_REPORT_REPORT_FRAMES_EDGES_H

#include "lib/report/report_frames.h"

/* The maximum number of frames: more than a screen has pixels, and few enough for a browser. */
#define REPORT_FRAMES_MAX 40000

/* Adds frames that cost at least `least`. If there are too many frames, adds only the larger ones.
 * Always returns true.
 */
bool report_frames_add_edges(const struct report *report, double least,
                             struct report_frames *frames);

#endif
