/* Comma-separated values; see csv.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/csv.h"
#include "lib/control.h"

#include <string.h>

/* As in a report. A newline between quotes would be valid, but every line a record is better. */
static void put_escape(FILE *to, char c)
{
    if (c == '\t' || c == '\n')
        fprintf(to, "\\%c", c == '\t' ? 't' : 'n');
    else
        fprintf(to, "\\x%02x", c);
}

void csv_write_text(FILE *to, const char *text)
{
    bool quoted = text[strcspn(text, ",\"")];
    if (quoted)
        putc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', to);
        if (is_control(*text))
            put_escape(to, *text);
        else
            putc(*text, to);
    }
    if (quoted)
        putc('"', to);
}
