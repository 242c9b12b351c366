/* A forked child reports only its own work, and so does its parent.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * before is called 10 times by the parent before fork, 2 times by the child, 3 times by the parent
 * afterwards: 13 in the parent's report and 2 in the child's. child_work (5 cells) 4 times, in the
 * child only. around is pending across the fork. In the parent it has 16 cells (8 + 8 after). In
 * the child it begins again without accesses: the 8 cells that it read before the fork are 8 first
 * accesses again. A few cells of its own frame may be first accesses, too (saved registers, spills
 * of -O0: up to 12), because they were written before. The child ends by _exit (argument 1) or by
 * returning from main (argument 2).
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/regress/regress.h"

static int data[64] CELL_ALIGNED;

INLINE int read_ints(volatile const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

ROUTINE int before(void)
{
    return read_ints(data, 3);
}

ROUTINE int child_work(void)
{
    return read_ints(data, 5);
}

ROUTINE int read_front(void)
{
    return read_ints(data, 8);
}

ROUTINE int read_back(void)
{
    return read_ints(data + 8, 8);
}

ROUTINE int around(void)
{
    int total = read_front();
    int child = RAW3(SYS_fork, 0, 0, 0);
    total += read_front();
    if (child == 0) {
        sink = total;
        return 0;
    }
    sink = total + read_back();
    return child;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < 10; i++)
        sink = before();
    int child = around();
    if (child == 0) {
        for (int i = 0; i < 4; i++)
            sink = child_work();
        for (int i = 0; i < 2; i++)
            sink = before();
        if (argc > 1 && argv[1][0] == '1')
            _exit(0);
        return 0;
    }
    int status;
    if (waitpid(child, &status, 0) != child)
        return 1;
    for (int i = 0; i < 3; i++)
        sink = before();
    return status;
}
