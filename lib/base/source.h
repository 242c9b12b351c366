/* Source files: where they are on this machine, and their text.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_BASE_SOURCE_H
#define LIB_BASE_SOURCE_H

/* Where a file of debug data is looked for: `moved` is "FROM=TO", and a path that begins with FROM
 * begins with TO instead; NULL: nothing has moved. The caller frees it. */
char *source_place(const char *path, const char *moved);

/* The file's text, without bytes that are 0; NULL if it cannot be read. The caller frees it. */
char *source_read(const char *place);

#endif
