/* What code that counts its own calling contexts and the runtime that it calls agree on.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Written by compile/contexts/contexts_pass.c, answered by native/contexts/places.c, whose head
 * explains it.
 */
#ifndef GROUND_CALL_PLACES_H
#define GROUND_CALL_PLACES_H

/* Variables of each thread: where the caller calls from, and how many calls the code has counted
 * itself. */
#define CALL_PLACES_PLACE "aprof_contexts_place"
#define CALL_PLACES_CALLS "aprof_contexts_calls"

/* The callee's edge, of (routine, return address); LLVM's coldcc: changes no register but rax. A
 * variable would not do: a handler's code that came before the callee has read it would leave there
 * what is its own. */
#define CALL_PLACES_ENTER "aprof_contexts_enter"

/* Stands in executables some of whose code counts itself. */
#define CALL_PLACES_MARK "aprof_contexts_counts_itself"

enum {
    CALL_PLACES_EDGE_ID = 0,
    CALL_PLACES_EDGE_NODE = 8,
    CALL_PLACES_EDGE_PLACES = 80, /* the first of as many pointers as the routine has calls */
    CALL_PLACES_NODE_COUNT = 24,
    CALL_PLACES_NODE_SLOT = 40,
    CALL_PLACES_MOST = 4096,      /* later calls of a routine share the last */
    CALL_PLACES_TAILS_MOST = 255, /* the same for tail calls, whose places stand first */
    CALL_PLACES_UNKNOWN = 1,      /* a routine's id before its first call; of no edge */
    CALL_PLACES_OFF = 2           /* of no routine: of the edge of all where nothing is counted */
};

#endif
