/* Source files: their place on this machine, and their text.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_BASE_SOURCE_H
#define LIB_BASE_SOURCE_H

/* The place of a file that debug data name. `moved` is "FROM=TO": FROM at the beginning of the
 * path is replaced by TO; NULL: nothing is replaced. The caller frees it. */
char *source_place(const char *path, const char *moved);

/* The file's text, without bytes that are 0; NULL if it cannot be read. The caller frees it. */
char *source_read(const char *place);

/* The part of the path below the folder of the moment, for what others read elsewhere; the path
 * itself if it is not there. Points into `path`. */
const char *source_relative(const char *path);

/* A line of a text, without the blanks around it; NULL: there is none. The caller frees it. */
char *source_line(const char *text, unsigned long line);

#endif
