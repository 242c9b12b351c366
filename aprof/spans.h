/* Spans: pieces of code that run as a whole, and the source positions of their instructions.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A span is an object, an address in it and the lengths of some instructions, so code that is
 * translated again, or loaded again elsewhere, is the same span. If no line of a routine is known,
 * all its code is one span.
 *
 * The source positions of its instructions are looked up when a report is written, or just before
 * the object is unloaded.
 */
#ifndef APROF_SPANS_H
#define APROF_SPANS_H

#include "aprof/valgrind_core.h"

#include "aprof/superblock.h"
#include "aprof/symbols.h"

struct engine;

#define SPAN_NONE 0 /* no source position is known */

/* The number of the segment's span, which is created if it is new. */
UInt spans_of_segment(const struct superblock *sb, Int segment, const struct code_place *place);

/* Code at these addresses is about to be unmapped: looks up its source positions first. */
void spans_unload(Addr start, SizeT bytes);

/* The spans for the engine's report. The tables are valid until the next call. */
const struct source_map *spans_map(const struct engine *engine);

#endif
