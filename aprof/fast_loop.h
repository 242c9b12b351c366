/* The loop over records, a template that consume.c includes once per resolution and mode.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * LOOP_NAME is the function's name, and LOOP_SHIFT is log2 of the bytes per cell. LOOP_SHARED says
 * whether every write is recorded in the table of latest writes. Each combination of resolution and
 * mode is one instance of the loop, in which shift and mode are constants.
 *
 * A run spends most of its time in this loop, and the loop's speed depends on branch prediction. So
 * the code for each kind of access ends with its own copy of the jump to the code for the next
 * access. These copies require labels as values. The compiler cannot inline a function with labels
 * as values, so this file is a template. Values that are used only once per record are kept in
 * `place`, so that more registers are free for the accesses.
 *
 * Worked example: a block reads 4 bytes, writes 8 bytes and jumps.
 *
 *     record               block, address of the read, address of the write
 *     block->access        {READ, shape of 4 bytes}, {WRITE, shape of 8 bytes}, {end: jumped}
 *     labels reached       ACCESS_READ_4, ACCESS_WRITE_8, jumped, then those of the next block
 *
 * A block's list of accesses ends with an entry for the block's end, so the loop needs no counter.
 *
 * Invariants, and the code that may change each variable:
 *
 * - At the label of an access, `access` points after the access's descriptor, and `payload` points
 *   to the access's address. At the label of a block's end, `payload` points after the address of
 *   the last access.
 * - `place` describes the block, the top activation and the current time. Only the run_ functions
 *   of consume.c change `place`, between two blocks. The run_ functions load `place` again
 *   (place_look_up, place_read_clock) after a call, a return or a renumbering.
 * - engine->ctx, engine->shift and engine->shared do not change while the loop runs. Only
 *   callstack.c and records that the loop does not handle change these members; before such a
 *   change, the loop ends.
 * - An access function that returns false may already have handled some cells of the access.
 *   Repeating the access to these cells changes nothing, because their timestamps already have the
 *   current time. Therefore the label `any`, and after it trms_access, may repeat the whole access.
 */

/* Performs accesses, beginning with the access in `place`. Returns false at a record that the loop
 * does not handle; `place->at` then points to this record. Returns true at an access that needs the
 * general path; `place` describes this access. */
static APROF_NOINLINE bool LOOP_NAME(struct engine *engine, struct fast_place *place)
{
#define LABELS_OF(kind)                                                                            \
    &&kind##_1, &&kind##_2, &&kind##_4, &&kind##_8, &&kind##_16, &&kind##_24, &&kind##_32,         \
        &&kind##_40, &&kind##_48
    static const void *const shapes[] = {&&any,
                                         LABELS_OF(ACCESS_READ),
                                         LABELS_OF(ACCESS_WRITE),
                                         LABELS_OF(ACCESS_MODIFY),
                                         &&jumped,
                                         &&fell,
                                         &&called,
                                         &&returned,
                                         &&computed,
                                         &&linked};
#undef LABELS_OF
    const struct fast_run r = {place->tip.ctx->remembered, place, LOOP_SHIFT, LOOP_SHARED};
    const aprof_word *payload = place->at + 1 + place->access;
    const struct access *access = place->block->access + place->access;

#define DO_ACCESS() goto *shapes[(access++)->shape]
#define NEXT_ACCESS()                                                                              \
    payload++;                                                                                     \
    DO_ACCESS()
#define SHAPE(kind, bytes)                                                                         \
    kind##_##bytes : if (UNLIKELY(!run_bytes(&r, kind, bytes, *payload))) goto any;                \
    NEXT_ACCESS()
#define SHAPES_OF(kind)                                                                            \
    SHAPE(kind, 1);                                                                                \
    SHAPE(kind, 2);                                                                                \
    SHAPE(kind, 4);                                                                                \
    SHAPE(kind, 8);                                                                                \
    SHAPE(kind, 16);                                                                               \
    SHAPE(kind, 24);                                                                               \
    SHAPE(kind, 32);                                                                               \
    SHAPE(kind, 40);                                                                               \
    SHAPE(kind, 48)
    DO_ACCESS();
    SHAPES_OF(ACCESS_READ);
    SHAPES_OF(ACCESS_WRITE);
    SHAPES_OF(ACCESS_MODIFY);
#undef SHAPES_OF
#undef SHAPE
any:
    if (UNLIKELY(!run_any(place, access[-1], *payload, LOOP_SHIFT, LOOP_SHARED)))
        goto general;
    NEXT_ACCESS();

    /* The block is complete: `payload` points after its accesses. */
#define GO_ON(how)                                                                                 \
    if (UNLIKELY(!how(engine, place, payload)))                                                    \
        return false;                                                                              \
    access = place->block->access;                                                                 \
    NEXT_ACCESS()
jumped:
    GO_ON(run_jump);
fell:
    GO_ON(run_fall);
called:
    GO_ON(run_call);
returned:
    payload++; /* the slot */
    GO_ON(run_return);
computed:
    payload++; /* slot of a routine that the jump may enter */
    GO_ON(run_computed);
linked:
    payload++; /* the slot */
    GO_ON(run_call);
#undef GO_ON
#undef NEXT_ACCESS
#undef DO_ACCESS

general:
    place->access = (size_t)(access - 1 - place->block->access);
    place->at = payload - 1 - place->access;
    return true;
}

#undef LOOP_NAME
#undef LOOP_SHIFT
#undef LOOP_SHARED
