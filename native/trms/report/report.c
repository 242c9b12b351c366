/* Writes the report: the measurements of all threads, in the format of aprof-out(5).
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/trms/calls/budget.h"
#include "native/trms/calls/call_sites.h"
#include "native/trms/calls/edges.h"
#include "native/trms/report/routines.h"

#include "ground/host.h"
#include "points/points_report.h"
#include "native/base/report_output.h"
#include "native/base/process.h"

#if defined(__x86_64__)
#define ARCH "amd64"
#else
#define ARCH "arm64"
#endif

#define WORDS_MAX 4096

static const char *const units[] = {
    [TRMS_COST_BLOCKS] = "bb", [TRMS_COST_INSTRUCTIONS] = "instr", [TRMS_COST_TIME] = "time"};

/* ---------------------------------------------------------------- the head's options */

/* The options in the report's head: first the text of the variable APROF, then the objects without
 * hooks. In these objects, only interposed memory accesses are recorded. */
struct words {
    const char *word[WORDS_MAX];
    uint32_t n;
};

static void words_add(struct words *words, const char *word)
{
    if (words->n < WORDS_MAX - 1)
        words->word[words->n++] = word;
}

static void add_given(struct words *words, char *text)
{
    size_t n;
    while ((text = (char *)native_options_next(text, &n))) {
        bool is_last = !text[n];
        words_add(words, text);
        text[n] = 0;
        if (is_last)
            return;
        text += n + 1;
    }
}

static void add_part(struct words *words, uint64_t part)
{
    static char word[32];
    size_t n = 0;
    if (!part)
        return;
    native_text_append(word, sizeof word, &n, "part=");
    native_text_append_decimal(word, sizeof word, &n, part);
    words_add(words, word);
}

static bool has_hooks(const struct native_module *module)
{
    for (uint32_t i = 0; i < trms_routines_count(); i++)
        if (trms_routines_get(i)->code.module == module)
            return true;
    return false;
}

extern const char has_inline_code __asm__(TRMS_WORDS_MARK) __attribute__((weak));

static void add_blind_spots(struct words *words)
{
    for (uint32_t i = 0; i < native_modules_count(); i++) {
        const struct native_module *module = native_modules_get(i);
        if (has_hooks(module) || module->path[0] != '/')
            continue;
        size_t n = 0, size = __builtin_strlen(module->path) + sizeof "uninstrumented=";
        char *word = host_alloc("aprof.trms.words", size);
        native_text_append(word, size, &n, "uninstrumented=");
        native_text_append(word, size, &n, module->path);
        words_add(words, word);
    }
}

/* ---------------------------------------------------------------- objects loaded twice */

static bool is_same(const struct trms_routine *a, const struct trms_routine *b)
{
    return a->code.offset == b->code.offset && a->code.module && b->code.module &&
           a->code.module != b->code.module &&
           __builtin_strcmp(a->code.module->path, b->code.module->path) == 0;
}

/* Returns the first routine that has the same file and offset as this routine. */
static struct trms_routine *first_of(struct trms_routine *routine)
{
    for (uint32_t i = 0; i < routine->routine.id; i++)
        if (is_same(trms_routines_get(i), routine))
            return trms_routines_get(i);
    return routine;
}

static bool was_loaded_before(const struct native_module *module)
{
    for (uint32_t i = 0; module && i < module->id; i++)
        if (__builtin_strcmp(native_modules_get(i)->path, module->path) == 0)
            return true;
    return false;
}

static struct routine *first_loaded(struct routine *routine)
{
    struct trms_routine *found = trms_routines_get(routine->id);
    return was_loaded_before(found->code.module) ? &first_of(found)->routine : routine;
}

static void unite(void *context, struct routine_profile *profile)
{
    (void)context;
    profile->routine = first_loaded(profile->routine);
}

/* Merges the edges of routines that were merged; equal edges are added up when they are written. */
static void unite_edges(struct edge_table *edges)
{
    for (uint32_t i = EDGE_NONE + 1; i < edges->n_edges; i++) {
        edges->edges[i].caller = first_loaded(edges->edges[i].caller);
        edges->edges[i].callee = first_loaded(edges->edges[i].callee);
    }
}

/* Merges routines of code that was loaded again at another address. */
static void unite_reloaded(void)
{
    for (uint32_t t = 0; t < trms_world.n_gathered; t++) {
        struct profile united = {0};
        profile_each(&trms_world.gathered[t], unite, NULL);
        profile_move(&united, &trms_world.gathered[t]);
        trms_world.gathered[t] = united;
    }
    if (trms_world.edges)
        unite_edges(&trms_world.edges->table);
}

/* ---------------------------------------------------------------- writing */

static void resolve_routines(void)
{
    uint32_t n = 0, count = trms_routines_count();
    struct trms_code **list = host_alloc("aprof.trms.sorted", (count + 1) * sizeof(*list));
    for (uint32_t i = 0; i < count; i++) {
        struct trms_routine *routine = trms_routines_get(i);
        if (!routine->routine.is_region)
            list[n++] = &routine->code;
    }
    trms_symbols_resolve(list, n);
    host_free(list);
}

static void describe(const struct routine *routine, struct routine_info *info)
{
    const struct trms_routine *found = trms_routines_get(routine->id);
    *info = (struct routine_info){
        .object = routine->is_region   ? "[regions]"
                  : found->code.module ? found->code.module->path
                                       : NULL,
        .offset = found->code.offset,
        .size = found->code.size,
        .name = found->code.name,
    };
}

struct writer_context {
    struct measurements measured;
    struct report_info info;
};

static void put_report(struct record_writer *out, void *context)
{
    const struct writer_context *report = context;
    points_report_write(&report->measured, &report->info, out);
}

static void finish_exec_contexts(void)
{
    for (struct trms_exec_context *ctx = trms_world.exec_contexts; ctx; ctx = ctx->next)
        trms_exec_context_finish(ctx);
}

void trms_report_write(const char *reason)
{
    struct words *options = host_alloc("aprof.trms.words", sizeof(*options));
    if (trms_options.dump.parts && native_is_still_running(reason))
        trms_world_finish_part(&trms_world, trms_routines_count());
    else
        finish_exec_contexts();
    resolve_routines();
    trms_call_sites_resolve();
    unite_reloaded();
    add_given(options, trms_options.given);
    add_blind_spots(options);
    add_part(options, native_output_part(reason));
    if (trms_world.tokens.stuck)
        words_add(options, "induced=incomplete");
    if (trms_direct_shadows_word())
        words_add(options, trms_direct_shadows_word());
    if (trms_options.is_changed)
        words_add(options, "control=changed");
    words_add(options, &has_inline_code ? "code=inline" : "code=hooks");
    struct writer_context report = {
        .measured =
            {
                .by_thread = trms_world.gathered,
                .n_threads = trms_world.n_gathered,
                .metrics = trms_world.config.metrics,
                .resolution_log2 = trms_world.config.shift,
                .separate_threads = trms_options.separate_threads,
                .sampled = trms_options.sample > 1 ? trms_budget_longest() : 1,
                .cost = trms_world.cost,
                .activations = trms_world.activations,
                .reads = trms_world.reads,
                .induced_thread = trms_world.induced_thread,
                .induced_external = trms_world.induced_external,
                .contexts = trms_world.contexts,
                .edges = trms_world.edges ? &trms_world.edges->table : NULL,
            },
        .info =
            {
                .creator = "aprof " APROF_VERSION,
                .tool = "compiled",
                .arch = ARCH,
                .command = native_arguments(),
                .process = native_output_process_words(),
                .options = options->word,
                .size = trms_options.size,
                .cost_unit = units[trms_options.cost],
                .end_reason = reason,
                .describe = describe,
                .code = &trms_call_sites_map,
            },
    };
    native_output_write(put_report, &report, reason);
}
