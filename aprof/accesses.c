/* Finds the memory accesses of a superblock, and records them with as few events as possible.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An access is dropped if an earlier access in the superblock has already had the same effect. Two
 * accesses are merged into one event if no access between them can observe the merge. The
 * activation on top of the stack and the time stay the same during one superblock. Therefore reads
 * commute with reads, and writes with writes, for any addresses. A read and a write commute only if
 * they cannot share a cell. The size of cells is already known when code is translated. Example:
 * `mov (%rdi),%eax; mov 4(%rdi),%edx; mov %eax,(%rdi); mov %edx,4(%rdi)` is one event, M8.
 */
#include "aprof/valgrind_core.h"

#include "aprof/accesses.h"
#include "aprof/options.h"

/* Wider events are no faster, because the engine reads one cache line of shadow memory at a
 * time. */
#define MERGED_BYTES_MAX 64

/*------------------------------------------------------------*/
/*--- Addresses                                            ---*/
/*------------------------------------------------------------*/

ULong const_value(const IRConst *constant)
{
    return constant->tag == Ico_U64 ? constant->Ico.U64 : constant->Ico.U32;
}

/* Offsets are compared as signed numbers of the guest's width. */
static Long offset_wrap(ULong offset)
{
    return WORD_BYTES == 4 ? (Long)(Int)offset : (Long)offset;
}

struct location location_of(const struct superblock *sb, const IRExpr *atom)
{
    struct location constant = {IRTemp_INVALID, 0};

    if (atom->tag == Iex_RdTmp)
        return sb->places[atom->Iex.RdTmp.tmp];
    tl_assert(atom->tag == Iex_Const);
    constant.offset = offset_wrap(const_value(atom->Iex.Const.con));
    return constant;
}

static Bool is_address_const(const IRExpr *e)
{
    return e->tag == Iex_Const &&
           (e->Iex.Const.con->tag == Ico_U64 || e->Iex.Const.con->tag == Ico_U32);
}

/* Replaces a sum of an address and a constant by base and offset, so that 8(%rsp) and 12(%rsp) have
 * the same base. */
void location_define(struct superblock *sb, IRTemp temp, const IRExpr *value)
{
    const IROp add = WORD_BYTES == 8 ? Iop_Add64 : Iop_Add32;
    const IROp sub = WORD_BYTES == 8 ? Iop_Sub64 : Iop_Sub32;
    struct location *place = &sb->places[temp];

    *place = (struct location){temp, 0};
    if (value->tag == Iex_RdTmp || is_address_const(value)) {
        *place = location_of(sb, value);
    } else if (value->tag == Iex_Binop) {
        const IRExpr *left = value->Iex.Binop.arg1, *right = value->Iex.Binop.arg2;
        IROp op = value->Iex.Binop.op;

        if (op == add && is_address_const(left)) {
            const IRExpr *swap = left;

            left = right;
            right = swap;
        }
        if ((op != add && op != sub) || !is_address_const(right))
            return;
        ULong by = const_value(right->Iex.Const.con);

        *place = location_of(sb, left);
        place->offset = offset_wrap(place->offset + (op == add ? by : -by));
    }
}

/*------------------------------------------------------------*/
/*--- Fewer events                                         ---*/
/*------------------------------------------------------------*/

static Bool is_plain(const struct access_event *e)
{
    return !e->dropped && e->guard == NULL && e->old_value[0] == NULL;
}

static Bool covers(const struct access_event *e, struct location at, Int size)
{
    return e->at.base == at.base && e->at.offset <= at.offset &&
           at.offset + size <= e->at.offset + e->size;
}

/* Returns whether the two accesses cannot share a cell. Two bytes are in different cells if their
 * distance is at least the size of a cell. */
static Bool is_apart(const struct access_event *e, struct location at, Int size)
{
    if (e->guard || e->old_value[0] || e->at.base != at.base)
        return False;
    return e->at.offset + e->size - 1 + clo_resolution <= at.offset ||
           at.offset + size - 1 + clo_resolution <= e->at.offset;
}

/* Returns whether an access is redundant. A read is redundant if an earlier access of the
 * superblock has read or written the same cells. A write is redundant if an earlier access of the
 * superblock has written the same cells. If an access of a superblock is executed, all its earlier
 * accesses have been executed. */
static Bool is_redundant(const struct superblock *sb, struct location at, Int size,
                         enum access_kind kind)
{
    for (Int i = sb->n_events - 1; i >= 0; i--) {
        const struct access_event *e = &sb->events[i];

        if (is_plain(e) && covers(e, at, size) && (kind == ACCESS_READ || e->kind != ACCESS_READ))
            return True;
    }
    return False;
}

/* Merges the access with an adjacent access of the same kind and segment. Nothing is merged if an
 * access of another kind between the two accesses may share a cell with them, because the order
 * then matters. */
static Bool merge(struct superblock *sb, struct location at, Int size, enum access_kind kind)
{
    for (Int i = sb->n_events - 1; i >= 0; i--) {
        struct access_event *e = &sb->events[i];
        Long low = at.offset < e->at.offset ? at.offset : e->at.offset;
        Long high =
            at.offset + size > e->at.offset + e->size ? at.offset + size : e->at.offset + e->size;

        if (e->segment != sb->n_segments - 1)
            return False;
        if (e->dropped)
            continue;
        if (e->kind == kind && is_plain(e) && !e->pinned && e->at.base == at.base &&
            high - low <= e->size + size && high - low <= MERGED_BYTES_MAX) {
            e->at.offset = low;
            e->size = high - low;
            e->address = NULL;
            return True;
        }
        if (e->kind != kind && !is_apart(e, at, size))
            return False;
    }
    return False;
}

/* A write and an earlier read of exactly the same bytes in the segment become one event. This does
 * not change the effect of the accesses between the read and the write, because the read has
 * already accessed the cells. */
void access_join_modifies(struct superblock *sb)
{
    for (Int i = 0; i < sb->n_events; i++) {
        struct access_event *write = &sb->events[i];

        if (!is_plain(write) || write->pinned || write->kind != ACCESS_WRITE)
            continue;
        for (Int j = i - 1; j >= 0 && sb->events[j].segment == write->segment; j--) {
            struct access_event *read = &sb->events[j];

            if (is_plain(read) && read->kind == ACCESS_READ && read->size == write->size &&
                covers(read, write->at, write->size)) {
                read->kind = ACCESS_MODIFY;
                write->dropped = True;
                break;
            }
        }
    }
}

/*------------------------------------------------------------*/
/*--- Events                                               ---*/
/*------------------------------------------------------------*/

struct access_event *access_new(struct superblock *sb, Int statement, enum access_kind kind,
                                IRExpr *address, Int size)
{
    struct access_event *e = &sb->events[sb->n_events++];

    e->at = location_of(sb, address);
    e->address = address;
    e->size = size;
    e->kind = kind;
    e->statement = statement;
    e->segment = sb->n_segments - 1;
    return e;
}

void access_add(struct superblock *sb, Int statement, enum access_kind kind, IRExpr *address,
                Int size, IRExpr *guard)
{
    struct location at = location_of(sb, address);

    if (guard && guard->tag == Iex_Const) {
        if (!guard->Iex.Const.con->Ico.U1)
            return;
        guard = NULL;
    }
    if (guard == NULL && is_redundant(sb, at, size, kind))
        return;
    if (guard == NULL && size <= MERGED_BYTES_MAX && merge(sb, at, size, kind))
        return;
    access_new(sb, statement, kind, address, size)->guard = guard;
}
