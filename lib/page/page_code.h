/* The data of a page about code: call edges, cost per line, frames, and source text.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tables are members of a report's object: plain arrays of numbers, which browsers read
 * fastest. A file or an inlined function has the number index + 1; 0 means none.
 *
 *     files    [path...]
 *     library  [number of a file that is a library's source...]
 *     inlined  [[in which, file, line, name]...]
 *     edges    [caller, callee, inlined, file, line, calls, cost, input, the next caller...]
 *     lines    [[routine, inlined, file, line, cost, the next line, its cost...]...]
 *     frames   {basis: enum report_frames_basis, whole,
 *               list: [caller + 1, routine, cost, self, ...]}
 */
#ifndef LIB_PAGE_PAGE_CODE_H
#define LIB_PAGE_PAGE_CODE_H

#include "lib/base/json.h"
#include "lib/report/report.h"

/* Adds the tables to the report's JSON object, which the caller has opened and closes later. */
void page_code_write(struct json *json, const struct report *report);

/* The text of the source files of one or several reports. The page contains this text. */
struct page_sources {
    string_list paths, texts; /* in the order of the paths; the struct owns all strings */
};

/* Reads the source files that have costs, if they exist on this machine. `moved` is as in source.h.
 * Returns how many of the report's files were not found. Files of system libraries are not counted,
 * because their sources are rarely installed. */
size_t page_sources_add(struct page_sources *sources, const struct report *report,
                        const char *moved);

/* Writes the member "sources": {path: text, ...}. */
void page_sources_write(struct json *json, const struct page_sources *sources);

void page_sources_free(struct page_sources *sources);

#endif
