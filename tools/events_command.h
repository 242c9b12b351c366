/* Functions that the sub-commands of `aprof events` share: reading reports with names, and texts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_EVENTS_COMMAND_H
#define TOOLS_EVENTS_COMMAND_H

#include "tools/diff_command.h"
#include "lib/events/events_join.h"
#include "lib/base/table.h"

struct gate;

/* Functions for `aprof diff` and `aprof gate`; see tools/model.h. */
const char *events_compare_wrong(const void *settings);
int events_compare(const struct diff_settings *settings, const char *base, const char *now,
                   FILE *to, struct failure *why);
bool events_gate(struct gate *gate, const struct diff_settings *settings, const char *base,
                 const char *now, struct failure *why);

/* Reports -------------------------------------------------------------------------------------- */

/* Names routines that have no name; prints which names could not be found. */
void events_resolve(struct events_report *report, const struct common_options *settings);

/* Words ---------------------------------------------------------------------------------------- */

/* The text of one part of a key: a routine's name, a number, or a set of routines. In tables, long
 * names and large sets are shortened: "{a, b, 3 more}". The caller frees the text. */
char *events_key_cell(const struct events_report *report, const struct events_row *row,
                      size_t index, bool brief);

/* The number of cells that a key of this kind fills in a table row; a set of routines fills one
 * cell. */
size_t events_key_cells(const struct analysis_rows *kind);

/* The source position of the last routine in a key, such as "lists.c:7"; "" if unknown. Routines in
 * sets are ignored. */
char *events_place_cell(const struct events_report *report, const struct events_row *row);

/* The formats of `aprof events report` --------------------------------------------------------- */

/* The rows to write; `order` has the numbers of these rows in the report. */
struct events_view {
    const struct events_report *report;
    const size_t *order;
    size_t shown;
    enum table_format format;
};

void events_write_text(const struct events_view *view, FILE *to);
void events_write_separated(const struct events_view *view, FILE *to);
void events_write_json(const struct events_view *view, FILE *to);
void events_write_dot(const struct events_view *view,
                      FILE *to); /* only for reports of call graphs */

/* A build without events also needs the table of formats, because `aprof report` and `aprof export`
 * list the formats. */
enum { EVENTS_DOT = TABLE_FORMATS };
static const char *const events_format_names[] = {TABLE_FORMAT_NAMES, "dot", NULL};

#endif
