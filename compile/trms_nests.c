/* Loops of several blocks, with loops in them whose rounds are a fixed number: which cells a round reads and
 * writes is found by going through one, cell by cell, as the program will.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     for (k = 0; k < n; k++)          of c: cells 0 to 47 are read, then written, in each round the same ones
 *         if (c + 24 <= &b[24 * k])    of b: 48 cells, from 48 * k on, are read
 *             ...12 vectors of c -= a[k] * b...
 *         else
 *             for (j = 0; j < 24; j++)
 *                 c[j] -= a[k] * b[24 * k + j];
 *
 * An address is a sum: where it begins in the first round, what it grows by in each round of the whole loop,
 * and constants times the rounds of the loops in it. Those that begin alike, and grow alike, are a
 * group; each cell that one of these comes to in a round is in one of four states: untouched, read first, written
 * first, or read first and written then. Where ways meet, all cells must have come to the same states on both: then it
 * makes no difference which way the program takes, and a round is what this one is.
 *
 * Cells that one round leaves to the next one are those of its own first access there, if all rounds
 * come to the same cells, or none comes to another's; otherwise, all cells of a group must be read
 * first, or all of them written. So first all cells that are read first are told, then all that are written. That
 * cells are those of one group is asked when the loop is about to run (trms_rows.c).
 */
#include "compile/trms_rows.h"

#include "lib/memory.h"

#include <string.h>

#define CELL          4
#define LOOKED_AT     16
#define ROW_IN_LOOKS  20
#define MOST_INNER    8
#define MOST_ACCESSES 512
#define MOST_ROUNDS   1024
#define MOST_CELLS    ((int64_t)1 << 14)
#define MOST_WORK     ((uint64_t)1 << 23)
#define MOST_DEPTH    12

/* States of cells. */
enum { READ_FIRST = 1, WRITTEN = 2 };

struct inner {
    struct loops_shape shape;
    uint32_t blocks; /* a bit for each, in the order of the whole loop's */
    uint64_t rounds, round;
};

struct placed {
    LLVMValueRef at;
    bool writes;
    unsigned group;
    int64_t bytes, offset;     /* in the first round of all */
    int64_t grows[MOST_INNER]; /* from round to round of these */
};

struct nest {
    const struct measuring *to;
    const struct loops_shape *shape;
    struct rows_plan *plan;
    struct inner inner[MOST_INNER];
    unsigned n_inner, n_placed;
    struct placed placed[MOST_ACCESSES];
    unsigned first_of[LOOPS_BLOCKS + 1]; /* the first access of each block */
    size_t cells_before[ROWS_GROUPS + 1];
    uint8_t *states[LOOPS_BLOCKS]; /* where a block begins, and then where it ends */
    uint32_t reached, done;        /* in the present round */
    uint64_t work, looks;
};

/* ---------------------------------------------------------------- Loops inside */

static unsigned number_of(const struct nest *nest, LLVMBasicBlockRef block)
{
    unsigned i = 0;
    while (nest->shape->blocks[i] != block)
        i++;
    return i;
}

/* The number of rounds, if it is the same whenever the loop runs; 0: it is not. */
static uint64_t count_rounds(const struct measuring *to, const struct loops_shape *shape)
{
    struct loops_counter counter;
    LLVMValueRef is_right;
    if (!loops_find_counter(to, shape, &counter) || !loops_is_constant(&counter.start) ||
        !loops_is_constant(&counter.bound))
        return 0;
    LLVMValueRef last = loops_build_last(to, &counter, &is_right);
    if (!LLVMIsAConstantInt(last) || LLVMConstIntGetZExtValue(last) >= MOST_ROUNDS ||
        (is_right && !(LLVMIsAConstantInt(is_right) && LLVMConstIntGetZExtValue(is_right))))
        return 0;
    return LLVMConstIntGetZExtValue(last) + 1;
}

/* One that begins with this block of the whole loop; what is no such loop, and goes round, will not be gone through. */
static bool find_inner(struct nest *nest, LLVMBasicBlockRef block)
{
    struct inner *inner = &nest->inner[nest->n_inner];
    if (!loops_find_shape(block, &inner->shape))
        return true;
    if (nest->n_inner + 1 == MOST_INNER || !(inner->rounds = count_rounds(nest->to, &inner->shape)))
        return false;
    inner->blocks = 0;
    for (unsigned i = 0; i < inner->shape.n_blocks; i++)
        if (!loops_is_inside(nest->shape, inner->shape.blocks[i]))
            return false;
    for (unsigned i = 0; i < inner->shape.n_blocks; i++)
        inner->blocks |= (uint32_t)1 << number_of(nest, inner->shape.blocks[i]);
    nest->n_inner++;
    return true;
}

static bool find_all_inner(struct nest *nest)
{
    for (unsigned i = 1; i < nest->shape->n_blocks; i++)
        if (!find_inner(nest, nest->shape->blocks[i]))
            return false;
    return true;
}

/* ---------------------------------------------------------------- Addresses */

static struct inner *inner_of_phi(struct nest *nest, LLVMValueRef value, unsigned *number)
{
    for (unsigned i = 0; LLVMIsAPHINode(value) && i < nest->n_inner; i++)
        if (LLVMGetInstructionParent(value) == nest->inner[i].shape.block) {
            *number = i;
            return &nest->inner[i];
        }
    return NULL;
}

static bool is_inside(const struct nest *nest, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) &&
           loops_is_inside(nest->shape, LLVMGetInstructionParent(value));
}

static int64_t product(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Adds a sum, so many times. */
static bool place(struct nest *nest, struct placed *placed, struct loops_affine *where,
                  const struct loops_form *form, int64_t times, unsigned depth)
{
    struct loops_form constant = {.constant = form->constant};
    loops_add(&where->start, &constant, times);
    if (form->is_unknown || depth == MOST_DEPTH)
        return false;
    for (unsigned i = 0; i < form->n; i++) {
        LLVMValueRef value = form->terms[i].value;
        int64_t of_value = product(form->terms[i].times, times);
        struct loops_affine grows = {{.n = 1, .terms = {{value, 1}}}, {.n = 0}};
        unsigned number;
        const struct inner *inner = inner_of_phi(nest, value, &number);
        if (is_inside(nest, value) &&
            !loops_find_affine(nest->to, inner ? &inner->shape : nest->shape, value, &grows))
            return false;
        if (inner) {
            placed->grows[number] =
                sum(placed->grows[number], product(grows.step.constant, of_value));
            if (!loops_is_constant(&grows.step) ||
                !place(nest, placed, where, &grows.start, of_value, depth + 1))
                return false;
            continue;
        }
        loops_add(&where->start, &grows.start, of_value);
        loops_add(&where->step, &grows.step, of_value);
    }
    return !where->start.is_unknown && !where->step.is_unknown;
}

/* Where it may come to in a round, from where its group begins; false: too far. */
static bool find_reach(const struct nest *nest, const struct placed *placed, int64_t *low,
                       int64_t *high)
{
    const int64_t far = MOST_CELLS * CELL;
    *low = placed->offset;
    *high = placed->offset + placed->bytes;
    for (unsigned i = 0; i < nest->n_inner; i++) {
        int64_t by = placed->grows[i];
        if (by % CELL || by > far || by < -far)
            return false;
        by *= (int64_t)nest->inner[i].rounds - 1;
        *(by < 0 ? low : high) += by;
    }
    return placed->offset % CELL == 0 && placed->bytes % CELL == 0;
}

static bool survey_access(struct nest *nest, LLVMValueRef at)
{
    const struct measuring *to = nest->to;
    bool writes = LLVMIsAStoreInst(at) != NULL;
    LLVMValueRef pointer = LLVMGetOperand(at, writes);
    LLVMTypeRef type = LLVMTypeOf(writes ? LLVMGetOperand(at, 0) : at);
    uint64_t bytes = LLVMStoreSizeOfType(to->layout, type);
    if (!rows_is_plain(at))
        return false;
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) || !bytes || looks_is_marked(to, at))
        return true;
    if (nest->n_placed == MOST_ACCESSES || bytes > (uint64_t)(MOST_CELLS * CELL))
        return false;
    struct placed *placed = &nest->placed[nest->n_placed++];
    struct loops_affine where = {{.n = 0}, {.n = 0}};
    struct loops_form form = loops_take_apart(to, pointer);
    *placed = (struct placed){.at = at, .writes = writes, .bytes = (int64_t)bytes};
    int64_t low, high;
    if (!place(nest, placed, &where, &form, 1, 0) ||
        !rows_find_group(nest->plan, &where, &placed->group, &placed->offset) ||
        !find_reach(nest, placed, &low, &high))
        return false;
    rows_widen(&nest->plan->groups[placed->group], writes, low, high);
    return true;
}

static bool survey(struct nest *nest)
{
    for (unsigned i = 0; i < nest->shape->n_blocks; i++) {
        LLVMValueRef at = LLVMGetFirstInstruction(nest->shape->blocks[i]);
        nest->first_of[i] = nest->n_placed;
        for (; at; at = LLVMGetNextInstruction(at)) {
            bool is_access = LLVMIsALoadInst(at) || LLVMIsAStoreInst(at);
            if (is_access ? !survey_access(nest, at) : !rows_is_harmless(at))
                return false;
        }
    }
    nest->first_of[nest->shape->n_blocks] = nest->n_placed;
    return nest->n_placed > 0;
}

/* ---------------------------------------------------------------- One round */

static size_t cells_of_all(const struct nest *nest)
{
    return nest->cells_before[nest->plan->n_groups];
}

static bool make_states(struct nest *nest)
{
    for (unsigned g = 0; g < nest->plan->n_groups; g++) {
        const struct rows_group *group = &nest->plan->groups[g];
        int64_t cells = (group->high - group->low) / CELL;
        if (cells > MOST_CELLS)
            return false;
        nest->cells_before[g + 1] = nest->cells_before[g] + (size_t)cells;
    }
    for (unsigned i = 0; i < nest->shape->n_blocks; i++)
        nest->states[i] = memory_get_zeroed(cells_of_all(nest), 1);
    return true;
}

static void go_through_access(struct nest *nest, uint8_t *states, const struct placed *placed)
{
    int64_t from = placed->offset - nest->plan->groups[placed->group].low;
    for (unsigned i = 0; i < nest->n_inner; i++)
        from += placed->grows[i] * (int64_t)nest->inner[i].round;
    uint8_t *state = states + nest->cells_before[placed->group] + from / CELL;
    for (int64_t i = 0; i < placed->bytes / CELL; i++)
        state[i] |= placed->writes ? WRITTEN : state[i] ? 0 : READ_FIRST;
    nest->looks += (uint64_t)(placed->bytes + LOOKED_AT - 1) / LOOKED_AT;
}

/* A way leads to this block, on which cells have come to these states; false: another has led to others. */
static bool reach(struct nest *nest, LLVMBasicBlockRef block, const uint8_t *states)
{
    unsigned i = number_of(nest, block);
    uint32_t bit = (uint32_t)1 << i;
    nest->work += cells_of_all(nest);
    if (nest->reached & bit)
        return memcmp(nest->states[i], states, cells_of_all(nest)) == 0;
    nest->reached |= bit;
    if (nest->states[i] != states)
        memcpy(nest->states[i], states, cells_of_all(nest));
    return nest->work < MOST_WORK;
}

/* All that leads to it in this loop has been gone through. */
static bool is_ready(const struct nest *nest, unsigned i, uint32_t inside_inner)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(nest->shape->blocks[i]));
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMBasicBlockRef from = LLVMGetInstructionParent(LLVMGetUser(use));
        uint32_t bit = (uint32_t)1 << number_of(nest, from);
        if (!(nest->done & bit) && !(inside_inner & bit))
            return false;
    }
    return nest->reached >> i & 1;
}

static struct inner *inner_at(struct nest *nest, unsigned i)
{
    for (unsigned k = 0; k < nest->n_inner; k++)
        if (nest->inner[k].shape.block == nest->shape->blocks[i])
            return &nest->inner[k];
    return NULL;
}

static bool go_round(struct nest *nest, const struct loops_shape *shape, uint32_t inside,
                     uint8_t *states);

/* Addresses behind it may be what they were in its last round. */
static bool go_through_inner(struct nest *nest, struct inner *inner, uint8_t *states)
{
    for (uint64_t round = 0; round < inner->rounds; round++) {
        inner->round = round;
        if (!go_round(nest, &inner->shape, inner->blocks, states))
            return false;
    }
    return true;
}

/* A block, or a loop that begins with it. */
static bool go_through(struct nest *nest, const struct loops_shape *shape, unsigned i,
                       struct inner *inner)
{
    uint8_t *states = nest->states[i];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(nest->shape->blocks[i]);
    if (inner) {
        bool has_gone = go_through_inner(nest, inner, states);
        nest->done |= inner->blocks;
        return has_gone && reach(nest, inner->shape.behind, states);
    }
    for (unsigned k = nest->first_of[i]; k < nest->first_of[i + 1]; k++)
        go_through_access(nest, states, &nest->placed[k]);
    nest->done |= (uint32_t)1 << i;
    for (unsigned s = 0; nest->shape->blocks[i] != shape->end && s < LLVMGetNumSuccessors(end); s++)
        if (!reach(nest, LLVMGetSuccessor(end, s), states))
            return false;
    return true;
}

/* A round of this loop changes the states; false: that depends on the way. */
static bool go_round(struct nest *nest, const struct loops_shape *shape, uint32_t inside,
                     uint8_t *states)
{
    nest->done &= ~inside;
    nest->reached &= ~inside;
    if (!reach(nest, shape->block, states) ||
        !go_through(nest, shape, number_of(nest, shape->block), NULL))
        return false;
    while (~nest->done & inside) {
        unsigned i = 0;
        for (; i < nest->shape->n_blocks; i++) {
            const struct inner *inner = inner_at(nest, i);
            if ((inside & ~nest->done) >> i & 1 && is_ready(nest, i, inner ? inner->blocks : 0))
                break;
        }
        if (i == nest->shape->n_blocks || !go_through(nest, shape, i, inner_at(nest, i)))
            return false;
    }
    const uint8_t *at_end = nest->states[number_of(nest, shape->end)];
    if (at_end != states)
        memcpy(states, at_end, cells_of_all(nest));
    return true;
}

/* ---------------------------------------------------------------- Rows */

/* Whether what is first in a round is first in all of them. */
static bool is_alike(const struct nest *nest, unsigned g, const uint8_t *states)
{
    const struct rows_group *group = &nest->plan->groups[g];
    const struct loops_form *step = &group->where.step;
    int64_t way = step->constant < 0 ? -step->constant : step->constant;
    uint8_t all = 0;
    if (loops_is_constant(step) && way % CELL)
        return false;
    if (loops_is_constant(step) && (!way || way >= group->high - group->low))
        return true;
    for (size_t i = nest->cells_before[g]; i < nest->cells_before[g + 1]; i++)
        if (states[i])
            all |= states[i] & READ_FIRST ? READ_FIRST : WRITTEN;
    return all != (READ_FIRST | WRITTEN);
}

/* Cells of a group that follow each other and are in this state, too. */
static bool add_rows(struct nest *nest, unsigned g, const uint8_t *states, uint8_t state)
{
    struct rows_plan *plan = nest->plan;
    size_t first = nest->cells_before[g], end = nest->cells_before[g + 1];
    for (size_t i = first; i < end; i++) {
        if (!(states[i] & state))
            continue;
        size_t from = i;
        while (i < end && states[i] & state)
            i++;
        if (plan->n_rows == ROWS_ACCESSES)
            return false;
        plan->rows[plan->n_rows++] =
            (struct rows_row){.group = g,
                              .writes = state == WRITTEN,
                              .offset = plan->groups[g].low + CELL * (int64_t)(from - first),
                              .bytes = CELL * (i - from)};
    }
    return true;
}

static bool find_rows(struct nest *nest, const uint8_t *states)
{
    struct rows_plan *plan = nest->plan;
    for (unsigned g = 0; g < plan->n_groups; g++) {
        plan->groups[g].must_be_aligned = true;
        if (!is_alike(nest, g, states) || !add_rows(nest, g, states, READ_FIRST))
            return false;
    }
    for (unsigned g = 0; g < plan->n_groups; g++)
        if (!add_rows(nest, g, states, WRITTEN))
            return false;
    plan->fewest_rounds = (unsigned)(ROW_IN_LOOKS * (uint64_t)plan->n_rows / nest->looks) + 1;
    if (plan->fewest_rounds < ROWS_FEWEST_ROUNDS)
        plan->fewest_rounds = ROWS_FEWEST_ROUNDS;
    return true;
}

static bool find_plan(struct nest *nest)
{
    const struct loops_shape *shape = nest->shape;
    uint32_t all = ~(uint32_t)0 >> (LOOPS_BLOCKS - shape->n_blocks);
    if (!find_all_inner(nest) || !survey(nest) || !make_states(nest))
        return false;
    uint8_t *states = nest->states[0];
    return go_round(nest, shape, all, states) && find_rows(nest, states);
}

bool rows_find_in_nest(const struct measuring *to, const struct loops_shape *shape,
                       struct rows_plan *plan, rows_values *told)
{
    struct nest *nest = memory_get_zeroed(1, sizeof *nest);
    nest->to = to;
    nest->shape = shape;
    nest->plan = plan;
    bool found = find_plan(nest);
    for (unsigned i = 0; found && i < nest->n_placed; i++)
        vector_push(told, nest->placed[i].at);
    for (unsigned i = 0; i < shape->n_blocks; i++)
        free(nest->states[i]);
    free(nest);
    return found;
}
