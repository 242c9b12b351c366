/* Calls the routines of avx.S.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress.h"

static int from[256] CELL_ALIGNED;
static int to[256] CELL_ALIGNED;
static int area[1024] CELL_ALIGNED;
static int mask[8] CELL_ALIGNED = {-1, -1, 0, 0, -1, 0, 0, 0};
static int no_mask[8] CELL_ALIGNED;
static int indices[8] CELL_ALIGNED = {0, 3, 9, 17, 30, 50, 77, 100};

void load_32(int *, int *), add_32(int *, int *), mask_load(int *, int *, int *);
void mask_load_64(int *, int *, int *), mask_store(int *, int *, int *);
void mask_nothing(int *, int *, int *), gather(int *, int *, int *), xsave(int *), xrstor(int *);

int main(void)
{
    load_32(from, to);
    add_32(from, to);
    mask_load(from, to, mask);
    mask_load_64(from, to, mask);
    mask_store(from, to, mask);
    mask_nothing(from, to, no_mask);
    gather(from, to, indices);
    xsave(area);
    xrstor(area);
    return 0;
}
