/* Functions that the sub-commands of `aprof events` share; see events_command.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/events_command.h"
#include "lib/symbols/contexts_symbols.h"
#include "lib/base/short_name.h"

#include <inttypes.h>
#include <string.h>

#define NAME_BYTES 60 /* maximum bytes of a routine's name in a table */
#define CUT        "..."
#define SET_SHOWN  8 /* maximum number of a set's routines in a table */

/* Reports -------------------------------------------------------------------------------------- */

void events_resolve(struct events_report *r, const struct common_options *settings)
{
    struct contexts_symbols symbols = {.debug_path = settings->debug_path};
    struct symbol_tables tables = {
        .strings = &r->strings,
        .objects = r->objects.at,
        .object_count = r->objects.count,
        .routines = r->routines.at,
        .routine_count = r->routines.count,
    };
    symbols_resolve(&tables, &symbols);
    for (size_t i = 0; i < symbols.notes.count; i++) {
        message_error("%s", symbols.notes.at[i]);
        free(symbols.notes.at[i]);
    }
    vector_free(&symbols.notes);
    events_name_routines(r);
}

/* Words ---------------------------------------------------------------------------------------- */

/* Truncates a name to the column of a table, without splitting a character. */
static void write_name(const struct events_report *r, uint64_t routine, bool brief, FILE *to)
{
    const char *name = events_routine_name(r, routine);
    size_t bytes = strlen(name);
    if (!brief || bytes <= NAME_BYTES) {
        fputs(name, to);
        return;
    }
    bytes = NAME_BYTES - strlen(CUT);
    while (bytes > 0 && ((unsigned char)name[bytes] & 0xc0) == 0x80)
        bytes--;
    fprintf(to, "%.*s%s", (int)bytes, name, CUT);
}

static void write_set(const struct events_report *r, const struct events_row *row, bool brief,
                      FILE *to)
{
    const uint64_t *set = events_key(r, row) + r->kind->set_from;
    size_t members = row->key_words - r->kind->set_from;
    size_t shown = brief && members > SET_SHOWN ? SET_SHOWN : members;
    putc('{', to);
    for (size_t i = 0; i < shown; i++) {
        fputs(i ? ", " : "", to);
        write_name(r, set[i], brief, to);
    }
    if (members > shown)
        fprintf(to, ", %zu more", members - shown);
    putc('}', to);
}

char *events_key_cell(const struct events_report *r, const struct events_row *row, size_t index,
                      bool brief)
{
    char *words = NULL;
    size_t bytes;
    FILE *to = open_memstream(&words, &bytes);
    if (!to)
        abort();
    if (index >= r->kind->set_from)
        write_set(r, row, brief, to);
    else if (r->kind->routines)
        write_name(r, events_key(r, row)[index], brief, to);
    else
        fprintf(to, "%" PRIu64, events_key(r, row)[index]);
    fclose(to);
    return words;
}

size_t events_key_cells(const struct analysis_rows *kind)
{
    return kind->key_most == SIZE_MAX ? kind->set_from + 1 : kind->key_most;
}

char *events_place_cell(const struct events_report *r, const struct events_row *row)
{
    uint64_t subject = events_key(r, row)[r->kind->set_from - 1];
    if (!r->kind->routines || !r->routines.at[subject].line)
        return memory_copy_string("");
    const struct report_routine *routine = &r->routines.at[subject];
    return memory_format("%s:%" PRIu32, short_path(routine->file), routine->line);
}
