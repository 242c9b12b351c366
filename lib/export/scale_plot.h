/* Draws the costs of the most expensive routines, and their shares, against the size of the run.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_EXPORT_SCALE_PLOT_H
#define LIB_EXPORT_SCALE_PLOT_H

#include "lib/growth/scale.h"

/* Draws a picture, as `aprof plot` does. The picture's name ends in .svg, .png or .pdf, or is
 * "-". */
bool scale_plot_draw(const struct scale *scale, const char *program, const char *picture,
                     struct failure *why);

#endif
