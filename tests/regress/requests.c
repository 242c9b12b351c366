/* Client requests: only the requested part is measured. Argument: the phase.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * work(n) reads n cells. Calls while nothing is measured are not in the report.
 *
 * start_stop (with --instr-atstart=no): 11, START, 12, 13, STOP, 14, START, 15, STOP; measures 12,
 * 13 and 15. toggle: 21, TOGGLE, 22, TOGGLE, 23; measures 21 and 23. zero: 31, 32, ZERO, 33;
 * measures 33. `pending` reads 5 cells, requests ZERO, and reads the cells again and 2 more: 7, and
 * up to 8 of its own frame, which was written before. dump: 41, DUMP, 42, 43, DUMP, 44; three
 * reports. `across` is pending at a DUMP; the later report has all its input, 6.
 */
#include <string.h>
#include <aprof.h>
#include "tests/regress/regress.h"

static int data[64] CELL_ALIGNED;

ROUTINE int work(int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += ((volatile int *)data)[i];
    return total;
}

ROUTINE void start_stop(void)
{
    sink = work(11);
    APROF_START;
    sink = work(12);
    sink = work(13);
    APROF_STOP;
    sink = work(14);
    APROF_START;
    sink = work(15);
    APROF_STOP;
}

ROUTINE void toggle(void)
{
    sink = work(21);
    APROF_TOGGLE;
    sink = work(22);
    APROF_TOGGLE;
    sink = work(23);
}

ROUTINE int pending(volatile int *from)
{
    int total = 0;
    for (int i = 0; i < 5; i++)
        total += from[i];
    APROF_ZERO;
    for (int i = 0; i < 7; i++)
        total += from[i];
    return total;
}

ROUTINE void zero(void)
{
    sink = work(31);
    sink = work(32);
    sink = pending(data);
    sink = work(33);
}

ROUTINE int across(volatile int *from)
{
    int total = from[0] + from[1] + from[2];
    APROF_DUMP;
    return total + from[3] + from[4] + from[5];
}

ROUTINE void dump(void)
{
    sink = work(41);
    sink = across(data);
    sink = work(42);
    sink = work(43);
    APROF_DUMP;
    sink = work(44);
}

/* For --toggle-collect: only chosen and its callees are measured. */
ROUTINE int chosen(int n)
{
    return work(n) + 1;
}

ROUTINE int other_choice(int n)
{
    return work(n) + 2;
}

ROUTINE void collect(void)
{
    sink = work(51);
    sink = chosen(52);
    sink = work(53);
    sink = chosen(54);
    sink = other_choice(55);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    if (!strcmp(argv[1], "start_stop"))
        start_stop();
    if (!strcmp(argv[1], "toggle"))
        toggle();
    if (!strcmp(argv[1], "zero"))
        zero();
    if (!strcmp(argv[1], "dump"))
        dump();
    if (!strcmp(argv[1], "collect"))
        collect();
    return 0;
}
