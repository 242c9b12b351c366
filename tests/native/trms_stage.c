/* Scenes with a signal after each instruction of the TRMS core; see trms_stage.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/native/trms_stage.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "ground/host.h"
#include "native/trms/calls/edges.h"
#include "tests/native/single_step.h"
#include "tests/property/trms_embedder.h"
#include "tests/setting.h"
#include "tests/unit/cmocka_all.h"

enum { ARENA_BYTES = 8 << 20, HEAD_BYTES = 64, OUTCOME_BYTES = 16384 };
enum { FIRST_SITE = 0x1000, SITE_BYTES = 16, SITES = 128, SIZES = 128 };

struct trms_stage stage = {.time_bits = 29};

/* ---------------------------------------------------------------- host */

static char arena[ARENA_BYTES] __attribute__((aligned(64)));
static size_t arena_used;

/* The allocator is consistent at every instruction, like the allocator of programs. */
void *host_alloc(const char *site, size_t bytes)
{
    size_t whole = HEAD_BYTES + ((bytes + HEAD_BYTES - 1) & ~(size_t)(HEAD_BYTES - 1));
    size_t at = __atomic_fetch_add(&arena_used, whole, __ATOMIC_RELAXED);
    if (at + whole > ARENA_BYTES)
        host_panic("out of memory", site, 0);
    *(size_t *)(arena + at) = bytes;
    return arena + at + HEAD_BYTES;
}

/* No later request gets this memory again. */
void host_free(void *block)
{
    if (block)
        memset(block, 0xa5, *(size_t *)((char *)block - HEAD_BYTES));
}

void *host_map(const char *site, size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        host_panic("out of address space", site, 0);
    return pages;
}

void host_unmap(void *pages, size_t bytes)
{
    munmap(pages, bytes);
}

void host_panic(const char *what, const char *file, int line)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    abort();
}

/* ---------------------------------------------------------------- what execution contexts do */

void stage_call_from(struct trms_exec_context *s, unsigned routine, unsigned site)
{
    trms_exec_context_call(s, profile_get(&s->profile, &stage.routines[routine]), 0,
                           FIRST_SITE + SITE_BYTES * site);
}

void stage_call(struct trms_exec_context *s, unsigned routine)
{
    stage_call_from(s, routine, 0);
}

/* The value is the same as in quick.c. */
static bool read_by_words(struct trms_exec_context *s, uint64_t address)
{
    uint32_t *words = trms_words_at_hand(s, address, 1);
    if (!words)
        return false;
    if (trms_read_likely(s, words, address, 1))
        return true;
    if (!trms_is_exclusive(s))
        return trms_shared_read_1(s, words, address);
    trms_exclusive_read_few(s, words, address, 1);
    return true;
}

/* Reads a cell as hooks and inline checks do. */
void stage_read(struct trms_exec_context *s, unsigned i)
{
    uint64_t address = stage_base + 4 * i;
    if (!trms_is_read(s, address, 1) && !read_by_words(s, address))
        trms_access_bytes(s, address, 4, WATCH_READ);
}

void stage_write(struct trms_exec_context *s, unsigned i)
{
    uint64_t address = stage_base + 4 * i;
    if (trms_is_written(s, address, 1) || trms_write_likely(s, address, 1))
        return;
    if (!trms_has_direct_shadow(s) && trms_chunk_is_written(s, address, 1))
        return;
    if (!trms_write_at_hand(s, address, 4))
        trms_access_bytes(s, address, 4, WATCH_WRITE);
}

void stage_read_all(struct trms_exec_context *s)
{
    for (unsigned i = 0; i < CELLS; i++)
        stage_read(s, i);
}

void stage_handle(void (*act)(struct trms_exec_context *), void (*meanwhile)(void))
{
    struct trms_exec_context *ctx = trms_exec_context_new(&stage.world, 3);
    stage_call(ctx, HANDLERS);
    trms_sync(ctx);
    meanwhile();
    trms_sync(ctx);
    act(ctx);
    trms_exec_context_return(ctx);
    trms_interrupted(stage.own);
    if (stage.scene->jumps)
        trms_repair(stage.own);
    trms_exec_context_end(ctx);
}

/* ---------------------------------------------------------------- outcomes */

struct outcome {
    char text[OUTCOME_BYTES];
    size_t n;
};

static void put(struct outcome *outcome, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    outcome->n +=
        (size_t)vsnprintf(outcome->text + outcome->n, OUTCOME_BYTES - outcome->n, format, list);
    va_end(list);
    if (outcome->n >= OUTCOME_BYTES)
        abort();
}

/* A size that occurs twice is visible. */
static void describe_size(struct outcome *outcome, const struct point_table *table, uint64_t size)
{
    for (uint32_t i = 0; i < table->n_points; i++) {
        const struct point *p = &table->points[i];
        if (p->input == size)
            put(outcome, " %llux%llu induced %llu %llu cost %llu %llu to %llu;",
                (unsigned long long)p->calls, (unsigned long long)size,
                (unsigned long long)p->induced_thread, (unsigned long long)p->induced_external,
                (unsigned long long)p->cost_sum.low, (unsigned long long)p->cost_min,
                (unsigned long long)p->cost_max);
    }
}

static void describe(void *context, struct routine_profile *profile)
{
    bool returns = stage.scene->returns;
    if (returns && profile->routine->id != CALLED)
        return;
    put(context, "\n%u:", (unsigned)profile->routine->id);
    for (int metric = 0; metric < METRICS; metric++) {
        put(context, " %d:", metric);
        for (uint64_t size = returns; size < (returns ? ORDINARY + 1 : SIZES); size++)
            describe_size(context, profile_table(profile, (enum metric)metric, BOTH_METRICS), size);
    }
}

/* Whatever numbers they have. */
static void describe_edges(struct outcome *outcome)
{
    const struct trms_edges *edges = stage.world.edges;
    uint64_t calls[SITES] = {0};
    for (uint32_t i = EDGE_NONE + 1; i < edges->table.n_edges; i++) {
        const struct call_edge *edge = &edges->table.edges[i];
        uintptr_t number = (edges->sites.address[edge->site] - FIRST_SITE) / SITE_BYTES;
        calls[number % SITES] += edge->calls << 8 * (edge->callee->id % 4);
    }
    for (unsigned i = 0; i < SITES; i++)
        put(outcome, " %llx", (unsigned long long)calls[i]);
}

void stage_begin(void)
{
    const struct trms_config config = {.shift = 2,
                                       .time_bits = stage.time_bits,
                                       .token_bits = TRMS_TOKEN_BITS,
                                       .token_block_log2 = 10,
                                       .metrics = BOTH_METRICS,
                                       .edges = stage.scene->has_edges};
    memset(arena, 0, arena_used);
    memset(&stage.world, 0, sizeof(stage.world));
    arena_used = 0;
    trms_test_cells(stage_base / 4, CELLS);
    trms_world_init(&stage.world, &config);
    for (uint32_t i = 0; i < ROUTINES; i++)
        stage.routines[i].id = i;
    stage.partner = NULL;
    stage.own = trms_exec_context_new(&stage.world, 1);
    if (stage.scene->has_direct_shadow)
        trms_test_direct_shadow_give(stage.own, 0);
    stage_call(stage.own, OUTER);
    stage.scene->before();
}

static void end(struct outcome *outcome)
{
    stage.scene->after();
    outcome->n = 0;
    outcome->text[0] = 0;
    trms_exec_context_finish(stage.own);
    if (stage.partner)
        trms_exec_context_finish(stage.partner);
    for (uint32_t t = 0; t < stage.world.n_gathered; t++)
        profile_each(&stage.world.gathered[t], describe, outcome);
    if (stage.scene->has_edges)
        describe_edges(outcome);
    trms_world_free(&stage.world);
}

static struct outcome before_it, after_it, without_it, found;

static void play_whole(void)
{
    stage_begin();
    stage.scene->handler();
    stage.scene->operation();
    end(&before_it);
    stage_begin();
    stage.scene->operation();
    stage.scene->handler();
    end(&after_it);
    stage_begin();
    stage.scene->handler();
    end(&without_it);
}

/* ---------------------------------------------------------------- steps */

static volatile unsigned long n_steps, n_wrong;
static uint64_t every = 1; /* instruction that gets a signal */
static volatile bool is_child;
static sigjmp_buf behind;

static const char *has(void)
{
    return stage.scene->has_direct_shadow ? "direct-mapped shadow" : "chunks";
}

static void note_end_of_child(pid_t child)
{
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        abort();
    if (status && n_wrong++ == 0)
        print_error("%s (%s), behind instruction %lu: ended with status %#x\n", stage.scene->name,
                    has(), n_steps, (unsigned)status);
}

/* The handler runs now, in a copy of the process, which continues to its end. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    (void)sig, (void)info;
    if (n_steps++ % every || stage.world.lock || trms_test_quiet)
        return;
    pid_t child = fork();
    if (child) {
        note_end_of_child(child);
        return;
    }
    is_child = true;
    interrupted->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    stage.scene->handler();
    if (stage.scene->jumps)
        siglongjmp(behind, 1);
}

static void step_through(void)
{
    if (sigsetjmp(behind, 1))
        return;
    trap_flag(TRAP_FLAG, 0);
    stage.scene->operation();
    trap_flag(0, TRAP_FLAG);
}

static int verdict(void)
{
    bool is_right = !strcmp(found.text, before_it.text) || !strcmp(found.text, after_it.text) ||
                    (stage.scene->jumps && !strcmp(found.text, without_it.text));
    if (is_right || stage.scene->is_loose)
        return 0;
    if (!n_wrong)
        print_error("%s\nneither\n%s\nnor\n%s\nnor\n%s\n", found.text, before_it.text,
                    after_it.text, stage.scene->jumps ? without_it.text : "");
    return 1;
}

static unsigned long play_all(void)
{
    play_whole();
    n_steps = n_wrong = 0;
    stage_begin();
    step_through();
    end(&found);
    if (is_child)
        _exit(verdict());
    print_message("%s (%s): %lu of %lu instructions are wrong\n", stage.scene->name, has(), n_wrong,
                  n_steps);
    return n_wrong;
}

unsigned long stage_play(const struct trms_scene *scenes, size_t n)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_NODEFER}, was,
                     segv = {.sa_handler = SIG_DFL}, was_segv;
    unsigned long wrong = 0;
    every = setting("APROF_EVERY", 1);
    action.sa_sigaction = on_trap;
    sigaction(SIGTRAP, &action, &was);
    sigaction(SIGSEGV, &segv, &was_segv);
    for (size_t i = 0; i < n; i++) {
        stage.scene = &scenes[i];
        wrong += play_all();
    }
    sigaction(SIGTRAP, &was, NULL);
    sigaction(SIGSEGV, &was_segv, NULL);
    return wrong;
}
