/* Trees of calling contexts in the formats of other programs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_CONTEXTS_CONTEXTS_EXPORT_H
#define LIB_CONTEXTS_CONTEXTS_EXPORT_H

#include "lib/base/json.h"
#include "lib/contexts/contexts_profile.h"

#include <stdio.h>

struct contexts_format {
    const char *name;
    /* default of phi: contexts with at least this share are shown, with their callers */
    double phi;
    /* `frames` is the maximum number of routines in a line of folded stacks; 0 means all. */
    void (*write)(const struct context_profile *profile, size_t frames, FILE *to);
};

/* The table of formats ends with an entry without a name. The writers write the first tree, with
 * children sorted by name. */
extern const struct contexts_format contexts_formats[];

/* Orders children by routine names, then by call site; `user` is the profile. */
int contexts_by_name(const void *a, const void *b, void *user);

/* Writes a routine as an element of the list of frames in a speedscope file. */
void speedscope_put_frame(struct json *json, const struct report_routine *routine);

/* "calls" or "ns": the unit of the counts. */
const char *contexts_unit(const struct context_profile *profile);

#endif
