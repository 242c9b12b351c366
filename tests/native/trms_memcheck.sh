#!/bin/sh
# Tests that a profiled program under Valgrind's memcheck has only its own errors.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need valgrind

cat >heap.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char *text = strdup("text");
    int sum = 0;
    (void)argv;
    for (size_t n = 1; n < 400000; n *= 3) {
        char *made = malloc(n), *zeroed = calloc(n, 1);
        memset(made, 1, n);
        sum += made[n - 1] + zeroed[n - 1];
        zeroed = realloc(zeroed, 2 * n);
        memset(zeroed, 2, 2 * n);
        free(made);
        free(zeroed);
    }
    free(text);
    printf("%d\n", sum);
    if (argc > 1)
        sum += text[argc];
    return sum > 1000;
}
END
aprof-cc -O1 -g -w -o heap heap.c
run 0 valgrind -q --error-exitcode=9 ./heap
same "$(cat err)" '' 'messages of memcheck'
run 9 valgrind -q --error-exitcode=9 ./heap its-own
grep -q 'Invalid read of size 1' err || fail "an error of the program's is not told: $(cat err)"
finish
