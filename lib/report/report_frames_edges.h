/* The frames of a flame graph, approximated from call edges.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An edge has the cost of those calls during which the callee was not pending already, so the costs
 * of all edges to a routine add up to its cost, and they say below which routines its outermost
 * frames are. A routine is on a path once only. What a recursive call of a pending routine calls is
 * a frame on the routine that made the recursive call:
 *
 *     edges    main > run 100    run > load 100    load > run 0    run > sort 60
 *     frames   main/run/load/sort: run calls load, that calls run again, and the inner run calls
 * sort
 *
 * How much of an edge is in which frame is not known. It is taken to be proportional to the frames'
 * costs, times a factor of the edge such that its cost over all frames is that of the report
 * (iterative proportional fitting). So each routine's frames together are as wide as its cost in
 * the table.
 */
#ifndef LIB_REPORT_REPORT_FRAMES_EDGES_H
#define LIB_REPORT_REPORT_FRAMES_EDGES_H

#include "lib/report/report_frames.h"

#define REPORT_FRAMES_MAX 40000 /* more than a screen has pixels, and no burden to a browser */

/* Adds frames that cost at least `least`; always true: if those are too many, they are larger ones.
 */
bool report_frames_add_edges(const struct report *report, double least,
                             struct report_frames *frames);

#endif
