/* What the sub-commands of `aprof events` share: options, reading with names, words.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_EVENTS_COMMAND_H
#define TOOLS_EVENTS_COMMAND_H

#include "tools/command.h"
#include "lib/events_join.h"
#include "lib/table.h"

extern const struct command events_report_step, events_export_step, events_compare_step,
    events_merge_step;

/* Common options ------------------------------------------------------------------------------- */

struct events_settings {
    unsigned long top; /* 0: all */
    const char *debug_path, *output;
};

/* Entries of tables of options, for settings that begin with these. */
#define EVENTS_ENTRY_TOP(help)                                                                     \
    {                                                                                              \
        'n', "top", "N", help, OPTION_INTO(struct events_settings, top)                            \
    }
#define EVENTS_ENTRY_DEBUG                                                                         \
    {                                                                                              \
        0, "debug-path", "FOLDERS", "where debug files are, between ':' [/usr/lib/debug]",         \
            OPTION_INTO(struct events_settings, debug_path)                                        \
    }
#define EVENTS_ENTRY_OUT                                                                           \
    {                                                                                              \
        'o', "output", "FILE", "writes to a file", OPTION_INTO(struct events_settings, output)     \
    }

/* Reports -------------------------------------------------------------------------------------- */

/* Names the routines that have no name yet; prints what could not be named. */
void events_resolve(struct events_report *report, const struct events_settings *settings);

/* Words ---------------------------------------------------------------------------------------- */

/* What one word of a key means to people: a routine's name, or a number. A set is one cell. For
 * tables it is brief: long names are cut, and "{a, b, 3 more}" tells of large sets. The caller
 * frees it. */
char *events_key_cell(const struct events_report *report, const struct events_row *row,
                      size_t index, bool brief);

/* How many cells a key of this kind has: a set is one. */
size_t events_key_cells(const struct events_kind *kind);

/* "lists.c:7" of the routine a row is about, the last one that is not in a set; "" when unknown. */
char *events_place_cell(const struct events_report *report, const struct events_row *row);

/* The formats of `aprof events report` ----------------------------------------------------------
 */

/* Writes the rows whose numbers are in `order`. */
struct events_view {
    const struct events_report *report;
    const size_t *order;
    size_t shown;
};

void events_write_text(const struct events_view *view, FILE *to);
void events_write_csv(const struct events_view *view, FILE *to);
void events_write_json(const struct events_view *view, FILE *to);
void events_write_dot(const struct events_view *view, FILE *to); /* call graphs alone */

#endif
