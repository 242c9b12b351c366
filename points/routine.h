/* What the engines need to know about a routine.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef POINTS_ROUTINE_H
#define POINTS_ROUTINE_H

#include "ground/basics.h"

/* A routine is identified by object and address range. Profiles are indexed by `id`; the other
 * members are for the engine of the Valgrind tool. The creator keeps names and lines in a larger
 * struct around this struct. */
struct routine {
    uint32_t id; /* number of the routine, dense from 0 */
    /* for --toggle-collect: the engine measures while an activation of this routine is pending */
    bool toggles;
    /* whether the engine has seen a call of this routine; set only for code without a name */
    bool was_called;
    /* the compiler split this part off another routine (f.cold); jumps to it are not calls */
    bool transparent;
    /* the program named this region; a region has no code of its own, see EVENT_REGION_BEGIN */
    bool is_region;
    bool is_script; /* the routine is a function of a script, or was compiled at run time */
    /* the routine belongs to an interpreter or virtual machine; if a script's function calls the
     * routine, the routine counts as part of this function */
    bool is_runtime;
    /* the routine belongs to a profiler's hook that reports functions of scripts; is_runtime is
     * also set */
    bool is_hook;
};

#endif
