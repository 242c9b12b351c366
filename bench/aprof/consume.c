/* What the tool `aprof_measured` does with records instead of analysing them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Linked with --wrap=engine_consume, so that nothing of the tool that users install knows of it.
 * The environment variable APROF_CONSUME says what is done with each portion of words:
 *
 *     none     nothing: what is left is the cost of writing the records down, and of the ring
 *     touch    each word is read: what it costs to get them from another processor
 *     fail     an invariant of the engine does not hold (for tests)
 *     (unset)  what the tool does
 */
#include "aprof/valgrind_core.h"

#include "aprof/engine.h"
#include "ground/host.h"

void __real_engine_consume(struct engine *engine, const aprof_word *from, const aprof_word *to);
void __wrap_engine_consume(struct engine *engine, const aprof_word *from, const aprof_word *to);

/* On a cache line of its own, written so that the reads cannot be left out. */
static aprof_word touched __attribute__((aligned(64)));

static void touch(const aprof_word *from, const aprof_word *to)
{
    aprof_word sum = 0;

    while (from < to)
        sum += *from++;
    *(volatile aprof_word *)&touched += sum;
}

void __wrap_engine_consume(struct engine *engine, const aprof_word *from, const aprof_word *to)
{
    static const HChar *what;

    if (what == NULL) {
        what = VG_(getenv)("APROF_CONSUME");
        if (what == NULL)
            what = "";
    }
    switch (what[0]) {
    case 'n':
        break;
    case 't':
        touch(from, to);
        break;
    case 'f':
        host_panic("asked to fail", __FILE__, __LINE__);
    default:
        __real_engine_consume(engine, from, to);
    }
}
