/* A routine, as the code that measures its activations sees it.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef POINTS_ROUTINE_H
#define POINTS_ROUTINE_H

#include "ground/basics.h"

/* Identity is object and address range. `id` numbers the points; the other members are for the
 * engine of the Valgrind tool. The creator of the routine finds its own data (names, lines)
 * around it. */
struct routine {
    uint32_t id;      /* dense, from 0 */
    bool toggles;     /* --toggle-collect: measure while an activation of it is pending */
    bool was_called;  /* written by the engine: an unnamed address that has been the target of a
                       * call */
    bool transparent; /* part of another routine, split off by the compiler (f.cold): a jump to
                       * it is not a call */
    bool is_region;   /* named by the program: has no code of its own, see EVENT_REGION_BEGIN */
    bool is_script;   /* a function of a script, or compiled at run time */
    bool is_runtime;  /* of an interpreter or virtual machine: called by a script's function, it is
                         part of that */
    bool is_hook; /* of a profiler's hook, which reports functions of scripts: is_runtime, too */
};

#endif
