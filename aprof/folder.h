/* Folders that stay accessible when the program changes its root, and files in them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_FOLDER_H
#define APROF_FOLDER_H

#include "aprof/valgrind_core.h"

/* The program can neither see nor close the descriptor, and exec closes it. */
struct folder {
    Int fd;
    UWord error; /* why there is no descriptor; 0: there is one */
};

enum file_kind { FILE_NONE, FILE_REGULAR, FILE_FOLDER, FILE_SPECIAL };

/* Opens the folder, or notes why that is impossible. */
struct folder folder_open(const HChar *path);
void folder_close(struct folder *folder);

/* The kind of the file of this name; links are followed. */
enum file_kind folder_kind_of(const struct folder *folder, const HChar *name);

/* These return a descriptor, or the negative error. */

/* A new file, for writing, which replaces any of that name. Links are not followed: in a folder
 * that all may write to, another user may have put one there. */
Int folder_create(const struct folder *folder, const HChar *name);

/* Opens an existing file without waiting: a FIFO without a reader is an error (ENXIO). */
Int folder_open_to_write(const struct folder *folder, const HChar *name);
Int folder_open_to_read(const struct folder *folder, const HChar *name);

/* 0, or the error that has prevented it. */
UWord folder_rename(const struct folder *folder, const HChar *from, const HChar *to);

void folder_remove(const struct folder *folder, const HChar *name);

#endif
