/* Counts basic blocks in a register, and adds the count to the activation before calls.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The count is a variable of the routine, usually in a register. The count is added to the
 * activation's cost before other code can read the cost: before calls, returns and all other
 * instructions that may end the activation.
 *
 *     int f(int *p)                int64_t blocks = 0;
 *     {                            blocks++;
 *         for (...)                if (++blocks >= KEPT_MOST) {ctx->cost += blocks; blocks = 0;}
 *             *p += 1;
 *         return g();              ctx->cost += blocks; blocks = 0;   g();
 *     }                            leave(&return address);
 *
 * The variable starts at -KEPT_MOST, so its sign changes when KEPT_MOST blocks were counted.
 * Blocks that can be reached again without a call test the sign of the variable. A report that is
 * written while a loop runs therefore misses the cost of at most KEPT_MOST blocks. If the loop has
 * a hoisted range check (trms_rows.c), all its iterations are already counted.
 */
#include "compile/trms/trms_checks.h"

#include "ground/trms_words.h"

#define KEPT_MOST 1024
#define NO_BLOCKS (-(uint64_t)KEPT_MOST)

void cost_start(struct measured *routine)
{
    const struct measuring *to = routine->to;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(routine->function);
    LLVMPositionBuilderBefore(to->builder, LLVMGetFirstInstruction(entry));
    LLVMSetCurrentDebugLocation2(to->builder, NULL);
    routine->blocks = LLVMBuildAlloca(to->builder, to->word, "");
}

/* Initialises the variable in the first block, so that it has a value everywhere. */
void cost_end(struct measured *routine)
{
    const struct measuring *to = routine->to;
    LLVMPositionBuilderBefore(to->builder, LLVMGetNextInstruction(routine->blocks));
    LLVMSetCurrentDebugLocation2(to->builder, NULL);
    LLVMBuildStore(to->builder, checks_number(to, NO_BLOCKS), routine->blocks);
}

static void build_gift(const struct measured *routine, LLVMValueRef ctx)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMValueRef cost = checks_place(to, ctx, TRMS_WORDS_COST, to->word);
    LLVMValueRef blocks = LLVMBuildLoad2(b, to->word, routine->blocks, "");
    blocks = LLVMBuildSub(b, blocks, checks_number(to, NO_BLOCKS), "");
    LLVMValueRef sum = LLVMBuildAdd(b, LLVMBuildLoad2(b, to->word, cost, ""), blocks, "");
    LLVMBuildStore(b, sum, cost);
    LLVMBuildStore(b, checks_number(to, NO_BLOCKS), routine->blocks);
}

static void count(struct measured *routine, LLVMValueRef first, LLVMValueRef times,
                  bool comes_again)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMPositionBuilderBefore(b, first);
    LLVMSetCurrentDebugLocation2(b, NULL);
    LLVMValueRef old = LLVMBuildLoad2(b, to->word, routine->blocks, "");
    LLVMValueRef sum = LLVMBuildAdd(b, old, times, "");
    LLVMBuildStore(b, sum, routine->blocks);
    routine->has_blocks = true;
    if (!comes_again)
        return;
    LLVMBasicBlockRef rest = checks_cut_before(to, first), gives = checks_rare_block(routine);
    LLVMValueRef few = LLVMBuildICmp(b, LLVMIntSLT, sum, checks_number(to, 0), "");
    inst_build_likely(b, few, rest, gives);
    LLVMPositionBuilderAtEnd(b, gives);
    build_gift(routine, LLVMBuildLoad2(b, to->pointer, to->ctx, ""));
    LLVMBuildBr(b, rest);
}

void cost_count(struct measured *routine, LLVMValueRef first, bool comes_again)
{
    count(routine, first, checks_number(routine->to, 1), comes_again);
}

void cost_count_many(struct measured *routine, LLVMValueRef first, LLVMValueRef times)
{
    count(routine, first, times, true);
}

void cost_give(struct measured *routine, LLVMValueRef next)
{
    const struct measuring *to = routine->to;
    if (!routine->has_blocks)
        return;
    LLVMPositionBuilderBefore(to->builder, next);
    LLVMSetCurrentDebugLocation2(to->builder, NULL);
    build_gift(routine, checks_exec_context(routine));
    routine->has_blocks = false;
}
