/* Runs gnuplot on one of aprof's scripts.
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
bool gnuplot_data_finish(struct gnuplot_data *data,
                         struct failure *why); /* whether the file is complete */
void gnuplot_data_remove(struct gnuplot_data *data);

/* Runs `gnuplot -c SCRIPT arguments...` and waits for its end. The arguments end with NULL, may
 * contain any characters, and reach the script as ARG1, ARG2, ... gnuplot_run() searches for the
 * script in $APROF_SCRIPTS, then in the source folder if aprof is not installed, and finally in the
 * folder of the installation.
 */
bool gnuplot_run(const char *script, const char *const *arguments, struct failure *why);

/* Whether the name is "-", or has the suffix of a picture format that style.gp supports. */
bool gnuplot_is_picture(const char *path);

/* Tests whether the file can be written, because gnuplot's own messages about unwritable files are
 * not helpful. If the test has created the file, removes the file. */
bool gnuplot_may_write(const char *path, struct failure *why);

/* Whether the picture is complete. Removes an incomplete picture, because gnuplot does not notice a
 * full disk. */
bool gnuplot_has_drawn(const char *path, struct failure *why);

#endif
