/* The second `work` of same_name.c.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress.h"

static ROUTINE int work(const int *from)
{
    int total = 0;
    for (int i = 0; i < 20; i++)
        total += from[i];
    return total;
}

int second_work(const int *from)
{
    return work(from);
}
