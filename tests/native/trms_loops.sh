#!/bin/sh
# Tests loops with hoisted range checks: each input size must be the input of the loop as written.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

need_compilers

# The sizes were derived by hand for cells of 4 bytes. Each of two threads calls every routine once, and the
# second thread reads cells that the first thread has written. Written ranges have no input, but are reported,
# too.
cat >rows.c <<'END'
#include <pthread.h>
#include <stdint.h>

#ifdef __clang__
#define ROUTINE __attribute__((noinline))
#define IN_TURN
#else
#define ROUTINE __attribute__((noipa))
#define IN_TURN __attribute__((optimize("no-tree-vectorize")))
#endif
typedef uint8_t byte;
typedef int __attribute__((aligned(1), may_alias)) loose;
typedef int64_t __attribute__((aligned(4), may_alias)) loose_long;

int a[200], b[2000], zeros[200];
double d[250];
byte c[800], e[800];
static volatile long result, size = 100;

/* 100 elements. */
ROUTINE void filled(int *p, long n)
{
    for (long i = 0; i < n; i++)
        p[i] = (int)i * 7 + 1;
}

ROUTINE long total(const int *p, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

ROUTINE void doubled(int *p, long n)
{
    for (long i = 0; i < n; i++)
        p[i] *= 2;
}

ROUTINE long backwards(const int *p, int n)
{
    long sum = 0;
    for (int i = n - 1; i >= 0; i--)
        sum = sum * 3 + p[i];
    return sum;
}

/* Of the elements of p only the first one is read before it is written. */
ROUTINE void chained(int *p, const int *q, long n)
{
    for (long i = 1; i < n; i++)
        p[i] = p[i - 1] + q[i];
}

/* Each but the first one is. */
ROUTINE void pulled(int *p, long n)
{
    for (long i = 0; i < n - 1; i++)
        p[i] = p[i + 1] + 1;
}

/* As the former, or the one before it, when `to` lies in the midst; else 99. */
#define MOVED(name)                                                                                \
    ROUTINE void name(int *to, const int *from, long n)                                            \
    {                                                                                              \
        for (long i = 0; i < n - 1; i++)                                                           \
            to[i] = from[i] ^ 1;                                                                   \
    }
MOVED(moved_apart)
MOVED(moved_up)
MOVED(moved_down)

/* 51 of one colour, two cells each; and 50 of the other, if they are read, too. */
ROUTINE void coloured(double *p, long n)
{
    for (long i = 1; i < n; i += 2)
        p[i] = 0.5 * (p[i - 1] + p[i + 1]);
}

ROUTINE void coloured_again(double *p, long n)
{
    for (long i = 1; i < n; i += 2)
        p[i] += p[i - 1] + p[i + 1];
}

/* 101 elements: of each three one has been read before. */
ROUTINE void smoothed(double *to, const double *p, long n)
{
    for (long i = 1; i < n; i++)
        to[i] = p[i - 1] + p[i] + p[i + 1];
}

/* 40 elements. */
#define COLUMN(name)                                                                               \
    ROUTINE long name(const int *p, long n, long width)                                            \
    {                                                                                              \
        long sum = 0;                                                                              \
        for (long i = 0; i < n; i++)                                                               \
            sum += p[i * width];                                                                   \
        return sum;                                                                                \
    }
COLUMN(column)
COLUMN(column_down)

ROUTINE long apart(const int *p, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += p[12 * i];
    return sum;
}

/* One element, 40 times. */
COLUMN(same)

/* 401 bytes from the 3rd one on lie in 101 cells. */
ROUTINE long letters(const byte *p, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

/* 400 bytes here and 400 there. */
ROUTINE void mixed(byte *p, const byte *q, long n)
{
    for (long i = 0; i < n; i++)
        p[i] = (byte)(p[i] * 3 + q[i]);
}

/* A cell's first access reads: it is to its second byte, or to its first one a round before. */
ROUTINE void bytes_pulled(byte *p, long n)
{
    for (long i = 0; i < n - 1; i++)
        p[i] = (byte)(p[i + 1] + 1);
}

/* It writes its first byte, but in the first cell. */
ROUTINE void bytes_chained(byte *p, long n)
{
    for (long i = 1; i < n; i++)
        p[i] = (byte)(p[i - 1] * 3);
}

/* 40 integers at odd addresses lie in 41 cells. Of those of p the first one is read, in two of them. */
ROUTINE long loose_total(const loose *p, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

ROUTINE void loose_chained(loose *p, const int *q, long n)
{
    for (long i = 1; i < n; i++)
        p[i] = p[i - 1] + q[i];
}

/* Of two neighbours one is written before the other is read: they share a cell where they are bytes, or
 * at odd addresses. There the one that is read shares another cell with the next pair, too. */
#ifdef __clang__
#define IN_ORDER _Pragma("clang loop vectorize(disable) interleave(disable)")
#else
#define IN_ORDER
#endif
ROUTINE IN_TURN long bytes_paired(byte *p, long n)
{
    long sum = 0;
    IN_ORDER
    for (long i = 0; i < n; i++) {
        p[2 * i] = (byte)i;
        sum += p[2 * i + 1];
    }
    return sum;
}

ROUTINE IN_TURN long loose_paired(loose *p, long n)
{
    long sum = 0;
    IN_ORDER
    for (long i = 0; i < n; i++) {
        p[2 * i] = (int)i;
        sum += p[2 * i + 1];
    }
    return sum;
}

/* Of two elements that are read the first one has just been written, and the other one never before: all but one are input. */
ROUTINE long spanned(int *p, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++) {
        p[i] = (int)i;
        sum += *(const loose_long *)(p + i);
    }
    return sum;
}

/* What is read, written by another name and written again is input, if all three are one. */
ROUTINE void replaced(int *p, int *q, long n)
{
    for (long i = 0; i < n; i++) {
        int was = p[i];
        q[i] = 5;
        p[i] = was + 1;
    }
}

/* 98 bytes from the 3rd one on lie in 26 cells, the last of which is written before. */
ROUTINE void adjacent(byte *to, const byte *from, long n)
{
    for (long i = 0; i < n; i++)
        to[i] = (byte)(from[i] + 1);
}

/* Five. */
ROUTINE long few(const int *p, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

/* 100 and the sum, which may be one of them. */
#define SUMMED(name)                                                                               \
    ROUTINE void name(int *sum, const int *p, long n)                                              \
    {                                                                                              \
        for (long i = 0; i < n; i++)                                                               \
            *sum += p[i] * (int)i;                                                                 \
    }
SUMMED(summed)
SUMMED(summed_within)

/* 100 and one that all of them lead to. */
ROUTINE long gathered(const int *p, const int *q, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += q[p[i]];
    return sum;
}

ROUTINE void scattered(const int *p, int *q, long n)
{
    for (long i = 0; i < n; i++)
        q[p[i]]++;
}

static void *all(void *unused)
{
    long n = size, m = size - 60;
    filled(a, n);
    filled(b, n * 20);
    result += total(a, n) + backwards(a, n);
    doubled(a, n);
    chained(a, b, n);
    pulled(a, n);
    moved_apart(a, b, n);
    moved_up(a + 1, a, n);
    moved_down(a, a + 1, n);
    coloured(d, n);
    coloured_again(d, n);
    smoothed(d + 100, d, n);
    result += column(b, m, 15) + column_down(b + 1000, m, -15) + apart(b, m) + same(b, m, 0);
    result += letters(c + 3, n * 4 + 1);
    mixed(c, e, n * 4);
    bytes_pulled(c, n * 4);
    bytes_chained(c, n * 4);
    result += loose_total((loose *)(c + 1), m);
    loose_chained((loose *)(c + 1), b, m);
    result += bytes_paired(c, n) + loose_paired((loose *)(c + 1), m);
    result += spanned(a, n);
    replaced(a, a, n);
    adjacent(c + 101, c + 3, n - 2);
    result += few(a, n / 20);
    summed(a + 150, a, n);
    summed_within(a + 50, a, n);
    result += gathered(zeros, a, n);
    scattered(zeros, a, n);
    return unused;
}

int main(void)
{
    pthread_t thread;
    all(NULL);
    pthread_create(&thread, NULL, all, NULL);
    pthread_join(thread, NULL);
    return 0;
}
END

cat >expected <<'END'
total 100
backwards 100
doubled 100
chained 100
pulled 99
moved_apart 99
moved_up 1
moved_down 99
coloured 102
coloured_again 202
smoothed 202
column 40
column_down 40
apart 40
same 1
letters 101
mixed 200
bytes_pulled 100
bytes_chained 1
loose_total 41
loose_chained 41
bytes_paired 0
loose_paired 40
spanned 100
replaced 100
adjacent 25
few 5
summed 101
summed_within 100
gathered 101
scattered 101
END
echo 'routine=filled trms=0x4' >expectations
awk '{ print "routine=" $1, "trms=" $2 "x2" }' expected >>expectations

# A wrong count: a signal ends the two loops before they use more memory than they have.
cat >mistake.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static sigjmp_buf start;
static volatile long size = (1L << 28) + 100, width = 50, result;

__attribute__((noinline)) long row(const int *p, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

__attribute__((noinline)) void column(int *p, long n, long step)
{
    for (long i = 0; i < n; i++)
        p[i * step] = (int)i;
}

static void ended(int number)
{
    siglongjmp(start, number);
}

int main(void)
{
    struct rusage usage;
    volatile int times = 0;
    int *p = malloc(4000);
    signal(SIGSEGV, ended);
    if (sigsetjmp(start, 1))
        times++;
    if (times == 0)
        result = row(p, size);
    if (times == 1)
        column(p, size / width, width);
    getrusage(RUSAGE_SELF, &usage);
    printf("%d %d\n", times, usage.ru_maxrss < 200000);
    return 0;
}
END

# The loop is equal in all three programs, and has no vectors: the hoisted check costs as much as the single
# checks.
costs_alike()
{
    awk -F '\t' '$1 == "routine" { name[$2] = $6 } $1 == "profile" && name[$2] ~ /^moved_/ { print $5 }' "$1" >costs
    test "$(wc -l <costs) $(sort -u costs | wc -l)" = '3 1' || {
        fail 'costs of the same loop'
        show costs
    }
}

for compiler in $compilers; do
    begin "$compiler: too many rounds"
    build $compiler -O2 mistake mistake.c
    APROF=out=mistaken run 0 ./mistake
    expect '2 1'
    for flags in -O1 -O2 '-O3 -mavx2 -ffast-math'; do
        case $flags in *avx2*) grep -qw avx2 /proc/cpuinfo || continue ;; esac
        begin "$compiler $flags"
        build $compiler "$flags" rows rows.c
        APROF=out=report run 0 ./rows
        measured_as report expectations
        test "$flags" != -O1 || costs_alike report
    done
done
finish
