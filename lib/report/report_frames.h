/* The frames of a flame graph, for any report: the cost of each routine, by call path.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * If the report has contexts, the frames are made from the recorded contexts. If the report has no
 * contexts, the frames are approximated from call edges. In this approximation, all frames of a
 * routine distribute their costs over callees in the same proportions.
 *
 *     edges    main > a 30    main > b 70    a > c 20    b > c 20    c > d 10
 *     frames   main/a/c 20 and main/b/c 20, each with half of d, though b may have caused all of it
 *
 * The approximation is exact where each routine has one caller; report_frames_edges.h explains
 * recursion. A report without contexts and edges has a frame for each routine's self cost.
 */
#ifndef LIB_REPORT_REPORT_FRAMES_H
#define LIB_REPORT_REPORT_FRAMES_H

#include "lib/report/report.h"

enum report_frames_basis { FRAMES_OF_CONTEXTS, FRAMES_OF_EDGES, FRAMES_OF_ROUTINES };

struct report_frame {
    uint32_t caller; /* index of an earlier frame, or CONTEXT_NO_CALLER */
    uint32_t routine;
    uint64_t cost, self; /* `cost` is the cost of the frame and all frames above it, including
                          * omitted frames; `self` is the cost of the frame's own code */
};

struct report_frames {
    enum report_frames_basis basis;
    uint64_t whole;                   /* whole cost of the report */
    VECTOR(struct report_frame) list; /* depth first */
};

/* Makes the frames with at least the share `least` (0 to 1) of the total cost. If there are too
 * many frames, makes only the larger ones.
 */
void report_frames_make(const struct report *report, double least, struct report_frames *frames);

void report_frames_free(struct report_frames *frames);

#endif
