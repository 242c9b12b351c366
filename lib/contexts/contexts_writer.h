/* Writes files of calling contexts as aprof-contexts-file(5) has them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_CONTEXTS_CONTEXTS_WRITER_H
#define LIB_CONTEXTS_CONTEXTS_WRITER_H

#include "lib/contexts/contexts_profile.h"
#include "lib/records/record_stream.h"

#include <stdio.h>

/* Errors show in the stream. */
void contexts_write(const struct context_profile *profile, FILE *to);

/* The record of one object, as reports of analyses have it too. */
void object_write(struct record_writer *w, size_t id, const struct context_object *object);

#endif
