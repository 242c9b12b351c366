/* A routine: the data that the engines need.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef POINTS_ROUTINE_H
#define POINTS_ROUTINE_H

#include "ground/basics.h"

/* A routine is identified by object and address range. Profiles are indexed by `id`; the other
 * members are for the engine of the Valgrind tool. The creator keeps names and lines in a larger
 * struct around this one. */
struct routine {
    uint32_t id;      /* dense, from 0 */
    bool toggles;     /* --toggle-collect: measure while an activation of it is pending */
    bool was_called;  /* written by the engine: an unnamed address that has been the target of a
                       * call */
    bool transparent; /* part of another routine, split off by the compiler (f.cold): a jump to
                       * it is not a call */
    bool is_region;   /* a region that the program names; it has no code of its own, see
                       * EVENT_REGION_BEGIN */
    bool is_script;   /* a function of a script, or compiled at run time */
    bool is_runtime;  /* of an interpreter or virtual machine: if a script's function calls it, it
                       * is part of that function */
    bool is_hook; /* of a profiler's hook that reports functions of scripts; is_runtime is also set
                   * */
};

#endif
