/* Source files: their place on this machine, and their text.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_BASE_SOURCE_H
#define LIB_BASE_SOURCE_H

/* The path on this machine of a file that debug data name. `moved` is "FROM=TO": a leading FROM is
 * replaced by TO; NULL: nothing is replaced. The caller frees it. */
char *source_place(const char *path, const char *moved);

/* The file's text, without bytes that are 0; NULL if it cannot be read. The caller frees it. */
char *source_read(const char *place);

/* The path relative to the current folder, for files that are read on other machines; the path
 * itself if it is not below that folder. Points into `path`. */
const char *source_relative(const char *path);

/* A line of a text, without the blanks around it; NULL: the text has no such line. The caller frees
 * it. */
char *source_line(const char *text, unsigned long line);

#endif
