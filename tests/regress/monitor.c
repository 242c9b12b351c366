/* Waits for a file between its phases, so that a test can control the program.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Phase n calls work(60 + n), which reads 60 + n cells. It then writes its process number to the
 * file ready.n, and waits, running, for a file go.n. There are 5 phases.
 */
#include <stdio.h>
#include <unistd.h>
#include "tests/regress/regress.h"

enum { PHASES = 5 };

static int data[128] CELL_ALIGNED;

ROUTINE int work(int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += ((volatile int *)data)[i];
    return total;
}

static void wait_for_go(int phase)
{
    char name[32];
    snprintf(name, sizeof name, "ready.%d.new", phase);
    FILE *ready = fopen(name, "w");
    if (!ready)
        _exit(99);
    fprintf(ready, "%d\n", (int)getpid());
    fclose(ready);
    char final_name[32];
    snprintf(final_name, sizeof final_name, "ready.%d", phase);
    rename(name, final_name);
    snprintf(name, sizeof name, "go.%d", phase);
    while (access(name, F_OK) != 0)
        for (volatile int i = 0; i < 10000; i++)
            ;
}

int main(void)
{
    for (int phase = 1; phase <= PHASES; phase++) {
        sink = work(60 + phase);
        wait_for_go(phase);
    }
    return 0;
}
