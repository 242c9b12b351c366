/* The order of hoisted range checks: the order in which the loop first reaches each cell.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     a[i] = a[i - 1] + a[i + 1];      4 bytes further in each round
 *
 * In a loop without calls, only one property of a cell's accesses matters: whether the first access
 * is a read or a write. So if a read and a write reach the same cells, the access that reaches a
 * cell first is checked first. In the example, each cell is read as a[i + 1], written one iteration
 * later, and read as a[i - 1] one iteration after that. So the range of reads of a[i + 1] is
 * checked first, and then the range of writes. The reads of a[i - 1] come last, and only their
 * first cell has not been written before. With steps of two elements, reads and writes have no
 * common cell, and any order is right.
 *
 * In general, n bytes at offset o are read in iteration p, and N bytes at offset O are written in
 * iteration q. If -n < (p - q) * step + o - O < N, the two accesses have a common byte. The read
 * comes first if p <= q for every common byte. If the write precedes the read in the loop, p < q
 * must hold for every common byte. If all offsets, sizes and steps are multiples of the cell size,
 * two accesses have a common cell exactly if they have a common byte. Otherwise, the sizes n and N
 * are increased by the bytes that may lie in the same cell. If two accesses use the same bytes in
 * each iteration, their order is the same for every cell, whatever the step is.
 */
#include "compile/trms/trms_rows.h"

#include <stdlib.h>

#define CELL            4
#define BYTES_PER_CHECK 16
#define ROW_IN_CHECKS   20

/* ---------------------------------------------------------------- Groups */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool is_same_step(const struct loops_form *a, const struct loops_form *b)
{
    return loops_are_near(a, b) && a->constant == b->constant;
}

static unsigned group_of(struct rows_plan *plan, const struct loops_affine *where)
{
    unsigned i = 0;
    while (i < plan->n_groups && !(loops_are_near(&plan->groups[i].where.start, &where->start) &&
                                   is_same_step(&plan->groups[i].where.step, &where->step)))
        i++;
    if (i == plan->n_groups && i < ROWS_GROUPS) {
        plan->groups[i] = (struct rows_group){.where = *where, .low = INT64_MAX, .high = INT64_MIN};
        plan->n_groups++;
    }
    return i;
}

/* Finds the group with this start and increment, and the distance of the access from the group's
 * start. Returns false if the access is too far from the group's start, or if there are too many
 * groups. */
static bool find_group(struct rows_plan *plan, const struct loops_affine *where, unsigned *group,
                       int64_t *offset)
{
    const int64_t far = (int64_t)1 << 40;
    *group = group_of(plan, where);
    if (*group == ROWS_GROUPS)
        return false;
    const struct loops_form *start = &plan->groups[*group].where.start;
    *offset = (int64_t)((uint64_t)where->start.constant - (uint64_t)start->constant);
    return *offset <= far && *offset >= -far;
}

static void widen(struct rows_group *group, bool writes, int64_t low, int64_t high)
{
    group->reads |= !writes;
    group->writes |= writes;
    group->low = smaller(group->low, low);
    group->high = larger(group->high, high);
}

bool rows_add(struct rows_plan *plan, LLVMValueRef at, bool writes, uint64_t bytes,
              const struct loops_affine *where)
{
    unsigned i;
    int64_t offset;
    if (bytes > (uint64_t)1 << 40 || !find_group(plan, where, &i, &offset) ||
        plan->n_accesses == ROWS_ACCESSES)
        return false;
    plan->accesses[plan->n_accesses++] = (struct row_access){at, writes, offset, bytes, i, 0};
    widen(&plan->groups[i], writes, offset, offset + (int64_t)bytes);
    return true;
}

/* ---------------------------------------------------------------- Which comes first */

enum first { NEITHER, READ_FIRST, WRITE_FIRST, UNLIKE };

static int64_t divided_down(int64_t a, int64_t by)
{
    return a / by - (a % by < 0);
}

static enum first by_rounds(int64_t low, int64_t high, bool read_stands_first)
{
    if (low > high)
        return NEITHER;
    if (high < 0 || (high == 0 && read_stands_first))
        return READ_FIRST;
    if (low > 0 || (low == 0 && !read_stands_first))
        return WRITE_FIRST;
    return UNLIKE;
}

static enum first compare(const struct rows_group *group, const struct row_access *read,
                          const struct row_access *write, bool read_stands_first)
{
    int64_t step = group->where.step.constant, more = group->must_be_aligned ? 0 : CELL - 1;
    int64_t away = read->offset - write->offset;
    enum first standing = read_stands_first ? READ_FIRST : WRITE_FIRST;
    if (!away && read->bytes == write->bytes)
        return standing;
    if (!loops_is_constant(&group->where.step))
        return UNLIKE;
    if (!step)
        return standing; /* order of the accesses in the first iteration */
    int64_t above = -(int64_t)read->bytes - more - away,
            below = (int64_t)write->bytes + more - away;
    int64_t low = step > 0 ? above : -below, high = step > 0 ? below : -above;
    step = step > 0 ? step : -step;
    return by_rounds(divided_down(low, step) + 1, -divided_down(-high, step) - 1,
                     read_stands_first);
}

/* Determines whether all accesses begin and end at the boundaries of cells, provided that the first
 * access begins at such a boundary. */
static void find_alignment(struct rows_plan *plan)
{
    for (unsigned g = 0; g < plan->n_groups; g++) {
        struct rows_group *group = &plan->groups[g];
        bool is_whole = loops_is_constant(&group->where.step) && group->where.step.constant &&
                        group->where.step.constant % CELL == 0 && group->reads && group->writes;
        for (unsigned i = 0; i < plan->n_accesses; i++)
            if (plan->accesses[i].group == g)
                is_whole &=
                    plan->accesses[i].offset % CELL == 0 && plan->accesses[i].bytes % CELL == 0;
        group->must_be_aligned = is_whole;
    }
}

/* Raises the level of an access that must be checked after another access. */
static bool raise(struct row_access *access, unsigned above, bool *changed)
{
    if (access->level <= above) {
        access->level = above + 1;
        *changed = true;
    }
    return access->level <= ROWS_ACCESSES;
}

/* Orders a pair of accesses of one group; returns false if neither order is correct. */
static bool order_pair(struct rows_plan *plan, unsigned i, unsigned k, bool *changed)
{
    struct row_access *a = &plan->accesses[i], *b = &plan->accesses[k];
    struct row_access *read = a->writes ? b : a, *write = a->writes ? a : b;
    if (a->group != b->group || a->writes == b->writes)
        return true;
    switch (compare(&plan->groups[a->group], read, write, read == a)) {
    case READ_FIRST:
        return raise(write, read->level, changed);
    case WRITE_FIRST:
        return raise(read, write->level, changed);
    case NEITHER:
        return true;
    default:
        return false;
    }
}

/* Finds the levels of all accesses; returns false if the order is cyclic, because levels would then
 * grow without end. */
static bool find_levels(struct rows_plan *plan)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < plan->n_accesses; i++)
            for (unsigned k = i + 1; k < plan->n_accesses; k++)
                if (!order_pair(plan, i, k, &changed))
                    return false;
    }
    return true;
}

/* ---------------------------------------------------------------- Rows */

static int compare_rows(const void *left, const void *right)
{
    const struct rows_row *a = left, *b = right;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->writes != b->writes)
        return a->writes ? 1 : -1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Returns the distance between the accesses of two consecutive iterations; it is positive, even if
 * the addresses descend. */
static uint64_t way_of(const struct rows_plan *plan, const struct rows_row *row)
{
    int64_t step = plan->groups[row->group].where.step.constant;
    return (uint64_t)(step < 0 ? -step : step);
}

/* Merges this range with the next range if the two together have no gap. */
static bool join(const struct rows_plan *plan, struct rows_row *row, const struct rows_row *next)
{
    if (row->group != next->group || row->level != next->level || row->writes != next->writes)
        return false;
    bool is_constant = loops_is_constant(&plan->groups[row->group].where.step);
    uint64_t distance = (uint64_t)(next->offset - row->offset), way = way_of(plan, row);
    uint64_t end = distance + next->bytes > row->bytes ? distance + next->bytes : row->bytes;
    if (!row->more && distance <= row->bytes) {
        row->bytes = end;
        return true;
    }
    if (!is_constant || !way)
        return false;
    if (row->bytes >= way && next->bytes >= way && !row->more &&
        distance <= (ROWS_FEWEST_ROUNDS - 1) * way + row->bytes) {
        row->bytes = end;
        return true;
    }
    if (row->bytes != next->bytes || distance % way ||
        distance / way > ROWS_FEWEST_ROUNDS + row->more)
        return false;
    row->more = distance / way > row->more ? distance / way : row->more;
    return true;
}

static void find_rows(struct rows_plan *plan)
{
    for (unsigned i = 0; i < plan->n_accesses; i++) {
        const struct row_access *from = &plan->accesses[i];
        plan->rows[i] = (struct rows_row){.group = from->group,
                                          .level = from->level,
                                          .writes = from->writes,
                                          .offset = from->offset,
                                          .bytes = from->bytes};
    }
    qsort(plan->rows, plan->n_accesses, sizeof *plan->rows, compare_rows);
    plan->n_rows = 0;
    for (unsigned i = 0; i < plan->n_accesses; i++) {
        unsigned k = 0;
        while (k < plan->n_rows && !join(plan, &plan->rows[k], &plan->rows[i]))
            k++;
        if (k == plan->n_rows)
            plan->rows[plan->n_rows++] = plan->rows[i];
    }
}

/* Finds the least number of iterations for which range checks take no more time than separate
 * checks of the cells. */
static void find_fewest(struct rows_plan *plan)
{
    uint64_t checks = 0, rows = ROW_IN_CHECKS * (uint64_t)plan->n_rows;
    for (unsigned i = 0; i < plan->n_accesses; i++)
        checks += (plan->accesses[i].bytes + BYTES_PER_CHECK - 1) / BYTES_PER_CHECK;
    plan->fewest_rounds = (unsigned)((rows + checks - 1) / checks);
    if (plan->fewest_rounds < ROWS_FEWEST_ROUNDS)
        plan->fewest_rounds = ROWS_FEWEST_ROUNDS;
}

bool rows_order(struct rows_plan *plan)
{
    find_alignment(plan);
    if (!find_levels(plan))
        return false;
    find_rows(plan);
    find_fewest(plan);
    return true;
}
