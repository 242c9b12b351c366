// Regions of C++ end with their scope, however the scope is left.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// `guarded` is left by the end of its block, by return, and by an exception that leaves two
// regions. After each end, work(40) is in no region. Each `guarded` has 10 cells.
#include <aprof.h>
#include "tests/regress/regress.h"

static int data[64] CELL_ALIGNED;

ROUTINE int work(int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += static_cast<volatile int *>(data)[i];
    return total;
}

ROUTINE void run(int how)
{
    APROF_REGION("guarded");
    sink = work(10);
    if (how == 1)
        return;
    if (how == 2)
        throw how;
}

ROUTINE void pass(int how)
{
    {
        APROF_REGION("outside");
        run(how);
    }
    sink = work(40);
}

int main()
{
    for (int how = 0; how < 3; how++) {
        try {
            APROF_REGION("try");
            pass(how);
        } catch (int) {
            sink = work(41);
        }
    }
    return 0;
}
