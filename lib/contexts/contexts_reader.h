/* Reads whole files of calling contexts in one pass, and rejects invalid ones.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_CONTEXTS_CONTEXTS_READER_H
#define LIB_CONTEXTS_CONTEXTS_READER_H

#include "lib/contexts/contexts_profile.h"
#include "lib/records/record_reader.h"

/* Fills `profile` from a file ("-": standard input), which may be compressed with gzip or zstd. On
 * failure, the profile is empty, and `why` names the file and, if known, the line. */
bool contexts_read_file(struct context_profile *profile, const char *path, struct failure *why);

/* Reads a file from memory; `name` replaces the path in messages. */
bool contexts_read_memory(struct context_profile *profile, const void *bytes, size_t count,
                          const char *name, struct failure *why);

/* Reads the record of one object. Reports of analyses have the same record. The object's id must be
 * `id`. */
bool object_read(struct record_reader *r, size_t id, struct context_object *object);

#endif
