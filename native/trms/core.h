/* The parallel TRMS: functions that hooks call for accesses, calls, returns and synchronisation.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The code is freestanding and uses ground/host.h. Only one thread at a time may use an execution
 * context.
 */
#ifndef NATIVE_TRMS_CORE_H
#define NATIVE_TRMS_CORE_H

#include "native/base/watch.h"
#include "native/trms/state.h"

/* Makes a world without execution contexts; `config` is copied. The caller owns the world, which
 * must be zeroed before this call. */
void trms_world_init(struct trms_world *world, const struct trms_config *config);
void trms_world_free(struct trms_world *world);

/* Publishes the writes of the first execution context to later contexts. The first context must
 * call this function before the second context can run, and before trms_sync. Until then,
 * synchronisation operations do nothing. */
void trms_world_share(struct trms_world *world);

/* Returns a new execution context without activations, for the thread with number `thread` in the
 * report. */
struct trms_exec_context *trms_exec_context_new(struct trms_world *world, uint32_t thread);

/* Ends the execution context's pending activations, adds its measurements to the world, and frees
 * its memory. */
void trms_exec_context_end(struct trms_exec_context *ctx);

/* Ends pending activations and adds the measurements so far to the world. The execution context
 * stays. */
void trms_exec_context_finish(struct trms_exec_context *ctx);

/* Divides the measurements into parts, while no hook runs. trms_world_divide sets the end of a
 * part, and returns false if a signal handler has interrupted a hook. trms_world_finish_part adds
 * the part's measurements to the world, in a copy of the process. trms_world_next_part removes
 * these measurements from the process. Pending activations belong to the part in which they end.
 * The ids of routines are below `n_routines`. */
bool trms_world_divide(struct trms_world *world);
void trms_world_finish_part(struct trms_world *world, uint32_t n_routines);
void trms_world_next_part(struct trms_world *world, uint32_t n_routines);

/* Clears all measurements and accesses in a forked child; the measurement of pending activations
 * starts from zero. In the child, the other execution contexts no longer exist. If `torn` is true,
 * a context that no longer exists may have been changing the world during the fork. In this case,
 * inconsistent data are abandoned, and world->contexts must be replaced. */
void trms_world_restart(struct trms_world *world, struct trms_exec_context *survivor, bool torn);

/* trms_exec_context_call records a call: the new activation's time is one tick after the current
 * time. trms_exec_context_return records the return from the latest call. */
void trms_exec_context_call(struct trms_exec_context *ctx, struct routine_profile *profile,
                            uintptr_t slot, uintptr_t caller);
void trms_exec_context_return(struct trms_exec_context *ctx);

/* Marks the latest call as not recorded; the call's measurements still count for its callers. */
void trms_exec_context_pass_over(struct trms_exec_context *ctx);

/* Records a synchronisation operation of this execution context. Call this function before the
 * operation. */
void trms_sync(struct trms_exec_context *ctx);

/* Notes that a signal handler, which is another execution context, has interrupted this context on
 * the same thread, at any instruction. */
void trms_interrupted(struct trms_exec_context *ctx);

/* Makes the stack consistent again after a call or a return was interrupted and will not continue.
 * The interrupted operation may or may not have been counted. */
void trms_repair(struct trms_exec_context *ctx);

/* Records an access of any number of bytes except 0. An access is fast if its bytes lie in one
 * cached chunk. The function may change vector registers. */
void trms_access_bytes(struct trms_exec_context *ctx, uint64_t address, uint64_t bytes,
                       enum watch_kind kind);

/* Records a read or a write of bytes in one cached chunk. The execution context must be exclusive,
 * or must have a token and room for last seen versions. The function preserves vector registers,
 * because it neither maps nor releases memory. If the function returns false, the context must
 * first catch up (trms_catch_up), and then repeat the access. */
bool trms_access_at_hand(struct trms_exec_context *ctx, uint64_t address, uint64_t bytes,
                         enum watch_kind kind);

/* trms_kernel_wrote records that the kernel wrote these bytes for this execution context.
 * trms_file_mapped records that the kernel mapped a file at these addresses. */
void trms_kernel_wrote(struct trms_exec_context *ctx, uint64_t address, uint64_t bytes);
void trms_file_mapped(struct trms_exec_context *ctx, uint64_t address, uint64_t bytes);

/* Makes these cells count as never accessed, because they were unmapped or are new pages. */
void trms_forgotten(struct trms_exec_context *ctx, uint64_t address, uint64_t bytes);

/* ---------------------------------------------------------------- HOT */

APROF_INLINE uint64_t trms_chunk_of(uintptr_t address)
{
    return address >> (TRMS_CHUNK_LOG2 + TRMS_FAST_SHIFT);
}

/* The acquire load pairs with the release stores in ranges.c and tokens.c; on x86-64 an acquire
 * load is a plain load. */
APROF_INLINE bool trms_is_behind(const struct trms_exec_context *ctx)
{
    return ctx->settled != __atomic_load_n(&ctx->world->generation, __ATOMIC_ACQUIRE);
}

/* Returns true if no signal handler has ended since the latest call of trms_is_behind. Call this
 * function after storing tokens. If a handler has ended, the stored tokens may belong to an old
 * epoch, and may have overwritten the handler's tokens. */
APROF_INLINE bool trms_is_still_settled(const struct trms_exec_context *ctx)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return LIKELY(!trms_is_behind(ctx));
}

/* Returns whether the chunk of this address is cached. */
APROF_INLINE bool trms_at_hand(const struct trms_exec_context *ctx, uintptr_t address)
{
    uint64_t index = trms_chunk_of(address);
    return LIKELY(ctx->remembered.tag[(uint8_t)index] == index);
}

#endif
