/* Writes results to standard output or a file, and checks every write.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_BASE_OUTPUT_H
#define LIB_BASE_OUTPUT_H

#include "lib/base/message.h"

#include <stdio.h>

struct output {
    FILE *stream;
    const char *path; /* NULL: standard output */
    char *partial;    /* the temporary name of a regular file until the file is complete */
};

/* Opens a file for writing; a NULL path or "-" is standard output. */
bool output_open(struct output *output, const char *path, struct failure *why);

/* Closes the file. Returns false if a write failed, for example because the disk is full. A
 * complete regular file replaces an older file of the same name; after a failure, the older file is
 * unchanged. */
bool output_close(struct output *output, struct failure *why);

/* Discards the output that was written so far. */
void output_discard(struct output *output);

#endif
