/* Spans: pieces of code that run as a whole, and the source positions of their instructions.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A span is defined by an object, an address in the object and the lengths of some instructions. So
 * code remains the same span when it is translated again, or is loaded again elsewhere. A routine
 * without a known source line is one span with all code of the routine.
 *
 * The source positions of a span's instructions are looked up when a report is written, or just
 * before the object is unloaded.
 */
#ifndef APROF_SPANS_H
#define APROF_SPANS_H

#include "aprof/valgrind_core.h"

#include "aprof/superblock.h"
#include "aprof/symbols.h"

struct engine;

#define SPAN_NONE 0 /* number of the span for code without a known source position */

/* Returns the number of the segment's span; creates the span if it is new. */
UInt spans_of_segment(const struct superblock *sb, Int segment, const struct code_place *place);

/* Looks up the source positions of code at these addresses before the code is unmapped. */
void spans_unload(Addr start, SizeT bytes);

/* Returns the spans for the engine's report. The tables are valid until the next call. */
const struct source_map *spans_map(const struct engine *engine);

#endif
