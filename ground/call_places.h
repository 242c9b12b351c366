/* The interface between a runtime and code that counts its own calling contexts.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * compile/contexts/contexts_pass.c emits the code; native/contexts/places.c implements the runtime
 * and explains the design.
 */
#ifndef GROUND_CALL_PLACES_H
#define GROUND_CALL_PLACES_H

/* Names of two thread-local variables: the place of the current call, and the number of calls
 * counted inline. */
#define CALL_PLACES_PLACE "aprof_contexts_place"
#define CALL_PLACES_CALLS "aprof_contexts_calls"

/* Name of the function that returns the callee's edge for (routine, return address). On x86-64, the
 * function's calling convention is LLVM's coldcc, and the function changes no register except rax.
 * For arm64, LLVM has no convention that preserves so many registers, so the function has the
 * calling convention of C functions. The function returns the edge instead of storing it, because a
 * signal handler could overwrite a variable before the callee reads it. */
#define CALL_PLACES_ENTER "aprof_contexts_enter"

/* Marks executables that contain code which counts its own calls. */
#define CALL_PLACES_MARK "aprof_contexts_counts_itself"

enum {
    CALL_PLACES_EDGE_ID = 0,
    CALL_PLACES_EDGE_NODE = 8,
    /* offset of an array of pointers, one for each call in the routine */
    CALL_PLACES_EDGE_PLACES = 80,
    CALL_PLACES_NODE_COUNT = 24,
    CALL_PLACES_NODE_SLOT = 40,
    CALL_PLACES_MOST = 4096, /* later calls in a routine share the last pointer */
    /* at most this number of pointers, at the array's start, are for tail calls */
    CALL_PLACES_TAILS_MOST = 255,
    CALL_PLACES_UNKNOWN = 1, /* id of a routine before its first call; no edge has this id */
    CALL_PLACES_OFF = 2      /* id of the edge that is used while nothing is counted */
};

#endif
