/* Two static functions of one name in two files, and a third in a library: three routines.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `work` reads 10 cells in this file, 20 in same_name_2.c and 30 in the library. It is called 1, 2
 * and 3 times, respectively.
 */
#include "tests/regress/regress.h"

static int data[64] CELL_ALIGNED;

int second_work(const int *);
int library_work(const int *);

static ROUTINE int work(const int *from)
{
    int total = 0;
    for (int i = 0; i < 10; i++)
        total += from[i];
    return total;
}

int main(void)
{
    sink = work(data);
    for (int i = 0; i < 2; i++)
        sink = second_work(data);
    for (int i = 0; i < 3; i++)
        sink = library_work(data);
    return 0;
}
