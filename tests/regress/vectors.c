/* Calls the routines of vectors.S.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress.h"

static int from[256] CELL_ALIGNED;
static int to[256] CELL_ALIGNED;

void load_16(int *, int *), load_16_across(int *, int *), store_load_16(int *, int *);
void load_parts(int *, int *), mask_store_bytes(int *, int *), fxsave(int *), fxsave_fxrstor(int *);

int main(void)
{
    load_16(from, to);
    load_16_across(from, to);
    store_load_16(from, to);
    load_parts(from, to);
    mask_store_bytes(from, to);
    fxsave(to);
    fxsave_fxrstor(to);
    return 0;
}
