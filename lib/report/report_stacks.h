/* Distributes a routine's cost over call stacks, in proportion to its frames in a flame graph.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shares are rounded down, and the remainder goes to the routine's first frame. So the parts of a
 * cost add up exactly to the cost, and each part is exact except for rounding. A routine that costs
 * too little to have a frame is reported without callers.
 */
#ifndef LIB_REPORT_REPORT_STACKS_H
#define LIB_REPORT_REPORT_STACKS_H

#include "lib/report/report_frames.h"

struct report_stacks {
    const struct report *report;
    struct report_frames frames;
    size_t *first; /* frames of routine i are order[first[i]] up to order[first[i + 1]] */
    uint32_t *order;
};

void report_stacks_make(const struct report *report, struct report_stacks *stacks);
void report_stacks_free(struct report_stacks *stacks);

/* Receives a part of a cost, and its frame; the frame is NULL if the part has no callers. */
typedef void report_stack_visit(void *context, const struct report_frame *frame, uint64_t cost);

/* Distributes a cost over the frames of a routine; the cost is all or a part of the profile's self
 * cost. */
void report_stacks_spread(const struct report_stacks *stacks, const struct report_profile *profile,
                          uint64_t cost, report_stack_visit *visit, void *context);

/* The frame of the caller of a frame; NULL if the frame has no caller. */
const struct report_frame *report_stacks_caller(const struct report_stacks *stacks,
                                                const struct report_frame *frame);

#endif
