/* Writes files of calling contexts in the format of aprof-contexts-file(5).
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_CONTEXTS_CONTEXTS_WRITER_H
#define LIB_CONTEXTS_CONTEXTS_WRITER_H

#include "lib/contexts/contexts_profile.h"
#include "lib/records/record_stream.h"

#include <stdio.h>

/* The caller must check the stream for errors. */
void contexts_write(const struct context_profile *profile, FILE *to);

/* Writes the record of one object. Reports of analyses have the same record. */
void object_write(struct record_writer *w, size_t id, const struct context_object *object);

#endif
