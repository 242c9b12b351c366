/* Draws flame graphs: a tree of calling contexts as one self-contained svg file.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A frame's width is the count of its context and of all contexts below it. Frames of one level are
 * sorted by name, so that equal counts give an identical file. In a browser, the script of the
 * picture (flame.js) enlarges frames, searches, and draws the other forms of the tree.
 *
 * If there is a base, the width of a frame shows its count in the profile, and the colour shows how
 * the count has changed since the base. Red frames cost more than in the base, blue frames less.
 * Contexts that only the base has are not drawn.
 */
#ifndef LIB_CONTEXTS_CONTEXTS_FLAME_H
#define LIB_CONTEXTS_CONTEXTS_FLAME_H

#include "lib/contexts/contexts_profile.h"

#include <stdio.h>

struct contexts_flame {
    const char *title;
    const char *unit; /* unit of the counts; NULL: the unit of the profile */
    /* whether the tree is inverted: the topmost level has the routines, and lower levels their
     * callers */
    bool inverted;
    bool folded; /* whether recursive calls become part of the first frame of their routine on the
                  * path */
    /* whether the cost of system libraries is added to their callers instead of being drawn; only
     * for reports of points */
    bool mine;
    const char *focus; /* pattern of routines: only paths that begin with such a routine are shown;
                        * NULL: all calls */
    double least;      /* frames with less than this share of the whole are not drawn */
    size_t depth_max;  /* maximum number of levels */
    const struct context_profile *base; /* base profile; NULL: no comparison */
};

/* Draws the profile's first tree. */
void contexts_flame_write(const struct context_profile *profile, const struct contexts_flame *flame,
                          FILE *to);

#endif
