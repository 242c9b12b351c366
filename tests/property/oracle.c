/* The brute force of oracle.h: one bit set per pending activation and metric.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Cells are numbered in the order of their first access, so that a set is a short bit string.
 */
#include "tests/property/oracle.h"

#include <stdlib.h>
#include <string.h>

struct bits {
    uint64_t *words;
    size_t n_words;
};

struct pending {
    struct oracle_activation values;
    struct bits seen[ORACLE_METRICS];
};

struct oracle_exec_context {
    unsigned thread;
    bool ended;
    struct bits accessed; /* cells accessed since the last write by another execution context */
    struct pending *stack;
    size_t depth, room;
    unsigned span; /* span of code that the activation has reached */
};

struct oracle_context {
    unsigned parent, routine;
};

enum writer { WRITER_NONE, WRITER_EXEC_CONTEXT, WRITER_KERNEL };

struct cell {
    uintptr_t number; /* address / resolution */
    enum writer last_writer;
    bool in_file;
};

struct oracle {
    unsigned resolution;
    struct oracle_exec_context *exec_contexts;
    unsigned n_exec_contexts;
    struct cell *cells;
    size_t n_cells, room_cells;
    size_t *slots; /* open addressing: index into cells plus one */
    size_t n_slots;
    struct oracle_activation *ended;
    size_t n_ended, room_ended;
    struct oracle_context *contexts; /* number - 1 */
    size_t n_contexts, room_contexts;
    size_t *context_slots; /* open addressing: numbers */
    size_t n_context_slots;
    uint64_t *span_costs; /* cost, by routine * ORACLE_SPANS + span */
    size_t n_span_costs;
    uint64_t total_cost, total_reads, total_induced[ORACLE_ORIGINS];
};

static void *grow(void *array, size_t n, size_t *room, size_t element_bytes)
{
    if (n < *room)
        return array;
    *room = *room ? 2 * *room : 32;
    array = realloc(array, *room * element_bytes);
    if (!array)
        abort();
    return array;
}

static bool bits_has(const struct bits *b, size_t i)
{
    return i / 64 < b->n_words && (b->words[i / 64] >> (i % 64) & 1);
}

static void bits_add(struct bits *b, size_t i)
{
    if (i / 64 >= b->n_words) {
        size_t wanted = i / 64 + 4;
        b->words = realloc(b->words, wanted * sizeof(*b->words));
        if (!b->words)
            abort();
        memset(b->words + b->n_words, 0, (wanted - b->n_words) * sizeof(*b->words));
        b->n_words = wanted;
    }
    b->words[i / 64] |= (uint64_t)1 << (i % 64);
}

static void bits_remove(struct bits *b, size_t i)
{
    if (i / 64 < b->n_words)
        b->words[i / 64] &= ~((uint64_t)1 << (i % 64));
}

static void bits_put(struct bits *b, size_t i, bool present)
{
    if (present)
        bits_add(b, i);
    else
        bits_remove(b, i);
}

static void bits_clear(struct bits *b)
{
    free(b->words);
    *b = (struct bits){0};
}

static size_t slot_of(const struct oracle *o, uintptr_t number)
{
    size_t slot = number * 0x9e3779b97f4a7c15u >> 20 & (o->n_slots - 1);
    while (o->slots[slot] && o->cells[o->slots[slot] - 1].number != number)
        slot = (slot + 1) & (o->n_slots - 1);
    return slot;
}

static void slots_double(struct oracle *o)
{
    free(o->slots);
    o->n_slots = o->n_slots ? 2 * o->n_slots : 1024;
    o->slots = calloc(o->n_slots, sizeof(*o->slots));
    if (!o->slots)
        abort();
    for (size_t i = 0; i < o->n_cells; i++)
        o->slots[slot_of(o, o->cells[i].number)] = i + 1;
}

/* The index of a cell; a new cell is added. */
static size_t cell_index(struct oracle *o, uintptr_t number)
{
    if (2 * o->n_cells >= o->n_slots)
        slots_double(o);
    size_t slot = slot_of(o, number);
    if (!o->slots[slot]) {
        o->cells = grow(o->cells, o->n_cells, &o->room_cells, sizeof(*o->cells));
        o->cells[o->n_cells] = (struct cell){number, WRITER_NONE, false};
        o->slots[slot] = ++o->n_cells;
    }
    return o->slots[slot] - 1;
}

struct oracle *oracle_new(unsigned resolution_bytes)
{
    struct oracle *o = calloc(1, sizeof(*o));
    if (!o)
        abort();
    o->resolution = resolution_bytes;
    return o;
}

void oracle_delete(struct oracle *o)
{
    for (unsigned s = 0; s < o->n_exec_contexts; s++) {
        for (size_t i = 0; i < o->exec_contexts[s].depth; i++) {
            bits_clear(&o->exec_contexts[s].stack[i].seen[ORACLE_TRMS]);
            bits_clear(&o->exec_contexts[s].stack[i].seen[ORACLE_RMS]);
        }
        bits_clear(&o->exec_contexts[s].accessed);
        free(o->exec_contexts[s].stack);
    }
    free(o->exec_contexts);
    free(o->cells);
    free(o->slots);
    free(o->ended);
    free(o->contexts);
    free(o->span_costs);
    free(o->context_slots);
    free(o);
}

unsigned oracle_exec_context_start(struct oracle *o, unsigned thread)
{
    unsigned s = 0;
    while (s < o->n_exec_contexts && !o->exec_contexts[s].ended)
        s++;
    if (s == o->n_exec_contexts) {
        o->exec_contexts =
            realloc(o->exec_contexts, ++o->n_exec_contexts * sizeof(*o->exec_contexts));
        if (!o->exec_contexts)
            abort();
    }
    o->exec_contexts[s] = (struct oracle_exec_context){.thread = thread};
    return s;
}

void oracle_exec_context_end(struct oracle *o, unsigned ctx)
{
    while (o->exec_contexts[ctx].depth)
        oracle_return(o, ctx);
    bits_clear(&o->exec_contexts[ctx].accessed);
    free(o->exec_contexts[ctx].stack);
    o->exec_contexts[ctx] = (struct oracle_exec_context){.ended = true};
}

size_t oracle_depth(const struct oracle *o, unsigned ctx)
{
    return o->exec_contexts[ctx].depth;
}

static bool is_measured_below(const struct oracle_exec_context *s, unsigned routine)
{
    for (size_t i = 0; i < s->depth; i++) {
        if (s->stack[i].values.routine == routine && s->stack[i].values.measured)
            return true;
    }
    return false;
}

/* The slot of the context; if there is none, the free slot for it. */
static size_t context_slot(const struct oracle *o, unsigned parent, unsigned routine)
{
    size_t slot = (parent * 0x9e3779b97f4a7c15u + routine * 0xbf58476d1ce4e5b9u) >> 20;
    for (slot &= o->n_context_slots - 1; o->context_slots[slot];
         slot = (slot + 1) & (o->n_context_slots - 1)) {
        const struct oracle_context *context = &o->contexts[o->context_slots[slot] - 1];
        if (context->parent == parent && context->routine == routine)
            break;
    }
    return slot;
}

unsigned oracle_context_find(const struct oracle *o, unsigned parent, unsigned routine)
{
    return o->n_context_slots ? (unsigned)o->context_slots[context_slot(o, parent, routine)] : 0;
}

static void context_slots_double(struct oracle *o)
{
    free(o->context_slots);
    o->n_context_slots = o->n_context_slots ? 2 * o->n_context_slots : 1024;
    o->context_slots = calloc(o->n_context_slots, sizeof(*o->context_slots));
    if (!o->context_slots)
        abort();
    for (size_t i = 0; i < o->n_contexts; i++)
        o->context_slots[context_slot(o, o->contexts[i].parent, o->contexts[i].routine)] = i + 1;
}

static unsigned context_make(struct oracle *o, unsigned parent, unsigned routine)
{
    if (2 * o->n_contexts >= o->n_context_slots)
        context_slots_double(o);
    size_t slot = context_slot(o, parent, routine);
    if (!o->context_slots[slot]) {
        o->contexts = grow(o->contexts, o->n_contexts, &o->room_contexts, sizeof(*o->contexts));
        o->contexts[o->n_contexts] = (struct oracle_context){parent, routine};
        o->context_slots[slot] = ++o->n_contexts;
    }
    return (unsigned)o->context_slots[slot];
}

/* The position of `routine` in the context `at`; 0 if it is not in the context. */
static unsigned context_fold(const struct oracle *o, unsigned at, unsigned routine)
{
    while (at && o->contexts[at - 1].routine != routine)
        at = o->contexts[at - 1].parent;
    return at;
}

static void set_contexts(struct oracle *o, const struct oracle_exec_context *s,
                         struct oracle_activation *a)
{
    const unsigned none[2] = {0, 0};
    const unsigned *caller = s->depth ? s->stack[s->depth - 1].values.context : none;
    a->context[0] = context_make(o, caller[0], a->routine);
    a->context[1] = context_fold(o, caller[1], a->routine);
    if (!a->context[1])
        a->context[1] = context_make(o, caller[1], a->routine);
    for (int folded = 0; folded < 2; folded++) {
        a->outermost_in_context[folded] = a->measured;
        for (size_t i = 0; i < s->depth; i++) {
            const struct oracle_activation *below = &s->stack[i].values;
            if (below->measured && below->context[folded] == a->context[folded])
                a->outermost_in_context[folded] = false;
        }
    }
}

void oracle_call(struct oracle *o, unsigned ctx, unsigned routine, bool measured)
{
    struct oracle_exec_context *s = &o->exec_contexts[ctx];
    struct oracle_activation values = {.routine = routine,
                                       .thread = s->thread,
                                       .caller = ORACLE_NO_CALLER,
                                       .site = s->span,
                                       .outermost = measured && !is_measured_below(s, routine),
                                       .measured = measured};
    if (s->depth)
        values.caller = s->stack[s->depth - 1].values.routine;
    set_contexts(o, s, &values);
    s->stack = grow(s->stack, s->depth, &s->room, sizeof(*s->stack));
    s->stack[s->depth++] = (struct pending){.values = values};
}

void oracle_return(struct oracle *o, unsigned ctx)
{
    struct oracle_exec_context *s = &o->exec_contexts[ctx];
    struct pending *top = &s->stack[--s->depth];
    o->ended = grow(o->ended, o->n_ended, &o->room_ended, sizeof(*o->ended));
    o->ended[o->n_ended++] = top->values;
    bits_clear(&top->seen[ORACLE_TRMS]);
    bits_clear(&top->seen[ORACLE_RMS]);
}

void oracle_run(struct oracle *o, unsigned ctx, unsigned span)
{
    o->exec_contexts[ctx].span = span;
}

static void span_charge(struct oracle *o, unsigned routine, unsigned span, uint64_t cost)
{
    size_t wanted = (routine + 1) * (size_t)ORACLE_SPANS;
    if (wanted > o->n_span_costs) {
        o->span_costs = realloc(o->span_costs, wanted * sizeof(*o->span_costs));
        if (!o->span_costs)
            abort();
        memset(o->span_costs + o->n_span_costs, 0,
               (wanted - o->n_span_costs) * sizeof(*o->span_costs));
        o->n_span_costs = wanted;
    }
    o->span_costs[routine * (size_t)ORACLE_SPANS + span] += cost;
}

void oracle_cost(struct oracle *o, unsigned ctx, uint64_t cost)
{
    struct oracle_exec_context *s = &o->exec_contexts[ctx];
    o->total_cost += cost;
    for (size_t i = 0; i < s->depth; i++)
        s->stack[i].values.cost += cost;
    if (!s->depth)
        return;
    struct oracle_activation *top = &s->stack[s->depth - 1].values;
    top->self += cost;
    if (top->measured)
        span_charge(o, top->routine, s->span, cost);
}

uint64_t oracle_span_cost(const struct oracle *o, unsigned routine, unsigned span)
{
    size_t at = routine * (size_t)ORACLE_SPANS + span;
    return at < o->n_span_costs ? o->span_costs[at] : 0;
}

static void cell_read(struct oracle *o, struct oracle_exec_context *s, size_t cell, bool counted)
{
    enum writer writer = o->cells[cell].last_writer;
    bool induced = counted && writer != WRITER_NONE && !bits_has(&s->accessed, cell);
    enum oracle_origin origin = writer == WRITER_KERNEL ? ORACLE_EXTERNAL : ORACLE_THREAD;

    o->total_reads += counted && !bits_has(&s->accessed, cell);
    o->total_induced[origin] += induced;
    for (size_t i = 0; i < s->depth; i++) {
        struct pending *r = &s->stack[i];
        r->values.induced[origin] += induced;
        r->values.thread_again += counted && writer == WRITER_EXEC_CONTEXT &&
                                  bits_has(&r->seen[ORACLE_RMS], cell) &&
                                  !bits_has(&r->seen[ORACLE_TRMS], cell);
        for (int m = 0; m < ORACLE_METRICS; m++) {
            r->values.input[m] += counted && !bits_has(&r->seen[m], cell);
            bits_add(&r->seen[m], cell);
        }
    }
    bits_add(&s->accessed, cell);
}

static void cell_leaves_trms(struct oracle_exec_context *s, size_t cell)
{
    bits_remove(&s->accessed, cell);
    for (size_t i = 0; i < s->depth; i++)
        bits_remove(&s->stack[i].seen[ORACLE_TRMS], cell);
}

static void cell_write(struct oracle *o, struct oracle_exec_context *s, size_t cell)
{
    o->cells[cell].last_writer = WRITER_EXEC_CONTEXT;
    for (unsigned other = 0; other < o->n_exec_contexts; other++) {
        if (&o->exec_contexts[other] != s)
            cell_leaves_trms(&o->exec_contexts[other], cell);
    }
    for (size_t i = 0; i < s->depth; i++) {
        bits_add(&s->stack[i].seen[ORACLE_TRMS], cell);
        bits_add(&s->stack[i].seen[ORACLE_RMS], cell);
    }
    bits_add(&s->accessed, cell);
}

void oracle_read(struct oracle *o, unsigned ctx, uintptr_t address, size_t bytes, bool counted)
{
    uintptr_t last = (address + bytes - 1) / o->resolution;
    for (uintptr_t n = address / o->resolution; n <= last; n++)
        cell_read(o, &o->exec_contexts[ctx], cell_index(o, n), counted);
}

void oracle_write(struct oracle *o, unsigned ctx, uintptr_t address, size_t bytes)
{
    uintptr_t last = (address + bytes - 1) / o->resolution;
    for (uintptr_t n = address / o->resolution; n <= last; n++)
        cell_write(o, &o->exec_contexts[ctx], cell_index(o, n));
}

void oracle_kernel_write(struct oracle *o, uintptr_t address, size_t bytes)
{
    uintptr_t last = (address + bytes - 1) / o->resolution;
    for (uintptr_t n = address / o->resolution; n <= last; n++) {
        size_t cell = cell_index(o, n);
        o->cells[cell].last_writer = WRITER_KERNEL;
        for (unsigned s = 0; s < o->n_exec_contexts; s++)
            cell_leaves_trms(&o->exec_contexts[s], cell);
    }
}

static void cell_forget(struct oracle *o, size_t cell)
{
    o->cells[cell].last_writer = WRITER_NONE;
    o->cells[cell].in_file = false;
    for (unsigned s = 0; s < o->n_exec_contexts; s++) {
        cell_leaves_trms(&o->exec_contexts[s], cell);
        for (size_t i = 0; i < o->exec_contexts[s].depth; i++)
            bits_remove(&o->exec_contexts[s].stack[i].seen[ORACLE_RMS], cell);
    }
}

void oracle_forget(struct oracle *o, uintptr_t address, size_t bytes)
{
    uintptr_t first = address / o->resolution, last = (address + bytes - 1) / o->resolution;
    for (size_t cell = 0; cell < o->n_cells; cell++) {
        if (o->cells[cell].number >= first && o->cells[cell].number <= last)
            cell_forget(o, cell);
    }
}

void oracle_map_file(struct oracle *o, uintptr_t address, size_t bytes)
{
    oracle_forget(o, address, bytes);
    oracle_kernel_write(o, address, bytes);
    uintptr_t last = (address + bytes - 1) / o->resolution;
    for (uintptr_t n = address / o->resolution; n <= last; n++)
        o->cells[cell_index(o, n)].in_file = true;
}

static void cell_copy(struct oracle *o, size_t from, size_t to)
{
    o->cells[to].last_writer = o->cells[from].last_writer;
    o->cells[to].in_file = o->cells[from].in_file;
    for (unsigned i = 0; i < o->n_exec_contexts; i++) {
        struct oracle_exec_context *s = &o->exec_contexts[i];
        bits_put(&s->accessed, to, bits_has(&s->accessed, from));
        for (size_t d = 0; d < s->depth; d++) {
            for (int m = 0; m < ORACLE_METRICS; m++)
                bits_put(&s->stack[d].seen[m], to, bits_has(&s->stack[d].seen[m], from));
        }
    }
}

void oracle_move(struct oracle *o, uintptr_t from, uintptr_t to, size_t bytes)
{
    for (size_t offset = 0; offset < bytes; offset += o->resolution) {
        size_t old = cell_index(o, (from + offset) / o->resolution);
        cell_copy(o, old, cell_index(o, (to + offset) / o->resolution));
        cell_forget(o, old);
    }
}

void oracle_zero(struct oracle *o)
{
    for (unsigned i = 0; i < o->n_exec_contexts; i++) {
        struct oracle_exec_context *s = &o->exec_contexts[i];
        bits_clear(&s->accessed);
        for (size_t d = 0; d < s->depth; d++) {
            struct oracle_activation *v = &s->stack[d].values;
            v->cost = v->self = 0;
            memset(v->input, 0, sizeof(v->input));
            memset(v->induced, 0, sizeof(v->induced));
            v->thread_again = 0;
            bits_clear(&s->stack[d].seen[ORACLE_TRMS]);
            bits_clear(&s->stack[d].seen[ORACLE_RMS]);
        }
    }
    for (size_t c = 0; c < o->n_cells; c++)
        o->cells[c].last_writer = o->cells[c].in_file ? WRITER_KERNEL : WRITER_NONE;
    o->n_ended = 0;
    o->n_span_costs = 0;
    o->total_cost = o->total_reads = 0;
    o->total_induced[ORACLE_THREAD] = o->total_induced[ORACLE_EXTERNAL] = 0;
}

const struct oracle_activation *oracle_activations(const struct oracle *o, size_t *n)
{
    *n = o->n_ended;
    return o->ended;
}

uint64_t oracle_total_cost(const struct oracle *o)
{
    return o->total_cost;
}

uint64_t oracle_total_reads(const struct oracle *o)
{
    return o->total_reads;
}

uint64_t oracle_total_induced(const struct oracle *o, enum oracle_origin origin)
{
    return o->total_induced[origin];
}
