/* Property test: without data races, TRMS without a common clock equals its definition.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each round runs one random program of up to six threads, one operation of one thread at a time.
 * Vector clocks determine which accesses are ordered by the program's synchronisation: locks,
 * semaphores, barriers, conditions, fork and join, atomics. An access that would be a data race is
 * omitted. native/trms/ receives only the synchronisation before each operation. The measurements
 * are compared with the brute force (oracle.h), which processes the accesses in their order. Clocks
 * and tokens are a few bits wide, so that renumbering and recycling are frequent; the record of an
 * ended thread is reused.
 *
 *     test_parallel_trms                          the rounds of `make check`
 *     APROF_ROUNDS=100000 test_parallel_trms      a soak
 *     APROF_SEED=123 APROF_ROUNDS=1 test_parallel_trms    one round again
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/trms_words.h"
#include "native/trms/core.h"
#include "native/trms/shadow/rows.h"
#include "native/trms/shadow/words.h"
#include "tests/property/oracle.h"
#include "tests/property/rng.h"
#include "tests/property/trms_embedder.h"
#include "tests/property/trms_accumulators.h"
#include "tests/unit/cmocka_all.h"
#include "tests/host_test.h"
#include "tests/setting.h"

enum {
    ROUNDS = 1500,
    THREADS = TRMS_TEST_DIRECT_SHADOWS,
    CELLS = 72, /* fewer cells than blocks of tokens */
    ATOMICS = 6,
    LOCKS = 3,
    SEMAPHORES = 3,
    ROUTINES = 12,
    NUMBERS = 4000 /* threads ever */
};

/* ---------------------------------------------------------------- clocks */

struct clock {
    unsigned of[THREADS];
};

static void clock_join(struct clock *to, const struct clock *from)
{
    for (int i = 0; i < THREADS; i++)
        if (from->of[i] > to->of[i])
            to->of[i] = from->of[i];
}

/* The threads that have accessed a cell, with the times of their clocks. */
struct history {
    unsigned written[THREADS], read[THREADS];
};

/* AT_ATOMIC: the write of the operation is recorded, but the operation has not taken place. */
enum blocking { RUNS, AT_BARRIER, AT_CONDITION, AT_ATOMIC, AT_HANDLER };

struct random_thread {
    bool alive, was_joined;
    enum blocking blocked;
    struct clock clock;
    struct trms_exec_context *ctx;
    unsigned oracle; /* its execution context there */
    unsigned number;
    unsigned depth;
    unsigned atomic, order; /* data of the current operation */
    bool is_handler;        /* of a signal */
    unsigned below;         /* of a handler: the thread that the handler interrupted */
};

/* Ranges as in loops: consecutive, separate, overlapping or equal. */
struct pieces_of_loop {
    unsigned begin, bytes, stride, n; /* `begin` in the program's memory */
};

struct program {
    struct rng rng;
    struct trms_world world;
    struct oracle *oracle;
    struct random_thread threads[THREADS];
    unsigned n_alive, last_number;
    struct history cells[CELLS];
    struct clock atomics[ATOMICS], locks[LOCKS], semaphores[SEMAPHORES];
    int holders[LOCKS]; /* thread + 1 */
    unsigned counts[SEMAPHORES];
    struct routine routines[ROUTINES];
    uint64_t base;
    unsigned resolution;
    bool direct_shadows;
    struct pieces_of_loop latest;
};

static struct random_thread *at(struct program *p, unsigned t)
{
    return &p->threads[t];
}

/* ---------------------------------------------------------------- what a thread does */

static void release(struct program *p, unsigned t, struct clock *to)
{
    clock_join(to, &at(p, t)->clock);
    at(p, t)->clock.of[t]++;
}

static void acquire(struct program *p, unsigned t, const struct clock *from)
{
    clock_join(&at(p, t)->clock, from);
}

static bool races(const struct program *p, unsigned t, unsigned cell, bool writes)
{
    const struct history *h = &p->cells[cell];
    for (int other = 0; other < THREADS; other++) {
        unsigned known = p->threads[t].clock.of[other];
        if (h->written[other] > known || (writes && h->read[other] > known))
            return true;
    }
    return false;
}

static bool range_races(const struct program *p, unsigned t, unsigned first, unsigned n,
                        bool writes)
{
    for (unsigned i = 0; i < n; i++)
        if (races(p, t, first + i, writes))
            return true;
    return false;
}

static void note(struct program *p, unsigned t, unsigned first, unsigned n, bool writes)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned now = at(p, t)->clock.of[t];
        if (writes)
            p->cells[first + i].written[t] = now;
        else
            p->cells[first + i].read[t] = now;
    }
}

static uint64_t address_of(const struct program *p, unsigned cell)
{
    return p->base + (uint64_t)cell * p->resolution;
}

static void count_firsts(struct trms_exec_context *s, uint32_t *words, unsigned n,
                         struct trms_activation *ancestor)
{
    uint32_t now = (uint32_t)s->stamp | (words[0] & TRMS_WORDS_STATE);
    for (unsigned i = 0; i < n; i++)
        words[i] = now;
    s->activation->rms += n;
    ancestor->rms -= n;
}

/* The youngest activation that, according to the code alone, has accessed cells of this word; or
 * NULL. */
static struct trms_activation *known_ancestor(const struct trms_exec_context *s, uint32_t word)
{
    struct trms_activation *found = s->found;
    if (word >= s->activation->near)
        return s->activation - 1;
    return word >= found->stamp && word < found[1].stamp && word >= s->synced &&
                   found < s->activation
               ? found
               : NULL;
}

/* The function is the same as in quick.c. The result is false for any other access. */
static bool read_by_words(struct trms_exec_context *s, uint32_t *words, uint64_t address,
                          unsigned n)
{
    if (trms_read_likely(s, words, address, (int)n))
        return true;
    if (trms_is_exclusive(s)) {
        trms_exclusive_read_few(s, words, address, (int)n);
        return true;
    }
    return n == 1   ? trms_shared_read_1(s, words, address)
           : n == 2 ? trms_shared_read_2(s, words, address)
                    : trms_shared_read_4(s, words, address);
}

/* Hooks compare only the floor; inline checks compare more. */
static void read_by_look(struct program *p, struct trms_exec_context *s, uint64_t address,
                         unsigned n)
{
    uint32_t *words = trms_direct_shadow_word(s, address / 4);
    bool are_alike = true;
    if (trms_is_read(s, address, (int)n))
        return;
    for (unsigned i = 0; i < n; i++)
        are_alike &= words[i] == words[0];
    struct trms_activation *ancestor =
        are_alike && rng_once_in(&p->rng, 2) ? known_ancestor(s, words[0]) : NULL;
    if (ancestor) {
        count_firsts(s, words, n, ancestor);
        return;
    }
    if (rng_once_in(&p->rng, 2) && trms_chunk_is_read(s, address, (int)n))
        return;
    words = trms_words_at_hand(s, address, (int)n);
    if (!words || !read_by_words(s, words, address, n))
        trms_access_bytes(s, address, 4 * n, WATCH_READ);
}

/* A write has stored its words in the direct-mapped shadow. */
static void write_by_look(struct program *p, struct trms_exec_context *s, uint64_t address,
                          unsigned n)
{
    if (trms_is_written(s, address, (int)n) || trms_write_likely(s, address, (int)n))
        return;
    if (!trms_has_direct_shadow(s) && trms_chunk_is_written(s, address, (int)n))
        return;
    if (rng_once_in(&p->rng, 2) || !trms_write_at_hand(s, address, 4 * n))
        trms_access_bytes(s, address, 4 * n, WATCH_WRITE);
}

/* Accesses by the functions that code may call while it keeps values in vector registers. */
static bool access_at_hand(struct trms_exec_context *s, uint64_t address, unsigned n,
                           enum watch_kind kind)
{
    bool has_room = trms_is_exclusive(s) || (trms_seen_versions_have_room(s) && s->token_limit);
    return has_room && trms_cells_at_hand(s, address, (int)n) &&
           trms_access_at_hand(s, address, 4 * n, kind);
}

/* Whether the shadow words of the cells are contiguous. */
static bool is_for_looks(uint64_t address, unsigned n)
{
    return (n == 1 || n == 2 || n == 4) &&
           (address & TRMS_TEST_DIRECT_SHADOW_MASK) + 4 * n <= TRMS_TEST_DIRECT_SHADOW_MASK + 4;
}

/* Accesses n cells of 4 bytes by hooks or inline checks. */
static void access_by_any(struct program *p, struct trms_exec_context *s, uint64_t address,
                          unsigned n, enum watch_kind kind)
{
    if (rng_once_in(&p->rng, 4) && access_at_hand(s, address, n, kind))
        return;
    if (!is_for_looks(address, n))
        trms_access_bytes(s, address, 4 * n, kind);
    else if (kind == WATCH_READ)
        read_by_look(p, s, address, n);
    else
        write_by_look(p, s, address, n);
}

static void access_cells(struct program *p, unsigned t, unsigned first, unsigned n,
                         enum watch_kind kind)
{
    struct random_thread *thread = at(p, t);
    uint64_t address = address_of(p, first), bytes = (uint64_t)n * p->resolution;
    unsigned skip = rng_below(&p->rng, p->resolution);
    bool is_small = n <= 4 && p->resolution == 4;
    if (is_small && kind != WATCH_WRITE)
        access_by_any(p, thread->ctx, address, n, WATCH_READ);
    if (is_small && kind != WATCH_READ)
        access_by_any(p, thread->ctx, address, n, WATCH_WRITE);
    if (!is_small)
        trms_access_bytes(thread->ctx, address + skip, bytes - skip, kind);
    if (kind != WATCH_WRITE)
        oracle_read(p->oracle, thread->oracle, address, bytes, true);
    if (kind != WATCH_READ)
        oracle_write(p->oracle, thread->oracle, address, bytes);
}

static void access_plain(struct program *p, unsigned t, enum watch_kind kind)
{
    unsigned n = rng_once_in(&p->rng, 4) ? 1 + rng_below(&p->rng, 12) : 1;
    unsigned first = ATOMICS + rng_below(&p->rng, CELLS - ATOMICS - n + 1);
    if (range_races(p, t, first, n, kind != WATCH_READ))
        return;
    access_cells(p, t, first, n, kind);
    if (kind != WATCH_WRITE)
        note(p, t, first, n, false);
    if (kind != WATCH_READ)
        note(p, t, first, n, true);
}

/* Returns ranges: often the latest loop's ranges again, or a few more. */
static struct pieces_of_loop pieces_any(struct program *p)
{
    unsigned most = p->resolution * (rng_once_in(&p->rng, 4) ? 24 : 2), span;
    unsigned room = (CELLS - ATOMICS) * p->resolution;
    struct pieces_of_loop pieces = {0, 1 + rng_below(&p->rng, most), 0, 1};
    const unsigned strides[] = {0,
                                pieces.bytes,
                                p->resolution,
                                p->resolution * (1 + rng_below(&p->rng, 8)),
                                rng_below(&p->rng, 8 * p->resolution),
                                pieces.bytes + rng_below(&p->rng, 4 * p->resolution)};
    pieces.stride = strides[rng_below(&p->rng, 6)];
    pieces.n += rng_below(&p->rng, rng_once_in(&p->rng, 2) ? 8 : CELLS);
    while ((span = (pieces.n - 1) * pieces.stride + pieces.bytes) > room)
        pieces.n--;
    pieces.begin = ATOMICS * p->resolution + rng_below(&p->rng, room - span + 1);
    if (p->latest.n && rng_once_in(&p->rng, 3)) {
        pieces = p->latest;
        pieces.n += rng_below(&p->rng, 8);
        room += ATOMICS * p->resolution - pieces.begin;
        while ((pieces.n - 1) * pieces.stride + pieces.bytes > room || pieces.n > CELLS)
            pieces.n--;
    }
    p->latest = pieces;
    return pieces;
}

/* Tries the fast path first, or not. */
static void rows_by_any(struct program *p, struct trms_exec_context *s,
                        struct pieces_of_loop pieces, bool writes)
{
    uint64_t address = p->base + pieces.begin;
    bool done = false;
    if (rng_once_in(&p->rng, 2))
        done = writes ? trms_rows_write_again(s, address, pieces.bytes, pieces.stride, pieces.n)
                      : trms_rows_are_read(s, address, pieces.bytes, pieces.stride, pieces.n);
    if (!done)
        (writes ? trms_rows_write : trms_rows_read)(s, address, pieces.bytes, pieces.stride,
                                                    pieces.n);
}

static void access_rows(struct program *p, unsigned t, bool writes)
{
    struct random_thread *thread = at(p, t);
    struct pieces_of_loop pieces = pieces_any(p);
    unsigned turn = rng_below(&p->rng, pieces.n), first[CELLS], n[CELLS];
    for (unsigned i = 0; i < pieces.n; i++) {
        unsigned begin = pieces.begin + (i + turn) % pieces.n * pieces.stride;
        first[i] = begin / p->resolution;
        n[i] = (begin + pieces.bytes - 1) / p->resolution - first[i] + 1;
        if (range_races(p, t, first[i], n[i], writes))
            return;
    }
    rows_by_any(p, thread->ctx, pieces, writes);
    for (unsigned i = 0; i < pieces.n; i++) {
        uint64_t address = address_of(p, first[i]), bytes = (uint64_t)n[i] * p->resolution;
        if (writes)
            oracle_write(p->oracle, thread->oracle, address, bytes);
        else
            oracle_read(p->oracle, thread->oracle, address, bytes, true);
        note(p, t, first[i], n[i], writes);
    }
}

static void atomic_takes_place(struct program *p, unsigned t)
{
    struct random_thread *thread = at(p, t);
    if (thread->order & 1)
        acquire(p, t, &p->atomics[thread->atomic]);
    if (thread->order & 2)
        release(p, t, &p->atomics[thread->atomic]);
    thread->blocked = RUNS;
}

/* Reports atomic operations like the hooks and like inline checks. */
static void access_atomic(struct program *p, unsigned t)
{
    struct random_thread *thread = at(p, t);
    unsigned cell = rng_below(&p->rng, ATOMICS);
    enum watch_kind kind = rng_below(&p->rng, 3);
    thread->atomic = cell;
    thread->order = rng_below(&p->rng, 4);
    if (kind != WATCH_WRITE)
        trms_sync(thread->ctx);
    else
        thread->order &= 2; /* a store acquires nothing */
    access_cells(p, t, cell, 1, kind);
    if (kind != WATCH_READ)
        trms_sync(thread->ctx);
    if (kind == WATCH_READ || rng_once_in(&p->rng, 2))
        atomic_takes_place(p, t);
    else
        thread->blocked = AT_ATOMIC;
}

static void kernel(struct program *p, unsigned t)
{
    unsigned n = 1 + rng_below(&p->rng, 12), kind = rng_below(&p->rng, 6);
    unsigned first = ATOMICS + rng_below(&p->rng, CELLS - ATOMICS - n + 1);
    uint64_t address = address_of(p, first), bytes = (uint64_t)n * p->resolution;
    if (range_races(p, t, first, n, true))
        return;
    if (kind == 0) {
        trms_forgotten(at(p, t)->ctx, address, bytes);
        oracle_forget(p->oracle, address, bytes);
    } else if (kind == 1) {
        trms_file_mapped(at(p, t)->ctx, address, bytes);
        oracle_map_file(p->oracle, address, bytes);
    } else {
        trms_kernel_wrote(at(p, t)->ctx, address, bytes);
        oracle_kernel_write(p->oracle, address, bytes);
    }
    note(p, t, first, n, true);
}

static void call(struct program *p, unsigned t)
{
    struct random_thread *thread = at(p, t);
    unsigned routine = rng_below(&p->rng, ROUTINES);
    if (thread->depth == 60)
        return;
    trms_exec_context_call(thread->ctx, profile_get(&thread->ctx->profile, &p->routines[routine]),
                           0, 0);
    oracle_call(p->oracle, thread->oracle, routine, p->world.collecting);
    thread->depth++;
}

static void return_(struct program *p, unsigned t)
{
    struct random_thread *thread = at(p, t);
    if (!thread->depth)
        return;
    trms_exec_context_return(thread->ctx);
    oracle_return(p->oracle, thread->oracle);
    thread->depth--;
}

/* ---------------------------------------------------------------- synchronisation */

static void use_lock(struct program *p, unsigned t)
{
    unsigned l = rng_below(&p->rng, LOCKS);
    if (p->holders[l] && p->holders[l] != (int)t + 1)
        return;
    trms_sync(at(p, t)->ctx);
    if (p->holders[l]) {
        p->holders[l] = 0;
        release(p, t, &p->locks[l]);
    } else {
        p->holders[l] = (int)t + 1;
        acquire(p, t, &p->locks[l]);
    }
}

static void use_semaphore(struct program *p, unsigned t)
{
    unsigned s = rng_below(&p->rng, SEMAPHORES);
    bool wait = p->counts[s] && rng_once_in(&p->rng, 2);
    trms_sync(at(p, t)->ctx);
    if (wait) {
        p->counts[s]--;
        acquire(p, t, &p->semaphores[s]);
    } else {
        p->counts[s]++;
        release(p, t, &p->semaphores[s]);
    }
}

/* Makes one call that both releases and acquires; other threads run between the two. */
static void barrier(struct program *p, unsigned t)
{
    struct clock all = {{0}};
    trms_sync(at(p, t)->ctx);
    at(p, t)->blocked = AT_BARRIER;
    for (unsigned i = 0; i < THREADS; i++)
        if (at(p, i)->alive && at(p, i)->blocked == RUNS)
            return;
    for (unsigned i = 0; i < THREADS; i++)
        if (at(p, i)->alive && at(p, i)->blocked == AT_BARRIER)
            release(p, i, &all);
    for (unsigned i = 0; i < THREADS; i++)
        if (at(p, i)->alive && at(p, i)->blocked == AT_BARRIER) {
            acquire(p, i, &all);
            at(p, i)->blocked = RUNS;
        }
}

static void condition_wait(struct program *p, unsigned t)
{
    trms_sync(at(p, t)->ctx);
    release(p, t, &p->locks[0]);
    at(p, t)->blocked = AT_CONDITION;
}

static void condition_signal(struct program *p, unsigned t)
{
    struct clock signal = {{0}};
    trms_sync(at(p, t)->ctx);
    release(p, t, &signal);
    for (unsigned i = 0; i < THREADS; i++)
        if (at(p, i)->blocked == AT_CONDITION) {
            acquire(p, i, &signal);
            acquire(p, i, &p->locks[0]);
            at(p, i)->blocked = RUNS;
        }
}

/* ---------------------------------------------------------------- threads */

static void thread_begin(struct program *p, unsigned t, const struct clock *parent)
{
    struct random_thread *thread = at(p, t);
    unsigned own = thread->clock.of[t] + 1;
    *thread = (struct random_thread){.alive = true, .number = ++p->last_number};
    if (parent)
        thread->clock = *parent;
    thread->clock.of[t] = own;
    thread->ctx = trms_exec_context_new(&p->world, thread->number);
    thread->oracle = oracle_exec_context_start(p->oracle, thread->number);
    if (p->direct_shadows && rng_once_in(&p->rng, 2))
        trms_test_direct_shadow_give(thread->ctx, t);
    p->n_alive++;
}

static void thread_create(struct program *p, unsigned t)
{
    unsigned slot = rng_below(&p->rng, THREADS);
    struct clock created = {{0}};
    if (at(p, slot)->alive || (at(p, slot)->number && !at(p, slot)->was_joined) ||
        p->last_number == NUMBERS)
        return;
    trms_world_share(&p->world);
    trms_sync(at(p, t)->ctx);
    release(p, t, &created);
    thread_begin(p, slot, &created);
}

/* The handler begins between two operations of the interrupted thread. */
static void handler_begin(struct program *p, unsigned t)
{
    unsigned slot = rng_below(&p->rng, THREADS);
    struct clock interrupted = {{0}};
    if (at(p, slot)->alive || (at(p, slot)->number && !at(p, slot)->was_joined) ||
        p->last_number == NUMBERS)
        return;
    release(p, t, &interrupted);
    thread_begin(p, slot, &interrupted);
    at(p, slot)->is_handler = true;
    at(p, slot)->below = t;
    at(p, t)->blocked = AT_HANDLER;
}

static void handler_end(struct program *p, unsigned t)
{
    unsigned below = at(p, t)->below;
    acquire(p, below, &at(p, t)->clock);
    trms_interrupted(at(p, below)->ctx);
    at(p, below)->blocked = RUNS;
    at(p, t)->was_joined = true;
}

static void thread_end(struct program *p, unsigned t)
{
    if (p->n_alive == 1)
        return;
    for (int l = 0; l < LOCKS; l++)
        if (p->holders[l] == (int)t + 1)
            return;
    for (unsigned i = 0, running = 0; i < THREADS; i++) {
        running += at(p, i)->alive && at(p, i)->blocked == RUNS;
        if (i == THREADS - 1 && running < 2 && !at(p, t)->is_handler)
            return;
    }
    trms_exec_context_end(at(p, t)->ctx);
    oracle_exec_context_end(p->oracle, at(p, t)->oracle);
    at(p, t)->alive = false;
    at(p, t)->was_joined = false;
    p->n_alive--;
    if (at(p, t)->is_handler)
        handler_end(p, t);
}

static void thread_join(struct program *p, unsigned t)
{
    unsigned slot = rng_below(&p->rng, THREADS);
    if (at(p, slot)->alive || at(p, slot)->was_joined || !at(p, slot)->number)
        return;
    trms_sync(at(p, t)->ctx);
    acquire(p, t, &at(p, slot)->clock);
    at(p, slot)->was_joined = true;
}

/* ---------------------------------------------------------------- one program */

/* Some thread must run: if all threads wait, the threads at the condition continue.
 */
static unsigned any_running(struct program *p)
{
    unsigned t = rng_below(&p->rng, THREADS);
    for (unsigned i = 0; i < THREADS; i++, t = (t + 1) % THREADS)
        if (at(p, t)->alive && (at(p, t)->blocked == RUNS || at(p, t)->blocked == AT_ATOMIC)) {
            if (at(p, t)->blocked == AT_ATOMIC)
                atomic_takes_place(p, t);
            return t;
        }
    for (unsigned i = 0; i < THREADS; i++)
        if (at(p, i)->blocked != AT_HANDLER)
            at(p, i)->blocked = RUNS;
    return any_running(p);
}

static void direct_shadow_leave(struct program *p, unsigned t)
{
    if (trms_has_direct_shadow(at(p, t)->ctx) && rng_once_in(&p->rng, 4))
        trms_direct_shadow_leave(at(p, t)->ctx);
}

static void cost(struct program *p, unsigned t)
{
    unsigned cost = rng_below(&p->rng, 5);
    at(p, t)->ctx->cost += cost;
    oracle_cost(p->oracle, at(p, t)->oracle, cost);
}

static void perform(struct program *p, unsigned t, unsigned op)
{
    switch (op) {
    case 0 ... 19:
        access_plain(p, t, WATCH_READ);
        break;
    case 20 ... 31:
        access_plain(p, t, WATCH_WRITE);
        break;
    case 32 ... 34:
        access_plain(p, t, WATCH_MODIFY);
        break;
    case 35 ... 42:
        call(p, t);
        break;
    case 43 ... 49:
        return_(p, t);
        break;
    case 50 ... 54:
        use_lock(p, t);
        break;
    case 55 ... 59:
        use_semaphore(p, t);
        break;
    case 60 ... 64:
        access_atomic(p, t);
        break;
    case 65:
        barrier(p, t);
        break;
    case 66:
        condition_wait(p, t);
        break;
    case 67 ... 68:
        condition_signal(p, t);
        break;
    case 69 ... 70:
        thread_create(p, t);
        break;
    case 71:
        thread_end(p, t);
        break;
    case 72:
        thread_join(p, t);
        break;
    case 73 ... 75:
        kernel(p, t);
        break;
    case 76:
        direct_shadow_leave(p, t);
        break;
    case 77:
        handler_begin(p, t);
        break;
    case 78 ... 84:
        access_rows(p, t, false);
        break;
    case 85 ... 88:
        access_rows(p, t, true);
        break;
    default:
        cost(p, t);
    }
}

enum { OPERATIONS = 93 };

static void program_begin(struct program *p, uint64_t seed)
{
    memset(p, 0, sizeof(*p));
    p->rng.state = seed;
    bool all_tokens = rng_once_in(&p->rng, 4);
    unsigned block_log2 = all_tokens ? 16 : rng_below(&p->rng, 4);
    unsigned few_bits = rng_once_in(&p->rng, 3) ? 20 : 8 + block_log2;
    struct trms_config config = {
        .shift = (uint8_t)(rng_once_in(&p->rng, 2) ? 2 : rng_below(&p->rng, 5)),
        .time_bits = (uint8_t)(rng_once_in(&p->rng, 3) ? 29 : 5 + rng_below(&p->rng, 6)),
        .token_bits = (uint8_t)(all_tokens ? TRMS_TOKEN_BITS : few_bits),
        .token_block_log2 = (uint8_t)block_log2,
        .metrics = BOTH_METRICS,
    };
    trms_world_init(&p->world, &config);
    if (all_tokens) /* the last of them */
        p->world.tokens.next = p->world.tokens.n_blocks - 1 - rng_below(&p->rng, 3);
    p->resolution = 1u << config.shift;
    p->oracle = oracle_new(p->resolution);
    for (uint32_t i = 0; i < ROUTINES; i++)
        p->routines[i].id = i;
    /* Across the border of two chunks. */
    p->base = 0x10000000 - (uint64_t)rng_below(&p->rng, CELLS) * p->resolution;
    thread_begin(p, 0, NULL);
    trms_test_cells(p->base / p->resolution, CELLS);
    p->direct_shadows = p->resolution == 4 && rng_once_in(&p->rng, 2);
    if (p->direct_shadows)
        trms_test_direct_shadow_give(at(p, 0)->ctx, 0);
}

static void program_run(struct program *p)
{
    unsigned n = 1u << (6 + rng_below(&p->rng, 7));
    for (unsigned i = 0; i < n; i++) {
        unsigned t = any_running(p);
        if (rng_once_in(&p->rng, 200))
            p->world.collecting = !p->world.collecting;
        for (unsigned in_a_row = 1 + rng_below(&p->rng, 6); in_a_row; in_a_row--)
            if (at(p, t)->alive && at(p, t)->blocked == RUNS)
                perform(p, t, rng_below(&p->rng, OPERATIONS));
    }
    for (unsigned t = 0; t < THREADS; t++)
        if (at(p, t)->alive) {
            trms_exec_context_finish(at(p, t)->ctx);
            oracle_exec_context_end(p->oracle, at(p, t)->oracle);
        }
}

/* ---------------------------------------------------------------- comparison */

/* One activation's contribution, or the sum of several with one key. */
struct row {
    uint64_t thread, routine, metric;
    uint64_t input, calls, cost, self, induced_thread, induced_external, thread_again;
};

struct rows {
    struct row *row;
    size_t n, room;
};

static void rows_add(struct rows *rows, struct row row)
{
    if (rows->n == rows->room) {
        rows->room = rows->room ? 2 * rows->room : 256;
        rows->row = realloc(rows->row, rows->room * sizeof(row));
        if (!rows->row)
            abort();
    }
    rows->row[rows->n++] = row;
}

static int compare_keys(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    const uint64_t keys[][2] = {{a->thread, b->thread},
                                {a->routine, b->routine},
                                {a->metric, b->metric},
                                {a->input, b->input}};
    for (int i = 0; i < 4; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static void rows_merge(struct rows *rows)
{
    size_t n = 0;
    if (rows->n)
        qsort(rows->row, rows->n, sizeof(*rows->row), compare_keys);
    for (size_t i = 0; i < rows->n; i++) {
        struct row *from = &rows->row[i], *to = n ? &rows->row[n - 1] : NULL;
        if (!to || compare_keys(to, from)) {
            rows->row[n++] = *from;
            continue;
        }
        to->calls += from->calls;
        to->cost += from->cost;
        to->self += from->self;
        to->induced_thread += from->induced_thread;
        to->induced_external += from->induced_external;
        to->thread_again += from->thread_again;
    }
    rows->n = n;
}

static void expect(struct rows *rows, const struct oracle *oracle)
{
    size_t n;
    const struct oracle_activation *a = oracle_activations(oracle, &n);
    for (size_t i = 0; i < 2 * n; i++) {
        const struct oracle_activation *one = &a[i / 2];
        if (one->measured)
            rows_add(rows, (struct row){.thread = one->thread,
                                        .routine = one->routine,
                                        .metric = i % 2,
                                        .input = one->input[i % 2],
                                        .calls = 1,
                                        .cost = one->cost,
                                        .self = one->self,
                                        .induced_thread = one->induced[ORACLE_THREAD],
                                        .induced_external = one->induced[ORACLE_EXTERNAL],
                                        .thread_again = one->thread_again});
    }
}

struct collecting {
    struct rows *rows;
    uint32_t thread;
};

static void collect(void *context, struct routine_profile *profile)
{
    const struct collecting *c = context;
    for (int metric = 0; metric < METRICS; metric++) {
        const struct point_table *table = profile_table(profile, metric, BOTH_METRICS);
        for (uint32_t i = 0; i < table->n_points; i++) {
            const struct point *point = &table->points[i];
            rows_add(c->rows, (struct row){c->thread, profile->routine->id, (uint64_t)metric,
                                           point->input, point->calls, point->cost_sum.low,
                                           point->self_sum, point->induced_thread,
                                           point->induced_external, point->thread_again});
        }
    }
}

static void row_print(const char *who, const struct row *row)
{
    fprintf(stderr,
            "%s: thread %" PRIu64 " routine %" PRIu64 " metric %" PRIu64 " input %" PRIu64
            ": calls %" PRIu64 " cost %" PRIu64 " self %" PRIu64 " induced %" PRIu64 " %" PRIu64
            "\n",
            who, row->thread, row->routine, row->metric, row->input, row->calls, row->cost,
            row->self, row->induced_thread, row->induced_external);
}

static bool rows_equal(const struct rows *wanted, const struct rows *found)
{
    size_t n = wanted->n < found->n ? wanted->n : found->n;
    for (size_t i = 0; i < n; i++)
        if (memcmp(&wanted->row[i], &found->row[i], sizeof(struct row))) {
            row_print("definition", &wanted->row[i]);
            row_print("measured  ", &found->row[i]);
            return false;
        }
    return wanted->n == found->n;
}

static bool totals_equal(const struct program *p)
{
    const struct trms_world *w = &p->world;
    return w->reads == oracle_total_reads(p->oracle) && w->cost == oracle_total_cost(p->oracle) &&
           w->induced_thread == oracle_total_induced(p->oracle, ORACLE_THREAD) &&
           w->induced_external == oracle_total_induced(p->oracle, ORACLE_EXTERNAL);
}

static bool program_agrees(struct program *p)
{
    struct rows wanted = {0}, found = {0};
    expect(&wanted, p->oracle);
    for (uint32_t t = 0; t < p->world.n_gathered; t++) {
        struct collecting c = {&found, t};
        profile_each(&p->world.gathered[t], collect, &c);
    }
    rows_merge(&wanted);
    rows_merge(&found);
    bool equal = rows_equal(&wanted, &found) && totals_equal(p);
    if (p->world.tokens.stuck)
        fprintf(stderr, "every block of tokens was in use: the test's program is too large\n");
    free(wanted.row);
    free(found.row);
    return equal && !p->world.tokens.stuck;
}

/* ---------------------------------------------------------------- rounds */

static uint64_t total_renumberings, total_generations, total_threads, total_induced;

static bool round_agrees(uint64_t seed)
{
    static struct program p;
    program_begin(&p, seed);
    program_run(&p);
    bool agrees = program_agrees(&p);
    for (const struct trms_exec_context *s = p.world.exec_contexts; s; s = s->next)
        total_renumberings += s->renumberings;
    total_generations += p.world.generation;
    total_threads += p.last_number;
    total_induced += p.world.induced_thread;
    trms_world_free(&p.world);
    oracle_delete(p.oracle);
    if (host_test_live_bytes(NULL)) {
        host_test_report_live();
        agrees = false;
    }
    return agrees;
}

static void exec_contexts_without_a_clock_measure_what_the_definition_says(void **state)
{
    (void)state;
    uint64_t seed = setting("APROF_SEED", 1), rounds = setting("APROF_ROUNDS", ROUNDS);
    for (uint64_t i = 0; i < rounds; i++) {
        if (!round_agrees(seed + i))
            fail_msg("they differ: APROF_SEED=%" PRIu64 " APROF_ROUNDS=1", seed + i);
    }
    printf("test_parallel_trms: seeds %" PRIu64 " to %" PRIu64 ": %" PRIu64 " threads, %" PRIu64
           " induced reads, %" PRIu64 " renumberings, %" PRIu64 " recyclings: all equal\n",
           seed, seed + rounds - 1, total_threads, total_induced, total_renumberings,
           total_generations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exec_contexts_without_a_clock_measure_what_the_definition_says),
        cmocka_unit_test(trms_accumulators_add_up),
        cmocka_unit_test(trms_accumulators_fold_squares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
