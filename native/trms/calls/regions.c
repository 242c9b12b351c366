/* Regions: parts of a program that the program itself begins and ends (aprof.h).
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A region is an activation of a routine that has only a name. The region's slot is one byte below
 * the stack pointer of the function that opens the region. So the slot is below the slot of this
 * function's activation, and above the slots of its later callees. When the function ends, its open
 * regions end, because their slots are lower than the function's slot. The end of a callee ends no
 * region, because the regions' slots are higher than the callee's slot. For example f (slot 0xfd8,
 * stack pointer 0xfa0) opens a region (0xf9f) and calls g (0xf98).
 *
 * The listener of a test framework returns before the test case starts. So the listener opens the
 * region on behalf of `main` with main's stack pointer. Opening this region ends all activations
 * below this stack pointer. When the exit hooks of these activations run later, they find no
 * activation with their slot, and end nothing.
 *
 * If activations are sampled, regions are not measured.
 */
#include "native/trms/report/routines.h"

/* Enters the guard and returns the execution context of this stack; NULL if nothing is measured. */
static struct trms_exec_context *region_enter(uintptr_t pointer)
{
    struct trms_exec_context *ctx = trms_attach();
    if (ctx && pointer - ctx->stack_low >= ctx->stack_high - ctx->stack_low)
        ctx = trms_exec_context_at(pointer);
    if (!ctx || trms_world.sampled || !native_enter(native_self))
        return NULL;
    trms_clock_read(ctx);
    return ctx;
}

static void end_below(struct trms_exec_context *ctx, uintptr_t slot)
{
    while (trms_is_pending(ctx) && ctx->activation->slot < slot)
        trms_exec_context_return(ctx);
}

NATIVE_EXPORT void aprof_trms_region_begin(const char *name, uintptr_t pointer);
NATIVE_EXPORT void aprof_trms_region_end(uintptr_t pointer);

void aprof_trms_region_begin(const char *name, uintptr_t pointer)
{
    uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    uintptr_t own = pointer ? pointer : (uintptr_t)__builtin_dwarf_cfa();
    struct trms_exec_context *ctx = region_enter(own);
    if (!ctx)
        return;
    end_below(ctx, own - 1);
    trms_exec_context_call(ctx, trms_region_profile(ctx, name), own - 1, caller);
    trms_leave(native_self);
}

void aprof_trms_region_end(uintptr_t pointer)
{
    uintptr_t own = pointer ? pointer : (uintptr_t)__builtin_dwarf_cfa();
    struct trms_exec_context *ctx = region_enter(own);
    if (!ctx)
        return;
    end_below(ctx, own - 1);
    if (trms_is_pending(ctx) && ctx->activation->profile->routine->is_region)
        trms_exec_context_return(ctx);
    trms_leave(native_self);
}
