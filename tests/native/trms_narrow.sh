#!/bin/sh
# Tests numbers of 8 bytes of which 4 are used: the input is the bytes that the machine loads.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

need_compilers
case " $compilers " in *' inline '*) ;; *) skip 'no instrumenter' ;; esac

cat >narrow.c <<'END'
#include <stddef.h>
#include <stdio.h>
#define ROUTINE __attribute__((noinline))
struct node {
    size_t weight, other;
} nodes[100];
static volatile size_t result;

ROUTINE int compare(const struct node *a, const struct node *b)
{
    return (int)a->weight - (int)b->weight;
}

ROUTINE int odd(const struct node *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i].weight & 1 ? 1 : 3 * (i & 5);
    return sum;
}

/* The difference is cut off, and not the numbers. */
ROUTINE int order(const struct node *a, const struct node *b)
{
    return a->weight - b->weight;
}

/* All bits. */
ROUTINE size_t difference(const struct node *a, const struct node *b)
{
    return a->weight - b->weight;
}

/* The low half, and all of it. */
ROUTINE size_t both(const struct node *a)
{
    return a->weight * 3 + (unsigned)a->weight;
}

int main(void)
{
    for (size_t i = 0; i < 100; i++)
        nodes[i].weight = (i << 33) + i * 7;
    result = (size_t)compare(nodes, nodes + 1) + (size_t)odd(nodes, 100) + (size_t)order(nodes + 3, nodes + 4) + difference(nodes, nodes + 2) + both(nodes);
    printf("%zu\n", result);
    return 0;
}
END
clang -O2 -w -o plain narrow.c || exit 1

# For arm64, clang vectorises the loop of `odd`. A lane of a vector is loaded whole, which is two cells.
odd()
{
    if is_emulated && test "$1" != -O1; then
        echo 'routine=odd trms=200x1'
    else
        echo 'routine=odd trms=100x1'
    fi
}

for flags in -O1 -O2 -O3; do
    begin "what is not used is not counted: $flags"
    build inline $flags narrow narrow.c
    APROF=out=report run 0 ./narrow
    expect "$(./plain)"
    measured report 'routine=compare trms=2x1' 'routine=order trms=2x1' "$(odd $flags)" 'routine=difference trms=4x1' 'routine=both trms=2x1'
done

# The Valgrind tool measures which bytes the machine loads, in equal routines without the profiler.
test -x "$build/vg-in-place" || finish
command -v valgrind >/dev/null || finish

cat >loads.c <<'END'
#include <stddef.h>
#define ROUTINE __attribute__((noinline)) size_t
static size_t v[100];
static int count = 5, table[1024];
static volatile size_t result;
__attribute__((noinline)) static void call(size_t k)
{
    __asm__ volatile("" ::"r"(k));
}

ROUTINE r_cut(const size_t *a) { return (unsigned)*a; }
ROUTINE r_signed(const size_t *a) { return (size_t)(int)*a; }
ROUTINE r_char(const size_t *a) { return (unsigned char)(a[0] * a[2]); }
ROUTINE r_chain(const size_t *a) { return (unsigned)((a[0] * a[2] + a[4]) ^ a[2]); }
ROUTINE r_mask_byte(const size_t *a) { return *a & 0xff; }
ROUTINE r_mask_half(const size_t *a) { return *a & 0xffffffff; }
ROUTINE r_mask_bit(const size_t *a) { return *a & 1; }
ROUTINE r_mask_odd(const size_t *a) { return *a & 0x7ffffff0; }
ROUTINE r_mask_number(const size_t *a) { return *a & *(const unsigned *)(a + 2); }
ROUTINE r_mask_sum(const size_t *a) { return (a[0] + a[2]) & 0x7ff0; }
ROUTINE r_index(const size_t *a) { return (size_t)table[*a & 1023]; }
ROUTINE r_index_byte(const size_t *a) { return (size_t)table[*a & 255]; }
ROUTINE r_test(const size_t *a) { return *a & 4 ? 5 : 3; }
ROUTINE r_equal(const size_t *a) { return (*a & 0x7fffffff) == 0x1234 ? 5 : 3; }
ROUTINE r_equal_twice(const size_t *a)
{
    size_t w = *a & 0x7ff;
    return w == 3 ? 17 : w == 5 ? 7 : 8;
}
ROUTINE r_store(size_t *a) { return a[2] = *a & 0x3f; }
ROUTINE r_add(size_t *a) { return (unsigned)(*a)++; }
ROUTINE r_blocks(const size_t *a)
{
    size_t w = *a;
    if (count > 3) {
        call(1);
        return (unsigned)w;
    }
    return (size_t)count + (unsigned)w;
}
int main(void)
{
    for (size_t i = 0; i < 100; i++)
        v[i] = (i << 33) + i * 7;
    __asm__ volatile("" ::: "memory");
    result = r_cut(v) + r_signed(v) + r_char(v) + r_chain(v) + r_mask_byte(v) + r_mask_half(v) + r_mask_bit(v) + r_mask_odd(v);
    result = r_mask_number(v) + r_mask_sum(v) + r_index(v) + r_index_byte(v) + r_test(v) + r_equal(v) + r_equal_twice(v) + r_store(v);
    result = r_add(v) + r_blocks(v);
    return 0;
}
END

for flags in -O0 -O1 -O2 -O3; do
    begin "the Valgrind tool's answers: $flags"
    build inline $flags loads loads.c
    clang -g $flags -w -o plain loads.c || fail 'clang fails'
    rm -f report valgrind.out
    APROF=out=report run 0 ./loads
    run 0 "$build/vg-in-place" -q --tool=aprof --aprof-out-file=valgrind.out ./plain
    all_points report | grep '^r_' >compiled.points
    all_points valgrind.out | grep '^r_' >valgrind.points
    same "$(grep -c ' trms ' compiled.points)" 18 'routines'
    same_files compiled.points valgrind.points "the Valgrind tool's input sizes"
done
finish
