/* The scan of a superblock's statements.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A segment is a part of a superblock that is executed as a whole: it ends where control may leave.
 * Most superblocks have one segment. Example: `rep movsb` in the middle of a function.
 *
 *     mov $9,%ecx              segment 1: no access; may leave to the next instruction (count 0)
 *     rep movsb                segment 2: R1, W1; continues at the instruction itself
 *
 * The second superblock starts at `rep movsb` and has the same two segments as the first
 * superblock. The descriptor of the second superblock says that this superblock repeats the last
 * instruction of the previous superblock.
 *
 * Known limit: loads that VEX has removed because their value is unused are not recorded.
 */
#include "aprof/valgrind_core.h"

#include "aprof/accesses.h"
#include "aprof/machine.h"
#include "aprof/superblock.h"

static void *scratch(SizeT bytes)
{
    return VG_(memset)(LibVEX_Alloc(bytes), 0, bytes);
}

static Addr after_instruction(const struct superblock *sb)
{
    return sb->instruction + sb->instruction_length;
}

/* Ends a segment at an exit. Three kinds of instructions have exits: jumps, repeated instructions,
 * and instructions that test a condition before they continue. */
static void segment_end(const struct superblock *sb, struct segment *segment, Addr next)
{
    segment->end = BLOCK_FALL;
    if (segment->next == 0)
        segment->next = next;
    if (segment->jumps || machine_is_jump((const UChar *)sb->instruction)) {
        segment->end = BLOCK_JUMP;
        segment->repeat = 0;
    }
}

static void segment_begin(struct superblock *sb, Int statement, Addr start)
{
    struct segment *segment = &sb->segments[sb->n_segments++];

    if (sb->n_segments > 1)
        segment_end(sb, segment - 1, start);
    segment->first_statement = statement;
    segment->leave = sb->in->stmts_used;
    segment->start = start;
    sb->left = False;
}

/* Records that the instruction accesses memory. If there is an exit before the access, a new
 * segment begins. */
static void segment_reach(struct superblock *sb, Int statement)
{
    if (sb->left)
        segment_begin(sb, statement, sb->instruction);
}

static void access_scan(struct superblock *sb, Int statement, enum access_kind kind,
                        IRExpr *address, Int size, IRExpr *guard)
{
    segment_reach(sb, statement);
    access_add(sb, statement, kind, address, size, guard);
}

Bool superblock_is_fault(IRJumpKind kind)
{
    switch (kind) {
    case Ijk_EmFail:
    case Ijk_NoDecode:
    case Ijk_MapFail:
    case Ijk_SigILL:
    case Ijk_SigTRAP:
    case Ijk_SigSEGV:
    case Ijk_SigBUS:
    case Ijk_SigFPE:
    case Ijk_SigFPE_IntDiv:
    case Ijk_SigFPE_IntOvf:
        return True;
    default:
        return False;
    }
}

static Int size_of(const struct superblock *sb, const IRExpr *e)
{
    return sizeofIRType(typeOfIRExpr(sb->types, e));
}

static void scan_assignment(struct superblock *sb, Int statement, const IRStmt *st)
{
    const IRExpr *value = st->Ist.WrTmp.data;

    location_define(sb, st->Ist.WrTmp.tmp, value);
    if (value->tag != Iex_Load)
        return;
    if (st->Ist.WrTmp.tmp == sb->return_address) {
        sb->return_slot = value->Iex.Load.addr;
        if (sb->n_instructions == sb->n_scanned)
            return;
    }
    access_scan(sb, statement, ACCESS_READ, value->Iex.Load.addr, sizeofIRType(value->Iex.Load.ty),
                NULL);
}

static void scan_store(struct superblock *sb, Int statement, const IRStmt *st)
{
    Int size = size_of(sb, st->Ist.Store.data);

    if (MACHINE_LINKS || !sb->is_call || sb->n_instructions != sb->n_scanned) {
        access_scan(sb, statement, ACCESS_WRITE, st->Ist.Store.addr, size, NULL);
        return;
    }
    segment_reach(sb, statement);
    sb->call = access_new(sb, statement, ACCESS_WRITE, st->Ist.Store.addr, size);
    sb->call->pinned = True;
}

static void scan_load_guarded(struct superblock *sb, Int statement, const IRLoadG *load)
{
    IRType result, loaded;

    typeOfIRLoadGOp(load->cvt, &result, &loaded);
    location_define(sb, load->dst, IRExpr_Get(0, result));
    access_scan(sb, statement, ACCESS_READ, load->addr, sizeofIRType(loaded), load->guard);
}

/* A compare-and-swap always counts as a read. It also counts as a write if the old value is the
 * expected value. */
static void scan_cas(struct superblock *sb, Int statement, const IRCAS *cas)
{
    Bool is_double = cas->dataHi != NULL;
    Int size = size_of(sb, cas->dataLo) * (is_double ? 2 : 1);
    struct access_event *write;

    access_scan(sb, statement, ACCESS_READ, cas->addr, size, NULL);
    write = access_new(sb, statement, ACCESS_WRITE, cas->addr, size);
    write->after = True;
    write->old_value[0] = IRExpr_RdTmp(cas->oldLo);
    write->expected[0] = cas->expdLo;
    if (is_double) {
        write->old_value[1] = IRExpr_RdTmp(cas->oldHi);
        write->expected[1] = cas->expdHi;
    }
}

static void scan_llsc(struct superblock *sb, Int statement, const IRStmt *st)
{
    IRExpr *address = st->Ist.LLSC.addr;
    struct access_event *write;
    Int size;

    if (st->Ist.LLSC.storedata == NULL) {
        size = sizeofIRType(typeOfIRTemp(sb->types, st->Ist.LLSC.result));
        access_scan(sb, statement, ACCESS_READ, address, size, NULL);
        return;
    }
    segment_reach(sb, statement);
    write = access_new(sb, statement, ACCESS_WRITE, address, size_of(sb, st->Ist.LLSC.storedata));
    write->after = True;
    write->guard = IRExpr_RdTmp(st->Ist.LLSC.result);
}

static void scan_dirty(struct superblock *sb, Int statement, const IRDirty *dirty)
{
    static const enum access_kind kinds[] = {
        [Ifx_Read - Ifx_None] = ACCESS_READ,
        [Ifx_Write - Ifx_None] = ACCESS_WRITE,
        [Ifx_Modify - Ifx_None] = ACCESS_MODIFY,
    };

    if (dirty->mFx != Ifx_None)
        access_scan(sb, statement, kinds[dirty->mFx - Ifx_None], dirty->mAddr, dirty->mSize,
                    dirty->guard);
}

static void scan_exit(struct superblock *sb, Int statement, const IRStmt *st)
{
    struct segment *segment = &sb->segments[sb->n_segments - 1];
    Addr target = const_value(st->Ist.Exit.dst);

    if (superblock_is_fault(st->Ist.Exit.jk))
        return;
    if (!sb->left)
        segment->leave = statement;
    sb->left = True;
    if (st->Ist.Exit.jk != Ijk_Boring)
        return;
    if (target == sb->instruction)
        segment->repeat = target;
    else if (target == after_instruction(sb))
        segment->next = target;
    else
        segment->jumps = True;
}

static void scan_imark(struct superblock *sb, Int statement, const IRStmt *st)
{
    if (sb->left || sb->n_segments == 0)
        segment_begin(sb, statement, st->Ist.IMark.addr);
    sb->segments[sb->n_segments - 1].n_instructions++;
    sb->n_scanned++;
    sb->instruction = st->Ist.IMark.addr;
    sb->instruction_length = st->Ist.IMark.len;
}

static void scan_statement(struct superblock *sb, Int statement)
{
    const IRStmt *st = sb->in->stmts[statement];

    switch (st->tag) {
    case Ist_IMark:
        scan_imark(sb, statement, st);
        break;
    case Ist_WrTmp:
        scan_assignment(sb, statement, st);
        break;
    case Ist_Store:
        scan_store(sb, statement, st);
        break;
    case Ist_StoreG:
        access_scan(sb, statement, ACCESS_WRITE, st->Ist.StoreG.details->addr,
                    size_of(sb, st->Ist.StoreG.details->data), st->Ist.StoreG.details->guard);
        break;
    case Ist_LoadG:
        scan_load_guarded(sb, statement, st->Ist.LoadG.details);
        break;
    case Ist_CAS:
        scan_cas(sb, statement, st->Ist.CAS.details);
        break;
    case Ist_LLSC:
        scan_llsc(sb, statement, st);
        break;
    case Ist_Dirty:
        scan_dirty(sb, statement, st->Ist.Dirty.details);
        break;
    case Ist_Exit:
        scan_exit(sb, statement, st);
        break;
    case Ist_Put:
        if (st->Ist.Put.offset == sb->layout->offset_SP)
            sb->stack_pointer = st->Ist.Put.data;
        break;
    default: /* NoOp, AbiHint, PutI and MBE do not access memory */
        break;
    }
}

/* Handles a jump to a known target. VEX itself inserts jumps: where it divides a long block, and
 * back to a repeated string instruction. The jumps that VEX inserts are not jumps of the
 * program. */
static void end_jump(const struct superblock *sb, struct segment *last, Addr target)
{
    if (machine_is_jump((const UChar *)sb->instruction) ||
        (target != sb->instruction && target != after_instruction(sb))) {
        last->end = BLOCK_JUMP;
        last->repeat = 0;
        return;
    }
    last->end = BLOCK_FALL;
    if (target == sb->instruction)
        last->repeat = target;
}

/* After `ret $n`, the stack pointer is above the address that follows the slot. The lazy binder of
 * x86 enters the resolved function by `ret $n`, so on x86 `ret $n` counts as a computed jump. If
 * `ret $n` returns to a caller, the engine recognises this by the stack pointer. */
static enum block_end end_return(const struct superblock *sb)
{
    struct location slot, pointer;

    if (MACHINE_LINKS)
        return BLOCK_RETURN;
    if (sb->return_slot == NULL)
        return BLOCK_INDIRECT;
    if (WORD_BYTES == 8 || sb->stack_pointer == NULL)
        return BLOCK_RETURN;
    slot = location_of(sb, sb->return_slot);
    pointer = location_of(sb, sb->stack_pointer);
    if (slot.base == pointer.base && pointer.offset == slot.offset + WORD_BYTES)
        return BLOCK_RETURN;
    return BLOCK_INDIRECT;
}

/* Determines how control leaves the last segment. */
static void scan_end(struct superblock *sb)
{
    struct segment *last = &sb->segments[sb->n_segments - 1];
    const IRExpr *next = sb->in->next;

    last->next = after_instruction(sb);
    switch (sb->in->jumpkind) {
    case Ijk_Boring:
    case Ijk_Call:
    case Ijk_NoRedir:
        if (sb->is_call)
            last->end = MACHINE_LINKS ? BLOCK_LINKED_CALL : BLOCK_CALL;
        else if (next->tag == Iex_Const)
            end_jump(sb, last, const_value(next->Iex.Const.con));
        else if (machine_is_return((const UChar *)sb->instruction))
            last->end = BLOCK_RETURN;
        else
            last->end = BLOCK_INDIRECT;
        break;
    case Ijk_Ret:
        last->end = end_return(sb);
        break;
    /* after system calls, client requests, emulation warnings and signals, the program continues */
    default:
        last->end = BLOCK_FALL;
        if (next->tag == Iex_Const)
            last->next = const_value(next->Iex.Const.con);
        break;
    }
}

/* `call next` is not a call: position-independent code uses it to read the program counter */
static Bool is_call(const IRSB *in, Addr instruction, Addr after)
{
    if (in->jumpkind == Ijk_Call ? !machine_is_call((const UChar *)instruction)
                                 : in->jumpkind != Ijk_NoRedir)
        return False;
    return in->next->tag != Iex_Const || const_value(in->next->Iex.Const.con) != after;
}

/* Returns the largest number of events that a statement makes. */
static Int events_max(const IRStmt *st)
{
    switch (st->tag) {
    case Ist_WrTmp:
        return st->Ist.WrTmp.data->tag == Iex_Load;
    case Ist_Store:
    case Ist_StoreG:
    case Ist_LoadG:
    case Ist_LLSC:
    case Ist_Dirty:
        return 1;
    case Ist_CAS:
        return 2;
    default:
        return 0;
    }
}

/* Allocates arrays for the events and segments that the superblock can have. Larger arrays, with
 * space for every statement, would have to be zeroed, which would take a noticeable part of a short
 * run. */
static void scan_init(struct superblock *sb, IRSB *in)
{
    const IRStmt *last = NULL;
    Int n_events = 0, n_exits = 0;

    VG_(memset)(sb, 0, sizeof *sb);
    sb->in = in;
    sb->types = in->tyenv;
    sb->first = -1;
    for (Int i = 0; i < in->stmts_used; i++) {
        n_events += events_max(in->stmts[i]);
        n_exits += in->stmts[i]->tag == Ist_Exit;
        if (in->stmts[i]->tag != Ist_IMark)
            continue;
        if (sb->first < 0)
            sb->first = i;
        sb->n_instructions++;
        last = in->stmts[i];
    }
    if (last == NULL)
        return;
    sb->is_call = is_call(in, last->Ist.IMark.addr, last->Ist.IMark.addr + last->Ist.IMark.len);
    sb->return_address = IRTemp_INVALID;
    if (!MACHINE_LINKS && in->jumpkind == Ijk_Ret && in->next->tag == Iex_RdTmp)
        sb->return_address = in->next->Iex.RdTmp.tmp;
    sb->events = scratch(n_events * sizeof *sb->events);
    /* a segment begins only at the superblock's start or after an exit */
    sb->segments = scratch((n_exits + 1) * sizeof *sb->segments);
    sb->places = scratch(in->tyenv->types_used * sizeof *sb->places);
}

Bool superblock_scan(struct superblock *sb, IRSB *in, const VexGuestLayout *layout)
{
    scan_init(sb, in);
    if (sb->first < 0)
        return False;
    sb->layout = layout;
    for (Int i = sb->first; i < sb->in->stmts_used; i++)
        scan_statement(sb, i);
    scan_end(sb);
    access_join_modifies(sb);
    return True;
}

/* A repeated string instruction has two segments. The first segment may continue with the next
 * instruction. The second segment has the instruction's accesses and jumps back to the
 * instruction. */
Int superblock_repetitions(const struct superblock *sb)
{
    Int bytes = 0;

    if (sb->n_segments != 2 || sb->segments[1].repeat != sb->segments[0].start)
        return 0;
    for (Int i = 0; i < sb->n_events; i++) {
        if (sb->events[i].size > bytes)
            bytes = sb->events[i].size;
    }
    return bytes > 0 && bytes < REPEATED_BYTES ? REPEATED_BYTES / bytes : 0;
}
