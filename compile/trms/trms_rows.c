/* Hoists range checks out of loops; an unchanged copy of the loop then runs without checks.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A loop with a hoisted range check has no call, so the time of the execution context stays the
 * same. The state of a cell after the loop depends only on whether the loop's first access to the
 * cell is a read or a write. So trms_order.c orders the range checks by the loop's first accesses.
 * In C:
 *
 *     for (i = 0; i != n; i++)         if (n >= 8 && ctx->mask && (a + n <= b || b + n <= a)) {
 *         a[i] += b[i];                    read_rows(a, 4 * n, 4 * n, 1);
 *                                          read_rows(b, 4 * n, 4 * n, 1);
 *                                          write_rows(a, 4 * n, 4 * n, 1);
 *                                          blocks += n;
 *                                          for (i = 0; i != n; i++)
 *                                              a[i] += b[i];
 *                                      } else
 *                                          for (i = 0; i != n; i++)
 *                                              ... with a check of each access
 *
 * A range check requires that the loop has only one exit, and that each iteration executes all
 * accesses. If the loop writes, ranges with different bases must not overlap; a test before the
 * loop ensures this. Without a direct-mapped shadow the mask is 0, and the loop checks each access,
 * because cells may be larger than trms_order.c assumes.
 */
#include "compile/trms/trms_rows.h"

#include "compile/ir/copy.h"
#include "ground/trms_words.h"

#include <string.h>

/* Loops over ranges of more than MOST_BYTES check each access. A wrong count of iterations (n - 1
 * for n = 0) makes a loop run until it crashes. Without this limit, shadow words for the loop's
 * whole range could exhaust the memory before the crash. */
#define MOST_BYTES ((uint64_t)1 << 30)

/* Limit of the number of compared pairs of ranges, enough for seven or eight addresses; more
 * comparisons would take too long. */
#define MOST_PAIRS 28

struct taking {
    const struct measuring *to;
    struct loops_shape shape;
    struct loops_counter counter;
    struct rows_plan plan;
    /* whether the loop has reads that no range contains, so that the copy of the loop still checks
     * these reads */
    bool reads_others;

    LLVMBasicBlockRef before; /* the only block from which the loop is entered */
    LLVMValueRef last;        /* number of the last iteration, as a value in the generated code */
    inst_twins twins;
};

/* ---------------------------------------------------------------- What is in the loop */

static bool is_plain(LLVMValueRef access)
{
    return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

static bool survey_access(struct taking *taking, LLVMValueRef at)
{
    const struct measuring *to = taking->to;
    bool writes = LLVMIsAStoreInst(at) != NULL;
    LLVMValueRef pointer = LLVMGetOperand(at, writes);
    uint64_t bytes =
        LLVMStoreSizeOfType(to->layout, LLVMTypeOf(writes ? LLVMGetOperand(at, 0) : at));
    struct loops_affine where;
    if (!is_plain(at))
        return false;
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) || !bytes || checks_is_marked(to, at))
        return true;
    if (loops_find_affine(to, &taking->shape, pointer, &where))
        return rows_add(&taking->plan, at, writes, bytes, &where);
    taking->reads_others = true;
    return !writes;
}

/* Returns whether the instruction is arithmetic, which ends neither the loop nor the region. */
static bool is_harmless(LLVMValueRef at)
{
    size_t length;
    LLVMValueRef callee = inst_is_call(at) ? inst_direct_callee(at) : NULL;
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMCall:
        return inst_is_intrinsic_call(at) && callee &&
               strncmp(LLVMGetValueName2(callee, &length), "llvm.mem", 8) != 0;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
    case LLVMVAArg:
        return false;
    default:
        return true;
    }
}

static bool writes_any(const struct rows_plan *plan)
{
    for (unsigned g = 0; g < plan->n_groups; g++)
        if (plan->groups[g].writes)
            return true;
    return false;
}

static bool survey(struct taking *taking)
{
    LLVMValueRef at = LLVMGetFirstInstruction(taking->shape.block);
    for (; at; at = LLVMGetNextInstruction(at)) {
        bool is_access = LLVMIsALoadInst(at) || LLVMIsAStoreInst(at);
        if (is_access ? !survey_access(taking, at) : !is_harmless(at))
            return false;
    }
    return taking->plan.n_accesses && !(taking->reads_others && writes_any(&taking->plan));
}

/* ---------------------------------------------------------------- The way in */

/* Returns whether the loop is entered only by branches, and the address of its block is not
 * used. */
static bool is_entered_by_branches(const struct loops_shape *shape)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(shape->block));
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsABranchInst(user) && !LLVMIsASwitchInst(user))
            return false;
    }
    return true;
}

static LLVMBasicBlockRef new_block(const struct measuring *to, LLVMBasicBlockRef before)
{
    LLVMBasicBlockRef block = LLVMInsertBasicBlockInContext(to->context, before, "");
    LLVMPositionBuilderAtEnd(to->builder, block);
    LLVMSetCurrentDebugLocation2(to->builder, NULL);
    return block;
}

static void enter_by(const struct loops_shape *shape, LLVMBasicBlockRef before)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(shape->block)), next;
    for (; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (LLVMGetInstructionParent(user) == shape->block)
            continue;
        for (unsigned i = 0; i < LLVMGetNumSuccessors(user); i++)
            if (LLVMGetSuccessor(user, i) == shape->block) {
                LLVMSetSuccessor(user, i, before);
                next = LLVMGetFirstUse(LLVMBasicBlockAsValue(shape->block));
                break;
            }
    }
}

/* Replaces `phi` by a phi in which the incoming block `from` is replaced by `instead`. Positions
 * the builder before `phi`. */
static void rename_incoming(const struct measuring *to, LLVMValueRef phi, LLVMBasicBlockRef from,
                            LLVMBasicBlockRef instead)
{
    LLVMPositionBuilderBefore(to->builder, phi);
    LLVMValueRef renamed = LLVMBuildPhi(to->builder, LLVMTypeOf(phi), "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
        block = block == from ? instead : block;
        LLVMAddIncoming(renamed, &value, &block, 1);
    }
    LLVMReplaceAllUsesWith(phi, renamed);
    LLVMInstructionEraseFromParent(phi);
}

static void rename_all(const struct measuring *to, LLVMBasicBlockRef block, LLVMBasicBlockRef from,
                       LLVMBasicBlockRef instead)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block), next;
    for (; LLVMIsAPHINode(at); at = next) {
        next = LLVMGetNextInstruction(at);
        rename_incoming(to, at, from, instead);
    }
}

/* Combines the phi's values from outside of the loop into one value. */
static void gather_incoming(const struct taking *taking, LLVMValueRef phi, LLVMBasicBlockRef before)
{
    const struct measuring *to = taking->to;
    LLVMPositionBuilderBefore(to->builder, LLVMGetBasicBlockTerminator(before));
    LLVMValueRef outside = LLVMBuildPhi(to->builder, LLVMTypeOf(phi), "");
    LLVMPositionBuilderBefore(to->builder, phi);
    LLVMValueRef gathered = LLVMBuildPhi(to->builder, LLVMTypeOf(phi), "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        LLVMAddIncoming(from == taking->shape.block ? gathered : outside, &value, &from, 1);
    }
    LLVMReplaceAllUsesWith(phi, gathered);
    LLVMInstructionEraseFromParent(phi);
    if (LLVMCountIncoming(outside) == 1) {
        LLVMValueRef value = LLVMGetIncomingValue(outside, 0);
        LLVMReplaceAllUsesWith(outside, value);
        LLVMInstructionEraseFromParent(outside);
        outside = value;
    }
    LLVMAddIncoming(gathered, &outside, &before, 1);
}

static void make_way_in(struct taking *taking, rows_blocks *made)
{
    const struct measuring *to = taking->to;
    LLVMBasicBlockRef block = taking->shape.block, before = new_block(to, block);
    LLVMValueRef at = LLVMGetFirstInstruction(block), next;
    enter_by(&taking->shape, before);
    LLVMBuildBr(to->builder, block);
    for (; LLVMIsAPHINode(at); at = next) {
        next = LLVMGetNextInstruction(at);
        gather_incoming(taking, at, before);
    }
    taking->before = before;
    vector_push(made, ((struct rows_block){.block = before, .is_bare = true}));
}

/* ---------------------------------------------------------------- The way out */

/* Outside of the loop, replaces uses of a value by uses of the phi after the loop. */
static void use_instead(const struct loops_shape *shape, LLVMValueRef value, LLVMValueRef phi)
{
    LLVMUseRef use = LLVMGetFirstUse(value), next;
    for (; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (user == phi || LLVMGetInstructionParent(user) == shape->block)
            continue;
        for (int i = 0; i < LLVMGetNumOperands(user); i++)
            if (LLVMGetOperand(user, (unsigned)i) == value) {
                LLVMSetOperand(user, (unsigned)i, phi);
                next = LLVMGetFirstUse(value);
                break;
            }
    }
}

static bool is_used_behind(const struct loops_shape *shape, LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (LLVMGetInstructionParent(LLVMGetUser(use)) != shape->block)
            return true;
    return false;
}

static void pass_values(const struct taking *taking)
{
    const struct loops_shape *shape = &taking->shape;
    LLVMBasicBlockRef end = shape->block;
    for (LLVMValueRef at = LLVMGetFirstInstruction(end); at; at = LLVMGetNextInstruction(at)) {
        if (!is_used_behind(shape, at))
            continue;
        LLVMValueRef phi = LLVMBuildPhi(taking->to->builder, LLVMTypeOf(at), "");
        LLVMAddIncoming(phi, &at, &end, 1);
        use_instead(shape, at, phi);
    }
}

/* Makes the block that follows both loops, with phis for the values that are used after the
 * loops. */
static LLVMBasicBlockRef make_way_out(const struct taking *taking, rows_blocks *made)
{
    const struct measuring *to = taking->to;
    const struct loops_shape *shape = &taking->shape;
    LLVMBasicBlockRef out = new_block(to, shape->behind);
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(shape->block), !shape->again, out);
    pass_values(taking);
    LLVMBuildBr(to->builder, shape->behind);
    rename_all(to, shape->behind, shape->block, out);
    vector_push(made, ((struct rows_block){.block = out, .is_bare = true}));
    return out;
}

/* ---------------------------------------------------------------- Questions */

static LLVMValueRef both(const struct measuring *to, LLVMValueRef a, LLVMValueRef b)
{
    return a && b ? LLVMBuildAnd(to->builder, a, b, "") : a ? a : b;
}

static LLVMValueRef build_has_direct_shadow(const struct measuring *to)
{
    LLVMValueRef ctx = LLVMBuildLoad2(to->builder, to->pointer, to->ctx, "");
    LLVMValueRef place = checks_place(to, ctx, TRMS_WORDS_MASK, to->word);
    LLVMValueRef mask = LLVMBuildLoad2(to->builder, to->word, place, "");
    return LLVMBuildICmp(to->builder, LLVMIntNE, mask, checks_number(to, 0), "");
}

/* The extent of a range: its lowest address, and the distance between consecutive elements. */
struct extent {
    LLVMValueRef low, stride, way; /* `way`: distance from the first element to the last element */
};

static struct extent build_extent(const struct taking *taking, const struct rows_group *group)
{
    const struct measuring *to = taking->to;
    LLVMBuilderRef b = to->builder;
    LLVMValueRef none = checks_number(to, 0);
    struct extent extent = {loops_build_form(to, &group->where.start, to->word), NULL, NULL};
    LLVMValueRef step = loops_build_form(to, &group->where.step, to->word);
    LLVMValueRef down = LLVMBuildICmp(b, LLVMIntSLT, step, none, "");
    extent.stride = LLVMBuildSelect(b, down, LLVMBuildSub(b, none, step, ""), step, "");
    extent.way = LLVMBuildMul(b, taking->last, extent.stride, "");
    LLVMValueRef lowest = LLVMBuildSub(b, extent.low, extent.way, "");
    extent.low = LLVMBuildSelect(b, down, lowest, extent.low, "");
    return extent;
}

static LLVMValueRef build_away(const struct measuring *to, LLVMValueRef from, int64_t offset)
{
    return offset ? LLVMBuildAdd(to->builder, from, checks_number(to, (uint64_t)offset), "") : from;
}

/* Builds the end of the range, rounded up to the next cell. */
static LLVMValueRef build_end(const struct measuring *to, const struct extent *extent,
                              const struct rows_group *group)
{
    LLVMValueRef end = LLVMBuildAdd(to->builder, extent->low, extent->way, "");
    end = build_away(to, end, group->high + 3);
    return LLVMBuildAnd(to->builder, end, checks_number(to, ~(uint64_t)3), "");
}

/* Builds the test whether all cells of the first range are above all cells of the second range. */
static LLVMValueRef build_above(const struct taking *taking, const struct extent *extents,
                                unsigned above, unsigned below)
{
    const struct measuring *to = taking->to;
    const struct rows_group *groups = taking->plan.groups;
    LLVMValueRef low = build_away(to, extents[above].low, groups[above].low);
    LLVMValueRef end = build_end(to, &extents[below], &groups[below]);
    return LLVMBuildICmp(to->builder, LLVMIntUGE, low, end, "");
}

static bool are_compared(const struct rows_group *a, const struct rows_group *b)
{
    return a->writes || b->writes;
}

static unsigned count_pairs(const struct rows_plan *plan)
{
    unsigned n = 0;
    for (unsigned g = 0; g < plan->n_groups; g++)
        for (unsigned h = 0; h < g; h++)
            n += are_compared(&plan->groups[g], &plan->groups[h]);
    return n;
}

/* Returns the largest number of iterations for which each range with a constant step has at most
 * MOST_BYTES. */
static uint64_t most_rounds(const struct rows_plan *plan)
{
    uint64_t farthest = 1;
    for (unsigned g = 0; g < plan->n_groups; g++) {
        const struct loops_form *step = &plan->groups[g].where.step;
        uint64_t way = (uint64_t)step->constant;
        way = step->constant < 0 ? -way : way;
        if (loops_is_constant(step) && way > farthest)
            farthest = way;
    }
    return MOST_BYTES / farthest;
}

/* Builds the condition under which the ranges describe the loop's accesses correctly. */
static LLVMValueRef build_question(const struct taking *taking, const struct extent *extents)
{
    const struct measuring *to = taking->to;
    const struct rows_plan *plan = &taking->plan;
    LLVMBuilderRef b = to->builder;
    LLVMValueRef all = build_has_direct_shadow(to), none = checks_number(to, 0);
    for (unsigned g = 0; g < plan->n_groups; g++) {
        LLVMValueRef way = extents[g].way, most = checks_number(to, MOST_BYTES);
        if (!loops_is_constant(&plan->groups[g].where.step))
            all = both(to, all, LLVMBuildICmp(b, LLVMIntULT, way, most, ""));
        if (plan->groups[g].must_be_aligned) {
            LLVMValueRef both_of = LLVMBuildOr(b, extents[g].low, extents[g].stride, "");
            LLVMValueRef misaligned = LLVMBuildAnd(b, both_of, checks_number(to, 3), "");
            all = both(to, all, LLVMBuildICmp(b, LLVMIntEQ, misaligned, none, ""));
        }
        for (unsigned h = 0; h < g; h++)
            if (are_compared(&plan->groups[g], &plan->groups[h])) {
                LLVMValueRef above = build_above(taking, extents, g, h);
                LLVMValueRef below = build_above(taking, extents, h, g);
                all = both(to, all, LLVMBuildOr(b, above, below, ""));
            }
    }
    return all;
}

/* ---------------------------------------------------------------- Rows */

static void build_row(const struct taking *taking, const struct extent *extents,
                      const struct rows_row *row)
{
    const struct measuring *to = taking->to;
    const struct extent *extent = &extents[row->group];
    const struct loops_form *step = &taking->plan.groups[row->group].where.step;
    LLVMValueRef bytes = checks_number(to, row->bytes);
    LLVMValueRef address = build_away(to, extent->low, row->offset);
    LLVMValueRef n = build_away(to, taking->last, (int64_t)row->more + 1), stride = extent->stride;
    uint64_t way = (uint64_t)(step->constant < 0 ? -step->constant : step->constant);
    if (loops_is_constant(step) && row->bytes >= way) {
        bytes = build_away(to, extent->way, (int64_t)(row->bytes + row->more * way));
        stride = bytes;
        n = checks_number(to, 1);
    }
    LLVMValueRef arguments[CHECKS_ROW_ARGUMENTS] = {address, bytes, stride, n};
    checks_build_row(to, row->writes ? TRMS_WORDS_WRITE_ROWS : TRMS_WORDS_READ_ROWS, arguments);
}

/* Ends `before`, which has no terminator, with a branch to the loop or to its copy. */
static void build_choice(struct taking *taking, LLVMBasicBlockRef rows, rows_blocks *made)
{
    const struct measuring *to = taking->to;
    LLVMBuilderRef b = to->builder;
    struct extent extents[ROWS_GROUPS];
    LLVMBasicBlockRef checks = new_block(to, taking->shape.block), decides = new_block(to, checks);
    LLVMPositionBuilderAtEnd(b, taking->before);
    LLVMValueRef is_right, fewest = checks_number(to, taking->plan.fewest_rounds - 1);
    taking->last = loops_build_last(to, &taking->counter, &is_right);
    LLVMValueRef more = LLVMBuildSub(b, taking->last, fewest, "");
    LLVMValueRef most = checks_number(to, most_rounds(&taking->plan));
    LLVMValueRef enough = LLVMBuildICmp(b, LLVMIntULT, more, most, "");
    LLVMBuildCondBr(b, both(to, is_right, enough), decides, checks);
    LLVMPositionBuilderAtEnd(b, decides);
    for (unsigned g = 0; g < taking->plan.n_groups; g++)
        extents[g] = build_extent(taking, &taking->plan.groups[g]);
    LLVMBuildCondBr(b, build_question(taking, extents), rows, checks);
    LLVMPositionBuilderAtEnd(b, checks);
    LLVMBuildBr(b, taking->shape.block);
    LLVMPositionBuilderAtEnd(b, rows);
    for (unsigned i = 0; i < taking->plan.n_rows; i++)
        build_row(taking, extents, &taking->plan.rows[i]);
    LLVMValueRef times = build_away(to, taking->last, 1);
    rename_all(to, taking->shape.block, taking->before, checks);
    vector_push(made, ((struct rows_block){.block = decides, .is_bare = true}));
    vector_push(made, ((struct rows_block){.block = checks, .is_bare = true}));
    vector_push(made, ((struct rows_block){.block = rows, .is_bare = true, .times = times}));
}

/* ---------------------------------------------------------------- The copy */

static void join_way_out(const struct taking *taking, LLVMBasicBlockRef out, LLVMBasicBlockRef copy)
{
    LLVMValueRef phi = LLVMGetFirstInstruction(out);
    for (; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef value = inst_value_copy(&taking->twins, LLVMGetIncomingValue(phi, 0));
        LLVMAddIncoming(phi, &value, &copy, 1);
    }
}

static void take_out(struct taking *taking, rows_blocks *made)
{
    const struct measuring *to = taking->to;
    LLVMBasicBlockRef block = taking->shape.block, out = make_way_out(taking, made);
    inst_copy_blocks(to->builder, LLVMGetBasicBlockParent(out), &block, 1, &taking->twins);
    LLVMBasicBlockRef copy = inst_block_copy(&taking->twins, block);
    LLVMBasicBlockRef rows = new_block(to, copy);
    join_way_out(taking, out, copy);
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(taking->before));
    build_choice(taking, rows, made);
    LLVMPositionBuilderAtEnd(to->builder, rows);
    LLVMBuildBr(to->builder, copy);
    rename_all(to, copy, taking->before, rows);
    for (unsigned i = 0; i < taking->plan.n_accesses; i++)
        checks_mark(to, inst_value_copy(&taking->twins, taking->plan.accesses[i].at));
    vector_push(made, ((struct rows_block){.block = copy}));
}

static bool find_plan(struct taking *taking)
{
    return loops_find_counter(taking->to, &taking->shape, &taking->counter) && survey(taking) &&
           rows_order(&taking->plan);
}

/* Returns whether a range check might save time in this loop; this quick test precedes the full
 * analysis. */
static bool is_worth_while(const struct loops_shape *shape)
{
    bool has_accesses = false;
    LLVMValueRef at = LLVMGetFirstInstruction(shape->block);
    for (; at; at = LLVMGetNextInstruction(at)) {
        bool is_access = LLVMIsALoadInst(at) || LLVMIsAStoreInst(at);
        if (is_access ? !is_plain(at) : !is_harmless(at))
            return false;
        has_accesses |= is_access;
    }
    return has_accesses;
}

void rows_take_out(const struct measuring *to, LLVMBasicBlockRef block, rows_blocks *made)
{
    struct taking taking = {.to = to};
    const struct loops_shape *shape = &taking.shape;
    if (!loops_find_shape(block, &taking.shape) || !is_worth_while(shape) ||
        !is_entered_by_branches(shape))
        return;
    make_way_in(&taking, made);
    if (find_plan(&taking) && count_pairs(&taking.plan) <= MOST_PAIRS)
        take_out(&taking, made);
    vector_free(&taking.twins);
}
