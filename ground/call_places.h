/* The interface between code that counts its own calling contexts and the runtime that it calls.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * compile/contexts/contexts_pass.c emits the code; native/contexts/places.c implements it and
 * explains it in its head comment.
 */
#ifndef GROUND_CALL_PLACES_H
#define GROUND_CALL_PLACES_H

/* Thread-local variables: the place of the current call, and the number of calls that inline
 * code has counted. */
#define CALL_PLACES_PLACE "aprof_contexts_place"
#define CALL_PLACES_CALLS "aprof_contexts_calls"

/* Returns the callee's edge for (routine, return address). Calling convention: LLVM's coldcc;
 * changes no register except rax. A variable would be wrong here: code of a signal handler could
 * overwrite it before the callee has read it. */
#define CALL_PLACES_ENTER "aprof_contexts_enter"

/* Marks executables that contain code which counts its own calls. */
#define CALL_PLACES_MARK "aprof_contexts_counts_itself"

enum {
    CALL_PLACES_EDGE_ID = 0,
    CALL_PLACES_EDGE_NODE = 8,
    CALL_PLACES_EDGE_PLACES = 80, /* the first of an array of pointers, one for each call of the
                                   * routine */
    CALL_PLACES_NODE_COUNT = 24,
    CALL_PLACES_NODE_SLOT = 40,
    CALL_PLACES_MOST = 4096,      /* later calls of a routine share the last */
    CALL_PLACES_TAILS_MOST = 255, /* limit of the tail calls among them, which come first */
    CALL_PLACES_UNKNOWN = 1,      /* id of a routine before its first call; no edge has it */
    CALL_PLACES_OFF = 2           /* id of no routine, for the edge that is used where nothing is
                                   * counted */
};

#endif
