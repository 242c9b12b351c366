/* A forked child reports only its own work, and so does its parent.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parent calls `before` 10 times before the fork and 3 times after it; the child calls it 2
 * times. So the parent's report has 13 calls, and the child's 2. Only the child calls `child_work`
 * (5 cells), 4 times. `around` is pending across the fork. In the parent it has 16 cells: 8 before
 * the fork and 8 after it. In the child it begins again without accesses, so the 8 cells that it
 * read before the fork are first accesses again. Up to 12 cells of its own frame may be first
 * accesses, too (saved registers, spills of -O0), because they were written before. The child ends
 * by _exit (argument 1) or by returning from main (argument 2).
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
