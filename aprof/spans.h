/* Spans: pieces of code that run as a whole, and the places of their instructions.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A span is an object, an address in it and the lengths of some instructions, so that code that is
 * translated again, or unloaded and loaded elsewhere, is the same span. All code of a routine of
 * which no line is known is one span.
 *
 * Where its instructions come from is looked up when a report is written, or just before the object
 * is unloaded, and never while the program runs.
 */
#ifndef APROF_SPANS_H
#define APROF_SPANS_H

#include "aprof/valgrind_core.h"

#include "aprof/superblock.h"
#include "aprof/symbols.h"

struct engine;

#define SPAN_NONE 0 /* of no known place */

/* The number of the segment's span, made if it is new. */
UInt spans_of_segment(const struct superblock *sb, Int segment, const struct code_place *place);

/* Code in these addresses is about to go: looks its places up while they are known. */
void spans_unload(Addr start, SizeT bytes);

/* For the engine's report. The tables live until the next call. */
const struct source_map *spans_map(const struct engine *engine);

#endif
