#!/bin/sh
# Loops with others in them whose accesses are told in front: each input size is that of the loops as they
# are written.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

need_compilers

# The sizes are worked out by hand for cells of 4 bytes; every routine is called once by each of two threads, the
# second of which reads what the first one has written.
cat >nests.c <<'END'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __clang__
#define ROUTINE __attribute__((noinline))
#define AS_IT_IS _Pragma("clang loop vectorize(disable) interleave(disable) unroll(disable)")
#else
#define ROUTINE __attribute__((noipa, optimize("no-tree-vectorize", "no-tree-loop-distribute-patterns")))
#define AS_IT_IS
#endif
typedef int __attribute__((aligned(1), may_alias)) loose;

enum { EDGE = 24 };
double x[EDGE * EDGE], y[EDGE * EDGE], z[EDGE * EDGE];
int a[1200], b[1200], weights[5];
static volatile long result, size = 100;

/* 100 elements. */
ROUTINE void filled(int *p, long n)
{
    for (long i = 0; i < n; i++)
        p[i] = (int)i * 7 + 1;
}

/* Three blocks of 1152 cells, or two of them, or one. */
#define UPDATED(name)                                                                              \
    ROUTINE void name(double *to, const double *p, const double *q)                                \
    {                                                                                              \
        for (int i = 0; i < EDGE; i++)                                                             \
            for (int k = 0; k < EDGE; k++)                                                         \
                for (int j = 0; j < EDGE; j++)                                                     \
                    to[i * EDGE + j] -= p[i * EDGE + k] * q[k * EDGE + j];                         \
    }
UPDATED(updated)
UPDATED(updated_left)
UPDATED(updated_right)
UPDATED(squared)

/* 276 elements below the diagonal, and all of the other block. */
ROUTINE void solved(const double *p, double *q)
{
    for (int k = 0; k < EDGE; k++)
        for (int i = k + 1; i < EDGE; i++)
            for (int j = 0; j < EDGE; j++)
                q[i * EDGE + j] -= p[i * EDGE + k] * q[k * EDGE + j];
}

/* 104 elements and the weights. */
ROUTINE void weighed(int *to, const int *p, const int *w, long n)
{
    for (long i = 0; i < n; i++) {
        int sum = 0;
        AS_IT_IS
        for (int k = 0; k < 5; k++)
            sum += p[i + k] * w[k];
        to[i] = sum;
    }
}

/* Each of the 104 is read before it is written. */
ROUTINE void weighed_in_place(int *p, long n)
{
    for (long i = 0; i < n; i++) {
        AS_IT_IS
        for (int k = 1; k < 5; k++)
            p[i] += p[i + k];
    }
}

/* Only the first four are. */
ROUTINE void fed_back(int *p, long n)
{
    for (long i = 0; i < n; i++) {
        int sum = 0;
        AS_IT_IS
        for (int k = 0; k < 4; k++)
            sum += p[i + k];
        p[i + 4] = sum & 255;
    }
}

/* From one end to the other: only the last four are. */
ROUTINE void fed_down(int *p, long n)
{
    for (long i = n - 1; i >= 0; i--) {
        int sum = 0;
        AS_IT_IS
        for (int k = 1; k < 5; k++)
            sum += p[i + k];
        p[i] = sum & 255;
    }
}

/* 400 elements; or two, if what is written lies two further up: the others are written before. */
#define IN_FOURS(name)                                                                             \
    ROUTINE long name(int *to, const int *p, long n)                                               \
    {                                                                                              \
        long sum = 0;                                                                              \
        for (long i = 0; i < n; i++) {                                                             \
            AS_IT_IS                                                                               \
            for (int k = 0; k < 4; k++)                                                            \
                to[4 * i + k] = p[4 * i + k] + 1;                                                  \
            AS_IT_IS                                                                               \
            for (int k = 3; k >= 0; k--)                                                           \
                sum += to[4 * i + k] * k;                                                          \
        }                                                                                          \
        return sum;                                                                                \
    }
IN_FOURS(in_fours)
IN_FOURS(in_fours_up)
IN_FOURS(in_fours_down)

/* 100 that decide, and 400 either way. */
ROUTINE long either(const int *p, const int *q, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++) {
        if (p[i] & 1)
            AS_IT_IS for (int k = 0; k < 4; k++) sum = sum * 3 + q[4 * i + k];
        else
            AS_IT_IS for (int k = 3; k >= 0; k--) sum = sum * 5 - q[4 * i + k];
    }
    return sum;
}

/* 100 that decide, and 50. */
ROUTINE long only(const int *p, const int *q, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        if (p[i] & 1)
            sum = sum * 3 + q[i];
    return sum;
}

/* The others are written, and not read. */
ROUTINE void replaced(const int *p, int *q, long n)
{
    for (long i = 0; i < n; i++) {
        if (p[i] & 1)
            q[i] = 1;
        else
            AS_IT_IS for (int k = 0; k < 2; k++) q[i] = q[i] * 3 + k;
    }
}

/* 40 fours; or 2 * 39 + 4 elements. */
#define COLUMNS(name)                                                                              \
    ROUTINE void name(int *p, long n, long width)                                                  \
    {                                                                                              \
        for (long i = 0; i < n; i++) {                                                             \
            AS_IT_IS                                                                               \
            for (int k = 0; k < 4; k++)                                                            \
                p[i * width + k] += k + 1;                                                             \
        }                                                                                          \
    }
COLUMNS(columns)
COLUMNS(columns_down)
COLUMNS(columns_shared)
COLUMNS(columns_alike)

/* 40 pieces of 5 cells at odd addresses, the first of which has been written. */
ROUTINE long loose_pairs(loose *p, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++) {
        AS_IT_IS
        for (int k = 0; k < 4; k++)
            p[8 * i + k] = (int)i;
        AS_IT_IS
        for (int k = 4; k < 8; k++)
            sum += p[8 * i + k];
    }
    return sum;
}

/* The same of whole elements, so many that no vector holds all. */
ROUTINE long pairs(int *p, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++) {
        AS_IT_IS
        for (int k = 0; k < 4; k++)
            p[8 * i + k] = (int)i;
        AS_IT_IS
        for (int k = 4; k < 8; k++)
            sum += p[8 * i + k];
    }
    return sum;
}

/* Four levels: 8 * 3 * 2 * 4 elements. */
ROUTINE long deep(const int *p, long n)
{
    long sum = 0;
    for (long h = 0; h < n; h++)
        AS_IT_IS for (int i = 0; i < 3; i++)
            AS_IT_IS for (int j = 2; j-- > 0;)
                AS_IT_IS for (int k = 0; k < 4; k++) sum = sum * 3 + p[h * 24 + i * 8 + j * 4 + k];
    return sum;
}

/* Eight of each ten are untouched but for these: 40 fours, and the one that is two further on. */
ROUTINE long behind(int *p, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++) {
        int *at = p + 10 * i, k = 0;
        AS_IT_IS
        do
            sum = sum * 3 + *at++;
        while (++k != 4);
        sum += at[2];
        at[3] = (int)sum & 15;
    }
    return sum;
}

/* The inner loop has more rounds in each of the outer one: 1 + ... + 20 elements. */
ROUTINE long triangle(const int *p, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        AS_IT_IS for (long k = 0; k <= i; k++) sum = sum * 3 + p[i * n + k];
    return sum;
}

static void *all(void *unused)
{
    long n = size, m = size - 60;
    filled(a, n);
    filled(b, n * 12);
    updated(x, y, z);
    updated_left(x, x, y);
    updated_right(x, y, x);
    squared(x, x, x);
    solved(x, y);
    weighed(a + 500, a, weights, n);
    weighed_in_place(a, n);
    fed_back(a, n);
    fed_down(a, n);
    result += in_fours(a + 600, b, n) + in_fours_up(a + 2, a, n) + in_fours_down(a, a + 2, n);
    filled(a, n);
    result += either(a, b, n) + only(a, b, n);
    replaced(a, b, n);
    columns(b, m, 15);
    columns_down(b + 1000, m, -15);
    columns_shared(b, m, 2);
    columns_alike(b, m, 0);
    result += loose_pairs((loose *)((char *)b + 2), m) + pairs(b, m);
    result += deep(b, m / 5) + triangle(b, m / 2) + behind(b, m);
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < EDGE * EDGE; i++)
        x[i] = y[i] = z[i] = (i % 7 - 3) * 0.01;
    all(NULL);
    pthread_create(&thread, NULL, all, NULL);
    pthread_join(thread, NULL);
    for (int i = 0; i < EDGE * EDGE; i++)
        result += (long)(x[i] * 1000 + y[i] * 100);
    for (int i = 0; i < 1200; i++)
        result = result * 3 + a[i] + b[i];
    printf("%ld\n", result);
    return 0;
}
END

cat >expected <<'END'
updated 3456
updated_left 2304
updated_right 2304
squared 1152
solved 1704
weighed 109
weighed_in_place 104
fed_back 4
fed_down 4
in_fours 400
in_fours_up 2
in_fours_down 400
either 500
only 150
replaced 150
columns 160
columns_down 160
columns_shared 82
columns_alike 4
loose_pairs 160
pairs 160
deep 192
triangle 210
behind 200
END
echo 'routine=filled trms=0x6' >expectations
awk '{ print "routine=" $1, "trms=" $2 "x2" }' expected >>expectations

# The loops are the same in all three, and have no vectors: what is told in front of them costs what it does.
costs_alike()
{
    awk -F '\t' -v names="^$2" '$1 == "routine" { name[$2] = $6 } $1 == "profile" && name[$2] ~ names { print $5 }' "$1" >costs
    test "$(wc -l <costs) $(sort -u costs | wc -l)" = "$3 1" || {
        fail 'costs of the same loop'
        show costs
    }
}

# Of the copy's accesses none is looked at: it has no branches but those of its loops.
is_told()
{
    objdump -d nests | awk -v name="<$1>:" '$2 == name { is_in = 1 } /^$/ { is_in = 0 }
        is_in && /call.*<aprof_trms_[a-z]*_rows/ { n++ } END { exit !n }' || fail "$1 is not told in front"
}

gcc -O0 -w -pthread -ffp-contract=off -o plain nests.c || exit 1
./plain >wanted

for compiler in $compilers; do
    for flags in -O1 -O2 -O3; do
        begin "$compiler $flags"
        build $compiler "$flags" nests nests.c
        APROF=out=report run 0 ./nests
        expect "$(cat wanted)"
        measured_as report expectations
        test "$flags" != -O1 || costs_alike report in_fours 3
        test "$compiler" != inline || for name in updated weighed weighed_in_place in_fours either columns deep; do
            is_told $name
        done
    done
done

# Addresses behind a loop are then those of its last round; else compilers have a sum of their own for them.
case " $compilers " in
*' inline '*)
    begin 'addresses go on behind a loop'
    build inline '-O1 -mllvm -replexitval=never' nests nests.c
    APROF=out=report run 0 ./nests
    expect "$(cat wanted)"
    measured_as report expectations
    is_told behind
    ;;
esac
finish
