/* Files that aprof-pathcc leaves next to a program: its bitcode, and the command to link it again.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef PATHS_LINK_RECORD_H
#define PATHS_LINK_RECORD_H

#include "paths/record.h"

#define LINK_BITCODE_SUFFIX ".aprof.bc"
#define LINK_RECORD_SUFFIX  ".aprof.link"

struct link_record {
    struct arena strings;
    const char *compiler;
    const char *folder;   /* folder in which the link ran */
    const char *build_id; /* build id of the program, in hexadecimal */
    bool is_static;
    string_list arguments; /* arguments of the link, without the bitcode and the output */
};

/* Writes the link record of a program. The list of arguments ends with NULL. */
bool link_record_write(const char *program, const char *compiler, bool is_static,
                       char *const *arguments, struct failure *why);
void link_record_remove(const char *program);

/* Reads the link record next to the program, and verifies that the record belongs to this build. */
bool link_record_read(struct link_record *record, const char *program, struct failure *why);
void link_record_free(struct link_record *record);

#endif
