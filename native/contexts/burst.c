/* Bursts: when the hooks look, and what a look stands for.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Static bursting (paper 002, section 5): of each sampling interval, one burst is looked at. Here
 *
 *   - the gap before a burst is random (half to one and a half times the mean), so that bursts do
 *     not keep step with the program;
 *   - each event counts (gap + burst) / burst, with the gap that there was: the sums estimate the
 *     counts of the whole run, not of the part that was seen. The run begins with a burst of a
 *     whole interval, which stands for itself: what a program does first it seldom does again;
 *   - a burst ends when the program has run for its length *without* what the hooks took. Otherwise
 *     phases with many calls, which hooks slow down most, would count less than quiet ones. One
 *     event in EVENTS_PER_LOOK is timed for that.
 *
 * Example, 20ms/2ms: a gap of 17 ms, then a burst. 100 000 events at 20 ns are seen before the
 * program's own time is 2 ms, which takes 4 ms; each counts 9 or 10 (9.5 on average).
 *
 * Weights and lengths are processor time of the process, so that neither waiting nor other
 * processes have a say. A helper that the kernel, but not the C library, knows as a thread of the
 * process opens bursts: no signal or timer of the program is used, and none can reach it. It goes
 * by the clock on the wall: the processor time of a thread that runs on another core is known to it
 * only as of the latest tick, which may be longer ago than a burst lasts. For the same reason the
 * first thread that calls a hook in a burst says when it began. Whichever thread notices first that
 * a burst is over closes it for all.
 *
 * How wrong the estimate can be. What the hooks took is known only roughly, as they overlap with the
 * program and disturb its caches: it is taken to lie between half and twice of what was measured,
 * and with it the program's own time in bursts, and the share of the run that they stand for:
 *
 *     own time in bursts 40 ms (30 to 45), in gaps 360 ms   ->   weights 10 (9 to 13)
 *
 * And contexts come in clumps: of a context whose calls fall into one burst there might as well have
 * been none, or several such bursts. contexts_burst_precision gives both to the report: the range of
 * the factor, and the largest sum of weights in a burst, of which any count is a number of clumps.
 *
 * Adaptive bursting (paper 002, reference 13): where bursts have begun often before, only one in
 * SKIP is looked at, and stands for SKIP.
 */
#define _GNU_SOURCE
#include "native/contexts/runtime.h"
#include "native/contexts/burst_word.h"
#include "native/base/process.h"
#include "native/base/raw_thread.h"
#include "native/base/syscalls.h"
#include "ground/host.h"

#include <sys/prctl.h>

#define EVENTS_PER_LOOK 32       /* on average */
#define HOT_COST        24       /* cycles of an event whose data are in the cache, in a row */
#define LARGEST_COST    20000    /* one that took longer was interrupted */
#define LEAST_NAP       20000    /* ns, of the helper; what a nap itself costs is less */
#define IDLE_NAP        10000000 /* while the process does nothing */
#define PATIENCE        32
#define NO_BURST        0xffffffffu
#define BEGINNING_NS    100000 /* what may be lost where code has just been changed, of each burst */
#define FAMILIAR        4096   /* contexts by hash, per thread */
#define FAMILIAR_AFTER  8
#define SKIP            4
#define HELPER_STACK    ((size_t)65536)
#define ENDLESS         ((uint64_t)1 << 62) /* ns */

static struct {
    uint32_t number;       /* of the latest burst */
    uint32_t closing;      /* the latest burst that somebody closes */
    uint32_t opening;      /* entries are being switched on */
    uint32_t unseen;       /* no thread has called a hook in it yet */
    uint32_t threads;      /* of the process, those that have called hooks */
    uint64_t began, ended; /* processor time of the process, ns */
    uint64_t overhead;     /* of this burst: cycles that hooks took, in all threads */
    uint64_t look;         /* cycles: nobody needs to ask for the processor time before */
    uint64_t length;       /* of this burst, ns */
    uint64_t dated;        /* number and weight of the latest burst that has one: burst_word.h */
    uint64_t helper_ns;    /* processor time of the helper, those before it included */
    uint64_t helpers_ns;   /* of those before it */
    uint64_t events;       /* of this burst, in all threads */
    uint64_t random;
} burst;

/* Over all bursts that are over, but for the first, which stands for itself; ns. */
static struct {
    uint64_t gaps;
    uint64_t own, own_least, own_most; /* in bursts */
    uint64_t largest;                  /* sum of weights in one burst */
    uint32_t bursts;
} precision;

/* Processor time of the process without that of the helper, as of its latest nap. */
static uint64_t program_ns(void)
{
    uint64_t whole = contexts_process_ns(),
             helper = __atomic_load_n(&burst.helper_ns, __ATOMIC_RELAXED);
    return whole > helper ? whole - helper : 0;
}

/* xorshift64*: enough for gaps. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

/* ---------------------------------------------------------------- in the program's threads */

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What hooks took of this burst until now. That it is more than this part is not believed. */
static uint64_t hooks_ns(uint64_t now)
{
    uint64_t ours = contexts_cycles_to_ns(__atomic_load_n(&burst.overhead, __ATOMIC_RELAXED));
    return least_of(ours, (now - burst.began) / 16 * 15);
}

/* The burst is over: adds it to what the precision follows from. By one thread. */
static void account(uint32_t number, uint64_t now)
{
    uint64_t weight = burst_word_weight(&burst.dated, number); /* 0: nobody has called a hook */
    uint64_t whole = now - burst.began, ours = hooks_ns(now);
    uint64_t sum = weight * __atomic_load_n(&burst.events, __ATOMIC_RELAXED);
    if (weight <= 1)
        return;
    precision.bursts++;
    precision.gaps += (weight - 1) * contexts_config.length;
    precision.own += whole - ours;
    precision.own_most += whole - ours / 2;
    precision.own_least += whole - least_of(2 * ours + BEGINNING_NS, whole / 32 * 31);
    precision.largest = sum > precision.largest ? sum : precision.largest;
}

/* Several may say so: `ended` stands before the helper can see that the gate is closed. */
static void close_burst(uint32_t number, uint64_t now)
{
    if (__atomic_load_n(&contexts_gate, __ATOMIC_RELAXED) != number)
        return;
    __atomic_store_n(&burst.ended, now, __ATOMIC_RELAXED);
    if (__atomic_exchange_n(&burst.closing, number, __ATOMIC_ACQ_REL) == number)
        return;
    account(number, now);
    __atomic_compare_exchange_n(&contexts_gate, &number, 0, false, __ATOMIC_ACQ_REL,
                                __ATOMIC_RELAXED);
}

/* How long the program still has to run for the burst, in ns; 0: the burst has been closed. */
static uint64_t time_left(uint32_t number)
{
    uint64_t now = program_ns();
    uint64_t end = burst.began + burst.length + hooks_ns(now);
    if (now < end)
        return end - now;
    close_burst(number, now);
    return 0;
}

/* Adaptive: is this burst one of those that are left out? */
static bool skip_burst(struct contexts_thread *t)
{
    const struct contexts_frame *top = t->top;
    uint64_t hash = context_tree_hash(top->node, top->routine, top->site);
    if (!t->familiar)
        t->familiar = host_map("aprof.contexts.familiar", FAMILIAR);
    uint8_t *times = &t->familiar[hash % FAMILIAR];
    if (*times < FAMILIAR_AFTER) {
        ++*times;
        return false;
    }
    if ((next_random(&t->random) >> 32) % SKIP)
        return true;
    t->weight *= SKIP;
    return false;
}

/* (gap + length) / length, up or down at random so that the mean is right. */
static uint64_t weight_of(uint64_t gap)
{
    uint64_t length = contexts_config.length;
    uint64_t weight = (gap + length) / length, rest = (gap + length) % length;
    return weight + (next_random(&burst.random) % length < rest);
}

/* The first thread of a burst: the gap has lasted until now. If it was stopped before it came here,
 * the burst is over. */
static void date_burst(uint32_t number)
{
    uint64_t now = program_ns(), ended = __atomic_load_n(&burst.ended, __ATOMIC_ACQUIRE);
    uint64_t weight = weight_of(now > ended ? now - ended : 0);
    if (__atomic_load_n(&contexts_gate, __ATOMIC_RELAXED) != number)
        return;
    __atomic_store_n(&burst.began, now, __ATOMIC_RELAXED);
    burst_word_set(&burst.dated, number, weight);
}

/* Other threads of the burst wait until the first one has dated it. 0: the burst is over, or a later
 * one has come: what its weight was is not known any more, and nobody needs it. The first thread is
 * no handler of this one: a thread that is inside a hook enters no other. */
static uint64_t await_weight(uint32_t number)
{
    for (;;) {
        uint64_t weight = burst_word_weight(&burst.dated, number);
        if (weight)
            return weight;
        if (__atomic_load_n(&contexts_gate, __ATOMIC_RELAXED) != number)
            return 0;
        native_syscall(SYS_sched_yield);
    }
}

static bool begin_burst(struct contexts_thread *t, const struct contexts_place *place,
                        uint32_t number)
{
    uint64_t start = contexts_cycles();
    if (__atomic_load_n(&burst.unseen, __ATOMIC_RELAXED) &&
        __atomic_exchange_n(&burst.unseen, 0, __ATOMIC_ACQ_REL))
        date_burst(number);
    uint64_t weight = await_weight(number);
    if (!weight)
        return false;
    t->weight = weight;
    contexts_stack_resync(t, *place);
    t->clock = contexts_cycles();
    __atomic_add_fetch(&burst.overhead, t->clock - start, __ATOMIC_RELAXED);
    if (contexts_config.burst == BURST_ADAPTIVE && skip_burst(t)) {
        t->done = number;
        t->epoch = NO_BURST;
        if (__atomic_load_n(&burst.threads, __ATOMIC_RELAXED) == 1)
            close_burst(number, program_ns());
        return false;
    }
    t->epoch = number;
    t->burst_events = t->events;
    t->check = t->events + EVENTS_PER_LOOK;
    return true;
}

bool contexts_burst_enter(struct contexts_thread *t, const struct contexts_place *place)
{
    uint32_t number = __atomic_load_n(&contexts_gate, __ATOMIC_ACQUIRE);
    if (!number) {
        if (!place->in_hook && !__atomic_load_n(&burst.opening, __ATOMIC_RELAXED))
            contexts_patch_disable(place->routine);
        return false;
    }
    if (t->done == number)
        return false;
    if (t->measure == number) {
        t->measure = 0;
        t->epoch = number;
        t->check = t->events + 1;
        t->hook_began = contexts_cycles();
        return true;
    }
    return begin_burst(t, place, number);
}

/* The event that was timed is over, and stands for those since the one before. A single one takes
 * longer than one of many, which overlap with each other and with the program: what counts is how
 * much longer than the shortest it took. No mean over bursts stands in for it: an event costs ten
 * times as much where a burst begins, with the tree in no cache, as later. */
static void learn(struct contexts_thread *t, uint64_t now)
{
    uint64_t cost = now - t->hook_began;
    if (cost < t->hook_least)
        t->hook_least = cost;
    cost = least_of(HOT_COST + cost - t->hook_least, LARGEST_COST);
    __atomic_add_fetch(&burst.overhead, cost * t->hook_events, __ATOMIC_RELAXED);
    t->hook_began = 0;
    t->check = t->events + EVENTS_PER_LOOK / 2 + (next_random(&t->random) >> 32) % EVENTS_PER_LOOK;
}

void contexts_burst_check(struct contexts_thread *t)
{
    uint64_t now = contexts_cycles();
    if (t->hook_began) {
        learn(t, now);
        return;
    }
    t->hook_events = t->events - t->burst_events;
    t->burst_events = t->events;
    __atomic_add_fetch(&burst.events, t->hook_events, __ATOMIC_RELAXED);
    if (now >= __atomic_load_n(&burst.look, __ATOMIC_RELAXED)) {
        uint64_t left = time_left(t->epoch);
        uint32_t threads = __atomic_load_n(&burst.threads, __ATOMIC_RELAXED);
        __atomic_store_n(&burst.look, now + contexts_ns_to_cycles(left) / (threads ? threads : 1),
                         __ATOMIC_RELAXED);
    }
    t->measure = t->epoch;
    t->epoch = NO_BURST; /* so that the next event goes by contexts_burst_enter */
}

/* ---------------------------------------------------------------- the helper */

static struct native_raw_thread helper;

static bool must_stop(void)
{
    return __atomic_load_n(&helper.stop, __ATOMIC_ACQUIRE);
}

/* Until the time is over, or the helper is to stop. */
static void nap(uint64_t ns)
{
    __atomic_store_n(&burst.helper_ns, contexts_processor_ns() + burst.helpers_ns,
                     __ATOMIC_RELAXED);
    native_futex_wait(&helper.stop, 0, ns ? ns : 1);
}

/* Threads close a burst when they have many events; if they have few, this does. */
static void await_end(void)
{
    uint32_t number = burst.number;
    uint64_t left = burst.length;
    for (unsigned naps = 0;
         __atomic_load_n(&contexts_gate, __ATOMIC_ACQUIRE) == number && !must_stop(); naps++) {
        nap(naps > PATIENCE ? IDLE_NAP : (left > LEAST_NAP ? left : LEAST_NAP));
        if (__atomic_load_n(&contexts_gate, __ATOMIC_ACQUIRE) == number)
            left = time_left(number);
    }
}

/* Entries first: those that are hit before the gate is open stay as they are. `weight` 0: the first
 * thread finds it out. */
static void open_burst(uint64_t length, uint64_t weight)
{
    __atomic_store_n(&burst.opening, 1, __ATOMIC_RELAXED);
    contexts_patch_enable();
    burst.began = program_ns();
    burst.length = length;
    burst.overhead = burst.events = 0;
    burst.look = 0;
    burst.number++;
    burst.unseen = weight == 0;
    if (weight)
        __atomic_store_n(&burst.dated, burst_word(burst.number, weight), __ATOMIC_RELAXED);
    __atomic_store_n(&contexts_gate, burst.number, __ATOMIC_RELEASE);
    __atomic_store_n(&burst.opening, 0, __ATOMIC_RELAXED);
}

static void run_helper(void *argument)
{
    uint64_t gap = contexts_config.sampling - contexts_config.length;
    (void)argument;
    native_syscall(SYS_prctl, PR_SET_TIMERSLACK, 1);
    for (;;) {
        await_end();
        if (!must_stop())
            nap(gap / 2 + next_random(&burst.random) % (gap + 1));
        if (must_stop()) {
            burst.helpers_ns = burst.helper_ns;
            return;
        }
        open_burst(contexts_config.length, 0);
    }
}

/* Nobody opens bursts any more: the one that begins now has no end, and stands for itself. */
static void lose_helper(void *argument)
{
    (void)argument;
    native_message("contexts: bursts",
                   "their thread cannot be started any more: everything is counted from here on");
    open_burst(ENDLESS, 1);
}

/* A thread without the C library: the last one that it knows of ends the process as ever. */
static void start_helper(void)
{
    helper.name = "aprof";
    helper.function = run_helper;
    helper.lost = lose_helper;
    helper.stack_bytes = HELPER_STACK;
    int result = native_raw_thread_start(&helper);
    if (result < 0)
        native_message("contexts: bursts", native_error_text(-result));
}

/* ---------------------------------------------------------------- life */

static void begin_bursting(void)
{
    burst.helper_ns = burst.helpers_ns = 0;
    burst.began = burst.ended = program_ns();
    burst.length = contexts_config.sampling;
    burst.overhead = burst.events = 0;
    burst.look = 0;
    burst.closing = 0;
    burst.opening = 0;
    burst.unseen = 0;
    memset(&precision, 0, sizeof precision);
    burst.random ^= contexts_cycles() ^ (uint64_t)native_pid() << 32 ^ 0x9e3779b97f4a7c15u;
    burst.number++;
    burst.dated = burst_word(burst.number, 1);
    __atomic_store_n(&contexts_gate, burst.number, __ATOMIC_RELEASE);
    start_helper();
}

void contexts_burst_start(void)
{
    if (contexts_config.burst == BURST_OFF)
        contexts_gate = 1;
    else
        begin_bursting();
}

void contexts_burst_thread(struct contexts_thread *t)
{
    t->weight = 1;
    t->check = ~(uint64_t)0;
    t->hook_least = LARGEST_COST;
    t->random = burst.random + (uintptr_t)t;
    t->clock = contexts_cycles();
    t->epoch = contexts_config.burst == BURST_OFF ? 1 : NO_BURST;
    __atomic_add_fetch(&burst.threads, 1, __ATOMIC_RELAXED);
}

void contexts_burst_free(struct contexts_thread *t)
{
    if (t->familiar)
        host_unmap(t->familiar, FAMILIAR);
    __atomic_sub_fetch(&burst.threads, 1, __ATOMIC_RELAXED);
}

void contexts_burst_forked(void)
{
    burst.threads = 1;
    contexts_patch_forked();
    if (contexts_config.burst != BURST_OFF)
        begin_bursting();
}

/* ---------------------------------------------------------------- what the estimate is worth */

static uint32_t per_mille(uint64_t part, uint64_t whole)
{
    unsigned __int128 share = whole ? (unsigned __int128)part * 1000 / whole : 1000;
    return share < 1000000 ? (uint32_t)share : 1000000;
}

/* The factor of a part that is `own` when it is taken to be `other`. */
static uint32_t factor(uint64_t other)
{
    if (!precision.own || !other)
        return 1000;
    uint64_t here = per_mille(precision.gaps + precision.own, precision.own);
    return per_mille(per_mille(precision.gaps + other, other), here);
}

/* No burst stands for what has run since the latest one. */
static uint32_t with_tail(uint32_t highest, uint64_t now)
{
    uint64_t seen = precision.gaps + precision.own, tail = now - least_of(now, burst.ended);
    return seen ? per_mille(highest * (seen + tail) / 1000, seen) : highest;
}

struct contexts_precision contexts_burst_precision(void)
{
    uint64_t now = contexts_config.burst ? program_ns() : 0;
    uint32_t gate = __atomic_load_n(&contexts_gate, __ATOMIC_ACQUIRE);
    if (contexts_config.burst && gate)
        close_burst(gate, now);
    uint64_t skipped = contexts_config.burst == BURST_ADAPTIVE ? SKIP : 1;
    return (struct contexts_precision){
        .bursts = precision.bursts,
        .lowest = factor(precision.own_most),
        .highest = with_tail(factor(precision.own_least), now),
        .clump = precision.largest * skipped,
    };
}
