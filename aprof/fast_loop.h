/* The loop over records that neither begin nor end an activation; a template, included by consume.c.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * LOOP_NAME is the function's name, LOOP_SHIFT the resolution, LOOP_SHARED whether every write goes
 * to the table of latest writes: one instance for each.
 *
 * Most of a run is spent here, and what counts is how well the processor foresees the next jump: so
 * each kind of access has its own copy of the jump to the next one (hence labels as values, and a
 * template, since such a function cannot be inlined). Both the accesses and their addresses are
 * counted by one index that ends at 0. What is needed once per record only is kept in `place`, so
 * that the registers are left to what each access needs.
 */

/* Goes on at the access that `place` names, up to the first record that is not a plain block.
 * False: `place->at` is behind the last whole record. True: `place` names an access that needs the
 * general path. */
static APROF_NOINLINE bool LOOP_NAME(struct engine *engine, struct place *place)
{
    static const void *const shapes[] = {
        &&unusual,
#define SHAPES_OF(kind) &&kind##_0, &&kind##_1, &&kind##_2, &&kind##_3, &&kind##_4
        SHAPES_OF(ACCESS_READ),
        SHAPES_OF(ACCESS_WRITE),
        SHAPES_OF(ACCESS_MODIFY),
#undef SHAPES_OF
    };
    struct strand *strand = engine->strand;
    const struct run r = {strand, place, engine->now, LOOP_SHIFT, LOOP_SHARED};
    const struct block *block = place->block;
    struct block *next;
    const aprof_word *payload_end = place->at + 1 + block->n_accesses;
    const aprof_word *behind = place->at + 1 + block->event.words; /* the next record */
    const struct access *access_end = block->access + block->n_accesses;
    intptr_t i = (intptr_t)place->access - block->n_accesses - 1;
    aprof_word address;
    uint32_t cost;

#define NEXT_ACCESS()                                                                              \
    do {                                                                                           \
        if (++i == 0)                                                                              \
            goto block_end;                                                                        \
        address = payload_end[i];                                                                  \
        goto *shapes[access_end[i].shape];                                                         \
    } while (0)

    place->top_stamp = strand->silent ? 0 : strand->stamps[strand->top];
    NEXT_ACCESS();

#define SHAPE(kind, log2_bytes)                                                                    \
    kind##_##log2_bytes : if (UNLIKELY(!run_bytes(&r, kind, log2_bytes, address))) goto general;   \
    NEXT_ACCESS()
#define SHAPES_OF(kind)                                                                            \
    SHAPE(kind, 0);                                                                                \
    SHAPE(kind, 1);                                                                                \
    SHAPE(kind, 2);                                                                                \
    SHAPE(kind, 3);                                                                                \
    SHAPE(kind, 4)
    SHAPES_OF(ACCESS_READ);
    SHAPES_OF(ACCESS_WRITE);
    SHAPES_OF(ACCESS_MODIFY);
#undef SHAPES_OF
#undef SHAPE
unusual:
    if (UNLIKELY(!run_unusual(&r, access_end[i], address)))
        goto general;
    NEXT_ACCESS();

block_end:
    block = place->block;
    if (UNLIKELY(behind >= place->to))
        goto out;
    if (UNLIKELY(((const struct event_desc *)*behind)->kind != EVENT_BLOCK))
        goto out;
    next = (struct block *)*behind;
    cost = next->cost;
    if (UNLIKELY(block->end != BLOCK_JUMP)) {
        if (block->end != BLOCK_FALL)
            goto out;
        if (block->next == next->start)
            cost = next->cost_continued;
        else if (block->repeat && block->repeat == next->start)
            cost = next->cost_repeated;
    }
    if (UNLIKELY(next->home != strand->routine)) {
        if (next->routine != strand->routine && !is_inside(next))
            goto out;
        charge_elsewhere(engine, next, place->charged ? cost : 0);
    } else if (place->charged) {
        next->charged += cost;
    }
    strand->cost += cost;
    place->block = next;
    payload_end = behind + 1 + next->n_accesses;
    behind += 1 + next->event.words;
    access_end = next->access + next->n_accesses;
    i = -(intptr_t)next->n_accesses - 1;
    NEXT_ACCESS();
#undef NEXT_ACCESS

out:
    strand->end = block->end;
    strand->pointer = behind[-1];
    strand->next = block->next;
    strand->repeat = block->repeat;
    strand->span = block->span;
    place->at = behind;
    return false;
general:
    block = place->block;
    place->access = (size_t)(i + block->n_accesses);
    place->at = payload_end - block->n_accesses - 1;
    return true;
}

#undef LOOP_NAME
#undef LOOP_SHIFT
#undef LOOP_SHARED
