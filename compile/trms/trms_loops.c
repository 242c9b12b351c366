/* Finds the iterations of loops, and values that change by the same amount in each iteration.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     for (i = 0; i != n; i++)         i: 0 + round * 1; left when i + 1 == n: in round n - 1
 *         a[i + 2] += b[k * i];        &a[i + 2]: a + 8 + round * 4; &b[k * i]: b + round * (4 * k)
 *
 * Each value is decomposed into a sum of constants, loop invariants, and phis at the start of the
 * loop. A phi's value is its value in the previous iteration plus an increment. Arithmetic is
 * modulo a power of two, so wrapping is harmless. Numbers that are extended to a wider type are not
 * decomposed, because the extended value changes if the narrow number wraps.
 */
#include "compile/trms/trms_loops.h"

#define MOST_DEPTH 24

/* ---------------------------------------------------------------- Sums */

static const struct loops_form unknown = {.is_unknown = true};

static struct loops_form form_of_constant(int64_t constant)
{
    return (struct loops_form){.constant = constant};
}

static struct loops_form form_of_value(LLVMValueRef value)
{
    return (struct loops_form){.n = 1, .terms = {{value, 1}}};
}

static int64_t product(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void add_term(struct loops_form *to, LLVMValueRef value, int64_t times)
{
    for (unsigned i = 0; i < to->n; i++)
        if (to->terms[i].value == value) {
            to->terms[i].times = sum(to->terms[i].times, times);
            if (!to->terms[i].times)
                to->terms[i] = to->terms[--to->n];
            return;
        }
    if (to->n == LOOPS_TERMS)
        *to = unknown;
    else if (times)
        to->terms[to->n++] = (struct loops_term){value, times};
}

static void add(struct loops_form *to, const struct loops_form *more, int64_t times)
{
    if (more->is_unknown)
        *to = unknown;
    if (to->is_unknown)
        return;
    to->constant = sum(to->constant, product(more->constant, times));
    for (unsigned i = 0; i < more->n && !to->is_unknown; i++)
        add_term(to, more->terms[i].value, product(more->terms[i].times, times));
}

static int64_t times_of(const struct loops_form *form, LLVMValueRef value)
{
    for (unsigned i = 0; i < form->n; i++)
        if (form->terms[i].value == value)
            return form->terms[i].times;
    return 0;
}

bool loops_are_near(const struct loops_form *a, const struct loops_form *b)
{
    if (a->is_unknown || b->is_unknown || a->n != b->n)
        return false;
    for (unsigned i = 0; i < a->n; i++)
        if (times_of(b, a->terms[i].value) != a->terms[i].times)
            return false;
    return true;
}

bool loops_is_constant(const struct loops_form *form)
{
    return !form->is_unknown && !form->n;
}

/* ---------------------------------------------------------------- Decomposition of values */

static bool is_number(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMPointerTypeKind
               ? LLVMGetPointerAddressSpace(type) == 0
               : kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64;
}

/* Returns whether the value is an address or a number of the same width. */
static bool is_wide(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return is_number(value) &&
           (LLVMGetTypeKind(type) == LLVMPointerTypeKind || LLVMGetIntTypeWidth(type) == 64);
}

static LLVMOpcode operation_of(LLVMValueRef value)
{
    if (LLVMIsAInstruction(value))
        return LLVMGetInstructionOpcode(value);
    return LLVMIsAConstantExpr(value) ? LLVMGetConstOpcode(value) : LLVMUnreachable;
}

/* has_zeros is declared here, because has_zeros and has_zeros_in_phi call each other. */
static bool has_zeros(LLVMValueRef value, uint64_t mask, bool in_phi);

static bool has_zeros_in_phi(LLVMValueRef phi, uint64_t mask)
{
    for (unsigned i = 0; i < 2 && LLVMCountIncoming(phi) == 2; i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        if (operation_of(next) == LLVMAdd && LLVMGetOperand(next, 0) == phi &&
            has_zeros(LLVMGetIncomingValue(phi, !i), mask, true) &&
            has_zeros(LLVMGetOperand(next, 1), mask, true))
            return true;
    }
    return false;
}

/* Returns whether, in each iteration, the value has only zeros in the bits of the mask. */
static bool has_zeros(LLVMValueRef value, uint64_t mask, bool in_phi)
{
    if (LLVMIsAConstantInt(value))
        return (LLVMConstIntGetZExtValue(value) & mask) == 0;
    LLVMOpcode operation = operation_of(value);
    bool is_two = operation == LLVMAnd || operation == LLVMShl || operation == LLVMMul;
    LLVMValueRef by = is_two ? LLVMGetOperand(value, 1) : NULL;
    uint64_t number = by && LLVMIsAConstantInt(by) ? LLVMConstIntGetZExtValue(by) : 0;
    switch (operation) {
    case LLVMAnd:
        return has_zeros(by, mask, in_phi);
    case LLVMShl:
        return LLVMIsAConstantInt(by) && number < 64 && mask >> number == 0;
    case LLVMMul:
        return number && mask < (number & -number);
    case LLVMPHI:
        return !in_phi && has_zeros_in_phi(value, mask);
    default:
        return false;
    }
}

/* Returns whether the value is an addition. Compilers write `or` for an addition without
 * carries. */
static bool is_addition(LLVMValueRef value)
{
    LLVMValueRef more = LLVMGetOperand(value, 1);
    if (operation_of(value) == LLVMAdd)
        return true;
    if (!LLVMIsAConstantInt(more) || !LLVMConstIntGetZExtValue(more))
        return false;
    uint64_t mask = LLVMConstIntGetZExtValue(more);
    while (mask & (mask + 1))
        mask |= mask >> 1;
    return has_zeros(LLVMGetOperand(value, 0), mask, false);
}

static struct loops_form take_apart(const struct measuring *to, LLVMValueRef value, unsigned depth);

static struct loops_form form_of_step(const struct measuring *to, LLVMValueRef step, unsigned depth)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(step);
    struct loops_form all = take_apart(to, LLVMGetOperand(step, 0), depth);
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(step); i++) {
        LLVMValueRef index = LLVMGetOperand(step, i);
        bool is_field = i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind;
        int64_t unit = (int64_t)checks_unit_of(to, &type, index, i == 1);
        if (!LLVMIsAConstantInt(index) && !is_wide(index))
            return form_of_value(step);
        struct loops_form more = is_field ? form_of_constant(unit) : take_apart(to, index, depth);
        add(&all, &more, is_field ? 1 : unit);
    }
    return all;
}

static struct loops_form form_of_two(const struct measuring *to, LLVMValueRef value, unsigned depth)
{
    LLVMValueRef left = LLVMGetOperand(value, 0), right = LLVMGetOperand(value, 1);
    LLVMOpcode operation = operation_of(value);
    struct loops_form all = take_apart(to, left, depth), more;
    if (operation == LLVMMul || operation == LLVMShl) {
        if (!LLVMIsAConstantInt(right) ||
            (operation == LLVMShl && LLVMConstIntGetZExtValue(right) > 62))
            return form_of_value(value);
        int64_t times = LLVMConstIntGetSExtValue(right);
        struct loops_form none = {0};
        add(&none, &all, operation == LLVMShl ? (int64_t)1 << times : times);
        return none;
    }
    if (operation != LLVMSub && !is_addition(value))
        return form_of_value(value);
    more = take_apart(to, right, depth);
    add(&all, &more, operation == LLVMSub ? -1 : 1);
    return all;
}

/* A value that cannot be decomposed further is a term of the sum. */
static struct loops_form take_apart(const struct measuring *to, LLVMValueRef value, unsigned depth)
{
    if (LLVMIsAConstantInt(value) && is_number(value))
        return form_of_constant(LLVMConstIntGetSExtValue(value));
    if (!is_number(value) || depth == MOST_DEPTH)
        return form_of_value(value);
    switch (operation_of(value)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMOr:
        return form_of_two(to, value, depth + 1);
    case LLVMGetElementPtr:
        return form_of_step(to, value, depth + 1);
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        if (!is_wide(value) || !is_wide(LLVMGetOperand(value, 0)))
            return form_of_value(value);
        return take_apart(to, LLVMGetOperand(value, 0), depth + 1);
    case LLVMTrunc:
        if (!is_number(LLVMGetOperand(value, 0)))
            return form_of_value(value);
        return take_apart(to, LLVMGetOperand(value, 0), depth + 1);
    default:
        return form_of_value(value);
    }
}

/* ---------------------------------------------------------------- Rounds */

bool loops_find_shape(LLVMBasicBlockRef block, struct loops_shape *shape)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end))
        return false;
    unsigned again = LLVMGetSuccessor(end, 1) == block;
    *shape = (struct loops_shape){block, LLVMGetSuccessor(end, !again), again};
    return LLVMGetSuccessor(end, again) == block && shape->behind != block;
}

static bool changes(const struct loops_shape *shape, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) && LLVMGetInstructionParent(value) == shape->block;
}

/* Returns the value that a phi has in the next iteration, and sets `first` to its initial value.
 * Returns NULL for a phi of another block, or with other incoming blocks. */
static LLVMValueRef next_of(const struct loops_shape *shape, LLVMValueRef phi, LLVMValueRef *first)
{
    if (LLVMGetInstructionParent(phi) != shape->block || LLVMCountIncoming(phi) != 2)
        return NULL;
    unsigned again = LLVMGetIncomingBlock(phi, 1) == shape->block;
    if (LLVMGetIncomingBlock(phi, again) != shape->block)
        return NULL;
    *first = LLVMGetIncomingValue(phi, !again);
    return LLVMGetIncomingValue(phi, again);
}

static bool changes_nowhere(const struct loops_shape *shape, const struct loops_form *form)
{
    for (unsigned i = 0; i < form->n; i++)
        if (changes(shape, form->terms[i].value))
            return false;
    return !form->is_unknown;
}

/* Decomposes a phi into its initial value and its increment. */
static bool follow(const struct measuring *to, const struct loops_shape *shape, LLVMValueRef phi,
                   struct loops_affine *affine)
{
    LLVMValueRef first, next = LLVMIsAPHINode(phi) ? next_of(shape, phi, &first) : NULL;
    struct loops_form before = form_of_value(phi);
    if (!next)
        return false;
    affine->start = take_apart(to, first, 0);
    affine->step = take_apart(to, next, 0);
    add(&affine->step, &before, -1);
    return changes_nowhere(shape, &affine->start) && changes_nowhere(shape, &affine->step);
}

/* Decomposes the product of an invariant and a value with a constant increment. */
static bool follow_product(const struct measuring *to, const struct loops_shape *shape,
                           LLVMValueRef product_of, struct loops_affine *affine)
{
    struct loops_affine grows;
    unsigned other = changes(shape, LLVMGetOperand(product_of, 0));
    struct loops_form by = take_apart(to, LLVMGetOperand(product_of, other), 0);
    if (!changes_nowhere(shape, &by) ||
        !loops_find_affine(to, shape, LLVMGetOperand(product_of, !other), &grows) ||
        !loops_is_constant(&grows.start) || !loops_is_constant(&grows.step))
        return false;
    *affine = (struct loops_affine){form_of_constant(0), form_of_constant(0)};
    add(&affine->start, &by, grows.start.constant);
    add(&affine->step, &by, grows.step.constant);
    return true;
}

bool loops_find_affine(const struct measuring *to, const struct loops_shape *shape,
                       LLVMValueRef value, struct loops_affine *affine)
{
    struct loops_form form = take_apart(to, value, 0);
    *affine = (struct loops_affine){form_of_constant(form.constant), form_of_constant(0)};
    for (unsigned i = 0; i < form.n; i++) {
        struct loops_affine one = {form_of_value(form.terms[i].value), form_of_constant(0)};
        bool is_product = operation_of(form.terms[i].value) == LLVMMul;
        if (changes(shape, form.terms[i].value) &&
            !(is_product ? follow_product : follow)(to, shape, form.terms[i].value, &one))
            return false;
        add(&affine->start, &one.start, form.terms[i].times);
        add(&affine->step, &one.step, form.terms[i].times);
    }
    return is_number(value) && !form.is_unknown && !affine->start.is_unknown &&
           !affine->step.is_unknown;
}

/* ---------------------------------------------------------------- Counters */

static LLVMIntPredicate opposite(LLVMIntPredicate predicate)
{
    switch (predicate) {
    case LLVMIntEQ:
        return LLVMIntNE;
    case LLVMIntNE:
        return LLVMIntEQ;
    case LLVMIntUGT:
        return LLVMIntULE;
    case LLVMIntUGE:
        return LLVMIntULT;
    case LLVMIntULT:
        return LLVMIntUGE;
    case LLVMIntULE:
        return LLVMIntUGT;
    case LLVMIntSGT:
        return LLVMIntSLE;
    case LLVMIntSGE:
        return LLVMIntSLT;
    case LLVMIntSLT:
        return LLVMIntSGE;
    default:
        return LLVMIntSGT;
    }
}

/* Returns the predicate for the same comparison with exchanged operands. */
static LLVMIntPredicate mirrored(LLVMIntPredicate predicate)
{
    switch (predicate) {
    case LLVMIntUGT:
        return LLVMIntULT;
    case LLVMIntUGE:
        return LLVMIntULE;
    case LLVMIntULT:
        return LLVMIntUGT;
    case LLVMIntULE:
        return LLVMIntUGE;
    case LLVMIntSGT:
        return LLVMIntSLT;
    case LLVMIntSGE:
        return LLVMIntSLE;
    case LLVMIntSLT:
        return LLVMIntSGT;
    case LLVMIntSLE:
        return LLVMIntSGE;
    default:
        return predicate;
    }
}

static bool is_strict(LLVMIntPredicate predicate)
{
    return predicate == LLVMIntULT || predicate == LLVMIntSLT || predicate == LLVMIntUGT ||
           predicate == LLVMIntSGT;
}

static bool is_signed(LLVMIntPredicate predicate)
{
    return predicate >= LLVMIntSGT;
}

static bool goes_up(LLVMIntPredicate predicate)
{
    return predicate == LLVMIntULT || predicate == LLVMIntULE || predicate == LLVMIntSLT ||
           predicate == LLVMIntSLE;
}

static LLVMTypeRef number_type(const struct measuring *to, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind ? to->word : type;
}

/* Sign-extends a number from the width of this type to 64 bits. */
static int64_t in_type(LLVMTypeRef type, int64_t number)
{
    unsigned rest = 64 - LLVMGetIntTypeWidth(type);
    return (int64_t)((uint64_t)number << rest) >> rest;
}

bool loops_find_counter(const struct measuring *to, const struct loops_shape *shape,
                        struct loops_counter *counter)
{
    LLVMValueRef test = LLVMGetCondition(LLVMGetBasicBlockTerminator(shape->block));
    struct loops_affine left, right;
    if (!LLVMIsAICmpInst(test) || !is_number(LLVMGetOperand(test, 0)) ||
        !loops_find_affine(to, shape, LLVMGetOperand(test, 0), &left) ||
        !loops_find_affine(to, shape, LLVMGetOperand(test, 1), &right) ||
        !loops_is_constant(&left.step) || !loops_is_constant(&right.step))
        return false;
    LLVMIntPredicate goes_on = LLVMGetICmpPredicate(test);
    counter->type = number_type(to, LLVMGetOperand(test, 0));
    bool left_stays = in_type(counter->type, left.step.constant) == 0;
    bool right_stays = in_type(counter->type, right.step.constant) == 0;
    if (left_stays == right_stays)
        return false;
    if (shape->again)
        goes_on = opposite(goes_on);
    counter->goes_on = left_stays ? mirrored(goes_on) : goes_on;
    counter->start = left_stays ? right.start : left.start;
    counter->bound = left_stays ? left.start : right.start;
    counter->step = in_type(counter->type, (left_stays ? &right : &left)->step.constant);
    if (counter->step == INT64_MIN)
        return false;
    return counter->goes_on == LLVMIntNE ||
           (counter->goes_on != LLVMIntEQ && goes_up(counter->goes_on) == (counter->step > 0));
}

/* ---------------------------------------------------------------- Code */

static LLVMValueRef number_of(const struct measuring *to, LLVMValueRef value, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
        value = LLVMBuildPtrToInt(to->builder, value, to->word, "");
    if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) > LLVMGetIntTypeWidth(type))
        value = LLVMBuildTrunc(to->builder, value, type, "");
    return value;
}

LLVMValueRef loops_build_form(const struct measuring *to, const struct loops_form *form,
                              LLVMTypeRef type)
{
    LLVMBuilderRef b = to->builder;
    LLVMValueRef all = NULL;
    for (unsigned i = 0; i < form->n; i++) {
        LLVMValueRef one = number_of(to, form->terms[i].value, type);
        int64_t times = form->terms[i].times;
        if (times != 1)
            one = LLVMBuildMul(b, one, LLVMConstInt(type, (uint64_t)times, true), "");
        all = all ? LLVMBuildAdd(b, all, one, "") : one;
    }
    LLVMValueRef constant = LLVMConstInt(type, (uint64_t)form->constant, true);
    if (!all)
        return constant;
    return form->constant ? LLVMBuildAdd(b, all, constant, "") : all;
}

static LLVMValueRef both(const struct measuring *to, LLVMValueRef a, LLVMValueRef b)
{
    return a && b ? LLVMBuildAnd(to->builder, a, b, "") : a ? a : b;
}

/* Builds a check that the tested value cannot overflow its type. The first value that fails the
 * loop's test is at most one step beyond the bound. */
static LLVMValueRef build_ends(const struct measuring *to, const struct loops_counter *counter,
                               LLVMValueRef bound, uint64_t step)
{
    unsigned bits = LLVMGetIntTypeWidth(counter->type);
    uint64_t way = is_strict(counter->goes_on) ? step - 1 : step;
    uint64_t all = ~(uint64_t)0 >> (64 - bits), half = (uint64_t)1 << (bits - 1);
    bool has_sign = is_signed(counter->goes_on), up = counter->step > 0;
    uint64_t last = up ? (has_sign ? half - 1 : all) : (has_sign ? half : 0);
    uint64_t limit = (up ? last - way : last + way) & all;
    if (!way)
        return NULL;
    if (has_sign ? way >= half : way > all)
        return LLVMConstInt(LLVMInt1TypeInContext(to->context), 0, false);
    return LLVMBuildICmp(to->builder,
                         up ? (has_sign ? LLVMIntSLE : LLVMIntULE)
                            : (has_sign ? LLVMIntSGE : LLVMIntUGE),
                         bound, LLVMConstInt(counter->type, limit, false), "");
}

LLVMValueRef loops_build_last(const struct measuring *to, const struct loops_counter *counter,
                              LLVMValueRef *is_right)
{
    LLVMBuilderRef b = to->builder;
    bool up = counter->step > 0;
    uint64_t step = (uint64_t)(up ? counter->step : -counter->step);
    struct loops_form way = up ? counter->bound : counter->start;
    add(&way, up ? &counter->start : &counter->bound, -1);
    if (way.is_unknown) {
        *is_right = LLVMConstInt(LLVMInt1TypeInContext(to->context), 0, false);
        return checks_number(to, 0);
    }
    LLVMValueRef bytes = loops_build_form(to, &way, counter->type);
    bytes = LLVMBuildZExtOrBitCast(b, bytes, to->word, "");
    LLVMValueRef steps = checks_number(to, step), none = checks_number(to, 0),
                 one = checks_number(to, 1);
    *is_right = NULL;
    if (counter->goes_on == LLVMIntNE) {
        if (step > 1)
            *is_right = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildURem(b, bytes, steps, ""), none, "");
        return LLVMBuildUDiv(b, bytes, steps, "");
    }
    LLVMValueRef start = loops_build_form(to, &counter->start, counter->type);
    LLVMValueRef bound = loops_build_form(to, &counter->bound, counter->type);
    *is_right = both(to, LLVMBuildICmp(b, counter->goes_on, start, bound, ""),
                     build_ends(to, counter, bound, step));
    if (is_strict(counter->goes_on))
        bytes = LLVMBuildSub(b, bytes, one, "");
    return LLVMBuildAdd(b, LLVMBuildUDiv(b, bytes, steps, ""), one, "");
}
