/* Chooses a thread's sampling rate so that sampled activations take a given share of its time.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Only blocks of measured activations are counted, so the thread's cost is the number of measured
 * blocks. The estimated overhead is a fixed time for each measured block, plus a fixed time for
 * each decision. At the end of each window, the thread divides the overhead by the budget's share
 * of its processor time. The thread changes its sampling period by this ratio, at most by a factor
 * of 4. Example with a budget of 5 %: in a window of 10 ms, a thread measured 125 000 blocks. Their
 * estimated overhead is 1 ms, or 10 %, so the sampling period doubles.
 *
 * A window never ends inside a measured activation; otherwise, one long activation would raise the
 * period several times. Overhead above the budget is a debt: the period becomes shorter only after
 * later windows have stayed below the budget by the same amount. Without the debt, a program with
 * few long activations would measure each of them: the windows between these activations have
 * little overhead, so the period would become short again.
 *
 * Reading the clock is a system call. So a thread reads the clock only after an estimated overhead
 * of 10 us. The system call then adds only a few percent to the overhead.
 *
 * Known limits: an activation that is measured for longer than a window exceeds the budget. The
 * rate changes only for later activations. The check at the entry of each routine is not part of
 * the overhead, because no rate reduces the cost of this check. The overhead of a coroutine's
 * activations is counted only from one decision to the next in the same coroutine.
 */
#ifndef NATIVE_TRMS_CALLS_BUDGET_H
#define NATIVE_TRMS_CALLS_BUDGET_H

#include "native/trms/runtime.h"

#define TRMS_BUDGET_FIRST_RATE 8

/* The state of a thread; initially zero. */
struct trms_budget {
    const struct trms_exec_context *ctx; /* execution context of the latest decision */
    uint64_t cost;                       /* cost of `ctx` at the latest decision */
    uint64_t overhead_ns;                /* estimated overhead in the current window */
    uint64_t debt_ns;                    /* overhead above the budget in earlier windows */
    uint64_t unread_ns;                  /* overhead after the latest reading of the clock */
    uint64_t begin_ns;                   /* processor time at which the window began */
    uint32_t rate;                       /* current sampling period; 0: no decision yet */
};

/* The sampling rate of the process. Threads load this struct at each decision, as one word. */
struct trms_rate {
    uint32_t period; /* initial sampling period; with a budget, a thread's first period */
    uint16_t budget; /* overhead of samples in percent; 0: the period is fixed */
    uint16_t is_off; /* whether calls are neither recorded nor counted */
} __attribute__((aligned(8)));

/* Changes the rate of all threads; each thread uses the new rate from its next decision on. */
void trms_rate_set(struct trms_rate rate);
struct trms_rate trms_rate_now(void);

/* Returns the period for the next sampling decision, which this execution context is making. */
uint32_t trms_budget_period(struct trms_budget *budget, const struct trms_exec_context *ctx,
                            struct trms_rate rate);

/* Returns the longest initial period that any thread has used. */
uint32_t trms_budget_longest(void);

#endif
