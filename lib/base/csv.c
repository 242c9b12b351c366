/* Comma-separated values; see csv.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/base/csv.h"
#include "lib/base/control.h"

#include <string.h>

/* Writes the escape sequence of a character, as in aprof's report files. A newline between quotes
 * would be valid CSV, but files with one record per line are easier to process. */
static void put_escape(FILE *to, char c)
{
    if (c == '\t' || c == '\n')
        fprintf(to, "\\%c", c == '\t' ? 't' : 'n');
    else
        fprintf(to, "\\x%02x", (unsigned char)c);
}

void csv_write_text(FILE *to, const char *text)
{
    bool quoted = text[strcspn(text, ",\"")], passes;
    if (quoted)
        putc('"', to);
    for (size_t length; *text; text += length) {
        length = control_character(text, &passes);
        if (*text == '"')
            putc('"', to);
        for (size_t i = 0; i < length; i++) {
            if (passes)
                putc(text[i], to);
            else
                put_escape(to, text[i]);
        }
    }
    if (quoted)
        putc('"', to);
}
