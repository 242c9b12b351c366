/* Runs gnuplot on one of our scripts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_BASE_GNUPLOT_H
#define LIB_BASE_GNUPLOT_H

#include "lib/base/message.h"

#include <stdio.h>

/* A temporary data file for gnuplot, removed by gnuplot_data_remove(). */
struct gnuplot_data {
    FILE *stream;
    char path[256];
};

bool gnuplot_data_create(struct gnuplot_data *data, struct failure *why);
bool gnuplot_data_finish(struct gnuplot_data *data, struct failure *why); /* all of it written? */
void gnuplot_data_remove(struct gnuplot_data *data);

/* Runs `gnuplot -c SCRIPT arguments...` and waits for it. Arguments end with NULL and reach the
 * script as ARG1, ARG2, ... whatever characters they hold. Scripts are looked for in
 * $APROF_SCRIPTS, beside an executable that was not installed, and where `make install` puts them.
 */
bool gnuplot_run(const char *script, const char *const *arguments, struct failure *why);

/* Does the name end as that of a picture that style.gp knows, or is it "-"? */
bool gnuplot_is_picture(const char *path);

/* gnuplot reports a file that it cannot write badly; so try first, and leave nothing behind. */
bool gnuplot_may_write(const char *path, struct failure *why);

/* gnuplot does not notice a full disk, but an incomplete picture tells; it is removed. */
bool gnuplot_has_drawn(const char *path, struct failure *why);

#endif
