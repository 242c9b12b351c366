/* Source files: their paths on this machine, and their text.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_BASE_SOURCE_H
#define LIB_BASE_SOURCE_H

/* The path, on this machine, of a source file that debug data refer to. `moved` is "FROM=TO": a
 * leading FROM is replaced by TO. NULL: nothing is replaced. The caller frees the path. */
char *source_place(const char *path, const char *moved);

/* The file's text, without bytes that are 0; NULL if the file cannot be read. The caller frees the
 * text. */
char *source_read(const char *place);

/* Returns the path relative to the current folder, for output that is read on other machines. A
 * path outside the current folder is returned unchanged. The result points into `path`. */
const char *source_relative(const char *path);

/* A copy of line `line` of a text, without the blanks around it; NULL if the text has fewer lines.
 * The caller frees the copy. */
char *source_line(const char *text, unsigned long line);

#endif
