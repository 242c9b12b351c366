/* Finds the files that belong to this aprof: installed, moved, or still in the build folder.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_BASE_INSTALLATION_H
#define LIB_BASE_INSTALLATION_H

/* The folder that VALGRIND_LIB must name, so that Valgrind finds the tool: $APROF_VALGRIND_LIB, or
 * `.in_place` in the build folder, or the one that `make install` made. NULL when there is none.
 * The caller frees it. */
char *installation_valgrind_folder(void);

/* The path of a script for gnuplot: in $APROF_SCRIPTS, the source folder of an executable that was
 * not installed, or the installation. NULL when there is none. The caller frees it. */
char *installation_script(const char *name);

#endif
