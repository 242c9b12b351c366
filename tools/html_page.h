/* Writes the page of `aprof html`, and fills other page templates with data.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_HTML_PAGE_H
#define TOOLS_HTML_PAGE_H

#include "lib/base/message.h"
#include "lib/load/report_set.h"

#include <stdio.h>

struct html_settings {
    /* `title`: title of the page (NULL: the profiled command); `source_path`: FROM=TO replaces the
     * beginning of source paths (NULL: nothing is replaced) */
    const char *title, *source_path;
    bool threads, embed_source, mine;
    const path_list
        /* files whose sum is the first report; NULL: the first report is the file named first
         */
        *parts;
};

/* Returns false if the build could not bundle the page. */
bool html_has_page(struct failure *why);

/* Writes a page of the reports to a stream. Nothing is written after a failure. */
bool html_page_write(const string_list *paths, const struct html_settings *settings, FILE *to,
                     struct failure *why);

/* Writes a page of the reports to a file, or to standard output if the file's name is NULL. */
bool html_page_save(const string_list *paths, const struct html_settings *settings,
                    const char *path, struct failure *why);

/* Writes the part of a template before its data; returns the part after its data. */
const char *html_write_head(const char *page, FILE *to);

/* Writes JSON as a script element that no browser executes. In JSON, `<` occurs only inside
 * strings; `<` is escaped, so that no name can end the script element. */
void html_write_json(const char *json, size_t bytes, FILE *to);

#endif
