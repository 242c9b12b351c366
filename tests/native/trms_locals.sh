#!/bin/sh
# Tests that the compilers' analysis of variables changes no input size.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Local variables that are passed to other routines are not input of their own routine, even if no pointer is
# stored. Static variables that are never written are input of their readers.
. "${0%/*}/../lib.sh"

cat >locals.c <<'END'
#include <string.h>

#define ROUTINE __attribute__((noinline)) static

ROUTINE int sum(const int *from, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += from[i];
    return sum;
}

/* Reads what it has written: nothing comes in. */
ROUTINE int own_numbers(int n)
{
    int numbers[100];
    for (int i = 0; i < n; i++)
        numbers[i] = i * n;
    return sum(numbers, n);
}

ROUTINE int own_text(int n)
{
    char text[100];
    for (int i = 0; i < n; i++)
        text[i] = (char)('a' + n % 7);
    text[n] = 0;
    return (int)strlen(text);
}

/* Nobody writes it. */
static int table[400] = {1, 2, 3};
static char letters[400] = {'a', 'b'};

ROUTINE int look_up(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += table[i] + letters[4 * i];
    return sum;
}

int main(int argc, char **argv)
{
    int total = 0;
    (void)argv;
    for (int i = 0; i < 50; i++)
        total += own_numbers(i + argc) + own_text(i + argc) + look_up(i + argc);
    return total == 3;
}
END

need_compilers
for compiler in $compilers; do
    for level in -O0 -O1 -O2 -O3; do
        begin "$compiler $level"
        build $compiler $level locals locals.c
        APROF=out=report run 0 ./locals
        tables=$(seq -s x1, 2 2 100)x1
        # clang treats a table without writes as a constant; since release 19, it makes no hooks for
        # constants.
        test $compiler != clang || test $level = -O0 || test "$(clang -dumpversion | cut -d . -f 1)" -lt 19 || tables=0x50
        measured report 'routine=own_numbers trms=0x50' 'routine=own_text trms=0x50' \
            'routine=sum points=50' "routine=look_up trms=$tables"
    done
done
finish
