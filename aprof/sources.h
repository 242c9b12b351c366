/* Finds the source position of a guest address: file, line and inlined functions.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_SOURCES_H
#define APROF_SOURCES_H

#include "aprof/valgrind_core.h"

#include "points/points_report.h"

/* Returns the path of the source file and sets the line; NULL if not known. The path lives as long
 * as the run. */
const HChar *sources_line(Addr address, UInt *line);

/* Returns a copy of `path` that lives as long as the run. */
const HChar *sources_file(const HChar *path);

/* Returns the source position of the instruction at `address`; its object must still be loaded. */
struct source_place sources_place(Addr address);

/* Returns the source position of a line in a file that sources_line or sources_file has
 * returned. */
struct source_place sources_place_of(const HChar *file, UInt line);

/* Lists all files and inlined functions found so far. The lists are valid until the next
 * sources_place(). */
void sources_list(struct source_map *map);

#endif
