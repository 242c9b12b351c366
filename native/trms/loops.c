/* Functions that inline checks call before a loop with known reads and writes.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The loop itself then runs without checks. With a direct-mapped shadow, these functions do not
 * enter the guard, as in quick.c. rows.c implements the general case.
 */
#include "native/trms/runtime.h"

#include "ground/trms_words.h"
#include "native/trms/shadow/rows.h"
#include "native/trms/shadow/words.h"

#define LOOP(name)                                                                                 \
    NATIVE_EXPORT void name(uintptr_t address, size_t bytes, size_t stride, size_t n);             \
    void name(uintptr_t address, size_t bytes, size_t stride, size_t n)

typedef void rows_access(struct trms_exec_context *ctx, uintptr_t address, size_t bytes,
                         size_t stride, size_t n);

static APROF_NOINLINE void access_carefully(rows_access *access, uintptr_t address, size_t bytes,
                                            size_t stride, size_t n)
{
    struct trms_exec_context *ctx = trms_attach();
    if (!ctx || !native_enter(native_self))
        return;
    access(ctx, address, bytes, stride, n);
    trms_leave(native_self);
}

/* Returns true if activations are sampled and this execution context is measuring none now. */
APROF_INLINE bool is_passed_over(const struct trms_exec_context *ctx)
{
    return UNLIKELY(trms_world.sampled) && !trms_is_pending(ctx);
}

LOOP(aprof_trms_read_rows)
{
    struct trms_exec_context *ctx = trms_current;
    if (is_passed_over(ctx))
        return;
    if (LIKELY(trms_is_alone_in_direct_shadow(ctx)))
        trms_rows_read(ctx, address, bytes, stride, n);
    else if (!trms_rows_are_read(ctx, address, bytes, stride, n))
        access_carefully(trms_rows_read, address, bytes, stride, n);
}

/* If a signal handler, during the first attempt, has become the second execution context or moved
 * the shadow words to chunks, all ranges are recorded again. */
LOOP(aprof_trms_write_rows)
{
    struct trms_exec_context *ctx = trms_current;
    if (is_passed_over(ctx))
        return;
    if (LIKELY(trms_is_alone_in_direct_shadow(ctx)))
        trms_rows_write(ctx, address, bytes, stride, n);
    if (UNLIKELY(!trms_is_alone_in_direct_shadow(ctx)) &&
        !trms_rows_write_again(ctx, address, bytes, stride, n))
        access_carefully(trms_rows_write, address, bytes, stride, n);
}
