/* For --concurrent=both: a second engine on the program's thread, next to the concurrent engine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof/valgrind_core.h"

#include "aprof/second_engine.h"

static struct engine *engine;

/* A copy of a descriptor or routine, found by the address of the original. */
struct block_copy {
    VgHashNode hash;
    struct block block;
};

struct routine_copy {
    VgHashNode hash;
    struct routine routine;
};

static VgHashTable *blocks;
static VgHashTable *routines;
/* array of aprof_word: records that are being consumed, with addresses of copies */
static XArray *words;
/* array of struct block_copy *: copies to free when the records in `words` are consumed */
static XArray *gone;

void second_engine_open(const struct engine_config *config)
{
    engine = engine_new(config);
    blocks = VG_(HT_construct)("aprof.second.blocks");
    routines = VG_(HT_construct)("aprof.second.routines");
    words = VG_(newXA)(VG_(malloc), "aprof.second.words", VG_(free), sizeof(aprof_word));
    gone = VG_(newXA)(VG_(malloc), "aprof.second.gone", VG_(free), sizeof(struct block_copy *));
}

struct engine *second_engine(void)
{
    return engine;
}

static struct routine *routine_copy(const struct routine *original)
{
    struct routine_copy *copy = VG_(HT_lookup)(routines, (UWord)original);

    if (copy == NULL) {
        copy = VG_(malloc)("aprof.second.routine", sizeof *copy);
        copy->hash.key = (UWord)original;
        copy->routine = *original;
        copy->routine.was_called = False;
        VG_(HT_add_node)(routines, copy);
    }
    return &copy->routine;
}

static const struct block *block_copy(const struct block *original)
{
    SizeT bytes = block_bytes(original->n_accesses);
    struct block_copy *copy = VG_(HT_lookup)(blocks, (UWord)original);

    if (copy == NULL) {
        copy = VG_(malloc)("aprof.second.block", sizeof copy->hash + bytes);
        copy->hash.key = (UWord)original;
        VG_(memcpy)(&copy->block, original, bytes);
        copy->block.routine = routine_copy(original->routine);
        copy->block.home = NULL;
        copy->block.charged = 0;
        VG_(HT_add_node)(blocks, copy);
    }
    return &copy->block;
}

/* Appends a record EVENT_BLOCK_GONE for the copy of a block. If the block has never run, there is
 * no copy, and nothing is appended. */
static void words_add_gone(aprof_word header, aprof_word original)
{
    struct block_copy *copy = VG_(HT_remove)(blocks, original);
    aprof_word block;

    if (copy == NULL)
        return;
    block = (aprof_word)&copy->block;
    VG_(addToXA)(words, &header);
    VG_(addToXA)(words, &block);
    VG_(addToXA)(gone, &copy);
}

static void words_copy(const aprof_word *from, const aprof_word *to)
{
    while (from < to) {
        const struct event_desc *desc = (const struct event_desc *)*from++;
        aprof_word header = (aprof_word)desc;

        if (desc->kind == EVENT_BLOCK_GONE) {
            words_add_gone(header, *from++);
            continue;
        }
        if (desc->kind == EVENT_BLOCK)
            header = (aprof_word)block_copy((const struct block *)desc);
        VG_(addToXA)(words, &header);
        for (UInt i = 0; i < desc->words; i++)
            VG_(addToXA)(words, from++);
    }
}

void second_engine_consume(const aprof_word *from, const aprof_word *to)
{
    VG_(dropTailXA)(words, VG_(sizeXA)(words));
    words_copy(from, to);
    if (VG_(sizeXA)(words) == 0)
        return;
    from = VG_(indexXA)(words, 0);
    engine_consume(engine, from, from + VG_(sizeXA)(words));
    for (Word i = 0; i < VG_(sizeXA)(gone); i++)
        VG_(free)(*(struct block_copy **)VG_(indexXA)(gone, i));
    VG_(dropTailXA)(gone, VG_(sizeXA)(gone));
}
