/* The data of a page about code; see page_code.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/page/page_code.h"
#include "lib/report/code_view.h"
#include "lib/report/report_code.h"
#include "lib/report/report_frames.h"
#include "lib/report/select.h"
#include "lib/base/short_name.h"
#include "lib/base/source.h"

#include <string.h>

/* Frames with a smaller share of the whole cost are omitted. They would be invisible even if a
 * tenth of the picture filled the screen. */
#define FRAME_SHARE 0.0001

/* Writes an index as the page expects it: index + 1, or 0 for none. */
static void write_index(struct json *json, uint32_t index)
{
    json_number(json, NULL, index == REPORT_NONE ? 0 : (u128)index + 1);
}

static void write_place(struct json *json, const struct report_place *place)
{
    write_index(json, place->inlined);
    write_index(json, place->file);
    json_number(json, NULL, place->line);
}

/* Edges and lines ------------------------------------------------------------------------------ */

static void write_inlined(struct json *json, const struct report_code *code)
{
    json_open(json, "inlined", '[');
    for (size_t i = 0; i < code->inlined.count; i++) {
        json_open_compact(json, NULL, '[');
        write_place(json, &code->inlined.at[i].call);
        char *brief = short_name(code->inlined.at[i].name, SHORT_NAME_SENTENCE);
        json_text(json, NULL, brief);
        free(brief);
        json_close(json);
    }
    json_close(json);
}

static void write_edges(struct json *json, const struct report_code *code)
{
    json_open_compact(json, "edges", '[');
    for (size_t i = 0; i < code->edges.count; i++) {
        const struct report_edge *edge = &code->edges.at[i];
        json_number(json, NULL, edge->caller);
        json_number(json, NULL, edge->callee);
        write_place(json, &edge->place);
        json_number(json, NULL, edge->calls);
        json_number(json, NULL, edge->cost);
        json_number(json, NULL, edge->input);
    }
    json_close(json);
}

static bool same_group(const struct report_line_cost *a, const struct report_line_cost *b)
{
    return a->routine == b->routine && a->place.inlined == b->place.inlined &&
           a->place.file == b->place.file;
}

static void write_lines(struct json *json, const struct report_code *code)
{
    json_open(json, "lines", '[');
    for (size_t i = 0, next; i < code->lines.count; i = next) {
        const struct report_line_cost *first = &code->lines.at[i];
        json_open_compact(json, NULL, '[');
        json_number(json, NULL, first->routine);
        write_index(json, first->place.inlined);
        write_index(json, first->place.file);
        for (next = i; next < code->lines.count && same_group(first, &code->lines.at[next]);
             next++) {
            json_number(json, NULL, code->lines.at[next].place.line);
            json_number(json, NULL, code->lines.at[next].cost);
        }
        json_close(json);
    }
    json_close(json);
}

/* Frames --------------------------------------------------------------------------------------- */

static void write_frames(struct json *json, const struct report *r)
{
    struct report_frames frames = {0};
    report_frames_make(r, FRAME_SHARE, &frames);
    json_open(json, "frames", '{');
    json_number(json, "basis", frames.basis);
    json_number(json, "whole", frames.whole);
    json_open_compact(json, "list", '[');
    for (size_t i = 0; i < frames.list.count; i++) {
        const struct report_frame *frame = &frames.list.at[i];
        json_number(json, NULL, frame->caller == CONTEXT_NO_CALLER ? 0 : (u128)frame->caller + 1);
        json_number(json, NULL, frame->routine);
        json_number(json, NULL, frame->cost);
        json_number(json, NULL, frame->self);
    }
    json_close(json);
    json_close(json);
    report_frames_free(&frames);
}

static void write_library(struct json *json, const struct report *r)
{
    json_open_compact(json, "library", '[');
    for (uint32_t i = 0; i < r->code.files.count; i++) {
        if (code_is_library_source(r, i))
            write_index(json, i);
    }
    json_close(json);
}

void page_code_write(struct json *json, const struct report *r)
{
    json_texts(json, "files", &r->code.files);
    write_library(json, r);
    write_inlined(json, &r->code);
    write_edges(json, &r->code);
    write_lines(json, &r->code);
    write_frames(json, r);
}

/* Sources -------------------------------------------------------------------------------------- */

static bool has_source(const struct page_sources *sources, const char *path)
{
    for (size_t i = 0; i < sources->paths.count; i++) {
        if (strcmp(sources->paths.at[i], path) == 0)
            return true;
    }
    return false;
}

static bool add_source(struct page_sources *sources, const char *path, const char *moved)
{
    if (has_source(sources, path))
        return true;
    char *place = source_place(path, moved), *text = source_read(place);
    free(place);
    if (!text)
        return false;
    vector_push(&sources->paths, memory_copy_string(path));
    vector_push(&sources->texts, text);
    return true;
}

size_t page_sources_add(struct page_sources *sources, const struct report *r, const char *moved)
{
    enum {
        NOT_WANTED,
        WANTED,
        EXPECTED
    } *files = memory_get_zeroed(r->code.files.count + 1, sizeof *files);
    size_t missing = 0;
    for (size_t i = 0; i < r->code.lines.count; i++) {
        const struct report_line_cost *line = &r->code.lines.at[i];
        if (line->place.file == REPORT_NONE)
            continue;
        if (!select_is_foreign(r, r->routines.at[line->routine].object))
            files[line->place.file] = EXPECTED;
        else if (files[line->place.file] == NOT_WANTED)
            files[line->place.file] = WANTED;
    }
    for (size_t i = 0; i < r->code.files.count; i++)
        missing +=
            files[i] && !add_source(sources, r->code.files.at[i], moved) && files[i] == EXPECTED;
    free(files);
    return missing;
}

void page_sources_write(struct json *json, const struct page_sources *sources)
{
    json_open(json, "sources", '{');
    for (size_t i = 0; i < sources->paths.count; i++)
        json_text(json, sources->paths.at[i], sources->texts.at[i]);
    json_close(json);
}

static void free_texts(string_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free((char *)(uintptr_t)list->at[i]);
    vector_free(list);
}

void page_sources_free(struct page_sources *sources)
{
    free_texts(&sources->paths);
    free_texts(&sources->texts);
}
