/* The source position of a guest address: file, line and inlined functions.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_SOURCES_H
#define APROF_SOURCES_H

#include "aprof/valgrind_core.h"

#include "points/points_report.h"

/* The path of the source file and the line, or NULL. The path lives as long as the run. */
const HChar *sources_line(Addr address, UInt *line);

/* Returns a copy of `path` that lives as long as the run. */
const HChar *sources_file(const HChar *path);

/* The source position of the instruction at `address`, whose object is loaded. */
struct source_place sources_place(Addr address);

/* A line of a file that sources_line or sources_file has returned. */
struct source_place sources_place_of(const HChar *file, UInt line);

/* All files and inlined functions found so far; the lists are valid until the next
 * sources_place(). */
void sources_list(struct source_map *map);

#endif
