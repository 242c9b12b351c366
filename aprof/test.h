/* Test cases as regions, for test listeners that begin and end a region in different functions.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *     aprof_test_begin("Parser.Sorts");        in the listener's function for the start
 *     aprof_test_end();                        in the function for the end, of the same thread
 *
 * A region ends with the function that opens it (aprof.h), but a listener's function returns before
 * the test case starts. So the listener opens the region on behalf of `main`. The hooks' request
 * SCRIPT_BEGIN names an address on the stack and ends the activations below this address. These
 * activations belong to the framework, from main's callee down to the listener. Code of the
 * framework outside test cases counts as main's own code.
 *
 *     main -> run_all -> run_one -> listener     becomes   main -> [region]
 *     main -> run_all -> run_one -> test         becomes   main -> [region] -> test
 *
 * In a program that aprof-cc has compiled, functions of the profiler begin and end the region, at
 * the stack pointer of main. If another program runs without the Valgrind tool, aprof_test_begin
 * and aprof_test_end only test whether the tool is running.
 */
#ifndef APROF_TEST_H
#define APROF_TEST_H

#include <aprof.h>
#include <stdint.h>
#include <unwind.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `main` under another name, because a C++ program may not take the address of `main`. */
extern int aprof_main_(void) __asm__("main");

struct aprof_test_stack {
    uintptr_t slot;    /* address of the return address into main's caller */
    uintptr_t pointer; /* stack pointer of main during a call */
};

/* Called by aprof_test_stack_() for each frame: finds the frame of main. If the thread did not
 * start in main, finds the frame of the outermost caller. */
static inline __attribute__((unused)) _Unwind_Reason_Code
aprof_test_frame_(struct _Unwind_Context *frame, void *found)
{
    struct aprof_test_stack *stack = (struct aprof_test_stack *)found;
    stack->pointer = stack->slot + sizeof(void *);
    stack->slot = _Unwind_GetCFA(frame) - sizeof(void *);
    return _Unwind_GetRegionStart(frame) == (uintptr_t)aprof_main_ ? _URC_END_OF_STACK
                                                                   : _URC_NO_REASON;
}

static inline __attribute__((unused)) struct aprof_test_stack aprof_test_stack_(void)
{
    struct aprof_test_stack stack = {0, 0};
    _Unwind_Backtrace(aprof_test_frame_, &stack);
    return stack;
}

#ifndef APROF_HAS_REGIONS

/* Ends the activations of all functions that main has called. While aprof_test_leave_ runs, nothing
 * is counted for the thread. */
static inline __attribute__((unused)) void aprof_test_leave_(void)
{
    uintptr_t number;
    APROF_REQUEST(APROF_REQUEST_PAUSE);
    number = VALGRIND_DO_CLIENT_REQUEST_EXPR(0, APROF_REQUEST_SCRIPT_NAME, "py::test listener:", 0,
                                             0, 0, 0);
    VALGRIND_DO_CLIENT_REQUEST_STMT(APROF_REQUEST_SCRIPT_BEGIN, number, aprof_test_stack_().slot, 0,
                                    0, 0);
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

#else

static inline __attribute__((unused)) void aprof_test_begin(const char *name)
{
    aprof_trms_region_begin(name, aprof_test_stack_().pointer);
}

static inline __attribute__((unused)) void aprof_test_end(void)
{
    aprof_trms_region_end(aprof_test_stack_().pointer);
}

#endif

#ifdef __cplusplus
}
#endif

#endif
