/* The stream of records from the instrumented code to the engine; see stream.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One chunk is filled at a time. When the cursor passes the limit, the chunk is handed over and the
 * next chunk begins. A drain hands over a part of a chunk and waits until all records are consumed.
 * Unconsumed records may name translations that Valgrind has discarded. So the descriptors of
 * discarded translations are freed only after all chunks that were handed over so far are consumed.
 */
#include "aprof/valgrind_core.h"

#include "aprof/stream.h"

/* stream_room is alone on its cache line, which the analysis thread never touches. */
struct stream_room stream_room __attribute__((aligned(64)));

static aprof_word *chunk;                      /* chunk that contains the cursor */
static VgHashNode *condemned, *last_condemned; /* blocks that stream_free_later will free */

static const struct event_desc descs[EVENT_KINDS] = {
    [EVENT_THREAD_START] = {EVENT_THREAD_START, 3},
    [EVENT_THREAD_END] = {EVENT_THREAD_END, 1},
    [EVENT_THREAD_SWITCH] = {EVENT_THREAD_SWITCH, 1},
    [EVENT_SIGNAL_ENTER] = {EVENT_SIGNAL_ENTER, 2},
    [EVENT_SIGNAL_LEAVE] = {EVENT_SIGNAL_LEAVE, 2},
    [EVENT_KERNEL_READ] = {EVENT_KERNEL_READ, 2},
    [EVENT_KERNEL_WRITE] = {EVENT_KERNEL_WRITE, 2},
    [EVENT_MAP_FILE] = {EVENT_MAP_FILE, 2},
    [EVENT_FORGET] = {EVENT_FORGET, 2},
    [EVENT_MOVE] = {EVENT_MOVE, 3},
    [EVENT_COLLECT_ON] = {EVENT_COLLECT_ON, 0},
    [EVENT_COLLECT_OFF] = {EVENT_COLLECT_OFF, 0},
    [EVENT_COLLECT_TOGGLE] = {EVENT_COLLECT_TOGGLE, 0},
    [EVENT_ZERO] = {EVENT_ZERO, 0},
    [EVENT_FORKED] = {EVENT_FORKED, 1},
    [EVENT_REGION_BEGIN] = {EVENT_REGION_BEGIN, 1},
    [EVENT_REGION_END] = {EVENT_REGION_END, 0},
    [EVENT_SCRIPT_BEGIN] = {EVENT_SCRIPT_BEGIN, 2},
    [EVENT_SCRIPT_END] = {EVENT_SCRIPT_END, 0},
    [EVENT_PAUSE] = {EVENT_PAUSE, 0},
    [EVENT_RESUME] = {EVENT_RESUME, 0},
    [EVENT_BLOCK_GONE] = {EVENT_BLOCK_GONE, 1},
    [EVENT_STACK_MOVED] = {EVENT_STACK_MOVED, 3},
    [EVENT_STACK_FREED] = {EVENT_STACK_FREED, 2},
};

/*------------------------------------------------------------*/
/*--- Chunks                                               ---*/
/*------------------------------------------------------------*/

static void chunk_begin(void)
{
    SizeT words;

    chunk = handover_chunk_begin(&words);
    stream_room.cursor = chunk;
    stream_room.limit = chunk + words - STREAM_SLACK;
}

static void free_consumed(void)
{
    ULong consumed = handover_consumed();

    while (condemned && condemned->key < consumed) {
        VgHashNode *node = condemned;

        condemned = node->next;
        VG_(free)(node);
    }
}

void stream_flush(void)
{
    handover_chunk_end(stream_room.cursor - chunk);
    if (UNLIKELY(condemned != NULL))
        free_consumed();
    chunk_begin();
}

Bool stream_drain(void)
{
    Bool whole = handover_drain(stream_room.cursor - chunk);

    chunk_begin();
    return whole;
}

void stream_pause(void)
{
    handover_drain(stream_room.cursor - chunk);
    handover_pause();
    chunk_begin();
}

void stream_stay_sequential(void)
{
    stream_pause();
    handover_stay_sequential();
}

/* The node is no longer in a table, so its members can be reused. Its key becomes the number of
 * chunks that were handed over so far. The node is freed when the number of consumed chunks exceeds
 * the key. The list of nodes is sorted by the key. */
void stream_free_later(VgHashNode *node)
{
    node->next = NULL;
    node->key = handover_ended();
    if (condemned)
        last_condemned->next = node;
    else
        condemned = node;
    last_condemned = node;
}

static void before_fork(ThreadId tid)
{
    stream_drain();
}

static void in_child(ThreadId tid)
{
    handover_forked(tid);
    chunk_begin();
}

void stream_open(const struct handover_config *config)
{
    handover_open(config);
    chunk_begin();
    VG_(atfork)(before_fork, NULL, in_child);
}

void stream_run(ThreadId tid)
{
    const struct stream_room *room = &stream_room;

    VG_(set_shadow_regs_area)(tid, 1, STREAM_REGISTER, sizeof room, (const UChar *)&room);
}

/*------------------------------------------------------------*/
/*--- Records                                              ---*/
/*------------------------------------------------------------*/

void stream_put(enum event_kind kind, aprof_word a, aprof_word b, aprof_word c)
{
    const struct event_desc *desc = &descs[kind];
    const aprof_word payload[] = {a, b, c};

    tl_assert(kind != EVENT_BLOCK && desc->words <= 3);
    if (stream_room.cursor > stream_room.limit)
        stream_flush();
    *stream_room.cursor++ = (aprof_word)desc;
    for (UInt i = 0; i < desc->words; i++)
        *stream_room.cursor++ = payload[i];
}

/*------------------------------------------------------------*/
/*--- Segments that are left in the middle                 ---*/
/*------------------------------------------------------------*/

/* The record of a segment whose execution a signal ended at the address `block.next`. Such records
 * are few and are never freed, because the engine may read the end of a thread's latest block much
 * later. */
struct cut_block {
    VgHashNode hash;
    struct block block; /* block_bytes(0) */
};

static VgHashTable *cut_blocks;

static Word cut_compare(const void *a, const void *b)
{
    const struct block *x = &((const struct cut_block *)a)->block;
    const struct block *y = &((const struct cut_block *)b)->block;

    return x->start != y->start || x->next != y->next || x->routine != y->routine ||
           x->cost != y->cost || x->flags != y->flags;
}

static const struct block *cut_get(const struct block *whole, aprof_word address)
{
    struct cut_block cut = {.hash = {NULL, whole->start ^ address}, .block = *whole}, *found;

    cut.block.event.words = 0;
    cut.block.n_accesses = 0;
    cut.block.end = BLOCK_FALL;
    cut.block.flags &= ~BLOCK_RESOLVER;
    cut.block.next = address;
    cut.block.repeat = 0;
    cut.block.home = NULL;
    cut.block.charged = 0;
    if (cut_blocks == NULL)
        cut_blocks = VG_(HT_construct)("aprof.stream.cuts");
    found = VG_(HT_gen_lookup)(cut_blocks, &cut, cut_compare);
    if (found == NULL) {
        found =
            VG_(malloc)("aprof.stream.cut", sizeof *found - sizeof found->block + block_bytes(0));
        *found = cut;
        block_close(&found->block);
        VG_(HT_add_node)(cut_blocks, found);
    }
    return &found->block;
}

void stream_cut(aprof_word address)
{
    /* Instrumented code stores the header before any part of the segment is executed, so the header
     * is at the cursor. If the program has jumped to an address without code, no segment was in
     * execution. */
    const struct block *whole = (const struct block *)*stream_room.cursor;

    if (whole == NULL || !VG_(am_is_valid_for_client)(address, 1, VKI_PROT_EXEC))
        return;
    tl_assert(whole->event.kind == EVENT_BLOCK);
    *stream_room.cursor++ = (aprof_word)cut_get(whole, address);
    if (stream_room.cursor > stream_room.limit)
        stream_flush();
}
