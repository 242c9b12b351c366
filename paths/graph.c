/* Control-flow graphs of a whole program, which are read from and written to a text file.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "paths/graph.h"

#include <string.h>

const char *graph_program_string(struct graph_program *program, const char *text)
{
    return arena_copy(&program->strings, text, strlen(text));
}

void graph_program_free(struct graph_program *program)
{
    for (size_t i = 0; i < program->procedures.count; i++) {
        vector_free(&program->procedures.at[i].blocks);
        vector_free(&program->procedures.at[i].edges);
    }
    vector_free(&program->procedures);
    arena_free(&program->strings);
    *program = (struct graph_program){0};
}

bool graph_program_write(const struct graph_program *program, const char *path, struct failure *why)
{
    struct record_output writer;
    record_output_start(&writer, "aprof-graphs", 1);
    record_output_put(&writer, "module", "s", program->module);
    for (size_t i = 0; i < program->procedures.count; i++) {
        const struct graph *graph = &program->procedures.at[i];
        record_output_put(&writer, "procedure", "sus", graph->name, (uint64_t)graph->call_sites,
                          graph->skipped);
        for (size_t b = 0; b < graph->blocks.count; b++)
            record_output_put(&writer, "block", "us", (uint64_t)graph->blocks.at[b].calls,
                              graph->blocks.at[b].lines);
        for (size_t e = 0; e < graph->edges.count; e++) {
            const struct graph_edge *edge = &graph->edges.at[e];
            record_output_put(&writer, "edge", "uuu", (uint64_t)edge->from, (uint64_t)edge->to,
                              (uint64_t)edge->cut);
        }
    }
    return record_output_finish(&writer, path, why);
}

static bool take_procedure(struct graph_program *program, const struct record_file *file)
{
    uint64_t call_sites;
    if (!record_is(file, "procedure", 3, false) || !record_number(file, 1, UINT32_MAX, &call_sites))
        return false;
    struct graph graph = {
        .name = graph_program_string(program, file->fields.at[1]),
        .skipped = graph_program_string(program, file->fields.at[3]),
        .call_sites = (uint32_t)call_sites,
    };
    vector_push(&program->procedures, graph);
    return true;
}

static bool take_block(struct graph_program *program, struct graph *graph,
                       const struct record_file *file)
{
    uint64_t calls;
    if (!record_is(file, "block", 2, false) || !record_number(file, 0, 1, &calls))
        return false;
    struct graph_block block = {.calls = calls != 0,
                                .lines = graph_program_string(program, file->fields.at[2])};
    vector_push(&graph->blocks, block);
    return true;
}

static bool take_edge(struct graph *graph, const struct record_file *file)
{
    uint64_t from, to, cut;
    if (!record_is(file, "edge", 3, false) || !graph->blocks.count ||
        !record_number(file, 0, graph->blocks.count - 1, &from) ||
        !record_number(file, 1, graph->blocks.count - 1, &to) || !record_number(file, 2, 1, &cut))
        return false;
    struct graph_edge edge = {(uint32_t)from, (uint32_t)to, cut != 0};
    vector_push(&graph->edges, edge);
    return true;
}

static bool take_record(struct graph_program *program, const struct record_file *file)
{
    if (!program->module) {
        if (record_is(file, "module", 1, false))
            program->module = graph_program_string(program, file->fields.at[1]);
        return program->module;
    }
    if (take_procedure(program, file))
        return true;
    if (!program->procedures.count)
        return false;
    struct graph *graph = &program->procedures.at[program->procedures.count - 1];
    return take_block(program, graph, file) || take_edge(graph, file);
}

bool graph_program_read(struct graph_program *program, const char *path, struct failure *why)
{
    struct record_file file;
    *program = (struct graph_program){0};
    if (!record_open(&file, path, "aprof-graphs", 1, why))
        return false;
    bool fine = true;
    while (fine && record_next(&file))
        if (!take_record(program, &file))
            fine = record_fail(&file, "unexpected record", why);
    if (fine && !program->module)
        fine = failure_set(why, "%s: has no module", path);
    record_close(&file);
    if (!fine)
        graph_program_free(program);
    return fine;
}
