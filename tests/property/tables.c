/* The expected sums of a program's activations, and the sums of an engine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Expected and measured sums become flat tables of points, by routine and by calling context. The
 * tables are compared row by row.
 */
#include "tests/property/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aprof/state.h"
#include "contexts/fraction.h"
#include "tests/property/stream_builder.h"

/* ---------------------------------------------------------------- tables, flat */

/* A point, an edge (edge_row), or the cost of a span of code (span_row). With the metric METRICS, a
 * row has the sums of a routine in `calls`, `sum` (outermost) and `self`.
 */
struct row {
    uint32_t thread, routine, metric; /* or, for `routine`, a context of the oracle */
    uint64_t input, calls;
    u128 sum, squares;
    uint64_t min, max, self, induced[ORACLE_ORIGINS], thread_again;
};

struct row_table {
    struct row *rows;
    size_t n, room;
};

static struct row *row_add(struct row_table *t, uint32_t thread, uint32_t routine, uint32_t metric)
{
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 256;
        t->rows = realloc(t->rows, t->room * sizeof(*t->rows));
        if (!t->rows)
            abort();
    }
    struct row *row = &t->rows[t->n++];
    memset(row, 0, sizeof(*row));
    row->thread = thread;
    row->routine = routine;
    row->metric = metric;
    return row;
}

static int compare_keys(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->routine != b->routine)
        return a->routine < b->routine ? -1 : 1;
    if (a->metric != b->metric)
        return a->metric < b->metric ? -1 : 1;
    return a->input < b->input ? -1 : a->input > b->input;
}

/* Adds up the rows of each key. */
static void table_merge(struct row_table *t)
{
    size_t n = 0;
    if (!t->n)
        return;
    qsort(t->rows, t->n, sizeof(*t->rows), compare_keys);
    for (size_t i = 0; i < t->n; i++) {
        const struct row *from = &t->rows[i];
        if (n == 0 || compare_keys(&t->rows[n - 1], from)) {
            t->rows[n++] = *from;
            continue;
        }
        struct row *to = &t->rows[n - 1];
        to->calls += from->calls;
        to->sum += from->sum;
        to->squares += from->squares;
        to->min = from->min < to->min ? from->min : to->min;
        to->max = from->max > to->max ? from->max : to->max;
        to->self += from->self;
        to->induced[0] += from->induced[0];
        to->induced[1] += from->induced[1];
        to->thread_again += from->thread_again;
    }
    t->n = n;
}

/* ---------------------------------------------------------------- what it should be */

/* `key` is the routine or the context. */
static void expect_activation(struct row_table *t, const struct oracle_activation *a, unsigned key,
                              bool outermost, const struct engine_config *config)
{
    uint32_t thread = config->separate_threads ? a->thread : 0;
    const bool wanted[METRICS] = {config->trms, config->rms};
    if (!a->measured)
        return;
    struct row *sums = row_add(t, thread, key, METRICS);
    sums->calls = 1;
    sums->sum = outermost ? a->cost : 0;
    sums->self = a->self;
    for (uint32_t m = 0; m < METRICS; m++) {
        if (!wanted[m])
            continue;
        struct row *row = row_add(t, thread, key, m);
        row->input = a->input[m];
        row->calls = 1;
        row->sum = row->min = row->max = a->cost;
        row->squares = (u128)a->cost * a->cost;
        row->self = a->self;
        memcpy(row->induced, a->induced, sizeof(row->induced));
        row->thread_again = a->thread_again;
    }
}

static void expect_routines(struct row_table *t, const struct oracle *oracle,
                            const struct engine_config *config)
{
    size_t n;
    const struct oracle_activation *a = oracle_activations(oracle, &n);
    t->n = 0;
    for (size_t i = 0; i < n; i++)
        expect_activation(t, &a[i], a[i].routine, a[i].outermost, config);
    table_merge(t);
}

static void expect_contexts(struct row_table *t, const struct oracle *oracle,
                            const struct engine_config *config)
{
    size_t n;
    const struct oracle_activation *a = oracle_activations(oracle, &n);
    bool folded = config->contexts.fold_recursion;
    t->n = 0;
    for (size_t i = 0; i < n; i++)
        expect_activation(t, &a[i], a[i].context[folded], a[i].outermost_in_context[folded],
                          config);
    table_merge(t);
}

/* ---------------------------------------------------------------- what was measured */

struct gathering {
    struct row_table *table;
    uint32_t thread;
    unsigned metrics;

    const struct oracle *oracle;
    unsigned *contexts;       /* contexts of the oracle, by id of the visit; [0] is the root */
    struct row_table *errors; /* a row for each context that was visited: error in `input` */
};

static void gather_point(struct row *row, const struct point *point)
{
    row->input = point->input;
    row->calls = point->calls;
    row->sum = u128_of(point->cost_sum);
    row->squares = u128_of(point->cost_squares);
    row->min = point->cost_min;
    row->max = point->cost_max;
    row->self = point->self_sum;
    row->induced[ORACLE_THREAD] = point->induced_thread;
    row->induced[ORACLE_EXTERNAL] = point->induced_external;
    row->thread_again = point->thread_again;
}

static void gather_profile(struct gathering *g, const struct routine_profile *p, unsigned key)
{
    if (!p->calls && !p->cost_total && !p->cost_self)
        return; /* its measurements were cleared */
    struct row *sums = row_add(g->table, g->thread, key, METRICS);
    sums->calls = p->calls;
    sums->sum = p->cost_total;
    sums->self = p->cost_self;
    for (unsigned m = 0; m < METRICS; m++) {
        const struct point_table *points = profile_table(p, (enum metric)m, g->metrics);
        for (uint32_t i = 0; i < points->n_points; i++)
            gather_point(row_add(g->table, g->thread, key, m), &points->points[i]);
    }
}

static void gather_routine(void *context, struct routine_profile *p)
{
    gather_profile(context, p, p->routine->id);
}

static void gather_routines(struct row_table *t, const struct engine *engine)
{
    t->n = 0;
    for (uint32_t thread = 0; thread < engine->n_gathered; thread++) {
        struct gathering g = {.table = t, .thread = thread, .metrics = engine->metrics};
        profile_each(&engine->gathered[thread], gather_routine, &g);
    }
    table_merge(t);
}

/* ---------------------------------------------------------------- edges and spans */

static void edge_row(struct row_table *t, uint32_t caller, uint32_t callee, uint32_t site,
                     uint64_t calls, uint64_t cost, uint64_t input)
{
    struct row *row = row_add(t, caller, callee, 0);
    row->input = site;
    row->calls = calls;
    row->sum = cost;
    row->self = input;
}

static void expect_edges(struct row_table *t, const struct oracle *oracle,
                         const struct engine_config *config)
{
    size_t n;
    const struct oracle_activation *a = oracle_activations(oracle, &n);
    enum oracle_metric metric = config->trms ? ORACLE_TRMS : ORACLE_RMS;
    t->n = 0;
    for (size_t i = 0; i < n; i++)
        if (a[i].measured && a[i].caller != ORACLE_NO_CALLER)
            edge_row(t, a[i].caller, a[i].routine, a[i].site, 1, a[i].outermost ? a[i].cost : 0,
                     a[i].input[metric]);
    table_merge(t);
}

static void gather_edges(struct row_table *t, const struct edge_table *table)
{
    t->n = 0;
    for (uint32_t i = 0; i < table->n_edges; i++) {
        const struct call_edge *edge = &table->edges[i];
        if (i != EDGE_NONE && edge->calls)
            edge_row(t, edge->caller->id, edge->callee->id, edge->site, edge->calls, edge->cost,
                     edge->input);
    }
    size_t n = t->n;
    table_merge(t);
    if (t->n != n)
        abort(); /* one edge, twice */
}

static void span_row(struct row_table *t, uint32_t routine, uint32_t span, uint64_t cost)
{
    struct row *row = row_add(t, 0, routine, 0);
    row->input = span;
    row->sum = cost;
}

static void expect_spans(struct row_table *t, const struct oracle *oracle)
{
    t->n = 0;
    for (unsigned routine = 0; routine <= BUILDER_ROUTINES_MAX + BUILDER_REGIONS; routine++)
        for (unsigned span = 0; span < ORACLE_SPANS; span++)
            if (oracle_span_cost(oracle, routine, span))
                span_row(t, routine, span, oracle_span_cost(oracle, routine, span));
}

static void gather_span(void *closure, const struct charge *charge)
{
    span_row(closure, charge->routine->id, charge->span, charge->cost);
}

static void gather_spans(struct row_table *t, const struct charge_table *table)
{
    t->n = 0;
    charge_table_each(table, gather_span, t);
    table_merge(t);
}

/* ---------------------------------------------------------------- contexts */

static void gather_context(void *closure, struct routine *routine,
                           const struct routine_profile *profile, uint64_t error, uint32_t id,
                           uint32_t parent)
{
    struct gathering *g = closure;
    unsigned context = oracle_context_find(g->oracle, g->contexts[parent], routine->id);
    g->contexts = realloc(g->contexts, (id + 1) * sizeof(*g->contexts));
    if (!g->contexts || !context)
        abort(); /* no memory, or a context in which nothing was ever called */
    g->contexts[id] = context;
    row_add(g->errors, g->thread, context, METRICS)->input = error;
    if (profile)
        gather_profile(g, profile, context);
}

static void gather_contexts(struct row_table *t, struct row_table *errors,
                            const struct engine *engine, const struct oracle *oracle)
{
    t->n = errors->n = 0;
    for (uint32_t thread = 0; thread < process_contexts_threads(engine->contexts); thread++) {
        struct gathering g = {t, thread, engine->metrics, oracle, NULL, errors};
        g.contexts = calloc(1, sizeof(*g.contexts));
        process_contexts_visit(engine->contexts, thread, gather_context, &g);
        free(g.contexts);
    }
    table_merge(t);
    if (errors->n)
        qsort(errors->rows, errors->n, sizeof(*errors->rows), compare_keys);
}

/* ---------------------------------------------------------------- comparison */

static void row_print(const char *who, const struct row_table *t, size_t i)
{
    if (i >= t->n) {
        fprintf(stderr, "  %s: no such row\n", who);
        return;
    }
    const struct row *r = &t->rows[i];
    static const char *const kinds[] = {"trms", "rms", "sums"};
    fprintf(stderr,
            "  %s: thread %u routine %u %s %" PRIu64 ": calls %" PRIu64 " sum %" PRIu64
            " squares %" PRIu64 " min %" PRIu64 " max %" PRIu64 " self %" PRIu64 " induced %" PRIu64
            "+%" PRIu64 "\n",
            who, r->thread, r->routine, kinds[r->metric], r->input, r->calls, (uint64_t)r->sum,
            (uint64_t)r->squares, r->min, r->max, r->self, r->induced[0], r->induced[1]);
}

static bool rows_agree(const struct row_table *expected, const struct row_table *measured)
{
    size_t i = 0;
    while (i < expected->n && i < measured->n &&
           !memcmp(&expected->rows[i], &measured->rows[i], sizeof(struct row)))
        i++;
    if (i == expected->n && i == measured->n)
        return true;
    row_print("expected", expected, i);
    row_print("measured", measured, i);
    return false;
}

static bool total_agrees(const char *what, uint64_t expected, uint64_t measured)
{
    if (expected != measured)
        fprintf(stderr, "  total %s: expected %" PRIu64 ", measured %" PRIu64 "\n", what, expected,
                measured);
    return expected == measured;
}

static bool totals_agree(const struct oracle *o, const struct engine *e)
{
    return total_agrees("cost", oracle_total_cost(o), e->cost_total) &
           total_agrees("reads", oracle_total_reads(o), e->reads) &
           total_agrees("induced by threads", oracle_total_induced(o, ORACLE_THREAD),
                        e->induced_thread) &
           total_agrees("induced externally", oracle_total_induced(o, ORACLE_EXTERNAL),
                        e->induced_external);
}

static const struct row *sums_of(const struct row_table *t, const struct row *key)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct row *row = &t->rows[i];
        if (row->thread == key->thread && row->routine == key->routine && row->metric == METRICS)
            return row;
    }
    return NULL;
}

/* The rows of one context. */
static struct row_table rows_of(const struct row_table *t, const struct row *key)
{
    struct row_table part = {.rows = t->rows};
    while (part.rows < t->rows + t->n &&
           (part.rows->thread != key->thread || part.rows->routine != key->routine))
        part.rows++;
    while (part.rows + part.n < t->rows + t->n && part.rows[part.n].thread == key->thread &&
           part.rows[part.n].routine == key->routine)
        part.n++;
    return part;
}

static uint64_t weight_of(const struct row *sums, const struct engine_config *config)
{
    return !sums ? 0 : config->contexts.by_cost ? sums->self : sums->calls;
}

/* A context that never lost its counter has all its activations. If contexts are counted by cost,
 * activations without cost that precede the first cost may be missing. Any other context has lost
 * at most its error. */
static bool hot_context_agrees(const struct row_table *expected, const struct row_table *measured,
                               const struct row *error, const struct engine_config *config)
{
    struct row_table should = rows_of(expected, error), is = rows_of(measured, error);
    uint64_t weight = weight_of(sums_of(expected, error), config);
    uint64_t found = weight_of(sums_of(measured, error), config);
    if (is.n && error->input == 0 && !config->contexts.by_cost)
        return rows_agree(&should, &is);
    if (is.n == 0 || (found <= weight && weight <= found + error->input))
        return true;
    fprintf(stderr, "  context %u: weight %" PRIu64 ", found %" PRIu64 ", error %" PRIu64 "\n",
            error->routine, weight, found, error->input);
    return false;
}

static bool no_hot_context_is_missed(const struct row_table *expected,
                                     const struct row_table *measured, const struct engine *engine)
{
    for (size_t i = 0; i < expected->n; i++) {
        const struct row *row = &expected->rows[i];
        if (row->metric != METRICS)
            continue;
        uint64_t total = process_contexts_total(engine->contexts, row->thread);
        uint64_t weight = weight_of(row, &engine->config);
        if (!weight || weight < fraction_of(engine->config.contexts.phi, total) ||
            sums_of(measured, row))
            continue;
        fprintf(stderr, "  hot context %u is missed: %" PRIu64 " of %" PRIu64 "\n", row->routine,
                weight, total);
        return false;
    }
    return true;
}

static bool contexts_agree(const struct oracle *oracle, const struct engine *engine)
{
    static struct row_table expected, measured, errors;
    bool agree = true;
    expect_contexts(&expected, oracle, &engine->config);
    gather_contexts(&measured, &errors, engine, oracle);
    if (engine->config.contexts.mode == CONTEXTS_FULL)
        return rows_agree(&expected, &measured);
    for (size_t i = 0; i < errors.n && agree; i++)
        agree = hot_context_agrees(&expected, &measured, &errors.rows[i], &engine->config);
    return agree && no_hot_context_is_missed(&expected, &measured, engine);
}

static bool code_agrees(const struct oracle *oracle, const struct engine *engine)
{
    static struct row_table expected, measured;
    expected.n = 0;
    if (engine->config.edges)
        expect_edges(&expected, oracle, &engine->config);
    gather_edges(&measured, &engine->edges);
    bool agree = rows_agree(&expected, &measured);
    expected.n = 0;
    if (engine->config.lines)
        expect_spans(&expected, oracle);
    gather_spans(&measured, &engine->charges);
    return agree & rows_agree(&expected, &measured);
}

bool tables_agree(const struct oracle *oracle, const struct engine *engine)
{
    static struct row_table expected, measured;
    expect_routines(&expected, oracle, &engine->config);
    gather_routines(&measured, engine);
    bool agree = rows_agree(&expected, &measured);
    agree &= totals_agree(oracle, engine) & code_agrees(oracle, engine);
    return agree && (!engine->contexts || contexts_agree(oracle, engine));
}
