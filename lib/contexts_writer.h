/* Writes files of calling contexts as aprof-contexts-file(5) has them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_CONTEXTS_WRITER_H
#define LIB_CONTEXTS_WRITER_H

#include "lib/contexts_profile.h"

#include <stdio.h>

/* Errors show in the stream. */
void contexts_write(const struct context_profile *profile, FILE *to);

#endif
