/* A routine is one routine even if the compiler has moved its unlikely part elsewhere.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `split` reads 1 cell in its likely part, and 3 more if it jumps to `split.cold`. `split.cold`
 * calls `rare` (2 other cells) and returns to the hot part. The input is 1 in 30 calls, and 1 + 3 +
 * 2 = 6 in 3 calls. `rare` has 3 calls.
 */
#include "tests/regress/regress.h"

static int data[64] CELL_ALIGNED;

__attribute__((noipa, cold)) int rare(const int *from)
{
    return from[32] + from[33];
}

ROUTINE int split(const int *from, int unlikely)
{
    int total = 0;
    if (__builtin_expect(unlikely, 0)) {
        total = rare(from);
        total += from[8] + from[9] + from[10];
    }
    return total + from[0];
}

int main(void)
{
    for (int i = 0; i < 33; i++)
        sink = split(data, i % 11 == 5);
    return 0;
}
