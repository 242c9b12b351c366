/* Reads bytes of a file, of standard input or of memory, and decompresses them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gzip and zstd are recognised by their first bytes, never by the file's name.
 */
#ifndef LIB_BASE_INPUT_H
#define LIB_BASE_INPUT_H

#include "lib/base/message.h"

#include <stddef.h>

struct input;

/* Opens a file; "-" is standard input. Returns NULL and a reason if the file cannot be opened. */
struct input *input_open(const char *path, struct failure *why);

/* Reads from memory, which must stay valid; messages contain `name` instead of a path. */
struct input *input_open_memory(const void *bytes, size_t count, const char *name);

/* Returns the number of bytes read; if it is below the requested number, the input has ended.
 * Returns -1 and a reason if reading or decompressing fails. */
long input_read(struct input *input, void *to, size_t bytes, struct failure *why);

const char *input_name(const struct input *input);
void input_close(struct input *input);

#endif
