/* The code of a routine in `aprof report`: callers, callees, lines, inlined functions.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/report_view.h"
#include "lib/report/code_view.h"
#include "lib/base/short_name.h"
#include "lib/base/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SHOWN      8  /* maximum lines of each kind */
#define NAME_BYTES 60 /* maximum bytes of a caller's or callee's name */
/* an inlined function with at least this share of all cost gets a sentence next to the table */
#define NOTABLE .10

static void write_table(struct table *table, size_t left, FILE *to)
{
    putc('\n', to);
    table_write_text(table, to, table_may_style(to));
    table_free(table);
    if (left > 0)
        fprintf(to, "(%zu more)\n", left);
}

static size_t shown(size_t count)
{
    return count < SHOWN ? count : SHOWN;
}

/* The source position of the calls; if they have several positions, the number of positions. */
static char *places_words(const struct report *r, const struct report_place *place, size_t places)
{
    char *words = code_place_words(r, place->file, place->line);
    if (places < 2)
        return words;
    char *more = memory_format("%s and %zu more", words, places - 1);
    free(words);
    return more;
}

static void write_neighbours(const struct report *r, const code_neighbours *list, uint64_t whole,
                             const char *title, FILE *to)
{
    const struct table_column heads[] = {
        {"routine", title, true},       {"line", "from line", true}, {"calls", "calls", false},
        {"cost_share", "cost%", false}, {"cost", "cost", false},     {"input", "input/call", false},
    };
    struct table table = {.columns = heads, .column_count = sizeof heads / sizeof *heads};
    if (list->count == 0)
        return;
    for (size_t i = 0; i < shown(list->count); i++) {
        const struct code_neighbour *n = &list->at[i];
        table_add(&table, short_name(r->routines.at[n->routine].name, NAME_BYTES));
        table_add(&table, places_words(r, &n->place, n->places));
        table_add_number(&table, n->calls);
        table_add_percent(&table, (double)n->cost, (double)whole, 1);
        table_add_number(&table, n->cost);
        table_add(&table,
                  memory_format("%.1f", n->calls ? (double)n->input / (double)n->calls : 0));
    }
    write_table(&table, list->count - shown(list->count), to);
}

static bool has_library(const code_lines *list)
{
    bool found = false;
    for (size_t i = 0; i < shown(list->count); i++)
        found |= list->at[i].library > 0;
    return found;
}

static void write_lines(const struct report *r, uint32_t routine, uint64_t own, FILE *to)
{
    static const struct table_column heads[] = {
        {"line", "its own code at", true},
        {"self_share", "self cost%", false},
        {"self", "self cost", false},
        {"library", "inlined library code", false},
    };
    struct table table = {.columns = heads, .column_count = sizeof heads / sizeof *heads};
    code_lines list = {0};
    code_lines_of(r, routine, &list);
    if (!has_library(&list))
        table.column_count--;
    for (size_t i = 0; i < shown(list.count); i++) {
        table_add(&table, code_place_words(r, list.at[i].file, list.at[i].line));
        table_add_percent(&table, (double)list.at[i].cost, (double)own, 1);
        table_add_number(&table, list.at[i].cost);
        if (table.column_count == sizeof heads / sizeof *heads)
            table_add_number(&table, list.at[i].library);
    }
    if (list.count)
        write_table(&table, list.count - shown(list.count), to);
    vector_free(&list);
}

static void write_inlined(const struct report *r, uint32_t routine, uint64_t own, FILE *to)
{
    static const struct table_column heads[] = {
        {"function", "inlined into it", true},
        {"line", "at", true},
        {"self_share", "self cost%", false},
        {"self", "self cost", false},
    };
    struct table table = {.columns = heads, .column_count = sizeof heads / sizeof *heads};
    code_inlined_list list = {0};
    code_inlined_into(r, routine, &list);
    for (size_t i = 0; i < shown(list.count); i++) {
        const struct code_inlined *one = &list.at[i];
        table_add(&table, short_name(one->name, NAME_BYTES));
        table_add(&table, places_words(r, &one->call, one->places));
        table_add_percent(&table, (double)one->cost, (double)own, 1);
        table_add_number(&table, one->cost);
    }
    if (list.count)
        write_table(&table, list.count - shown(list.count), to);
    vector_free(&list);
}

void report_explain_code(const struct report_view *view, const struct summary *s, FILE *to)
{
    const struct report *r = view->report;
    uint32_t routine = s->profile->routine;
    code_neighbours callers = {0}, callees = {0};
    if (s->context || s->profile->thread)
        /* callers and callees are known only for all activations together, not for a context or
         * thread */
        return;
    code_callers(r, routine, &callers);
    code_callees(r, routine, &callees);
    write_neighbours(r, &callers, s->profile->cost_total, "called by", to);
    write_neighbours(r, &callees, s->profile->cost_total, "calls", to);
    write_inlined(r, routine, s->profile->cost_self, to);
    write_lines(r, routine, s->profile->cost_self, to);
    vector_free(&callers);
    vector_free(&callees);
}

char *report_inlined_words(const struct report *r, const struct report_profile *profile)
{
    code_inlined_list list = {0};
    char *words = NULL;
    code_inlined_into(r, profile->routine, &list);
    if (list.count && (double)list.at[0].cost >= NOTABLE * (double)r->totals.cost) {
        const struct code_inlined *one = &list.at[0];
        char *place = code_place_words(r, one->call.file, one->call.line);
        char *into = short_name(r->routines.at[profile->routine].name, SHORT_NAME_SENTENCE);
        char *name = short_name(one->name, SHORT_NAME_SENTENCE);
        words = memory_format("Inlined into %s: %s (%s), %.1f%% of its self cost.", into, name,
                              place, summary_percent(one->cost, profile->cost_self));
        free(into);
        free(name);
        free(place);
    }
    vector_free(&list);
    return words;
}
