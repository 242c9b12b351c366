/* Finds the files that belong to this aprof: installed, moved, or still in the build folder.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_BASE_INSTALLATION_H
#define LIB_BASE_INSTALLATION_H

/* The folder for VALGRIND_LIB, in which Valgrind finds the tool: $APROF_VALGRIND_LIB, or
 * `.in_place` in the build folder, or the folder of the installation. Returns NULL if the folder
 * does not exist. The caller frees the path. */
char *installation_valgrind_folder(void);

/* The path of a script for gnuplot: in $APROF_SCRIPTS, in the source folder if this executable is
 * not installed, or in the installation. Returns NULL if the script does not exist. The caller
 * frees the path. */
char *installation_script(const char *name);

#endif
