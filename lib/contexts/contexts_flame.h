/* Flame graphs: a tree of calling contexts as one svg file that needs nothing else.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A frame is as wide as the counts of its context and all contexts below it; frames of one level
 * are sorted by name, so equal counts give equal bytes. In a browser, a click enlarges a frame to
 * the whole picture, and Search (or Ctrl-F) highlights routines and shows their share.
 *
 * With a base, frames have the widths of the profile, and colours show what changed: red costs more
 * than in the base, blue less. Contexts that only the base has are not drawn.
 */
#ifndef LIB_CONTEXTS_CONTEXTS_FLAME_H
#define LIB_CONTEXTS_CONTEXTS_FLAME_H

#include "lib/contexts/contexts_profile.h"

#include <stdio.h>

struct contexts_flame {
    const char *title;
    const char *unit; /* NULL: the unit of the profile */
    bool inverted;    /* routines first, then their callers, from the top down */
    bool folded;      /* a recursive call is part of the first frame of its routine on the path */
    bool mine; /* points: system libraries have no frames; their cost is added to their callers */
    const char *focus; /* pattern: only calls of these routines, which begin the paths; NULL: all */
    double least;      /* frames below this share of the whole are left out */
    size_t depth_max;  /* and so are deeper levels */
    const struct context_profile *base; /* NULL: no comparison */
};

/* Draws the profile's first tree. */
void contexts_flame_write(const struct context_profile *profile, const struct contexts_flame *flame,
                          FILE *to);

#endif
