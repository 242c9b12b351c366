/* Moved and freed stacks of goroutines; see go_stacks.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof/go_stacks.h"
#include "aprof/stream.h"

struct stack {
    Addr low, high;
};

/* A call of runtime.copystack that has not yet freed the old stack. */
struct copy {
    /* the limits of the goroutine's present stack, at the beginning of the goroutine's structure;
     * may be NULL */
    const struct stack *stack;
    struct stack old;
};

static struct copy *copies; /* array indexed by thread */

static Bool is_readable(Addr address, SizeT bytes)
{
    return VG_(am_is_valid_for_client)(address, bytes, VKI_PROT_READ);
}

static VG_REGPARM(2) void copy_begins(UWord goroutine, UWord size)
{
    struct copy *copy;

    if (copies == NULL)
        copies = VG_(calloc)("aprof.go_stacks.copies", VG_N_THREADS, sizeof *copies);
    copy = &copies[VG_(get_running_tid)()];
    copy->stack = NULL;
    if (!is_readable(goroutine, sizeof *copy->stack))
        return;
    copy->stack = (const struct stack *)goroutine;
    copy->old = *copy->stack;
}

static VG_REGPARM(2) void stack_is_freed(UWord low, UWord high)
{
    struct copy *copy = copies ? &copies[VG_(get_running_tid)()] : NULL;

    if (low >= high)
        return;
    if (copy && copy->stack && copy->old.low == low && copy->old.high == high &&
        is_readable((Addr)copy->stack, sizeof *copy->stack))
        stream_put(EVENT_STACK_MOVED, low, high, copy->stack->high);
    if (copy)
        copy->stack = NULL;
    stream_put(EVENT_STACK_FREED, low, high, 0);
}

go_stacks_hook *go_stacks_find(const HChar *routine)
{
    if (routine == NULL)
        return NULL;
    if (VG_STREQ(routine, "runtime.copystack"))
        return copy_begins;
    return VG_STREQ(routine, "runtime.stackfree") ? stack_is_freed : NULL;
}
