/* Selects the entries that hooks record, and how many entries each recorded entry represents.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Static bursting (paper 002, section 5): one burst of each sampling interval is recorded. In this
 * runtime, an interval is a number of entries of routines, which each thread counts separately:
 *
 * - In a gap, patched entries only decrement contexts_left (patch.c). When an entry decrements
 *   contexts_left below zero, a burst begins, in which all entries call the hook.
 * - A burst records `length` entries, each of which counts `weight`. The gap before a burst has
 *   length * (weight - 1) entries, so the burst represents itself and the gap. So totals are exact
 *   at the end of a burst, regardless of the cost of hooks. The number of entries that no burst has
 *   represented yet is also known.
 * - The lengths of a burst and its gap are random: half to one and a half times the mean. So bursts
 *   do not follow periodic behaviour of the program.
 * - The mean length of bursts adapts to the program. It is the product of the rate of entries in
 *   the latest gap and the planned duration of a burst. The rate and the duration refer to
 *   processor time of the thread.
 *
 * Example with 20ms/2ms: 900 000 entries passed in a gap of 18 ms. The next burst records 100 000
 * entries on average (at random 50 000 to 150 000), after a gap of nine times as many entries. So
 * each recorded entry of this burst counts as 10 entries.
 *
 * The run begins with a burst of a whole interval, with weight 1, because a program's first actions
 * are seldom repeated. Later threads begin at a random position within a gap. A thread may end
 * within a gap, or begin with a burst that represents more entries than have occurred. In both
 * cases, an account records how many entries occurred but are not represented; the number is
 * negative if a burst represents too many. The weight of the next burst of any thread balances the
 * account.
 *
 * Estimates have errors because contexts are clustered. A context whose calls were all recorded in
 * one burst might equally have appeared in no burst or in several bursts. So the report has the
 * weight of the heaviest burst, and estimates treat a count as a number of bursts with this weight.
 *
 * Adaptive bursting (paper 002, reference 13): if bursts have often begun in a context, only one of
 * SKIP bursts that begin there is recorded. The recorded burst also represents the omitted bursts,
 * which have a separate account.
 */
#include "native/contexts/runtime.h"
#include "native/base/process.h"
#include "ground/host.h"

/* A burst has at least this length, because each burst begins with a stack walk. */
#define LEAST_LENGTH 32
#define MOST_LENGTH  ((uint64_t)1 << 32)
/* during the first burst, the clock is read whenever this number of entries has occurred */
#define FIRST_LOOK  1024
#define CHANGE_MOST 16 /* largest ratio of the mean lengths of two successive bursts */
/* limit: to balance the account, a burst's weight grows by at most this multiple of the weight that
 * its gap requires */
#define GREATER_MOST   15
#define FAMILIAR       4096 /* number of hash values of contexts, per thread */
#define FAMILIAR_AFTER 8
#define SKIP           4

/* Atomic data that all threads share. */
static struct {
    /* number of entries that no burst represents; [1]: in contexts where many bursts have begun,
     * [0]: in other contexts */
    int64_t account[2];
    uint64_t pace; /* latest mean length of bursts in any thread; 0: unknown */
    uint64_t clump;
    uint32_t bursts;
} burst;

static bool is_bursting(void)
{
    return contexts_config.burst != BURST_OFF;
}

/* Returns the upper 32 bits of the generator xorshift64*, which suffices for choosing the lengths
 * of gaps. */
static uint64_t next_random(struct contexts_thread *t)
{
    uint64_t *state = &t->burst.random;
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du >> 32;
}

static uint64_t within(uint64_t value, uint64_t least, uint64_t most)
{
    return value < least ? least : (value > most ? most : value);
}

/* ---------------------------------------------------------------- gaps */

/* Returns the quotient sampling / length. It is rounded up or down at random, so that the average
 * result is the exact quotient. */
static uint64_t choose_weight(struct contexts_thread *t)
{
    const struct contexts_settings *c = &contexts_config;
    return c->sampling / c->length + (next_random(t) % c->length < c->sampling % c->length);
}

static void begin_gap(struct contexts_thread *t)
{
    struct contexts_burst_state *b = &t->burst;
    b->length = b->pace / 2 + next_random(t) % (b->pace + 1);
    b->next_weight = choose_weight(t);
    b->stands_for = (int64_t)(b->length * (b->next_weight - 1));
    if (b->is_late)
        b->stands_for -= (int64_t)(next_random(t) % (uint64_t)(b->stands_for + 1));
    b->is_late = false;
    b->ended_ns = contexts_processor_ns();
    t->in_burst = 0;
    __atomic_store_n(b->left, b->stands_for, __ATOMIC_RELAXED);
}

/* Adapts the mean length of bursts, so that a burst has the planned duration. `entries` is the
 * number of entries in the latest `ns` nanoseconds. */
static void learn_pace(struct contexts_thread *t, uint64_t entries, uint64_t ns)
{
    struct contexts_burst_state *b = &t->burst;
    uint64_t length = (uint64_t)((unsigned __int128)entries * contexts_config.length / (ns | 1));
    if (b->pace)
        length = within(length, b->pace / CHANGE_MOST, b->pace * CHANGE_MOST);
    b->pace = within(length, LEAST_LENGTH, MOST_LENGTH);
    __atomic_store_n(&burst.pace, b->pace, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------- bursts */

int64_t contexts_burst_missing(const struct contexts_thread *t)
{
    const struct contexts_burst_state *b = &t->burst;
    int64_t left = __atomic_load_n(b->left, __ATOMIC_RELAXED);
    int64_t weighed = t->in_burst ? (int64_t)(t->weight * (t->events - b->began)) : 0;
    return b->stands_for - left - weighed;
}

/* Changes this burst's weight so that the burst represents the entries in the account, as far as
 * the limits of the weight permit. */
static void settle(struct contexts_thread *t, int64_t *account)
{
    struct contexts_burst_state *b = &t->burst;
    int64_t due = __atomic_exchange_n(account, 0, __ATOMIC_RELAXED), length = (int64_t)b->length;
    int64_t weight = (int64_t)t->weight, more = due / length;
    if (more < 1 - weight)
        more = 1 - weight;
    if (more > GREATER_MOST * weight)
        more = GREATER_MOST * weight;
    t->weight += (uint64_t)more;
    b->stands_for += more * length;
    __atomic_add_fetch(account, due - more * length, __ATOMIC_RELAXED);
}

/* In adaptive bursting, returns whether many bursts have begun in this context. */
static bool is_familiar(struct contexts_thread *t)
{
    const struct contexts_frame *top = t->top;
    uint64_t hash = context_tree_hash(top->node, top->routine, top->site);
    if (!t->burst.familiar)
        t->burst.familiar = host_map("aprof.contexts.familiar", FAMILIAR);
    uint8_t *times = &t->burst.familiar[hash % FAMILIAR];
    if (*times == FAMILIAR_AFTER)
        return true;
    ++*times;
    return false;
}

static bool skip_burst(struct contexts_thread *t)
{
    if (next_random(t) % SKIP == 0)
        return false;
    __atomic_add_fetch(&burst.account[1], contexts_burst_missing(t), __ATOMIC_RELAXED);
    begin_gap(t);
    return true;
}

/* Begins a burst. The burst's first entry has already decremented contexts_left, and is
 * recorded. */
bool contexts_burst_begin(struct contexts_thread *t, const struct contexts_place *place)
{
    struct contexts_burst_state *b = &t->burst;
    if (b->stands_for > 0)
        learn_pace(t, (uint64_t)b->stands_for, contexts_processor_ns() - b->ended_ns);
    contexts_stack_resync(t, *place);
    bool familiar = contexts_config.burst == BURST_ADAPTIVE && is_familiar(t);
    if (familiar && skip_burst(t))
        return false;
    t->weight = b->next_weight;
    settle(t, &burst.account[familiar]);
    t->in_burst = 1;
    b->began = t->events;
    t->check = t->events + b->length;
    return true;
}

static void note_clump(uint64_t sum)
{
    uint64_t largest = __atomic_load_n(&burst.clump, __ATOMIC_RELAXED);
    while (sum > largest && !__atomic_compare_exchange_n(&burst.clump, &largest, sum, true,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    __atomic_add_fetch(&burst.bursts, 1, __ATOMIC_RELAXED);
}

/* Returns whether the burst is over. The first burst lasts as long as an interval. */
static bool is_over(struct contexts_thread *t)
{
    struct contexts_burst_state *b = &t->burst;
    if (b->pace)
        return true;
    uint64_t ns = contexts_processor_ns() - b->ended_ns;
    if (ns >= contexts_config.sampling)
        learn_pace(t, t->events - b->began, ns);
    t->check = t->events + FIRST_LOOK;
    return b->pace > 0;
}

void contexts_burst_check(struct contexts_thread *t)
{
    if (!is_over(t))
        return;
    if (t->weight > 1)
        note_clump(t->weight * (t->events - t->burst.began));
    int64_t missing = contexts_burst_missing(t);
    if (missing)
        __atomic_add_fetch(&burst.account[0], missing, __ATOMIC_RELAXED);
    begin_gap(t);
}

/* ---------------------------------------------------------------- life */

/* Starts the bursts of a thread. A negative `left` means that -left entries should have been
 * recorded and were not. */
void contexts_burst_thread(struct contexts_thread *t, int64_t left)
{
    struct contexts_burst_state *b = &t->burst;
    t->weight = 1;
    t->in_burst = 1;
    t->check = ~(uint64_t)0;
    t->clock = contexts_cycles();
    contexts_left = left;
    if (!is_bursting())
        return;
    b->left = &contexts_left;
    b->random = contexts_cycles() ^ (uint64_t)native_pid() << 32 ^ (uintptr_t)t;
    b->pace = __atomic_load_n(&burst.pace, __ATOMIC_RELAXED);
    b->is_late = b->pace > 0;
    b->stands_for = 0;
    b->began = t->events;
    b->ended_ns = contexts_processor_ns();
    t->check = t->events + (b->is_late ? 1 : FIRST_LOOK);
}

void contexts_burst_free(struct contexts_thread *t)
{
    if (is_bursting())
        __atomic_add_fetch(&burst.account[0], contexts_burst_missing(t), __ATOMIC_RELAXED);
    if (t->burst.familiar)
        host_unmap(t->burst.familiar, FAMILIAR);
}

/* Clears the data that threads share, in a forked child. Call this function before the bursts of
 * the child's thread start. */
void contexts_burst_forked(void)
{
    memset(&burst, 0, sizeof(burst));
}

struct contexts_precision contexts_burst_precision(void)
{
    return (struct contexts_precision){
        .bursts = __atomic_load_n(&burst.bursts, __ATOMIC_RELAXED),
        .clump = __atomic_load_n(&burst.clump, __ATOMIC_RELAXED),
        .missing = burst.account[0] + burst.account[1],
    };
}
