/* Actions of the tool `aprof_measured` with records, in place of the analysis or before it.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * This file is linked with --wrap=engine_consume, so that the installed tool does not depend on the
 * file. The environment variable APROF_CONSUME selects the action for each portion of words:
 *
 *     none         nothing: measures the cost of writing the records, and of the ring
 *     touch        reads each word: measures the cost of its transfer from another processor
 *     fail         violates an invariant of the engine (for tests)
 *     record=FILE  writes the words to FILE, for `replay`, and analyses them; use --concurrent=no
 *     (unset)      analyses the words, as the tool does
 */
#include "aprof/valgrind_core.h"

#include "aprof/engine.h"
#include "bench/aprof/recording.h"
#include "ground/host.h"

void __real_engine_consume(struct engine *engine, const aprof_word *from, const aprof_word *to);
void __wrap_engine_consume(struct engine *engine, const aprof_word *from, const aprof_word *to);

/* This word has its own cache line. Each read is stored in this word, so that the compiler does not
 * omit the reads. */
static aprof_word touched __attribute__((aligned(64)));

static void touch(const aprof_word *from, const aprof_word *to)
{
    aprof_word sum = 0;

    while (from < to)
        sum += *from++;
    *(volatile aprof_word *)&touched += sum;
}

/*------------------------------------------------------------*/
/*--- Recording                                            ---*/
/*------------------------------------------------------------*/

static Int recording = -1;
static VgHashTable *known; /* addresses of descriptors and routines that are already in the file */

static void put(const void *data, SizeT bytes)
{
    if (VG_(write)(recording, data, bytes) != (Int)bytes)
        host_panic("cannot write the recording", __FILE__, __LINE__);
}

static void section_put(enum recorded_section kind, const void *thing, SizeT bytes)
{
    aprof_word words = recorded_words(bytes), zeros = 0;
    struct recorded_head head = {kind, words + 1};

    put(&head, sizeof head);
    put(&thing, sizeof thing);
    put(thing, bytes);
    put(&zeros, words * sizeof(aprof_word) - bytes);
}

/* Adds an address; returns false if the address is already known. */
static Bool is_new(const void *address)
{
    VgHashNode *node;

    if (VG_(HT_lookup)(known, (UWord)address))
        return False;
    node = VG_(malloc)("aprof.bench.known", sizeof *node);
    node->key = (UWord)address;
    VG_(HT_add_node)(known, node);
    return True;
}

static void descriptor_record(const struct event_desc *event)
{
    const struct block *block = (const struct block *)event;

    if (!is_new(event))
        return;
    if (event->kind == EVENT_BLOCK && is_new(block->routine))
        section_put(RECORDED_ROUTINE, block->routine, sizeof *block->routine);
    section_put(RECORDED_EVENT, event, event_desc_bytes(event));
}

/* Freed descriptors; they remain valid until the portion is consumed. */
static void record(const aprof_word *from, const aprof_word *to)
{
    struct recorded_head head = {RECORDED_WORDS, to - from};
    const aprof_word *at;

    for (at = from; at < to; at += 1 + ((const struct event_desc *)*at)->words)
        descriptor_record((const struct event_desc *)*at);
    put(&head, sizeof head);
    put(from, (to - from) * sizeof *from);
    for (at = from; at < to; at += 1 + ((const struct event_desc *)*at)->words)
        if (((const struct event_desc *)*at)->kind == EVENT_BLOCK_GONE)
            VG_(free)(VG_(HT_remove)(known, at[1]));
}

static void recording_start(const HChar *path)
{
    recording = VG_(fd_open)(path, VKI_O_WRONLY | VKI_O_CREAT | VKI_O_TRUNC, 0666);
    if (recording < 0)
        host_panic("cannot make the recording", __FILE__, __LINE__);
    known = VG_(HT_construct)("aprof.bench.known");
}

/*------------------------------------------------------------*/
/*--- Consuming                                            ---*/
/*------------------------------------------------------------*/

void __wrap_engine_consume(struct engine *engine, const aprof_word *from, const aprof_word *to)
{
    static const HChar *what;

    if (what == NULL) {
        what = VG_(getenv)("APROF_CONSUME");
        if (what == NULL)
            what = "";
        if (VG_(strncmp)(what, "record=", 7) == 0)
            recording_start(what + 7);
    }
    switch (what[0]) {
    case 'n':
        break;
    case 't':
        touch(from, to);
        break;
    case 'f':
        host_panic("asked to fail", __FILE__, __LINE__);
    case 'r':
        record(from, to);
        __real_engine_consume(engine, from, to);
        break;
    default:
        __real_engine_consume(engine, from, to);
    }
}
