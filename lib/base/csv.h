/* Comma-separated values as in RFC 4180.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_BASE_CSV_H
#define LIB_BASE_CSV_H

#include <stdio.h>

/* Quotes the text if it contains a comma, a quote or a line break. */
void csv_write_text(FILE *to, const char *text);

#endif
