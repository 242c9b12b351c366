/* Which blocks are a loop that begins with this one, and is begun again and left by one branch.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     do {                    block: where it begins
 *         if (a[i] < 0)
 *             n++;
 *     } while (++i != m);     end: begins it again, or goes on behind it
 *
 * From its end backwards, up to where it begins: each block that is come to is one of the loop. Should this come
 * to where the routine begins, there is another way into the loop, or the branch leads on and not back.
 */
#include "compile/trms_loops.h"

bool loops_is_inside(const struct loops_shape *shape, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < shape->n_blocks; i++)
        if (shape->blocks[i] == block)
            return true;
    return false;
}

static bool add_block(struct loops_shape *shape, LLVMBasicBlockRef block)
{
    if (loops_is_inside(shape, block))
        return true;
    if (shape->n_blocks == LOOPS_BLOCKS)
        return false;
    shape->blocks[shape->n_blocks++] = block;
    return true;
}

/* Those that lead to it, which must be some; by branches. */
static bool add_before(struct loops_shape *shape, LLVMBasicBlockRef block)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    bool any = use != NULL;
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsABranchInst(user) || !add_block(shape, LLVMGetInstructionParent(user)))
            return false;
    }
    return any;
}

/* All ways lead on in it, and only its end out of it, or to its beginning. */
static bool is_left_at_end(const struct loops_shape *shape)
{
    for (unsigned i = 0; i < shape->n_blocks; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(shape->blocks[i]);
        if (!LLVMIsABranchInst(end))
            return false;
        for (unsigned s = 0; shape->blocks[i] != shape->end && s < LLVMGetNumSuccessors(end); s++)
            if (LLVMGetSuccessor(end, s) == shape->block ||
                !loops_is_inside(shape, LLVMGetSuccessor(end, s)))
                return false;
    }
    return !loops_is_inside(shape, shape->behind);
}

static bool find_from_end(LLVMBasicBlockRef block, LLVMValueRef end, struct loops_shape *shape)
{
    unsigned again = LLVMGetSuccessor(end, 1) == block;
    *shape = (struct loops_shape){.block = block,
                                  .end = LLVMGetInstructionParent(end),
                                  .behind = LLVMGetSuccessor(end, !again),
                                  .again = again,
                                  .n_blocks = 1,
                                  .blocks = {block}};
    if (!add_block(shape, shape->end))
        return false;
    for (unsigned i = 1; i < shape->n_blocks; i++)
        if (!add_before(shape, shape->blocks[i]))
            return false;
    return is_left_at_end(shape);
}

bool loops_find_shape(LLVMBasicBlockRef block, struct loops_shape *shape)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsABranchInst(user) && LLVMIsConditional(user) && find_from_end(block, user, shape))
            return true;
    }
    return false;
}
