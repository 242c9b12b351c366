/* Instrumentation: superblocks that append records to the stream.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each superblock is first scanned, then rewritten. The scan finds the superblock's segments and
 * their memory accesses. A segment is executed as a whole, and ends where control may leave the
 * superblock. Accesses are dropped or merged only if all input sizes stay the same. The second step
 * copies the superblock's statements and adds these statements:
 *
 *     t0 = GET(shadow register)                address of cursor and limit (stream.h)
 *     if (LDle(t0+8) < LDle(t0)) stream_flush()    once: test for space for the superblock
 *     t1 = LDle(t0)
 *     STle(t1) = descriptor                    per segment
 *     STle(t1+8) = address                     per access, as soon as it is known
 *     STle(t0) = t1+k                          before control may leave
 *
 * Example: `mov (%rdi),%eax; add %eax,8(%rsp); call g` has three accesses in one segment: R4 at
 * rdi, M4 at rsp+8 and W8 at rsp-8. M4 is a read that was merged with the later write of the same
 * bytes.
 *
 * When `ret` pops the return address, this load is not an access; instead, the address of the
 * return address ends the record. Stubs of procedure linkage tables get no records, because they
 * are not the user's code.
 *
 * Known limits: loads that VEX has removed, because their value is unused, are not recorded. If an
 * access faults, the record of its segment has the position and the cost (stream_cut), but no
 * accesses.
 */
#include "aprof/valgrind_core.h"

#include "aprof/go_stacks.h"
#include "aprof/instrument.h"
#include "aprof/machine.h"
#include "aprof/options.h"
#include "aprof/spans.h"
#include "aprof/stream.h"
#include "aprof/superblock.h"
#include "aprof/symbols.h"

/*------------------------------------------------------------*/
/*--- Stubs of procedure linkage tables                    ---*/
/*------------------------------------------------------------*/

enum stub {
    STUB_NONE,
    STUB_SILENT,   /* the stub jumps to the called routine or to PLT0; no record is written */
    STUB_RESOLVER, /* the stub is PLT0, which enters the lazy binder */
};

static Bool has_write(const struct superblock *sb)
{
    for (Int i = 0; i < sb->n_events; i++) {
        if (sb->events[i].kind == ACCESS_WRITE)
            return True;
    }
    return False;
}

static enum stub stub_in_table(const struct superblock *sb)
{
    if (sb->in->jumpkind != Ijk_Boring)
        return STUB_NONE;
    if (sb->in->next->tag == Iex_Const || !has_write(sb))
        return STUB_SILENT;
    return STUB_RESOLVER;
}

/* Valgrind does not recognise other linkage tables (.plt.sec, .plt.got). This function recognises
 * stubs of such tables by their unnamed code: an optional endbr64 and an indirect jump through
 * memory. */
static enum stub stub_by_code(const struct superblock *sb)
{
    const IRSB *in = sb->in;

    if (in->jumpkind != Ijk_Boring || in->next->tag != Iex_RdTmp || sb->n_instructions > 2 ||
        sb->n_segments != 1 || sb->n_events != 1 || sb->events[0].kind != ACCESS_READ)
        return STUB_NONE;
    for (Int i = sb->first; i < in->stmts_used; i++) {
        const IRStmt *st = in->stmts[i];

        if (st->tag == Ist_Put && st->Ist.Put.offset != sb->layout->offset_IP)
            return STUB_NONE;
        if (st->tag == Ist_WrTmp && st->Ist.WrTmp.data->tag == Iex_Load &&
            st->Ist.WrTmp.tmp != in->next->Iex.RdTmp.tmp)
            return STUB_NONE;
    }
    if (sb->events[0].at.base == IRTemp_INVALID || WORD_BYTES == 4)
        return STUB_SILENT;
    return STUB_NONE;
}

static enum stub stub_find(const struct superblock *sb, const struct code_place *place)
{
    if (place->is_stub)
        return stub_in_table(sb);
    return place->is_named ? STUB_NONE : stub_by_code(sb);
}

/*------------------------------------------------------------*/
/*--- Descriptors                                          ---*/
/*------------------------------------------------------------*/

/* All descriptors of one superblock. They live as long as the superblock's translation. */
struct translation {
    VgHashNode hash; /* the key is the guest address that was to be translated */
    /* address of the translated code; it differs from the key if Valgrind redirected the code */
    Addr code;
    Int n_blocks;
    aprof_word blocks[];
};

static VgHashTable *translations;

static Word translation_compare(const void *a, const void *b)
{
    return ((const struct translation *)a)->code != ((const struct translation *)b)->code ||
           ((const VgHashNode *)a)->key != ((const VgHashNode *)b)->key;
}

static SizeT block_room(UInt n_accesses)
{
    return VG_ROUNDUP(block_bytes(n_accesses), sizeof(aprof_word));
}

static void translation_discard(Addr asked, VexGuestExtents extents)
{
    struct translation key = {.hash = {NULL, asked}, .code = extents.base[0]};
    struct translation *found = VG_(HT_gen_remove)(translations, &key, translation_compare);

    const UChar *at;

    if (found == NULL)
        return;
    at = (const UChar *)found->blocks;
    for (Int i = 0; i < found->n_blocks; i++) {
        stream_put(EVENT_BLOCK_GONE, (aprof_word)at, 0, 0);
        at += block_room(((const struct block *)at)->n_accesses);
    }
    stream_free_later(&found->hash);
}

/* For every access, determines the word in its segment's record that has the access's address; the
 * accesses follow the header. The store of a return address is the last access. */
static void words_assign(struct superblock *sb)
{
    for (Int i = 0; i < sb->n_events; i++) {
        struct access_event *e = &sb->events[i];

        if (!e->dropped && !e->pinned)
            e->word = 1 + sb->segments[e->segment].n_accesses++;
    }
    if (sb->call)
        sb->call->word = 1 + sb->segments[sb->call->segment].n_accesses++;
}

/* Drops all accesses of a hook; for hooks, only calls, returns and jumps are recorded. */
static void drop_accesses(struct superblock *sb)
{
    for (Int i = 0; i < sb->n_events; i++)
        sb->events[i].dropped |= !sb->events[i].pinned;
}

static void block_fill(const struct superblock *sb, Int index, const struct code_place *place)
{
    const struct segment *segment = &sb->segments[index];
    struct block *block = segment->block;
    UInt instructions = segment->n_instructions;

    block->event.kind = EVENT_BLOCK;
    block->event.words = segment->n_accesses + block_end_has_word(segment->end);
    block->end = segment->end;
    block->flags = (index == 0 && place->is_entry && place->is_named ? BLOCK_ENTRY : 0) |
                   (place->is_named ? 0 : BLOCK_UNNAMED);
    block->n_accesses = segment->n_accesses;
    if (clo_cost_instructions) {
        block->cost = block->cost_continued = instructions;
        block->cost_repeated = instructions ? instructions - 1 : 0;
    } else {
        block->cost = index == 0 || segment[-1].end == BLOCK_JUMP;
    }
    if (place->routine->is_hook)
        block->cost = block->cost_continued = block->cost_repeated = 0;
    block->routine = place->routine;
    block->span = spans_of_segment(sb, index, place);
    block->start = segment->start;
    block->next = segment->next;
    block->repeat = segment->repeat;
    block_close(block);
    if (segment->counted) {
        VG_(memcpy)(segment->counted, block, block_bytes(0));
        segment->counted->cost_repeated++;
    }
}

static void blocks_fill_accesses(const struct superblock *sb)
{
    for (Int i = 0; i < sb->n_events; i++) {
        const struct access_event *e = &sb->events[i];
        struct access *access;

        if (e->dropped)
            continue;
        access = &sb->segments[e->segment].block->access[e->word - 1];
        access->kind = e->kind;
        access->guarded = e->guard || e->old_value[0];
        access->shape = access_shape(e->kind, access->guarded, e->size);
        access->size_bytes = e->size;
        access->shape = access_shape(access->kind, access->guarded, access->size_bytes);
    }
}

/* Creates the descriptors of all segments. */
static void translation_new(struct superblock *sb, const VgCallbackClosure *closure,
                            const struct code_place *place)
{
    SizeT bytes = sizeof(struct translation);
    struct translation *translation;
    UChar *at;

    words_assign(sb);
    Bool repeats = superblock_repetitions(sb) > 0 && sb->segments[0].n_accesses == 0;

    for (Int i = 0; i < sb->n_segments; i++)
        bytes += block_room(sb->segments[i].n_accesses);
    if (repeats)
        bytes += block_room(0);
    translation = VG_(calloc)("aprof.instrument.translation", 1, bytes);
    translation->hash.key = closure->nraddr;
    translation->code = closure->readdr;
    translation->n_blocks = sb->n_segments + repeats;
    VG_(HT_add_node)(translations, translation);
    at = (UChar *)translation->blocks;
    if (repeats) {
        sb->segments[0].counted = (struct block *)at;
        at += block_room(0);
    }
    for (Int i = 0; i < sb->n_segments; i++) {
        sb->segments[i].block = (struct block *)at;
        at += block_room(sb->segments[i].n_accesses);
        block_fill(sb, i, place);
    }
    blocks_fill_accesses(sb);
}

/*------------------------------------------------------------*/
/*--- Writing                                              ---*/
/*------------------------------------------------------------*/

/* The superblock being written. */
struct writer {
    IRSB *out;
    const struct superblock *sb;
    IRType word;
    IRTemp room; /* address of the stream's cursor and limit */
    IRTemp cursor;
    /* number of words written so far after `cursor`; the current segment's header is at this
     * position */
    Int at;
};

static IRExpr *word_const(UWord value)
{
    return mkIRExpr_HWord(value);
}

static IRExpr *assign(struct writer *w, IRType type, IRExpr *value)
{
    IRTemp temp = newIRTemp(w->out->tyenv, type);

    addStmtToIRSB(w->out, IRStmt_WrTmp(temp, value));
    return IRExpr_RdTmp(temp);
}

static IRExpr *word_add(struct writer *w, IRExpr *base, Long offset)
{
    if (offset == 0)
        return base;
    return assign(w, w->word,
                  IRExpr_Binop(WORD_BYTES == 8 ? Iop_Add64 : Iop_Add32, base, word_const(offset)));
}

/* Stores a word of the current segment's record. */
static void word_store(struct writer *w, Int word, IRExpr *value)
{
    IRExpr *to = word_add(w, IRExpr_RdTmp(w->cursor), (w->at + word) * WORD_BYTES);

    addStmtToIRSB(w->out, IRStmt_Store(Iend_LE, to, value));
}

static IRExpr *room_load(struct writer *w, SizeT member)
{
    return IRExpr_Load(Iend_LE, w->word, word_add(w, IRExpr_RdTmp(w->room), member));
}

/* Reserves space for `words` words in the stream, and loads the cursor. */
static void cursor_load(struct writer *w, Int words)
{
    Int beyond_slack = words > (Int)STREAM_SLACK ? (words - (Int)STREAM_SLACK) * WORD_BYTES : 0;
    IRExpr *before, *limit, *full;
    IRDirty *flush =
        unsafeIRDirty_0_N(0, "stream_flush", VG_(fnptr_to_fnentry)(stream_flush), mkIRExprVec_0());

    w->room = newIRTemp(w->out->tyenv, w->word);
    addStmtToIRSB(
        w->out,
        IRStmt_WrTmp(w->room, IRExpr_Get(w->sb->layout->total_sizeB + STREAM_REGISTER, w->word)));
    before = assign(w, w->word, room_load(w, offsetof(struct stream_room, cursor)));
    limit = assign(w, w->word, room_load(w, offsetof(struct stream_room, limit)));
    full = assign(w, Ity_I1,
                  IRExpr_Binop(WORD_BYTES == 8 ? Iop_CmpLT64U : Iop_CmpLT32U, limit,
                               word_add(w, before, beyond_slack)));
    flush->guard = full;
    addStmtToIRSB(w->out, IRStmt_Dirty(flush));
    w->cursor = newIRTemp(w->out->tyenv, w->word);
    addStmtToIRSB(w->out,
                  IRStmt_WrTmp(w->cursor, room_load(w, offsetof(struct stream_room, cursor))));
}

/* Stores the cursor, advanced by `words`. */
static void cursor_store(struct writer *w, Int words)
{
    IRExpr *end = word_add(w, IRExpr_RdTmp(w->cursor), words * WORD_BYTES);

    addStmtToIRSB(w->out, IRStmt_Store(Iend_LE, IRExpr_RdTmp(w->room), end));
}

static IRExpr *address_of(struct writer *w, const struct access_event *e)
{
    if (e->address)
        return e->address;
    if (e->at.base == IRTemp_INVALID)
        return word_const(e->at.offset);
    return word_add(w, IRExpr_RdTmp(e->at.base), e->at.offset);
}

/* Builds an expression for one half of a compare-and-swap; it is true if the old value is the
 * expected value. */
static IRExpr *was_expected(struct writer *w, IRExpr *old_value, IRExpr *expected)
{
    IROp compare;

    switch (typeOfIRExpr(w->out->tyenv, old_value)) {
    case Ity_I8:
        compare = Iop_CmpEQ8;
        break;
    case Ity_I16:
        compare = Iop_CmpEQ16;
        break;
    case Ity_I32:
        compare = Iop_CmpEQ32;
        break;
    default:
        compare = Iop_CmpEQ64;
        break;
    }
    return assign(w, Ity_I1, IRExpr_Binop(compare, old_value, expected));
}

static void event_write(struct writer *w, const struct access_event *e)
{
    IRExpr *address = address_of(w, e);
    IRExpr *guard = e->guard;

    if (e->old_value[0])
        guard = was_expected(w, e->old_value[0], e->expected[0]);
    if (e->old_value[1])
        guard =
            assign(w, Ity_I1,
                   IRExpr_Binop(Iop_And1, guard, was_expected(w, e->old_value[1], e->expected[1])));
    if (guard)
        address = assign(w, w->word, IRExpr_ITE(guard, address, word_const(0)));
    word_store(w, e->word, address);
}

static IRExpr *register_get(struct writer *w, Int offset)
{
    return assign(w, w->word, IRExpr_Get(offset, w->word));
}

/* Selects the descriptor. For a repeated string instruction, the descriptor depends on the number
 * of remaining repetitions. Once in every REPEATED_BYTES bytes, the instrumented code uses a second
 * descriptor, whose cost is one block more. */
static IRExpr *descriptor_of(struct writer *w, const struct segment *segment)
{
    IRExpr *last, *rest, *complete;

    if (segment->counted == NULL)
        return word_const((UWord)segment->block);
    last = word_const(superblock_repetitions(w->sb) - 1);
    rest = assign(w, w->word,
                  IRExpr_Binop(WORD_BYTES == 8 ? Iop_And64 : Iop_And32,
                               register_get(w, MACHINE_COUNT_REGISTER), last));
    complete =
        assign(w, Ity_I1, IRExpr_Binop(WORD_BYTES == 8 ? Iop_CmpEQ64 : Iop_CmpEQ32, rest, last));
    return assign(w, w->word,
                  IRExpr_ITE(complete, word_const((UWord)segment->counted),
                             word_const((UWord)segment->block)));
}

static IRExpr *stack_pointer(struct writer *w)
{
    return register_get(w, w->sb->layout->offset_SP);
}

/* Returns the slot for the segment's end: the slot of the running activation, or of a routine that
 * the segment enters. */
static IRExpr *slot_at_end(struct writer *w, const struct segment *segment)
{
    if (segment->end == BLOCK_RETURN && !MACHINE_LINKS)
        return w->sb->return_slot;
    return word_add(w, stack_pointer(w), MACHINE_SLOT);
}

/* Ends the record of a segment and stores the cursor. */
static void segment_close(struct writer *w, const struct segment *segment)
{
    if (block_end_has_word(segment->end))
        word_store(w, segment->n_accesses + 1, slot_at_end(w, segment));
    w->at += 1 + segment->block->event.words;
    cursor_store(w, w->at);
}

/* Writes an empty header after the records of a block that ends by raising a signal. The block's
 * record is complete, so stream_cut must find no header of another record at the cursor. */
static void no_record_write(struct writer *w)
{
    word_store(w, 0, word_const(0));
}

/* Returns the number of words for all records of the superblock, with one more word for
 * no_record_write. */
static Int words_total(const struct superblock *sb)
{
    Int words = 1;

    for (Int i = 0; i < sb->n_segments; i++)
        words += 1 + sb->segments[i].block->event.words;
    return words;
}

/* Copies the statements and exits of a segment, and adds the segment's record. */
static void segment_write(struct writer *w, Int index, Int end, Int *event)
{
    const struct superblock *sb = w->sb;
    const struct segment *segment = &sb->segments[index];

    word_store(w, 0, descriptor_of(w, segment));
    for (Int i = segment->first_statement; i < end; i++) {
        Int first = *event;

        if (i == segment->leave)
            segment_close(w, segment);
        for (; *event < sb->n_events && sb->events[*event].statement == i; ++*event) {
            if (!sb->events[*event].dropped && !sb->events[*event].after)
                event_write(w, &sb->events[*event]);
        }
        addStmtToIRSB(w->out, sb->in->stmts[i]);
        for (Int j = first; j < *event; j++) {
            if (!sb->events[j].dropped && sb->events[j].after)
                event_write(w, &sb->events[j]);
        }
    }
    if (segment->leave == sb->in->stmts_used)
        segment_close(w, segment);
}

/* Calls the hook of a routine of the Go runtime, before the superblock's records. */
static void go_hook_write(struct writer *w, const struct code_place *place)
{
#ifdef MACHINE_GO_ARGUMENTS
    static const Int arguments[] = MACHINE_GO_ARGUMENTS;
    go_stacks_hook *hook = place->is_entry && place->is_named
                               ? go_stacks_find(symbols_get(place->routine->id)->name)
                               : NULL;

    if (hook)
        addStmtToIRSB(
            w->out, IRStmt_Dirty(unsafeIRDirty_0_N(2, "go_stacks_hook", VG_(fnptr_to_fnentry)(hook),
                                                   mkIRExprVec_2(register_get(w, arguments[0]),
                                                                 register_get(w, arguments[1])))));
#endif
}

static void superblock_write(struct writer *w)
{
    const struct superblock *sb = w->sb;
    Int event = 0;

    cursor_load(w, words_total(sb));
    for (Int i = 0; i < sb->n_segments; i++) {
        Bool is_last = i == sb->n_segments - 1;

        segment_write(w, i, is_last ? sb->in->stmts_used : sb->segments[i + 1].first_statement,
                      &event);
    }
    if (superblock_is_fault(sb->in->jumpkind))
        no_record_write(w);
}

/* Writes the record of PLT0, which has the slot of the pending call. */
static void resolver_write(struct writer *w)
{
    const struct superblock *sb = w->sb;
    struct block *block = sb->segments[0].block;
    IRExpr *slot;

    tl_assert(sb->n_segments == 1);
    block->end = BLOCK_JUMP;
    block->flags |= BLOCK_RESOLVER;
    block->event.words = 1;
    block->n_accesses = 0;
    block_close(block);
    cursor_load(w, 2);
    word_store(w, 0, word_const((UWord)block));
    slot = word_add(w, stack_pointer(w), MACHINE_RESOLVER_SLOT);
    for (Int i = sb->first; i < sb->in->stmts_used; i++)
        addStmtToIRSB(w->out, sb->in->stmts[i]);
    word_store(w, 1, slot);
    cursor_store(w, 2);
}

/* Valgrind replaces some functions of the dynamic linker by its own copies, which keep the
 * functions' names. */
static struct code_place place_find(const VgCallbackClosure *closure)
{
    Bool is_own = closure->nraddr != closure->readdr && !symbols_is_client(closure->readdr);

    struct code_place place = symbols_find(is_own ? closure->nraddr : closure->readdr);

    place.is_mapped &= !is_own;
    return place;
}

IRSB *instrument_superblock(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                            const VexGuestExtents *extents, const VexArchInfo *host,
                            IRType guest_word, IRType host_word)
{
    struct code_place place;
    struct writer w;
    struct superblock sb;
    enum stub stub;

    tl_assert(guest_word == host_word && sizeofIRType(guest_word) == WORD_BYTES);
    if (!superblock_scan(&sb, in, layout))
        return in;
    place = place_find(closure);
    stub = stub_find(&sb, &place);
    if (stub == STUB_SILENT)
        return in;

    if (place.routine->is_hook)
        drop_accesses(&sb);
    translation_new(&sb, closure, &place);
    w = (struct writer){
        deepCopyIRSBExceptStmts(in), &sb, guest_word, IRTemp_INVALID, IRTemp_INVALID, 0};
    for (Int i = 0; i < sb.first; i++)
        addStmtToIRSB(w.out, in->stmts[i]);
    if (stub == STUB_RESOLVER)
        resolver_write(&w);
    else {
        go_hook_write(&w, &place);
        superblock_write(&w);
    }
    return w.out;
}

void instrument_register(void)
{
    translations = VG_(HT_construct)("aprof.instrument.translations");
    VG_(needs_superblock_discards)(translation_discard);
}
