/* Executes its arguments as a command; the program continues if the exec fails.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `work` (4 cells) is called 5 times before the exec, and 2 times more if the exec has failed.
 */
#include <unistd.h>
#include "tests/regress/regress.h"

static int data[64] CELL_ALIGNED;

ROUTINE int work(void)
{
    int total = 0;
    for (int i = 0; i < 4; i++)
        total += ((volatile int *)data)[i];
    return total;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < 5; i++)
        sink = work();
    if (argc > 1)
        execv(argv[1], argv + 1);
    for (int i = 0; i < 2; i++)
        sink = work();
    return 12;
}
