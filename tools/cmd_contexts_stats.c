/* `aprof contexts stats`: the sizes of call graph, context tree and call tree (Table I).
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/contexts_command.h"
#include "lib/contexts/contexts_reader.h"
#include "lib/base/output.h"

#include <string.h>

#define PHI_DEFAULT 1e-4

static const char *const format_names[] = {"text", "tsv", NULL};

struct settings {
    struct common_options common;
    bool threads;
    int format;
};

static const struct table_column columns[] = {
    {"program", "program", true},         {"thread", "thread", false},
    {"technique", "technique", true},     {"call_graph", "call graph", false},
    {"call_edges", "call edges", false},  {"call_sites", "call sites", false},
    {"context_tree", "contexts", false},  {"call_tree", "call tree", false},
    {"monitored", "monitored", false},    {"hot", "hot", false},
    {"hot_tree", "hot and above", false}, {"deepest", "deepest", false},
};

/* The numbers of distinct routines, pairs of caller and callee, and call sites of a tree. */
struct graph_size {
    size_t routines, edges, sites;
};

static struct graph_size graph_size(const struct context_profile *p)
{
    struct graph_size size = {0};
    struct context_builder edges;
    bool *routines = memory_get_zeroed(p->routines.count + 1, sizeof *routines);
    bool *sites = memory_get_zeroed(p->sites.count + 1, sizeof *sites);
    context_builder_start(&edges);
    for (size_t i = 1; i < p->contexts.count; i++) {
        const struct context *c = &p->contexts.at[i];
        const struct context *caller = &p->contexts.at[c->parent];
        size.routines += !routines[c->routine];
        routines[c->routine] = true;
        if (c->site != CONTEXTS_NONE) {
            size.sites += !sites[c->site];
            sites[c->site] = true;
        }
        if (caller->routine != CONTEXTS_NONE)
            context_builder_child(&edges, caller->routine, c->routine, CONTEXTS_NONE);
    }
    size.edges = edges.contexts.count - 1;
    context_list list = context_builder_finish(&edges);
    vector_free(&list);
    free(routines);
    free(sites);
    return size;
}

static void add_row(const struct settings *s, const struct context_profile *p, struct table *table)
{
    const struct contexts_tree *tree = &p->trees.at[0];
    struct graph_size size = graph_size(p);
    unsigned char *marks = memory_get_zeroed(tree->count + 1, 1);
    uint64_t threshold = contexts_threshold(p, tree, contexts_phi(p, &s->common, PHI_DEFAULT));
    size_t hot = contexts_mark_hot(p->contexts.at, tree->count, threshold, marks);
    size_t monitored = 0, kept = 0;
    for (size_t i = 1; i < tree->count; i++) {
        monitored += p->contexts.at[i].monitored;
        kept += (marks[i] & CONTEXT_KEPT) != 0;
    }
    table_add_text(table, contexts_program(p));
    table_add(table, tree->thread == CONTEXTS_MERGED ? memory_copy_string("all")
                                                     : contexts_number_cell(tree->thread));
    table_add_text(table, p->technique);
    table_add_number(table, size.routines);
    table_add_number(table, size.edges);
    table_add(table, p->sites.count ? contexts_number_cell(size.sites) : memory_copy_string("-"));
    table_add_number(table, tree->count - 1);
    table_add_number(table, tree->calls);
    table_add_number(table, monitored);
    table_add_number(table, hot);
    table_add_number(table, kept);
    table_add_number(table, tree->deepest);
    free(marks);
}

static bool add_sum(const struct settings *s, const struct context_profile *profile,
                    uint32_t thread, struct table *table, struct failure *why)
{
    struct context_profile sum;
    if (!contexts_sum(&profile, 1, thread, true, &sum, why))
        return false;
    add_row(s, &sum, table);
    contexts_free(&sum);
    return true;
}

static bool add_file(const struct settings *s, const char *path, struct table *table,
                     struct failure *why)
{
    struct context_profile profile;
    if (!contexts_read_file(&profile, path, why))
        return false;
    bool good = true;
    for (size_t i = 0; good && s->threads && i < profile.trees.count; i++)
        good = add_sum(s, &profile, profile.trees.at[i].thread, table, why);
    if (good && !s->threads)
        good = add_sum(s, &profile, (uint32_t)s->common.thread, table, why);
    contexts_free(&profile);
    return good;
}

static bool stats(const struct settings *s, const string_list *paths, struct failure *why)
{
    struct table table = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
    struct output output;
    bool good = true;
    for (size_t i = 0; good && i < paths->count; i++)
        good = add_file(s, paths->at[i], &table, why);
    good = good && output_open(&output, s->common.output, why);
    if (good) {
        if (s->format == 0)
            table_write_text(&table, output.stream, table_may_style(output.stream));
        else
            table_write_separated(&table, TABLE_TSV, output.stream);
        good = output_close(&output, why);
    }
    table_free(&table);
    return good;
}

static const struct option_entry stats_options[] = {
    COMMON_ENTRY_PHI("smallest share that makes a context hot [as in the file, or 1e-4]"),
    {0, "threads", NULL, "shows one line per thread", OPTION_INTO(struct settings, threads)},
    COMMON_ENTRY_THREAD,
    {'f', "format", "text|tsv", "tsv is for scripts [text]", OPTION_INTO(struct settings, format),
     OPTION_CHOICES(format_names)},
    COMMON_ENTRY_OUT,
    {0},
};

static int run(const struct command *command, char **argv)
{
    struct settings settings = {.common = COMMON_OPTIONS};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    return stats(&settings, &options.operands, &why) ? STATUS_OK : message_failure(&why);
}

const struct command contexts_stats = {
    .name = "stats",
    .summary = "shows the sizes of call graph, context tree and call tree",
    .usage = "[options] FILE...",
    .details =
        "Shows the sizes of the call graph (routines, pairs of caller and callee), the number\n"
        "of distinct call sites, and the sizes of the calling context tree and of the call\n"
        "tree, which has one node per call. Also shows the numbers of monitored contexts, of\n"
        "hot contexts, and of hot contexts with their callers.",
    .options = stats_options,
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .operands = "at least one file",
    .run = run,
};
