/* Writes the calling contexts of a process; aprof-contexts-file(5) describes the file.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * In the trees, routines and call sites are addresses; in the report, they are positions in files:
 * object and link-time offset. The tools look up names later. All memory comes from ground/host.h,
 * so that a report can be written from a signal handler.
 */
#include "native/contexts/runtime.h"
#include "native/base/modules.h"
#include "native/base/report_output.h"
#include "native/base/process.h"
#include "ground/call_places.h"
#include "ground/host.h"
#include "ground/pages.h"
#include "ground/record_schema.h"
#include "ground/sort.h"
#include "contexts/fraction.h"

/* if there are 20 bursts, a context with a tenth of all calls occurs in two bursts on average */
#define FEW_BURSTS 20
#define HOOK_NS    200 /* upper bound of a call's cost if the tree is not in the CPU's caches */
#define NOTICED    100 /* a cost of more than 1 / NOTICED of the run's time is noticeable */

/* The routines of all contexts, in a hash table by address. */
struct found_routine {
    uintptr_t address; /* address of the routine; 0: a free slot of the table */
    uint32_t module;
    uint32_t id;
};

struct source {
    struct context_tree *tree;
    uint32_t thread;
    uint64_t events, deepest;
};

/* All data that a report needs. */
struct gathering {
    const char *reason;
    struct source *sources; /* sorted by thread */
    size_t n_sources, sources_capacity;
    struct context_tree *merged;     /* owned; NULL */
    struct found_routine *table;     /* hash table of routines by address */
    struct found_routine **routines; /* by id */
    size_t table_size, n_routines;
    uint32_t *objects; /* by module: its id + 1; the last entry: addresses in no module */
    uint32_t n_modules;
    struct contexts_precision precision;
    /* `weighed`: sum of the counts of all trees; `whole`: the same sum plus the entries that no
     * burst represents */
    uint64_t weighed, whole;
    uint64_t weighed_before; /* part of `weighed` that belongs to trees already written */
    struct record_writer *out;
    const struct context_tree *tree; /* being written */
};

static void *take(size_t bytes)
{
    return host_map("aprof.contexts.report", pages_bytes(bytes));
}

/* ---------------------------------------------------------------- routines and objects */

static uint32_t module_of(const struct gathering *report, uintptr_t address)
{
    const struct native_module *module = native_modules_find(address);
    return module && module->id < report->n_modules ? module->id : report->n_modules;
}

static struct found_routine *find_routine(const struct gathering *report, uintptr_t address)
{
    size_t mask = report->table_size - 1, at = address * 0x9e3779b97f4a7c15u >> 32;
    while (report->table[at & mask].address && report->table[at & mask].address != address)
        at++;
    return &report->table[at & mask];
}

static void grow_table(struct gathering *report)
{
    struct found_routine *old = report->table;
    size_t size = report->table_size;
    report->table_size = size ? 2 * size : 1024;
    report->table = take(report->table_size * sizeof(*report->table));
    for (size_t i = 0; i < size; i++)
        if (old[i].address)
            *find_routine(report, old[i].address) = old[i];
    if (old)
        host_unmap(old, pages_bytes(size * sizeof(*old)));
}

static void note_object(struct gathering *report, uintptr_t address)
{
    report->objects[module_of(report, address)] = 1;
}

static void note_node(void *closure, const struct context_node *node, uint32_t id, uint32_t parent)
{
    struct gathering *report = closure;
    (void)id;
    (void)parent;
    if (!node->parent)
        return;
    if (2 * report->n_routines >= report->table_size)
        grow_table(report);
    struct found_routine *routine = find_routine(report, node->routine);
    if (!routine->address) {
        routine->address = node->routine;
        report->n_routines++;
        note_object(report, node->routine);
    }
    if (node->site)
        note_object(report, node->site - 1);
}

/* Compares routines by address, so that ids are in the order of addresses. */
static int compare_routines(const void *a, const void *b)
{
    uintptr_t first = (*(struct found_routine *const *)a)->address,
              second = (*(struct found_routine *const *)b)->address;
    return (first > second) - (first < second);
}

static void number_routines(struct gathering *report)
{
    size_t n = 0, bytes = pages_bytes((report->n_routines + 1) * sizeof(*report->routines));
    struct found_routine **all = take(bytes), **spare = take(bytes);
    for (size_t i = 0; i < report->table_size; i++)
        if (report->table[i].address)
            all[n++] = &report->table[i];
    report->routines = sort_merge(all, spare, n, sizeof(*all), compare_routines);
    host_unmap(report->routines == all ? spare : all, bytes);
    for (size_t i = 0; i < n; i++) {
        report->routines[i]->id = (uint32_t)i;
        report->routines[i]->module = module_of(report, report->routines[i]->address);
    }
    uint32_t id = 0;
    for (uint32_t i = 0; i <= report->n_modules; i++)
        if (report->objects[i])
            report->objects[i] = ++id;
}

/* ---------------------------------------------------------------- gathering */

static void add_source(struct gathering *report, struct context_tree *tree, uint32_t thread,
                       uint64_t events, uint64_t deepest)
{
    report->sources[report->n_sources++] = (struct source){tree, thread, events, deepest};
}

static int compare_sources(const void *a, const void *b)
{
    uint32_t first = ((const struct source *)a)->thread,
             second = ((const struct source *)b)->thread;
    return (first > second) - (first < second);
}

/* Sorts the sources by thread. The sort must be fast, because hundreds of thousands of threads may
 * have run. */
static void sort_sources(struct gathering *report)
{
    struct source *spare = take(report->sources_capacity * sizeof(*spare));
    const struct source *sorted =
        sort_merge(report->sources, spare, report->n_sources, sizeof(*spare), compare_sources);
    if (sorted == spare)
        memcpy(report->sources, spare, report->n_sources * sizeof(*spare));
    host_unmap(spare, pages_bytes(report->sources_capacity * sizeof(*spare)));
}

/* A thread that was interrupted while its record was made or ended has no complete tree. */
static void add_threads(struct gathering *report)
{
    for (struct native_thread *thread = native_threads(); thread; thread = thread->next) {
        struct contexts_thread *t = native_thread_data(thread);
        if (thread->live != 1 || !t->tree)
            continue;
        contexts_places_settle(t);
        if (contexts_config.burst)
            report->precision.missing += contexts_burst_missing(t);
        add_source(report, t->tree, thread->id, t->events, t->deepest);
    }
    for (struct contexts_ended *e = contexts_ended; e; e = e->next)
        add_source(report, e->tree, e->id, e->events, e->deepest);
}

static size_t count_sources(void)
{
    size_t n = 0;
    for (struct native_thread *thread = native_threads(); thread; thread = thread->next)
        n++;
    for (struct contexts_ended *e = contexts_ended; e; e = e->next)
        n++;
    return n;
}

static void merge_sources(struct gathering *report)
{
    struct source sum = {.tree = contexts_new_tree()};
    for (size_t i = 0; i < report->n_sources; i++) {
        const struct source *from = &report->sources[i];
        context_tree_merge(sum.tree, from->tree);
        sum.events += from->events;
        sum.deepest = from->deepest > sum.deepest ? from->deepest : sum.deepest;
    }
    report->merged = sum.tree;
    report->sources[0] = sum;
    report->n_sources = 1;
}

/* Scales the counts to include entries that no burst represents, mainly entries after the last
 * burst. */
static void sum_up(struct gathering *report)
{
    for (size_t i = 0; i < report->n_sources; i++)
        report->weighed += report->sources[i].tree->total;
    report->whole = report->weighed + (uint64_t)report->precision.missing;
}

static void gather(struct gathering *report)
{
    report->precision = contexts_burst_precision();
    native_modules_refresh();
    report->n_modules = native_modules_count();
    report->objects = take((report->n_modules + 1) * sizeof(*report->objects));
    report->sources_capacity = count_sources() + 1;
    report->sources = take(report->sources_capacity * sizeof(*report->sources));
    add_threads(report);
    sort_sources(report);
    sum_up(report);
    if (contexts_config.merged)
        merge_sources(report);
    grow_table(report);
    for (size_t i = 0; i < report->n_sources; i++)
        context_tree_visit(report->sources[i].tree, 0, note_node, report);
    number_routines(report);
}

/* ---------------------------------------------------------------- writing */

static void append_burst(char *text, size_t size, size_t *n)
{
    if (contexts_config.burst == BURST_OFF) {
        native_text_append(text, size, n, "off");
        return;
    }
    native_text_append_decimal(text, size, n, contexts_config.sampling);
    native_text_append(text, size, n, "/");
    native_text_append_decimal(text, size, n, contexts_config.length);
}

#define OPTIONS_MOST 12

/* The words of the line `options`. */
struct option_words {
    const char *word[OPTIONS_MOST + 1];
    char text[OPTIONS_MOST][64];
    unsigned count;
};

static void add_option(struct option_words *o, const char *key, const char *value)
{
    char *text = o->text[o->count];
    size_t n = 0;
    native_text_append(text, sizeof o->text[0], &n, key);
    native_text_append(text, sizeof o->text[0], &n, "=");
    native_text_append(text, sizeof o->text[0], &n, value);
    o->word[o->count++] = text;
    o->word[o->count] = NULL;
}

static void add_number_option(struct option_words *o, const char *key, uint64_t value)
{
    char digits[24];
    size_t n = 0;
    native_text_append_decimal(digits, sizeof(digits), &n, value);
    add_option(o, key, digits);
}

/* Writes the precision of the counts as options, from which lib/report/estimate.c computes
 * intervals. */
static void add_precision(struct option_words *o, const struct contexts_precision *precision)
{
    add_number_option(o, "bursts", precision->bursts);
    add_number_option(o, "clump", precision->clump);
    add_option(o, "total", "exact");
}

/* Returns whether bursts save so little time that estimates are not worthwhile. */
static bool saves_little(const struct gathering *report)
{
    uint64_t events = 0;
    for (size_t i = 0; i < report->n_sources; i++)
        events += report->sources[i].events;
    return 5 * events >= 2 * report->whole;
}

/* At the end of the run, prints a warning with advice if bursts record few calls or save little
 * time. */
static void warn(const struct gathering *report)
{
    const char *why = NULL;
    if (report->precision.bursts == 0)
        return;
    if (report->whole * HOOK_NS * NOTICED < contexts_process_ns())
        why = "calls are so rare that bursts save no time; leave out burst= for exact counts";
    else if (report->precision.bursts < FEW_BURSTS)
        why = "the run is too short, so counts are rough; leave out burst= for exact counts";
    else if (saves_little(report))
        why = "bursts cover two fifths of all calls or more, so bursts save little time; leave out "
              "burst= for exact counts";
    if (why)
        native_message("contexts: bursts", why);
}

extern const char has_inline_code __asm__(CALL_PLACES_MARK) __attribute__((weak));

static void add_options(struct option_words *o, const struct contexts_precision *precision,
                        const char *phi, const char *epsilon)
{
    const struct contexts_settings *c = &contexts_config;
    add_option(o, "mode", contexts_mode_names[c->mode]);
    if (contexts_mode()->hot) {
        add_option(o, "summary", context_summary_options[c->summary]);
        add_option(o, "phi", phi);
        add_option(o, "epsilon", epsilon);
    }
    add_option(o, "burst",
               c->burst == BURST_OFF ? "off" : (c->burst == BURST_STATIC ? "static" : "adaptive"));
    add_option(o, "weight", c->weight ? "time" : "calls");
    add_option(o, "sites", c->sites ? "yes" : "no");
    add_option(o, "threads", c->merged ? "merged" : "separate");
    if (c->burst != BURST_OFF)
        add_precision(o, precision);
    add_option(o, "code", &has_inline_code ? "inline" : "hooks");
}

struct contexts_head {
    RECORD_CALL_HEAD(RECORD_HEAD_MEMBERS)
};

static void write_head(struct gathering *report, struct record_writer *out)
{
    const struct contexts_settings *c = &contexts_config;
    char burst[64], phi[FRACTION_CHARACTERS], epsilon[FRACTION_CHARACTERS];
    struct option_words options = {.count = 0};
    size_t n = 0;
    bool hot = contexts_mode()->hot;
    fraction_format(c->phi, phi);
    fraction_format(c->epsilon, epsilon);
    append_burst(burst, sizeof(burst), &n);
    add_options(&options, &report->precision, phi, epsilon);
    const struct contexts_head head = {
        .creator = "aprof " APROF_VERSION,
        .command = native_arguments(),
        .process = native_output_process_words(),
        .options = options.word,
        .technique = hot ? "hcct" : "cct",
        .summary = hot ? context_summaries[c->summary + CONTEXTS_LAZY_SPACE_SAVING].name : NULL,
        .weight = c->weight ? "time" : "calls",
        .phi = hot ? phi : NULL,
        .epsilon = hot ? epsilon : NULL,
        .burst = c->burst == BURST_ADAPTIVE ? "adaptive" : burst,
        .end_reason = report->reason,
    };
    record_put_first(out, RECORD_CONTEXTS_FIRST, 1);
    RECORD_PUT_HEAD(out, RECORD_CALL_HEAD, &head, NULL);
}

struct build_record {
    const char *path;
    struct record_bytes build_id;
};

static void write_objects(struct gathering *report, struct record_writer *out)
{
    for (uint32_t i = 0; i <= report->n_modules; i++) {
        if (!report->objects[i])
            continue;
        const struct native_module *m = i < report->n_modules ? native_modules_get(i) : NULL;
        struct build_record build = {NULL, {NULL, 0}};
        if (m)
            build = (struct build_record){m->path, {m->build_id, m->build_id_bytes}};
        RECORD_PUT_NUMBERED(out, "object", report->objects[i] - 1, RECORD_BUILD, &build);
    }
}

static uintptr_t offset_of(const struct gathering *report, uint32_t module, uintptr_t address)
{
    return module < report->n_modules ? native_module_offset(native_modules_get(module), address)
                                      : address;
}

/* A patched entry may follow an endbr64, which is the routine's first instruction. */
static uintptr_t routine_start(const struct gathering *report, const struct found_routine *routine)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    uintptr_t address = routine->address;
    if (routine->module == report->n_modules || !native_modules_get(routine->module)->loaded ||
        contexts_patch_entry_at(address) != address || address % 4096 < 4)
        return address;
    for (unsigned i = 0; i < 4; i++)
        if (((const uint8_t *)address)[(int)i - 4] != endbr64[i])
            return address;
    return address - 4;
}

struct routine_record {
    RECORD_ROUTINE(RECORD_MEMBER)
};

static void write_routines(struct gathering *report, struct record_writer *out)
{
    for (size_t i = 0; i < report->n_routines; i++) {
        const struct found_routine *routine = report->routines[i];
        struct routine_record record = {
            .object = report->objects[routine->module] - 1,
            .offset = offset_of(report, routine->module, routine_start(report, routine)),
        };
        RECORD_PUT_NUMBERED(out, "routine", i, RECORD_ROUTINE, &record);
    }
}

static uint64_t in_units(const struct gathering *report, uint64_t count)
{
    if (report->weighed && report->whole != report->weighed)
        count = (uint64_t)((unsigned __int128)count * report->whole / report->weighed);
    return contexts_config.weight ? contexts_cycles_to_ns(count) : count;
}

struct context_record {
    RECORD_CALL_CONTEXT(RECORD_MEMBER)
};

/* The site is an address inside the call instruction. */
static void set_site(struct context_record *record, struct gathering *report, uintptr_t site)
{
    record->site_object = RECORD_NONE;
    if (!site)
        return;
    uint32_t module = module_of(report, site - 1);
    record->site_object = report->objects[module] - 1;
    record->site_offset = offset_of(report, module, site - 1);
}

static void write_node(void *closure, const struct context_node *node, uint32_t id, uint32_t parent)
{
    struct gathering *report = closure;
    struct context_record record = {
        .parent = node->parent ? parent : RECORD_NONE,
        .routine = node->parent ? (uint32_t)find_routine(report, node->routine)->id : RECORD_NONE,
        .count = in_units(report, node->count),
        .error = in_units(report, context_tree_error(report->tree, node)),
        .monitored = node->slot != 0,
    };
    set_site(&record, report, node->parent ? node->site : 0);
    RECORD_PUT_NUMBERED(report->out, "context", id, RECORD_CALL_CONTEXT, &record);
}

struct tree_record {
    RECORD_CALL_TREE(RECORD_MEMBER)
};

static void write_tree(struct gathering *report, const struct source *source)
{
    uint64_t before = report->weighed_before;
    report->weighed_before += source->tree->total;
    report->tree = source->tree;
    struct tree_record record = {
        .thread = source->thread,
        .total = in_units(report, before + source->tree->total) - in_units(report, before),
        .calls = source->events,
        .count = source->tree->n_nodes,
        .deepest = source->deepest,
    };
    RECORD_PUT(report->out, "tree", RECORD_CALL_TREE, &record);
    context_tree_visit(source->tree, 0, write_node, report);
}

static void write_lines(struct record_writer *out, void *context)
{
    struct gathering *report = context;
    report->out = out;
    report->weighed_before = 0;
    write_head(report, out);
    write_objects(report, out);
    write_routines(report, out);
    for (size_t i = 0; i < report->n_sources; i++)
        write_tree(report, &report->sources[i]);
    record_writer_finish(out);
}

void contexts_finish(const char *reason)
{
    struct gathering report = {.reason = reason};
    gather(&report);
    native_output_write(write_lines, &report, reason);
    if (!native_is_still_running(reason))
        warn(&report);
    host_unmap(report.table, pages_bytes(report.table_size * sizeof(*report.table)));
    host_unmap(report.routines, pages_bytes((report.n_routines + 1) * sizeof(*report.routines)));
    host_unmap(report.objects, pages_bytes((report.n_modules + 1) * sizeof(*report.objects)));
    host_unmap(report.sources, pages_bytes(report.sources_capacity * sizeof(*report.sources)));
    if (report.merged)
        context_tree_free(report.merged);
}
