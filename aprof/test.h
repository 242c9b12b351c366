/* Test cases as regions, for listeners of test frameworks: begin in one function, end in another.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *     aprof_test_begin("Parser.Sorts");        in the listener's function for the start
 *     aprof_test_end();                        in the function for the end, of the same thread
 *
 * A region belongs to the function that opens it and ends with this function (aprof.h), but a
 * listener's function returns before the test case starts. So the region is opened for `main`. The
 * hooks' request SCRIPT_BEGIN names an address on the stack and ends the activations below this
 * address. The ended activations are the framework's, from main's callee down to the listener. The
 * code of the framework that runs outside of test cases then counts as main's own.
 *
 *     main -> run_all -> run_one -> listener     becomes   main -> [region]
 *     main -> run_all -> run_one -> test         becomes   main -> [region] -> test
 *
 * Without the Valgrind tool, aprof_test_begin and aprof_test_end only test whether the tool is
 * there.
 */
#ifndef APROF_TEST_H
#define APROF_TEST_H

#include <aprof.h>
#include <stdint.h>
#include <unwind.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C++ does not allow the address of main under its own name. */
extern int aprof_main_(void) __asm__("main");

/* Stores the address of the return address into main. If main has not started the thread, stores
 * the address of the return address into the outermost caller. */
static inline __attribute__((unused)) _Unwind_Reason_Code
aprof_test_frame_(struct _Unwind_Context *frame, void *slot)
{
    *(uintptr_t *)slot = _Unwind_GetCFA(frame) - sizeof(void *);
    return _Unwind_GetRegionStart(frame) == (uintptr_t)aprof_main_ ? _URC_END_OF_STACK
                                                                   : _URC_NO_REASON;
}

/* Ends all activations below main; until this is done, the thread counts nothing. */
static inline __attribute__((unused)) void aprof_test_leave_(void)
{
    uintptr_t slot = 0, number;
    APROF_REQUEST(APROF_REQUEST_PAUSE);
    number = VALGRIND_DO_CLIENT_REQUEST_EXPR(0, APROF_REQUEST_SCRIPT_NAME, "py::test listener:", 0,
                                             0, 0, 0);
    _Unwind_Backtrace(aprof_test_frame_, &slot);
    VALGRIND_DO_CLIENT_REQUEST_STMT(APROF_REQUEST_SCRIPT_BEGIN, number, slot, 0, 0, 0);
    APROF_REQUEST(APROF_REQUEST_SCRIPT_END);
}

static inline __attribute__((unused)) void aprof_test_begin(const char *name)
{
    if (!RUNNING_ON_VALGRIND)
        return;
    aprof_test_leave_();
    APROF_REGION_BEGIN(name);
}

static inline __attribute__((unused)) void aprof_test_end(void)
{
    if (!RUNNING_ON_VALGRIND)
        return;
    aprof_test_leave_();
    APROF_REGION_END();
}

#ifdef __cplusplus
}
#endif

#endif
