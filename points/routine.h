/* A routine, as those see it who measure its activations.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef POINTS_ROUTINE_H
#define POINTS_ROUTINE_H

#include "ground/basics.h"

/* Identity is object and address range. `id` numbers the points; the others are for the engine
 * of the Valgrind tool; whoever made the routine finds its own data (names, lines) around it. */
struct routine {
    uint32_t id;      /* dense, from 0 */
    bool toggles;     /* --toggle-collect: measure while an activation of it is pending */
    bool was_called;  /* written by the engine: an unnamed address that has been a call's target */
    bool transparent; /* part of another routine split off by the compiler (f.cold): a jump to it is
                         no call */
    bool is_region;   /* named by the program: no code of its own, see EVENT_REGION_BEGIN */
};

#endif
