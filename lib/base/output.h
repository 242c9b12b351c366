/* Where results go: standard output or a file, with every write checked.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_BASE_OUTPUT_H
#define LIB_BASE_OUTPUT_H

#include "lib/base/message.h"

#include <stdio.h>

struct output {
    FILE *stream;
    const char *path; /* NULL: standard output */
    char *partial;    /* a regular file has this name until it is complete */
};

/* Opens a file for writing; a NULL path or "-" is standard output. */
bool output_open(struct output *output, const char *path, struct failure *why);

/* Returns false if something was not written, for example because the disk is full. A complete
 * regular file gets its name now. Before that, and after a failure, an older file of that name is
 * unchanged. */
bool output_close(struct output *output, struct failure *why);

/* Discards what was written so far. */
void output_discard(struct output *output);

#endif
