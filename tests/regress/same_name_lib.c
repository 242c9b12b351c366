/* The third `work` of same_name.c, in a shared library.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress.h"

static ROUTINE int work(const int *from)
{
    int total = 0;
    for (int i = 0; i < 30; i++)
        total += from[i];
    return total;
}

int library_work(const int *from)
{
    return work(from);
}
