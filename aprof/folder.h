/* Folders that stay accessible when the program changes its root, and access to their files.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_FOLDER_H
#define APROF_FOLDER_H

#include "aprof/valgrind_core.h"

/* A folder's descriptor, which the program cannot reach and which exec closes. */
struct folder {
    Int fd;
    UWord error; /* error that prevented opening the folder; 0: the folder is open */
};

enum file_kind { FILE_NONE, FILE_REGULAR, FILE_FOLDER, FILE_SPECIAL };

/* Opens the folder, or records the error. */
struct folder folder_open(const HChar *path);
void folder_close(struct folder *folder);

/* Returns the type of the file with this name; follows links. */
enum file_kind folder_kind_of(const struct folder *folder, const HChar *name);

/* Creates a file for writing, and replaces an existing file of this name. The function does not
 * follow links, because another user may have placed a link in a folder that everybody may write
 * to. folder_create, folder_open_to_write and folder_open_to_read return a descriptor, or a
 * negative error number. */
Int folder_create(const struct folder *folder, const HChar *name);

/* Opens an existing file without waiting: a FIFO without a reader is an error (ENXIO). */
Int folder_open_to_write(const struct folder *folder, const HChar *name);
Int folder_open_to_read(const struct folder *folder, const HChar *name);

/* Renames a file. Returns 0, or the error number. */
UWord folder_rename(const struct folder *folder, const HChar *from, const HChar *to);

void folder_remove(const struct folder *folder, const HChar *name);

#endif
