#!/bin/sh
# Loops that compilers like to turn into wide loads have the input that they have without: each
# access is seen, however far the code is optimised.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
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

sizes='all 1000
backwards 1000
bit_field 1000
by_index 1002
converted 2000
field 1000
if_wanted 1200
two_fields 2000'

found=no
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    found=yes
    for flags in -O1 -O2 -O3 '-O3 -mavx2 -ffast-math' '-O2 -mavx2 -fopenmp-simd -DWITH_PRAGMA'; do
        case $flags in *avx2*) grep -qw avx2 /proc/cpuinfo || continue ;; esac
        # shellcheck disable=SC2086
        APROF_CC_COMPILER=$compiler aprof-cc $flags -g -w -o vectors vectors.c ||
            fail "$compiler $flags: does not compile"
        APROF=out=report run 0 ./vectors
        same "$(aprof export --format=csv report |
            awk -F , '$8 == "trms" && $3 !~ /^(_sub_I.*|main|fill)$/ { print $3, $9 }' | sort)" "$sizes" \
            "$compiler $flags"
    done
done
test $found = yes || skip 'neither gcc nor clang'
finish
