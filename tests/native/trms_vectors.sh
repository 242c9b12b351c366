#!/bin/sh
# Tests that loops with wide loads keep their input.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each access is counted, however far the code is optimised.
. "${0%/*}/../lib.sh"

cat >vectors.c <<'END'
#define CELLS 1000

static struct {
    int a, b, c, d;
} records[CELLS];
static struct {
    unsigned a : 3, b : 29;
    unsigned c;
} bits[CELLS];
static int numbers[CELLS], wanted[CELLS];
static double reals[CELLS];
static volatile long result;

#ifdef WITH_PRAGMA
#define PRAGMA _Pragma("omp simd reduction(+ : sum)")
#else
#define PRAGMA
#endif
#define ROUTINE(name, expression)                                                                  \
    __attribute__((noinline)) void name(int n)                                                     \
    {                                                                                              \
        long sum = 0;                                                                              \
        PRAGMA for (int i = 0; i < n; i++)                                                         \
            sum += expression;                                                                     \
        result = sum;                                                                              \
    }
ROUTINE(field, records[i].b)                       /* 1 each */
ROUTINE(two_fields, records[i].a + records[i].c)   /* 2 each */
ROUTINE(bit_field, bits[i].b)                      /* 1 each */
ROUTINE(all, numbers[i])                           /* 1 each */
ROUTINE(if_wanted, wanted[i] ? numbers[i] : 0)     /* 1 each, and 1 of every fifth */
ROUTINE(backwards, numbers[CELLS - 1 - i])         /* 1 each */
ROUTINE(by_index, numbers[wanted[i]])              /* 1 each, and 2 in all */
ROUTINE(converted, (long)reals[i])                 /* 2 each */

__attribute__((noinline)) void fill(int n)
{
    for (int i = 0; i < n; i++) {
        records[i].a = records[i].b = records[i].c = records[i].d = i;
        bits[i].b = bits[i].c = i;
        numbers[i] = i;
        wanted[i] = i % 5 == 0;
        reals[i] = i;
    }
}

int main(void)
{
    fill(CELLS);
    field(CELLS);
    two_fields(CELLS);
    bit_field(CELLS);
    all(CELLS);
    if_wanted(CELLS);
    backwards(CELLS);
    by_index(CELLS);
    converted(CELLS);
    return 0;
}
END

need_compilers
for compiler in $compilers; do
    for flags in -O1 -O2 -O3 '-O3 -mavx2 -ffast-math' '-O2 -mavx2 -fopenmp-simd -DWITH_PRAGMA'; do
        case $flags in *avx2*) grep -qw avx2 /proc/cpuinfo || continue ;; esac
        begin "$compiler $flags"
        build $compiler "$flags" vectors vectors.c
        APROF=out=report run 0 ./vectors
        measured report 'routine=all trms=1000x1' 'routine=backwards trms=1000x1' \
            'routine=bit_field trms=1000x1' 'routine=by_index trms=1002x1' \
            'routine=converted trms=2000x1' 'routine=field trms=1000x1' \
            'routine=if_wanted trms=1200x1' 'routine=two_fields trms=2000x1'
    done
done
finish
