/* Requests that a program can make to aprof while it is profiled.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * They do nothing unless the program runs under the Valgrind tool, also where the profiler is
 * compiled in.
 *
 *     #include <aprof.h>
 *
 *     APROF_START;               with --instr-atstart=no: measure from here
 *     work();
 *     APROF_STOP;                to here
 *
 * They act on the whole process, all threads included, and cost a few instructions each.
 */
#ifndef APROF_H
#define APROF_H

#include <valgrind/valgrind.h>

enum aprof_request {
    APROF_REQUEST_START = VG_USERREQ_TOOL_BASE('A', 'P'),
    APROF_REQUEST_STOP,
    APROF_REQUEST_TOGGLE,
    APROF_REQUEST_ZERO,
    APROF_REQUEST_DUMP
};

#define APROF_REQUEST(request) VALGRIND_DO_CLIENT_REQUEST_STMT(request, 0, 0, 0, 0, 0)

/* Measure from here on. */
#define APROF_START APROF_REQUEST(APROF_REQUEST_START)

/* Stop measuring; calls and accesses are still followed, and what is written stays input later. */
#define APROF_STOP APROF_REQUEST(APROF_REQUEST_STOP)

/* The other of the two. */
#define APROF_TOGGLE APROF_REQUEST(APROF_REQUEST_TOGGLE)

/* Forget all that was measured; pending activations begin anew. */
#define APROF_ZERO APROF_REQUEST(APROF_REQUEST_ZERO)

/* Write what was measured since the last dump to FILE.1, FILE.2, ... and forget it. Activations
 * that are pending are counted where they end. */
#define APROF_DUMP APROF_REQUEST(APROF_REQUEST_DUMP)

#endif
