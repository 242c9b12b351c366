/* Requests that a program can make to aprof while it is being profiled.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Without the Valgrind tool, the requests do nothing. Programs compiled with aprof-cc measure
 * regions, but ignore the other requests.
 *
 *     #include <aprof.h>
 *
 *     APROF_START;               with --instr-atstart=no: measure from here
 *     work();
 *     APROF_STOP;                to here
 *
 * The following requests apply to all threads of the process. A region is measured as a routine
 * with the region's name: calls, input sizes, cost and growth.
 *
 *     APROF_REGION("parse");     C and C++: to the end of the block
 *
 *     APROF_REGION_BEGIN("sort");
 *     sort(a, n);
 *     APROF_REGION_END();        in the same function
 *
 * Each request costs a few instructions.
 */
#ifndef APROF_H
#define APROF_H

#include <valgrind/valgrind.h>

enum aprof_request {
    APROF_REQUEST_START = VG_USERREQ_TOOL_BASE('A', 'P'),
    APROF_REQUEST_STOP,
    APROF_REQUEST_TOGGLE,
    APROF_REQUEST_ZERO,
    APROF_REQUEST_DUMP,
    APROF_REQUEST_REGION_BEGIN,
    APROF_REQUEST_REGION_END,
    /* Only aprof's hooks in interpreters make these requests. Each hook is an object file with the
     * name `_aprof.*`.
     *
     *     SCRIPT_NAME   name as of perf_function_of ("py::f:/srv/f.py"), line: returns the name's
     *                   number, or 0
     *     SCRIPT_BEGIN  number; slot of the interpreter's call that runs the function (the address
     *                   of its return address), or 0 if the end will be reported
     *     SCRIPT_END    the innermost function ends
     *     PAUSE         the thread counts nothing until RESUME, or a begin or end of a function */
    APROF_REQUEST_SCRIPT_NAME,
    APROF_REQUEST_SCRIPT_BEGIN,
    APROF_REQUEST_SCRIPT_END,
    APROF_REQUEST_PAUSE,
    APROF_REQUEST_RESUME
};

#define APROF_REQUEST(request) VALGRIND_DO_CLIENT_REQUEST_STMT(request, 0, 0, 0, 0, 0)

/* Starts measuring. */
#define APROF_START APROF_REQUEST(APROF_REQUEST_START)

/* Stops measuring. Calls and accesses are still tracked while nothing is measured, so memory that
 * is written now can be input later. */
#define APROF_STOP APROF_REQUEST(APROF_REQUEST_STOP)

/* Switches measuring on or off. */
#define APROF_TOGGLE APROF_REQUEST(APROF_REQUEST_TOGGLE)

/* Clears all measurements; the measurement of pending activations starts from zero. */
#define APROF_ZERO APROF_REQUEST(APROF_REQUEST_ZERO)

/* Writes the measurements since the last dump to FILE.1, FILE.2, ... and clears the measurements. A
 * pending activation is counted in the report of the period in which it ends. */
#define APROF_DUMP APROF_REQUEST(APROF_REQUEST_DUMP)

/* Begins a region: an activation of a routine with this name (at most 255 bytes). Regions nest. A
 * region belongs to the activation of the function that opens the region, and ends with this
 * activation at the latest. The activation ends by return, longjmp, exception, or a jump back to
 * the function's own entry. */
#ifndef APROF_HAS_REGIONS
#define APROF_REGION_BEGIN(name)                                                                   \
    VALGRIND_DO_CLIENT_REQUEST_STMT(APROF_REQUEST_REGION_BEGIN, name, 0, 0, 0, 0)

/* Ends the innermost open region of the current function; does nothing if there is none. */
#define APROF_REGION_END() APROF_REQUEST(APROF_REQUEST_REGION_END)

#define APROF_IS_MEASURED_ RUNNING_ON_VALGRIND
#else

/* If aprof-cc builds a program that measures its own input sizes, it defines APROF_HAS_REGIONS and
 * links these functions. `pointer` is the stack pointer of the function to which the region
 * belongs; if it is 0, the region belongs to the caller. */
#ifdef __cplusplus
extern "C" {
#endif
extern void aprof_trms_region_begin(const char *name, unsigned long pointer);
extern void aprof_trms_region_end(unsigned long pointer);
#ifdef __cplusplus
}
#endif
#define APROF_REGION_BEGIN(name) aprof_trms_region_begin(name, 0)
#define APROF_REGION_END()       aprof_trms_region_end(0)
#define APROF_IS_MEASURED_       1
#endif

/* A region from this statement to the end of the enclosing block, however the block is left. */
#define APROF_REGION(name)        APROF_REGION_AT_(name, __COUNTER__)
#define APROF_REGION_AT_(name, n) APROF_REGION_ONE_(name, n)
#ifdef __cplusplus
struct aprof_region_ {
    __attribute__((always_inline)) explicit aprof_region_(const char *name)
    {
        APROF_REGION_BEGIN(name);
    }
    __attribute__((always_inline)) ~aprof_region_()
    {
        APROF_REGION_END();
    }
};
#define APROF_REGION_ONE_(name, n) aprof_region_ aprof_region_##n(name)
#else
static inline __attribute__((always_inline, unused)) void aprof_region_end_(const char *unused)
{
    (void)unused;
    APROF_REGION_END();
}
#define APROF_REGION_ONE_(name, n)                                                                 \
    __attribute__((cleanup(aprof_region_end_), unused)) char aprof_region_##n = 0;                 \
    APROF_REGION_BEGIN(name)
#endif

/* For `aprof test` ----------------------------------------------------------------------------- */

/* Like APROF_REGION(), but the region has a declared input size. `aprof test` shows how the
 * region's cost grows with `size`, a whole number. The region's name has at most 200 bytes. If the
 * program is not profiled, the region has no declared size. */
#define APROF_REGION_SIZED(name, size)        APROF_REGION_SIZED_AT_(name, size, __COUNTER__)
#define APROF_REGION_SIZED_AT_(name, size, n) APROF_REGION_SIZED_ONE_(name, size, aprof_sized_##n)
#define APROF_REGION_SIZED_ONE_(name, size, text)                                                  \
    char text[256];                                                                                \
    APROF_REGION(aprof_sized_name_(text, name, size))

static inline __attribute__((unused)) const char *aprof_sized_name_(char *to, const char *name,
                                                                    unsigned long size)
{
    unsigned at = 0, i;
    char digits[20];
    if (!APROF_IS_MEASURED_)
        return name;
    for (; *name && at < 200; name++)
        to[at++] = *name;
    for (name = " n="; *name; name++)
        to[at++] = *name;
    for (i = 0; i == 0 || size > 0; size /= 10)
        digits[i++] = (char)('0' + size % 10);
    while (i > 0)
        to[at++] = digits[--i];
    to[at] = 0;
    return to;
}

/* Declares a bound of growth; `aprof test` verifies it like a line `routine bound` in a file of
 * bounds (aprof-check(1)). Both arguments are string literals, for example
 * APROF_EXPECT_GROWTH("parse", "n^2"). The first argument may also be the name of a region, or a
 * pattern. */
#define APROF_EXPECT_GROWTH(routine, bound)                                                        \
    do {                                                                                           \
        APROF_REGION_BEGIN("expect " routine "  " bound);                                          \
        APROF_REGION_END();                                                                        \
    } while (0)

#endif
