/* The calling-context profiler as a runtime: options, threads and processes.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The variable APROF_CONTEXTS has the options, which docs/contexts.md describes. By default, the
 * runtime keeps hot contexts by lazy Space Saving.
 */
#include "native/contexts/runtime.h"
#include "native/base/report_output.h"
#include "native/base/process.h"
#include "ground/host.h"
#include "contexts/fraction.h"

#include <stddef.h>

#define MS 1000000u

struct contexts_settings contexts_config = {
    .phi = FRACTION_ONE / 10000,
    .sampling = 20 * MS,
    .length = 2 * MS,
    .out = "aprof.contexts.%p",
};
struct contexts_ended *contexts_ended;

/* ---------------------------------------------------------------- options */

static const char *const weight_names[] = {"calls", "time", NULL};
static const char *const site_names[] = {"no", "yes", NULL};
static const char *const thread_names[] = {"separate", "merged", NULL};

static size_t length_of(const char *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    return n;
}

static bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static const char *set_fraction(uint32_t *fraction, const char *value)
{
    return fraction_parse(value, length_of(value), fraction) ? NULL : "a number above 0, up to 1";
}

static const char *set_phi(void *config, const char *value)
{
    return set_fraction(&((struct contexts_settings *)config)->phi, value);
}

static const char *set_epsilon(void *config, const char *value)
{
    return set_fraction(&((struct contexts_settings *)config)->epsilon, value);
}

static const char *set_burst(void *closure, const char *value)
{
    static const char must_be[] = "off, static, adaptive, or two times as 20ms/2ms, the second the "
                                  "smaller";
    struct contexts_settings *config = closure;
    uint64_t sampling, length;
    const char *slash = value;
    while (*slash && *slash != '/')
        slash++;
    if (!*slash) {
        static const char *const names[] = {"off", "static", "adaptive"};
        for (uint32_t i = 0; i < 3; i++)
            if (same(value, names[i])) {
                config->burst = i;
                return NULL;
            }
        return must_be;
    }
    if (!native_parse_duration(value, slash, &sampling) ||
        !native_parse_duration(slash + 1, NULL, &length) || length == 0 || length >= sampling)
        return must_be;
    config->sampling = sampling;
    config->length = length;
    if (config->burst == BURST_OFF)
        config->burst = BURST_STATIC;
    return NULL;
}

static const struct native_option options[] = {
    {"mode", NATIVE_CHOICE, offsetof(struct contexts_settings, mode), contexts_mode_names, NULL},
    {"summary", NATIVE_CHOICE, offsetof(struct contexts_settings, summary), context_summary_options,
     NULL},
    {"phi", NATIVE_CUSTOM, 0, NULL, set_phi},
    {"epsilon", NATIVE_CUSTOM, 0, NULL, set_epsilon},
    {"burst", NATIVE_CUSTOM, 0, NULL, set_burst},
    {"weight", NATIVE_CHOICE, offsetof(struct contexts_settings, weight), weight_names, NULL},
    {"sites", NATIVE_CHOICE, offsetof(struct contexts_settings, sites), site_names, NULL},
    {"recursion", NATIVE_NUMBER, offsetof(struct contexts_settings, recursion), NULL, NULL},
    {"threads", NATIVE_CHOICE, offsetof(struct contexts_settings, merged), thread_names, NULL},
    {"out", NATIVE_TEXT, offsetof(struct contexts_settings, out), NULL, NULL},
    NATIVE_DUMP_OPTIONS(struct contexts_settings, dump),
    {0},
};

static void check_epsilon(struct contexts_settings *config)
{
    if (config->epsilon >= config->phi)
        native_message("APROF_CONTEXTS: epsilon", "must be less than phi; using a fifth of phi");
    if (config->epsilon == 0 || config->epsilon >= config->phi)
        config->epsilon = config->phi >= 5 ? config->phi / 5 : 1;
    if (config->epsilon >= config->phi)
        config->phi = config->epsilon + 1;
}

extern const char aprof_contexts_counts_itself __attribute__((weak)); /* ground/call_places.h */

/* Rejects bursts for inline counting, which cannot be switched off in a gap. Also rejects bursts
 * with weight=time: a gap is measured in calls, which do not show how much time has passed. */
static void check_bursts(struct contexts_settings *config)
{
    const char *why = NULL;
    if (&aprof_contexts_counts_itself != NULL)
        why =
            "ignored: this program counts its calls inline, which costs less than bursts of hooks";
    else if (config->weight)
        why = "ignored: weight=time is measured at all calls";
    if (why && config->burst && !contexts_mode()->is_off)
        native_message("APROF_CONTEXTS: burst", why);
    if (why || contexts_mode()->empty_hook)
        config->burst = BURST_OFF;
}

/* ---------------------------------------------------------------- life */

struct context_tree *contexts_new_tree(void)
{
    struct context_tree_config config = {
        .summary = contexts_mode()->hot ? contexts_config.summary + CONTEXTS_LAZY_SPACE_SAVING
                                        : CONTEXTS_ALL,
        .epsilon = contexts_config.epsilon,
        .phi = contexts_config.phi,
        .weighted = contexts_config.weight || contexts_config.burst,
        .call_sites = contexts_config.sites,
        .recursion_limit = (uint32_t)contexts_config.recursion,
        .seed = (uint64_t)native_pid(),
    };
    return context_tree_new(&config);
}

static bool start(void)
{
    native_options_read("APROF_CONTEXTS", options, &contexts_config);
    check_epsilon(&contexts_config);
    check_bursts(&contexts_config);
    if (contexts_mode()->is_off || contexts_mode()->empty_hook) {
        contexts_patch_start(contexts_mode()->empty_hook);
        contexts_places_off();
        return !contexts_mode()->is_off;
    }
    native_output_choose("APROF_CONTEXTS", contexts_config.out);
    native_dump_choose("APROF_CONTEXTS", &contexts_config.dump);
    contexts_clock_start();
    contexts_patch_start(contexts_config.weight ? contexts_entry_time : contexts_entry_calls);
    return true;
}

static void thread_started(struct native_thread *self)
{
    struct contexts_thread *t = native_thread_data(self);
    if (contexts_mode()->empty_hook) {
        contexts_left = (int64_t)(~(uint64_t)0 >> 1);
        return;
    }
    t->tree = contexts_new_tree();
    contexts_stack_start(t);
    contexts_burst_thread(t, -1);
}

static void thread_ended(struct native_thread *self)
{
    struct contexts_thread *t = native_thread_data(self);
    if (!t->tree)
        return;
    contexts_places_end(t);
    struct contexts_ended *ended = host_alloc("aprof.contexts.ended", sizeof(*ended));
    ended->tree = t->tree;
    ended->id = self->id;
    ended->events = t->events;
    ended->deepest = t->deepest;
    contexts_stack_free(t);
    contexts_unwind_free(t);
    contexts_burst_free(t);
    t->tree = NULL;
    ended->next = __atomic_load_n(&contexts_ended, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&contexts_ended, &ended->next, ended, true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

/* A forked child reports only its own calls. Calls pending at the fork stay pending. */
static void forked_child(void)
{
    contexts_ended = NULL;
    if (contexts_mode()->empty_hook)
        return;
    contexts_burst_forked();
    for (struct native_thread *thread = native_threads(); thread; thread = thread->next) {
        struct contexts_thread *t = native_thread_data(thread);
        if (thread->live != 1 || !t->tree)
            continue;
        context_tree_clear(t->tree);
        contexts_places_restart(t);
        t->events = 0;
        contexts_burst_thread(t, 0);
    }
}

static void finish(const char *reason)
{
    if (!contexts_mode()->empty_hook)
        contexts_finish(reason);
}

const struct native_client native_client = {
    .name = "contexts",
    .thread_bytes = sizeof(struct contexts_thread),
    .start = start,
    .thread_started = thread_started,
    .thread_ended = thread_ended,
    .finish = finish,
    .finish_in_copy = finish,
    .forked_child = forked_child,
};
