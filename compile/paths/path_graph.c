/* Lists the control-flow graphs of a normalised module, with the source lines of each block.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks are numbered in their order in the function. Edges are numbered in the order of their
 * first blocks, and the edges of one block in the order of its successors. Probes use these
 * numbers.
 */
#include "compile/paths/path_jobs.h"

#include <string.h>

/* ---------------------------------------------------------------- Source lines */

struct line {
    const char *file;
    unsigned file_bytes;
    unsigned number;
};

static int by_place(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    unsigned shorter = x->file_bytes < y->file_bytes ? x->file_bytes : y->file_bytes;
    int order = memcmp(x->file, y->file, shorter);
    if (order)
        return order;
    if (x->file_bytes != y->file_bytes)
        return x->file_bytes < y->file_bytes ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static bool same_file(const struct line *a, const struct line *b)
{
    return a->file_bytes == b->file_bytes && memcmp(a->file, b->file, a->file_bytes) == 0;
}

/* Writes lines in the form "a.c:3-5,9;b.h:7". */
static void write_lines(FILE *to, const struct line *lines, size_t count)
{
    for (size_t i = 0; i < count;) {
        size_t last = i;
        bool new_file = i == 0 || !same_file(&lines[i], &lines[i - 1]);
        while (last + 1 < count && same_file(&lines[last], &lines[last + 1]) &&
               lines[last + 1].number <= lines[last].number + 1)
            last++;
        if (new_file)
            fprintf(to, "%s%.*s:", i ? ";" : "", (int)lines[i].file_bytes, lines[i].file);
        else
            putc(',', to);
        fprintf(to, "%u", lines[i].number);
        if (lines[last].number > lines[i].number)
            fprintf(to, "-%u", lines[last].number);
        i = last + 1;
    }
}

static const char *lines_of(struct graph_program *program, LLVMBasicBlockRef block)
{
    VECTOR(struct line) lines = {0};
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    for (; at; at = LLVMGetNextInstruction(at)) {
        struct line line = {.number = LLVMGetDebugLocLine(at)};
        line.file = LLVMGetDebugLocFilename(at, &line.file_bytes);
        if (line.number && line.file)
            vector_push(&lines, line);
    }
    if (lines.count)
        qsort(lines.at, lines.count, sizeof *lines.at, by_place);
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        abort();
    write_lines(to, lines.at, lines.count);
    fclose(to);
    const char *kept = graph_program_string(program, text);
    free(text);
    vector_free(&lines);
    return kept;
}

/* ---------------------------------------------------------------- Blocks and edges */

static bool may_leave(LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    for (; at; at = LLVMGetNextInstruction(at))
        if (inst_is_call(at) && !inst_is_intrinsic_call(at))
            return true;
    return false;
}

struct numbered_block {
    LLVMBasicBlockRef block;
    uint32_t number;
};

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct numbered_block *)a)->block;
    uintptr_t y = (uintptr_t)((const struct numbered_block *)b)->block;
    return (x > y) - (x < y);
}

static uint32_t number_of(const struct numbered_block *blocks, size_t count,
                          LLVMBasicBlockRef block)
{
    struct numbered_block key = {block, 0};
    const struct numbered_block *found = bsearch(&key, blocks, count, sizeof key, by_address);
    return found->number;
}

static void list_edges(LLVMValueRef function, struct graph *graph)
{
    size_t count = graph->blocks.count;
    struct numbered_block *blocks = memory_get_zeroed(count + 1, sizeof *blocks);
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (uint32_t i = 0; block; block = LLVMGetNextBasicBlock(block), i++)
        blocks[i] = (struct numbered_block){block, i};
    qsort(blocks, count, sizeof *blocks, by_address);
    block = LLVMGetFirstBasicBlock(function);
    for (uint32_t from = 0; block; block = LLVMGetNextBasicBlock(block), from++) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
        bool cut = inst_cut_call(block) != NULL;
        unsigned successors = LLVMGetNumSuccessors(last);
        for (unsigned i = 0; i < successors; i++) {
            uint32_t to = number_of(blocks, count, LLVMGetSuccessor(last, i));
            struct graph_edge edge = {from, to, cut};
            vector_push(&graph->edges, edge);
        }
    }
    free(blocks);
}

/* ---------------------------------------------------------------- Procedures */

/* Returns the number of direct calls of the function, or GRAPH_CALLS_UNKNOWN if there may be other
 * calls of the function. */
static uint32_t count_call_sites(LLVMValueRef function)
{
    uint32_t count = 0;
    LLVMLinkage linkage = LLVMGetLinkage(function);
    if (linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage) {
        size_t length;
        if (strcmp(LLVMGetValueName2(function, &length), "main") != 0)
            return GRAPH_CALLS_UNKNOWN;
        count++;
    }
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAInstruction(user) || !inst_is_call(user) ||
            LLVMGetCalledValue(user) != function)
            return GRAPH_CALLS_UNKNOWN;
        count++;
    }
    return count;
}

static void list_graph(LLVMValueRef function, struct graph_program *program)
{
    size_t length;
    const char *reason = inst_skip_reason(function);
    struct graph graph = {
        .name = graph_program_string(program, LLVMGetValueName2(function, &length)),
        .skipped = reason ? reason : "",
        .call_sites = count_call_sites(function),
    };
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; !reason && block; block = LLVMGetNextBasicBlock(block)) {
        struct graph_block listed = {may_leave(block), lines_of(program, block)};
        vector_push(&graph.blocks, listed);
    }
    if (!reason)
        list_edges(function, &graph);
    vector_push(&program->procedures, graph);
}

void inst_list_graphs(LLVMModuleRef module, struct graph_program *program)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function))
        if (inst_is_defined(function))
            list_graph(function, program);
}
