/* The sampling rate of a thread; see budget.h.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/trms/calls/budget.h"

/* estimated overhead of a measured block; about 6 ns were measured for short routines */
#define BLOCK_NS    8
#define DECISION_NS 200   /* estimated overhead of a decision and of beginning its activation */
#define UNREAD_NS   10000 /* overhead between two readings of the clock */
#define WINDOW_NS   10000000
#define MOST_CHANGE 4
#define LEAST_RATE  2
#define MOST_RATE   65536

static struct trms_rate rate_of_all; /* atomic */
static uint32_t longest;             /* atomic; longest initial period of all threads */

static void note_longest(uint32_t rate)
{
    uint32_t known = __atomic_load_n(&longest, __ATOMIC_RELAXED);
    while (rate > known && !__atomic_compare_exchange_n(&longest, &known, rate, false,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static uint64_t within(uint64_t low, uint64_t value, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void end_window(struct trms_budget *budget, uint64_t passed_ns, uint32_t percent)
{
    uint64_t allowed_ns = passed_ns * percent / 100, rate = budget->rate;
    uint64_t wanted = rate * budget->overhead_ns / allowed_ns;
    uint64_t spent_ns = budget->debt_ns + budget->overhead_ns;
    budget->debt_ns = spent_ns > allowed_ns ? spent_ns - allowed_ns : 0;
    if (budget->debt_ns && wanted < rate)
        wanted = rate;
    wanted = within(rate / MOST_CHANGE, wanted, rate * MOST_CHANGE);
    budget->rate = (uint32_t)within(LEAST_RATE, wanted, MOST_RATE);
    budget->overhead_ns = 0;
    note_longest(budget->rate);
}

/* In a forked child, the clock of the thread starts at zero, so a new window starts. */
static void read_clock(struct trms_budget *budget, uint32_t percent)
{
    uint64_t now = trms_thread_nanoseconds();
    budget->unread_ns = 0;
    if (now >= budget->begin_ns && now - budget->begin_ns < WINDOW_NS)
        return;
    if (now > budget->begin_ns)
        end_window(budget, now - budget->begin_ns, percent);
    budget->begin_ns = now;
}

void trms_rate_set(struct trms_rate rate)
{
    note_longest(rate.period);
    __atomic_store(&rate_of_all, &rate, __ATOMIC_RELAXED);
}

struct trms_rate trms_rate_now(void)
{
    struct trms_rate rate;
    __atomic_load(&rate_of_all, &rate, __ATOMIC_RELAXED);
    return rate;
}

/* Ends the window without a change of the period; the next window begins at the next reading of the
 * clock. */
static uint32_t rest(struct trms_budget *budget, const struct trms_exec_context *ctx)
{
    budget->ctx = ctx;
    budget->cost = ctx->cost;
    budget->overhead_ns = budget->unread_ns = 0;
    budget->begin_ns = ~(uint64_t)0;
    return budget->rate;
}

uint32_t trms_budget_period(struct trms_budget *budget, const struct trms_exec_context *ctx,
                            struct trms_rate rate)
{
    bool is_same = budget->ctx == ctx && ctx->cost > budget->cost;
    uint64_t blocks = is_same ? ctx->cost - budget->cost : 0;
    uint64_t overhead_ns = DECISION_NS + BLOCK_NS * blocks;
    if (!budget->rate)
        budget->rate = rate.period;
    if (rate.is_off)
        return rest(budget, ctx);
    budget->ctx = ctx;
    budget->cost = ctx->cost;
    budget->overhead_ns += overhead_ns;
    budget->unread_ns += overhead_ns;
    if (budget->unread_ns >= UNREAD_NS && !trms_is_pending(ctx))
        read_clock(budget, rate.budget);
    return budget->rate;
}

uint32_t trms_budget_longest(void)
{
    return __atomic_load_n(&longest, __ATOMIC_RELAXED);
}
