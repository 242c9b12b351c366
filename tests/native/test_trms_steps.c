/* A signal behind each instruction of the TRMS core: what is counted is what a signal before it, or after it, gives.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each scene is played with a handler before its operation and with one after it. Then the processor's trap flag
 * stops after each of the operation's instructions, and there a copy of the process has the handler and goes on to the
 * end: what all strands have measured must be one of the first two outcomes. As signals do, the handler waits while
 * the world's lock is held. Scenes of handlers that jump away end the operation there: what it was about to count may
 * be counted or not, and all that comes after it goes on as ever.
 *
 * Tables are so small here that they grow, and the stack of activations too, within a few accesses and calls.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "ground/host.h"
#include "ground/trms_words.h"
#include "native/trms/activations.h"
#include "native/trms/rows.h"
#include "tests/property/trms_embedder.h"
#include "tests/unit/cmocka_all.h"

enum { CELLS = 32, SOME = 9, ARENA_BYTES = 8 << 20, OUTCOME_BYTES = 4096, TRAP_FLAG = 0x100 };
enum { OUTER, CALLED, PARTNERS, HANDLERS, LATER, ROUTINES };

static const uint64_t base = 0x10000000 - 4 * (CELLS / 2); /* across the border of two chunks */

struct scene {
    const char *name;
    bool has_window, jumps;
    void (*before)(void);
    void (*operation)(void);
    void (*handler)(void);
    void (*after)(void);
};

static struct trms_world world;
static struct trms_strand *own, *partner;
static struct routine routines[ROUTINES];
static const struct scene *scene;

/* ---------------------------------------------------------------- host */

static char arena[ARENA_BYTES] __attribute__((aligned(64)));
static size_t arena_used;

/* Whole at every instruction, as the one of programs is. */
void *host_alloc(const char *site, size_t bytes)
{
    size_t at = __atomic_fetch_add(&arena_used, (bytes + 63) & ~(size_t)63, __ATOMIC_RELAXED);
    if (at + bytes > ARENA_BYTES)
        host_panic("out of memory", site, 0);
    return arena + at;
}

void host_free(void *block)
{
    (void)block;
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

/* ---------------------------------------------------------------- what strands do */

static void call(struct trms_strand *s, unsigned routine)
{
    trms_strand_call(s, profile_get(&s->profile, &routines[routine]), 0, 0);
}

/* As code has it that looks itself, the one with words of its own; other strands have hooks. */
static void read_cell(struct trms_strand *s, unsigned i)
{
    uint64_t address = base + 4 * i;
    if (trms_has_window(s)) {
        bool done =
            *trms_window_word(s, address / 4) >= s->floor || trms_window_read_likely(s, address, 1);
        if (!done && trms_window_is_used(s))
            trms_window_read_few(s, address, 1);
        else if (!done && !trms_careful_read_1(s, address))
            trms_access_bytes(s, address, 4, WATCH_READ);
    } else if (!trms_at_hand(s, address)) {
        trms_access_bytes(s, address, 4, WATCH_READ);
    } else if (!trms_just_accessed(s, trms_entry(s, address), 1)) {
        trms_read_1(address, s);
    }
}

static void write_by_look(struct trms_strand *s, uint64_t address)
{
    volatile uint32_t *word = trms_window_word(s, address / 4);
    uint32_t old = *word;
    *word = (uint32_t)__atomic_load_n(&s->stamp, __ATOMIC_RELAXED);
    if (!__atomic_load_n(&s->careful, __ATOMIC_RELAXED) ||
        !((old - __atomic_load_n(&s->synced, __ATOMIC_RELAXED)) & TRMS_WORDS_NOT_OWN))
        return;
    if (!trms_window_write_likely(s, address, 1))
        trms_access_bytes(s, address, 4, WATCH_WRITE);
}

static void write_cell(struct trms_strand *s, unsigned i)
{
    uint64_t address = base + 4 * i;
    if (trms_has_window(s))
        write_by_look(s, address);
    else if (!trms_at_hand(s, address))
        trms_access_bytes(s, address, 4, WATCH_WRITE);
    else if (!trms_write_is_done(s, address, trms_entry(s, address), 1))
        trms_write_1(address, s);
}

static void read_all(struct trms_strand *s)
{
    for (unsigned i = 0; i < CELLS; i++)
        read_cell(s, i);
}

/* ---------------------------------------------------------------- scenes */

static void nothing(void)
{
}

static void partner_begins(void)
{
    partner = trms_strand_new(&world, 2);
    call(partner, PARTNERS);
}

/* The partner finds what the own strand has written, if it knows whose it is. */
static void partner_reads(void)
{
    trms_sync(own);
    if (!partner)
        partner_begins();
    trms_sync(partner);
    read_all(partner);
}

/* A handler that is a strand; the thread's partner may run meanwhile. */
static void handler_does(void (*act)(struct trms_strand *), void (*meanwhile)(void))
{
    struct trms_strand *strand = trms_strand_new(&world, 3);
    call(strand, HANDLERS);
    trms_sync(strand);
    meanwhile();
    trms_sync(strand);
    act(strand);
    trms_strand_return(strand);
    trms_interrupted(own);
    if (scene->jumps)
        trms_mend(own);
    trms_strand_end(strand);
}

static void read_one(struct trms_strand *s)
{
    read_cell(s, SOME);
}

static void write_one(struct trms_strand *s)
{
    write_cell(s, SOME);
}

static void write_own(void)
{
    write_one(own);
}

static void read_own(void)
{
    read_one(own);
}

static void write_range(void)
{
    trms_access_bytes(own, base, (uint64_t)4 * CELLS, WATCH_WRITE);
}

static void read_range(void)
{
    trms_access_bytes(own, base, (uint64_t)4 * CELLS, WATCH_READ);
}

/* Every other cell, as aprof_trms_write_rows has it. */
static void write_pieces(void)
{
    bool is_used = trms_window_is_used(own);
    trms_rows_write(own, base + 4, 4, 8, CELLS / 2);
    if (is_used && !trms_window_is_used(own))
        trms_rows_write(own, base + 4, 4, 8, CELLS / 2);
}

static void read_pieces(void)
{
    trms_rows_read(own, base + 4, 4, 8, CELLS / 2);
}

static void kernel_writes(void)
{
    trms_kernel_wrote(own, base, (uint64_t)4 * CELLS);
}

static void call_own(void)
{
    call(own, CALLED);
}

static void call_and_return(void)
{
    call(own, CALLED);
    trms_strand_return(own);
}

/* Until one more enlarges the stack. */
static void call_many(void)
{
    while (trms_depth(own) < own->capacity / 4 * 3)
        call(own, LATER);
}

static void handler_reads(void)
{
    handler_does(read_one, nothing);
}

static void handler_writes(void)
{
    handler_does(write_one, nothing);
}

static void partner_reads_alone(void)
{
    trms_sync(partner);
    read_one(partner);
    trms_sync(partner);
}

/* What the partner has seen of the own strand's epoch comes between. */
static void handler_hands_over(void)
{
    handler_does(read_one, partner_reads_alone);
}

static void handler_hands_over_and_writes(void)
{
    handler_does(write_one, partner_reads_alone);
}

/* The latest activation is looked at first, as hooks do. */
static void handler_looks_at_stack(void)
{
    if (trms_depth(own) >= own->capacity || own->activation->induced)
        _exit(2);
    handler_writes();
}

static void write_in_one_epoch(void)
{
    partner_begins();
    write_own();
}

/* The next write is looked at closely, and has the same token. */
static void write_and_call(void)
{
    write_in_one_epoch();
    call(own, CALLED);
}

static void partner_writes_in_many(void)
{
    partner_begins();
    for (unsigned i = 0; i < CELLS; i++) {
        trms_sync(partner);
        write_cell(partner, i);
    }
    trms_sync(partner);
    trms_sync(own);
}

static void read_all_own(void)
{
    read_all(own);
}

static void call_then_write(void)
{
    call(own, LATER);
    write_own();
    partner_reads();
}

#define BOTH(...)                                                                                  \
    {__VA_ARGS__, .has_window = true},                                                             \
    {                                                                                              \
        __VA_ARGS__, .has_window = false                                                           \
    }
static const struct scene scenes[] = {
    BOTH("a call, and the second strand", .before = nothing, .operation = call_own,
         .handler = handler_reads, .after = call_then_write),
    BOTH("a call and a return", .before = write_own, .operation = call_and_return,
         .handler = handler_reads, .after = call_then_write),
    BOTH("a call that enlarges the stack", .before = call_many, .operation = call_own,
         .handler = handler_looks_at_stack, .after = call_then_write),
    BOTH("a write, and the second strand", .before = nothing, .operation = write_own,
         .handler = handler_reads, .after = partner_reads),
    BOTH("a write once more, and the second strand", .before = write_own, .operation = write_own,
         .handler = handler_writes, .after = partner_reads),
    BOTH("a range, and the second strand", .before = nothing, .operation = write_range,
         .handler = handler_reads, .after = partner_reads),
    BOTH("pieces, and the second strand", .before = nothing, .operation = write_pieces,
         .handler = handler_reads, .after = partner_reads),
    BOTH("a read, and the second strand", .before = write_own, .operation = read_own,
         .handler = handler_writes, .after = read_all_own),
    BOTH("the kernel, and the second strand", .before = nothing, .operation = kernel_writes,
         .handler = handler_reads, .after = partner_reads),
    BOTH("a write in the epoch of the one before", .before = write_in_one_epoch,
         .operation = write_own, .handler = handler_hands_over, .after = partner_reads),
    BOTH("a write where the handler writes", .before = write_in_one_epoch, .operation = write_own,
         .handler = handler_hands_over_and_writes, .after = partner_reads),
    BOTH("a write in a call where the handler writes", .before = write_and_call,
         .operation = write_own, .handler = handler_hands_over_and_writes, .after = partner_reads),
    BOTH("a range where the handler writes", .before = write_in_one_epoch, .operation = write_range,
         .handler = handler_hands_over_and_writes, .after = partner_reads),
    BOTH("pieces where the handler writes", .before = write_in_one_epoch, .operation = write_pieces,
         .handler = handler_hands_over_and_writes, .after = partner_reads),
    BOTH("a read where the handler writes", .before = write_in_one_epoch, .operation = read_own,
         .handler = handler_writes, .after = read_all_own),
    BOTH("reads that enlarge tables", .before = partner_writes_in_many, .operation = read_range,
         .handler = handler_reads, .after = read_all_own),
    BOTH("reads of pieces that enlarge tables", .before = partner_writes_in_many,
         .operation = read_pieces, .handler = handler_reads, .after = read_all_own),
    BOTH("reads that enlarge tables, left by a jump", .before = partner_writes_in_many,
         .operation = read_range, .handler = handler_reads, .after = read_all_own, .jumps = true),
    BOTH("a call that enlarges the stack, left by a jump", .before = call_many,
         .operation = call_own, .handler = handler_looks_at_stack, .after = call_then_write,
         .jumps = true),
};

/* ---------------------------------------------------------------- outcomes */

struct outcome {
    char text[OUTCOME_BYTES];
    size_t n;
};

static void describe(void *context, struct routine_profile *profile)
{
    struct outcome *outcome = context;
    const struct point_table *table = profile_table(profile, METRIC_TRMS, BOTH_METRICS);
    for (uint32_t i = 0; i < table->n_points; i++)
        outcome->n += (size_t)snprintf(
            outcome->text + outcome->n, OUTCOME_BYTES - outcome->n,
            " %llu:%llux%llu induced %llu %llu;", (unsigned long long)profile->routine->id,
            (unsigned long long)table->points[i].calls, (unsigned long long)table->points[i].input,
            (unsigned long long)table->points[i].induced_thread,
            (unsigned long long)table->points[i].induced_external);
}

static uint8_t time_bits = 29;

static void begin(void)
{
    const struct trms_config config = {.shift = 2,
                                       .time_bits = time_bits,
                                       .token_bits = TRMS_TOKEN_BITS,
                                       .token_block_log2 = 10,
                                       .metrics = BOTH_METRICS};
    memset(arena, 0, arena_used);
    memset(&world, 0, sizeof(world));
    arena_used = 0;
    trms_test_cells(base / 4, CELLS);
    trms_world_init(&world, &config);
    for (uint32_t i = 0; i < ROUTINES; i++)
        routines[i].id = i;
    partner = NULL;
    own = trms_strand_new(&world, 1);
    if (scene->has_window)
        trms_test_window_give(own, 0);
    call(own, OUTER);
    scene->before();
}

static void end(struct outcome *outcome)
{
    scene->after();
    outcome->n = 0;
    outcome->text[0] = 0;
    trms_strand_finish(own);
    if (partner)
        trms_strand_finish(partner);
    for (uint32_t t = 0; t < world.n_gathered; t++)
        profile_each(&world.gathered[t], describe, outcome);
    trms_world_free(&world);
}

static struct outcome before_it, after_it, found;

static void play_whole(void)
{
    begin();
    scene->handler();
    scene->operation();
    end(&before_it);
    begin();
    scene->operation();
    scene->handler();
    end(&after_it);
}

/* ---------------------------------------------------------------- steps */

static volatile unsigned long n_steps, n_wrong;
static volatile bool is_child;
static sigjmp_buf behind;

static const char *has(void)
{
    return scene->has_window ? "window" : "hooks";
}

static void note_end_of_child(pid_t child)
{
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        abort();
    if (status && n_wrong++ == 0)
        print_error("%s (%s), behind instruction %lu: ended with status %#x\n", scene->name, has(),
                    n_steps, (unsigned)status);
}

/* The handler comes now, in a copy of the process, which goes on to its end. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    (void)sig, (void)info;
    n_steps++;
    if (world.lock)
        return;
    pid_t child = fork();
    if (child) {
        note_end_of_child(child);
        return;
    }
    is_child = true;
    interrupted->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    scene->handler();
    if (scene->jumps)
        siglongjmp(behind, 1);
}

static inline __attribute__((always_inline)) void trap_flag(unsigned long set, unsigned long clear)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
                     "pushf\n\t"
                     "or %0, (%%rsp)\n\t"
                     "and %1, (%%rsp)\n\t"
                     "popf\n\t"
                     "lea 128(%%rsp), %%rsp"
                     :
                     : "r"(set), "r"(~clear)
                     : "memory", "cc");
}

static void step_through(void)
{
    if (sigsetjmp(behind, 1))
        return;
    trap_flag(TRAP_FLAG, 0);
    scene->operation();
    trap_flag(0, TRAP_FLAG);
}

static int verdict(void)
{
    bool is_right = !strcmp(found.text, before_it.text) || !strcmp(found.text, after_it.text);
    if (is_right || scene->jumps)
        return 0;
    if (!n_wrong)
        print_error("%s\nneither\n%s\nnor\n%s\n", found.text, before_it.text, after_it.text);
    return 1;
}

static unsigned long play_all(void)
{
    play_whole();
    n_steps = n_wrong = 0;
    begin();
    step_through();
    end(&found);
    if (is_child)
        _exit(verdict());
    print_message("%s (%s): %lu of %lu instructions are wrong\n", scene->name, has(), n_wrong,
                  n_steps);
    return n_wrong;
}

static void a_signal_between_two_instructions_comes_before_or_after_the_operation(void **state)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_NODEFER}, was,
                     segv = {.sa_handler = SIG_DFL}, was_segv;
    unsigned long n = 0;
    (void)state;
    action.sa_sigaction = on_trap;
    sigaction(SIGTRAP, &action, &was);
    sigaction(SIGSEGV, &segv, &was_segv);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        scene = &scenes[i];
        n += play_all();
    }
    sigaction(SIGTRAP, &was, NULL);
    sigaction(SIGSEGV, &was_segv, NULL);
    assert_int_equal(n, 0);
}

/* ---------------------------------------------------------------- the end of time */

/* Where the next call would number all times anew, handlers end that leave it a tick later each. */
static void handlers_at_the_end_of_time_leave_it_within_its_bits(void **state)
{
    static const struct scene only = {.has_window = true, .before = partner_begins};
    (void)state;
    scene = &only;
    time_bits = 8;
    begin();
    time_bits = 29;
    while ((uint32_t)own->stamp < own->time_limit)
        trms_sync(own);
    for (int i = 0; i < (1 << 8) / 8 - 1; i++) {
        handler_writes();
        read_own();
        write_own();
        assert_in_range((uint32_t)own->stamp / TRMS_TICK, 1, (1 << 8) - 1);
    }
    assert_int_equal(own->renumberings, 0);
    call_and_return();
    assert_int_equal(own->renumberings, 1);
    trms_world_free(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_at_the_end_of_time_leave_it_within_its_bits),
        cmocka_unit_test(a_signal_between_two_instructions_comes_before_or_after_the_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
