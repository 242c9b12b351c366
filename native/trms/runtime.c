/* The life of the compiled-in TRMS in a program: options, threads, fork, interposed functions.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/trms/calls/budget.h"
#include "native/trms/report/routines.h"

#include "points/process_contexts.h"
#include "ground/host.h"
#include "contexts/fraction.h"
#include "native/base/control.h"
#include "native/base/lifecycle.h"
#include "native/base/owner.h"
#include "native/base/report_output.h"
#include "native/base/process.h"
#include "native/base/syscalls.h"
#include "native/base/threads.h"
#include "native/trms/shadow/words.h"
#include "ground/trms_words.h"

#include <time.h>

/* number of bits of a time, without the 2 lower bits of a shadow word; TRMS_WORDS_NOT_OWN allows 31
 * bits in all */
#define TIME_BITS        29
#define SAMPLE_MOST      65536
#define BUDGET_MOST      50 /* percent */
#define TOKEN_BLOCK_LOG2 10

/* The number of attempts to take the lock, which together take half a second. A lock that is held
 * for longer belongs to a stopped thread. */
#define LOCK_PATIENCE 30

struct trms_world trms_world;
struct trms_options trms_options = {
    .out = "aprof.out.%p",
    .metrics = BOTH_METRICS,
    .resolution_log2 = TRMS_FAST_SHIFT,
    .collect = true,
    .edges = true,
    .phi = FRACTION_ONE / 10000,
    .sample = 1,
    .sample_seed = 1,
};

extern const char has_two_versions __asm__(TRMS_WORDS_MARK_TWO) __attribute__((weak));

/* Inline checks compare shadow words with `near` and the time of `found`. Both values are above all
 * shadow words, so the checks take the slow path. */
static struct trms_activation nobodys_stack = {.slot = TRMS_NO_SLOT, .near = ~0u};
static struct trms_activation nobodys_found = {.stamp = ~0u};
struct trms_exec_context trms_nobody = {
    .stack = &nobodys_stack,
    .activation = &nobodys_stack,
    .found = &nobodys_found,
    .floor = ~0u,
    .synced = TRMS_TICK,
    .direct_shadow = (uintptr_t)&trms_nobody.nowhere[TRMS_NOWHERE_FIRST],
    .mask = TRMS_NOWHERE_MASK,
    .pages = &trms_no_pages,
    .careful = TRMS_SHARED,
    .remembered = {.tag = {[0 ... TRMS_REMEMBERED - 1] = TRMS_NOT_REMEMBERED}},
};
NATIVE_TLS struct trms_exec_context *trms_current = &trms_nobody;

static struct native_thread no_thread;
NATIVE_TLS struct native_thread *trms_self = &no_thread;

/* ---------------------------------------------------------------- the world's lock */

/* Signals are unblocked between two attempts, so no thread waits long with signals blocked. */
void trms_lock(struct trms_world *world)
{
    uint64_t signals;
    for (unsigned round = 0;; round++) {
        native_signals_block(&signals);
        if (native_try_lock_longer(&world->lock, round) ||
            (round >= LOCK_PATIENCE && native_gate != NATIVE_OPEN))
            break;
        native_signals_restore(&signals);
    }
    world->signals = signals;
}

void trms_unlock(struct trms_world *world)
{
    uint64_t signals = world->signals;
    native_unlock(&world->lock);
    native_signals_restore(&signals);
}

/* Begins a region in which no signal handler of the program runs. Before a program installs its
 * first handler, signals need not be blocked: the installing thread waits until all hooks that have
 * begun are finished. */
void trms_quiet_begin(struct trms_quiet *quiet)
{
    quiet->is_blocked = __atomic_load_n(&native_may_be_interrupted, __ATOMIC_RELAXED);
    if (quiet->is_blocked)
        native_signals_block(&quiet->signals);
}

void trms_quiet_end(const struct trms_quiet *quiet)
{
    if (quiet->is_blocked)
        native_signals_restore(&quiet->signals);
}

uint64_t trms_thread_nanoseconds(void)
{
    struct timespec now = {0};
    native_syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---------------------------------------------------------------- the border */

struct trms_exec_context *trms_attach(void)
{
    if (UNLIKELY(trms_current == &trms_nobody))
        native_thread_attach();
    return LIKELY(trms_current != &trms_nobody) ? trms_current : NULL;
}

void watch_thread_sync(void)
{
    struct trms_exec_context *ctx = trms_current;
    if (LIKELY(ctx != &trms_nobody))
        trms_sync(ctx);
}

void watch_thread_create(void)
{
    if (trms_world.exec_contexts)
        trms_world_share(&trms_world);
    watch_thread_sync();
}

static void about_range(uintptr_t address, size_t bytes,
                        void (*report)(struct trms_exec_context *, uint64_t, uint64_t))
{
    struct trms_exec_context *ctx = trms_attach();
    if (!ctx || !bytes || !native_enter(native_self))
        return;
    trms_direct_shadow_check(ctx, address, bytes);
    report(ctx, address, bytes);
    trms_leave(native_self);
}

void watch_kernel_write(uintptr_t address, size_t bytes)
{
    about_range(address, bytes, trms_kernel_wrote);
}

void watch_kernel_read(uintptr_t address, size_t bytes)
{
    watch_access(address, bytes, WATCH_READ);
}

void watch_map_file(uintptr_t address, size_t bytes)
{
    about_range(address, bytes, trms_file_mapped);
}

void watch_forget(uintptr_t address, size_t bytes)
{
    about_range(address, bytes, trms_forgotten);
}

void trms_memory_given(uintptr_t address, size_t bytes)
{
    struct trms_exec_context *ctx = trms_current == &trms_nobody ? NULL : trms_current;
    bool entered = ctx && native_enter(native_self);
    trms_direct_shadow_check(entered ? ctx : NULL, address, bytes);
    if (entered)
        trms_leave(native_self);
}

void watch_unwind(uintptr_t stack_pointer)
{
    struct trms_exec_context *ctx = trms_current;
    if (ctx == &trms_nobody)
        return;
    /* If the stack pointer is outside the current stack, either a handler has ended by a jump, or
     * the thread has switched to another stack. */
    if (stack_pointer - ctx->stack_low >= ctx->stack_high - ctx->stack_low)
        ctx = trms_exec_context_at(stack_pointer);
    if (!ctx || !native_enter(native_self))
        return;
    while (trms_is_pending(ctx) && ctx->activation->slot < stack_pointer)
        trms_exec_context_return(ctx);
    trms_leave(native_self);
}

/* ---------------------------------------------------------------- options */

static const char *set_metrics(void *config, const char *value)
{
    static const struct {
        const char *text;
        unsigned metrics;
    } known[] = {
        {"trms,rms", BOTH_METRICS},
        {"rms,trms", BOTH_METRICS},
        {"trms", 1u << METRIC_TRMS},
        {"rms", 1u << METRIC_RMS},
    };
    struct trms_options *options = config;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (__builtin_strcmp(known[i].text, value) == 0) {
            options->metrics = known[i].metrics;
            return NULL;
        }
    return "must be trms, rms or trms,rms";
}

static const char *set_cost(void *config, const char *value)
{
    struct trms_options *options = config;
    if (__builtin_strcmp(value, "instr") == 0)
        return "compiled-in code does not count instructions; must be bb or time";
    if (__builtin_strcmp(value, "bb") != 0 && __builtin_strcmp(value, "time") != 0)
        return "must be bb or time";
    options->cost = *value == 't' ? TRMS_COST_TIME : TRMS_COST_BLOCKS;
    return NULL;
}

static const char *set_fraction(uint32_t *fraction, const char *value)
{
    bool is_fraction = fraction_parse(value, __builtin_strlen(value), fraction);
    return is_fraction ? NULL : "must be a number above 0, up to 1";
}

static const char *set_phi(void *config, const char *value)
{
    return set_fraction(&((struct trms_options *)config)->phi, value);
}

static const char *set_epsilon(void *config, const char *value)
{
    return set_fraction(&((struct trms_options *)config)->epsilon, value);
}

static void check_epsilon(struct trms_options *options)
{
    if (options->epsilon && options->epsilon >= options->phi)
        native_message("APROF: epsilon", "must be less than phi; a fifth of phi is used");
    if (options->phi < 2)
        options->phi = 2;
    if (options->epsilon == 0 || options->epsilon >= options->phi)
        options->epsilon = options->phi < 5 ? 1 : options->phi / 5;
}

static const char why_no_sample[] =
    "must be a number from 1 to 65536, or a percentage from 1% to 50%";

static const char *set_budget(struct trms_options *options, uint64_t percent)
{
    if (percent < 1 || percent > BUDGET_MOST)
        return why_no_sample;
    options->sample = TRMS_BUDGET_FIRST_RATE;
    options->sample_budget = (uint32_t)percent;
    return NULL;
}

static const char *set_sample(void *config, const char *value)
{
    uint64_t number = 0;
    const char *end = value + __builtin_strlen(value);
    if (end > value && end[-1] == '%' && native_parse_number(value, end - 1, &number))
        return set_budget(config, number);
    if (!native_parse_number(value, NULL, &number) || number < 1 || number > SAMPLE_MOST)
        return why_no_sample;
    ((struct trms_options *)config)->sample = (uint32_t)number;
    ((struct trms_options *)config)->sample_budget = 0;
    return NULL;
}

static const char *set_sample_seed(void *config, const char *value)
{
    uint64_t number = 0;
    if (!native_parse_number(value, NULL, &number) || number >> 32)
        return "must be a number below 4294967296";
    ((struct trms_options *)config)->sample_seed = (uint32_t)number;
    return NULL;
}

/* Rejects sampling with calling contexts, because unmeasured code has no calling contexts. */
static void check_sample(struct trms_options *options)
{
    const char *why = NULL;
    if (options->sample > 1 && !&has_two_versions)
        why = "no code of this process was compiled with --aprof=trms,inline,sample; all "
              "activations are measured";
    else if (options->sample > 1 && options->contexts)
        why = "contexts cannot be sampled; all activations are measured";
    else if (options->sample_budget && options->cost == TRMS_COST_TIME)
        why = "a percentage needs cost=bb; all activations are measured";
    if (!why)
        return;
    native_message("APROF: sample", why);
    options->sample = 1;
    options->sample_budget = 0;
}

static void check_parts(struct trms_options *options)
{
    const struct native_dump_settings *dump = &options->dump;
    const char *why = NULL;
    if (dump->parts && options->contexts)
        why = "contexts cannot be divided into parts; reports cover the whole run";
    else if (dump->parts && !dump->every && !dump->on)
        why = "needs dump-every or dump-signal";
    if (!why)
        return;
    native_message("APROF: dump-parts", why);
    options->dump.parts = 0;
}

/* Sets the sampling rate that the options request. If `collect` is off, runs without samples still
 * track calls; runs with samples neither record nor count calls. */
static void set_rate(const struct trms_options *options)
{
    trms_rate_set((struct trms_rate){.period = options->sample,
                                     .budget = (uint16_t)options->sample_budget,
                                     .is_off = !options->collect});
}

static const char *set_sample_later(void *config, const char *value)
{
    struct trms_options changed = trms_options;
    const char *why = set_sample(&changed, value);
    if (why || changed.sample == 1)
        return "must be a number from 2 to 65536, or a percentage from 1% to 50%";
    ((struct trms_options *)config)->sample = changed.sample;
    ((struct trms_options *)config)->sample_budget = changed.sample_budget;
    return NULL;
}

/* Applies the options of the control file. Options that the file does not name return to their
 * values from the start of the program. */
static void apply_control(const char *text)
{
    static const char *const off_on[] = {"off", "on", NULL};
    static const struct native_option table[] = {
        {"sample", NATIVE_CUSTOM, 0, NULL, set_sample_later},
        {"collect", NATIVE_CHOICE, NATIVE_OFFSETOF(struct trms_options, collect), off_on, NULL},
        {0},
    };
    struct trms_options changed = trms_options;
    native_options_parse("APROF: control file", text, table, &changed);
    set_rate(&changed);
    trms_options.is_changed = true;
}

static void choose_control(void)
{
    if (trms_options.control[0] && trms_options.sample == 1)
        native_message("APROF: control", "only samples can be changed; set sample");
    else
        native_control_choose("APROF: control", trms_options.control, apply_control);
}

static struct process_contexts *make_contexts(const struct trms_options *options)
{
    const struct contexts_config config = {
        .mode = options->contexts,
        .by_cost = options->by_cost,
        .fold_recursion = options->fold,
        .phi = options->phi,
        .epsilon = options->epsilon,
    };
    return process_contexts_new(&config, options->separate_threads);
}

static void keep_given(const char *text)
{
    size_t n = 0;
    if (text)
        native_text_append(trms_options.given, sizeof trms_options.given, &n, text);
}

/* Stores the declared size of the run, which `aprof scale` reads from the report. */
static void keep_size(const char *text)
{
    uint64_t number;
    if (!text)
        return;
    if (*text == '0' || !native_parse_number(text, NULL, &number))
        native_message("APROF_SIZE", "must be a number above 0");
    else
        trms_options.size = number;
}

static bool start(void)
{
    static const char *const sizes[] = {"1", "2", "4", "8", "16", NULL};
    static const char *const no_yes[] = {"no", "yes", NULL}, *const off_on[] = {"off", "on", NULL};
    static const char *const modes[] = {"off", "full", "hot", NULL};
    static const char *const weights[] = {"calls", "cost", NULL};
    static const struct native_option table[] = {
        {"out", NATIVE_TEXT, NATIVE_OFFSETOF(struct trms_options, out), NULL, NULL},
        {"metrics", NATIVE_CUSTOM, 0, NULL, set_metrics},
        {"resolution", NATIVE_CHOICE, NATIVE_OFFSETOF(struct trms_options, resolution_log2), sizes,
         NULL},
        {"cost", NATIVE_CUSTOM, 0, NULL, set_cost},
        {"separate-threads", NATIVE_CHOICE, NATIVE_OFFSETOF(struct trms_options, separate_threads),
         no_yes, NULL},
        {"collect", NATIVE_CHOICE, NATIVE_OFFSETOF(struct trms_options, collect), off_on, NULL},
        {"edges", NATIVE_CHOICE, NATIVE_OFFSETOF(struct trms_options, edges), no_yes, NULL},
        {"contexts", NATIVE_CHOICE, NATIVE_OFFSETOF(struct trms_options, contexts), modes, NULL},
        {"weight", NATIVE_CHOICE, NATIVE_OFFSETOF(struct trms_options, by_cost), weights, NULL},
        {"fold", NATIVE_CHOICE, NATIVE_OFFSETOF(struct trms_options, fold), no_yes, NULL},
        {"phi", NATIVE_CUSTOM, 0, NULL, set_phi},
        {"epsilon", NATIVE_CUSTOM, 0, NULL, set_epsilon},
        {"sample", NATIVE_CUSTOM, 0, NULL, set_sample},
        {"sample-seed", NATIVE_CUSTOM, 0, NULL, set_sample_seed},
        {"control", NATIVE_TEXT, NATIVE_OFFSETOF(struct trms_options, control), NULL, NULL},
        NATIVE_DUMP_OPTIONS(struct trms_options, dump),
        {"dump-parts", NATIVE_NUMBER, NATIVE_OFFSETOF(struct trms_options, dump.parts), NULL, NULL},
        {0},
    };
    keep_given(native_getenv("APROF"));
    keep_size(native_getenv("APROF_SIZE"));
    native_options_read("APROF", table, &trms_options);
    check_epsilon(&trms_options);
    check_sample(&trms_options);
    set_rate(&trms_options);
    choose_control();
    check_parts(&trms_options);
    native_output_choose("APROF", trms_options.out);
    native_dump_choose("APROF", &trms_options.dump);
    struct trms_config config = {
        .shift = (uint8_t)trms_options.resolution_log2,
        .time_bits = TIME_BITS,
        .token_bits = TRMS_TOKEN_BITS,
        .token_block_log2 = TOKEN_BLOCK_LOG2,
        .metrics = trms_options.metrics,
        .edges = trms_options.edges && trms_options.sample == 1,
    };
    trms_world_init(&trms_world, &config);
    trms_world.sampled = trms_options.sample > 1;
    trms_world.collecting = trms_options.collect || trms_world.sampled;
    trms_world.timed = trms_options.cost == TRMS_COST_TIME;
    trms_world.contexts = make_contexts(&trms_options);
    trms_routines_init();
    return true;
}

/* ---------------------------------------------------------------- threads */

static void thread_started(struct native_thread *self)
{
    struct trms_thread *thread = native_thread_data(self);
    thread->own = trms_exec_context_new(&trms_world, trms_options.separate_threads ? self->id : 0);
    thread->own->cost = trms_options.cost == TRMS_COST_TIME ? trms_thread_nanoseconds() : 0;
    thread->own->reported.cost = thread->own->cost;
    trms_stacks_init();
    trms_direct_shadow_give(thread->own);
    trms_direct_shadow_check(thread->own, (uintptr_t)&thread, sizeof thread); /* the stack */
    trms_current = thread->own;
    trms_self = self;
}

static void thread_ended(struct native_thread *self)
{
    struct trms_thread *thread = native_thread_data(self);
    trms_current = &trms_nobody;
    trms_self = &no_thread;
    trms_stacks_end(thread);
    if (thread->own)
        trms_exec_context_end(thread->own);
    thread->own = NULL;
}

/* ---------------------------------------------------------------- the end, exec and fork */

/* Adds the time until now to the current activation; in other threads, only the time until their
 * latest hook is added. */
static void prepare_copy(struct native_thread *self)
{
    if (self && trms_options.cost == TRMS_COST_TIME && trms_current != &trms_nobody)
        trms_current->cost = trms_thread_nanoseconds();
}

static bool part_begin(void)
{
    return trms_world_divide(&trms_world);
}

static void part_end(bool made)
{
    if (made)
        trms_world_next_part(&trms_world, trms_routines_count());
}

static void finish(const char *reason)
{
    prepare_copy(native_self);
    trms_report_write(reason);
}

/* Makes the surviving execution context the own context of its thread. If the ended context
 * belonged to a signal handler, the interrupted code continues in its own execution context. */
static void become_own(struct trms_exec_context *survivor)
{
    const struct trms_exec_context *own = survivor;
    while (own->below)
        own = own->below;
    survivor->stack_low = own->stack_low;
    survivor->stack_high = own->stack_high;
    survivor->range_is_guess = own->range_is_guess;
    survivor->is_handler = false;
    survivor->below = survivor->link = NULL;
}

/* The lock is not held while the process forks. The C library's fork waits for malloc's lock, and a
 * signal handler that interrupted malloc may be waiting for the world's lock. So trms_world may be
 * inconsistent in the child, because another thread of the parent may have been changing it at the
 * fork. */
static void forked_child(void)
{
    struct trms_exec_context *survivor = trms_current;
    bool torn = trms_world.lock;
    trms_world.lock = 0;
    if (survivor == &trms_nobody)
        survivor = NULL;
    trms_world_restart(&trms_world, survivor, torn);
    if (torn && trms_world.contexts)
        trms_world.contexts = make_contexts(&trms_options);
    if (!survivor)
        return;
    trms_direct_shadow_give(survivor);
    struct trms_thread *thread = native_thread_data(native_self);
    thread->own = survivor;
    thread->exec_contexts = NULL;
    become_own(survivor);
    if (trms_options.cost == TRMS_COST_TIME)
        survivor->cost = survivor->reported.cost = trms_thread_nanoseconds();
}

const struct native_client native_client = {
    .name = "trms",
    .thread_bytes = sizeof(struct trms_thread),
    .start = start,
    .thread_started = thread_started,
    .thread_ended = thread_ended,
    .finish = finish,
    .prepare_copy = prepare_copy,
    .finish_in_copy = trms_report_write,
    .part_begin = part_begin,
    .part_end = part_end,
    .fork_prepare = trms_direct_shadows_fork,
    .forked_child = forked_child,
};
