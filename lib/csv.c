/* Comma-separated values; see csv.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/csv.h"

#include <string.h>

void csv_write_text(FILE *to, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, to);
        return;
    }
    putc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', to);
        putc(*text, to);
    }
    putc('"', to);
}
