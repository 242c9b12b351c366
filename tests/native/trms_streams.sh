#!/bin/sh
# Tests which routine gets the input that arrives through a stream of the C library.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The caller of the library gets the data of the stream's buffer; the first reader gets data that the kernel
# wrote directly to the program's memory.
. "${0%/*}/../lib.sh"

cat >streams.c <<'END'
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROUTINE __attribute__((noinline)) static

static char memory[40960] __attribute__((aligned(64)));
static volatile long result;

ROUTINE void use(const char *from, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i += 4)
        sum += *(const int *)(from + i);
    result = sum;
}

ROUTINE void load_direct(FILE *from) /* all to the memory: nothing */
{
    result = (long)fread(memory, 1, sizeof memory, from);
}

ROUTINE void use_direct(void) /* 10240, all external */
{
    use(memory, sizeof memory);
}

ROUTINE void load_few(FILE *from) /* 25, all external */
{
    result = (long)fread(memory, 4, 25, from);
}

ROUTINE void use_few(void) /* the 25 are what main wrote; 999 as before */
{
    use(memory, 4096);
}

ROUTINE void load_rest(FILE *from) /* 999 from the buffer and 1, external; 4096 bytes direct */
{
    result = (long)fread(memory, 1, 3996 + 4096 + 4, from);
}

ROUTINE void use_rest(void) /* external: the 1024 in the middle */
{
    use(memory, 3996 + 4096 + 4);
}

ROUTINE void load_line(FILE *from) /* 10000 bytes, through the buffer of 4096: 2500, external */
{
    result = fgets(memory, sizeof memory, from) != NULL;
}

ROUTINE void use_line(void) /* 2500, which its caller's callee wrote */
{
    use(memory, 10000);
}

ROUTINE void load_piecewise(FILE *from) /* 3 times 1000 bytes: 750, external */
{
    result = (long)fread(memory, 1, 3000, from);
}

int main(void)
{
    FILE *from = fopen("/dev/zero", "r");
    load_direct(from);
    use_direct();
    fclose(from);
    from = fopen("/dev/zero", "r");
    load_few(from);
    use_few();
    load_rest(from);
    use_rest();
    fclose(from);
    from = fopen("line", "r");
    load_line(from);
    use_line();
    fclose(from);
    load_piecewise(stdin);
    return 0;
}
END
awk 'BEGIN { for (i = 0; i < 9999; i++) printf "x"; print "" }' >line

# saw ROUTINE TRMS EXTERNAL: of its only call.
saw()
{
    measured report "routine=$1 trms=$2x1 induced_external=$3"
}

need_compilers
for compiler in $compilers; do
    for level in -O0 -O2; do
        begin "$compiler $level"
        build $compiler $level streams streams.c
        { for i in 1 2 3; do head -c 1000 line; sleep 0.2; done; } |
            APROF=out=report ./streams || fail 'status'
        saw load_direct 0 0
        saw use_direct 10240 10240
        saw load_few 25 25
        saw use_few 1024 0
        saw load_rest 1000 1000
        saw use_rest 2024 1024
        saw load_line 2500 2500
        saw use_line 2500 0
        saw load_piecewise 750 750
    done
done
finish
