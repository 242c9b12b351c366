#!/bin/sh
# Accesses whose address is less aligned than their type promises touch the cells that they touch,
# also where shadow memory has a border (1 MiB).
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

cat >unaligned.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __clang__
#define ROUTINE __attribute__((noinline))
#else
#define ROUTINE __attribute__((noinline, noclone))
#endif
#define MIB ((size_t)1 << 20)

typedef double two_doubles __attribute__((vector_size(16), aligned(8)));

static char memory[4 * MIB] __attribute__((aligned(4 * MIB)));
static volatile uint64_t result;

/* Values from unlike addresses: aligned, as far as the compiler knows. */
#define READER(name, type)                                                                         \
    ROUTINE static void name(const char *from, int n, int stride)                                  \
    {                                                                                              \
        uint64_t sum = 0;                                                                          \
        for (int i = 0; i < n; i++)                                                                \
            sum += *(const type *)(from + i * stride);                                             \
        result = sum;                                                                              \
    }
READER(read_2, uint16_t)
READER(read_4, uint32_t)
READER(read_8, uint64_t)

#define WRITER(name, type)                                                                         \
    ROUTINE static void name(char *to, int n)                                                      \
    {                                                                                              \
        for (int i = 0; i < n; i++)                                                                \
            *(type *)(to + i * sizeof(type)) = (type)i;                                            \
    }
WRITER(write_4, uint32_t)
WRITER(write_8, uint64_t)

/* From 40 bytes before a border, which lies in the midst of the third pair; what is read behind it
 * has been read already. */
ROUTINE static void read_16(const char *from, int n)
{
    two_doubles sum = {0, 0};
    for (int i = 0; i < n; i++)
        sum += *(const two_doubles *)(from + i * sizeof(sum));
    result = (uint64_t)(sum[0] + sum[1] + *(const double *)(from + 40));
}

/* Nothing before has touched a byte of its part of the memory. */
int main(void)
{
    read_2(memory + 3, 100, 4);             /* each in two cells: 101 */
    read_2(memory + 10001, 100, 4);         /* each in one: 100 */
    read_4(memory + 20001, 100, 4);         /* 101 */
    read_4(memory + 30003, 50, 8);          /* two each, none twice: 100 */
    read_8(memory + 40001, 100, 8);         /* 201 */
    read_8(memory + 50004, 100, 8);         /* 200 */
    read_4(memory + MIB - 41, 20, 4);       /* 21 */
    read_8(memory + 2 * MIB - 36, 10, 8);   /* 20 */
    read_16(memory + 3 * MIB - 40, 5);      /* 20 */
    read_16(memory + 3 * MIB - 40, 5);
    write_4(memory + 60001, 100);
    read_4(memory + 60000, 101, 4);         /* what main wrote is no input of main */
    write_8(memory + 3 * MIB + 10004, 100);
    read_8(memory + 3 * MIB + 10004, 100, 8);
    return 0;
}
END

need_compilers
for compiler in $compilers; do
    for flags in -O0 -O1 '-O1 -fPIC' '-O2 -fno-tree-vectorize -fno-unroll-loops'; do
        begin "$compiler $flags"
        build $compiler "$flags" unaligned unaligned.c
        APROF=out=report run 0 ./unaligned
        measured report 'routine=read_2 trms=100x1,101x1' 'routine=read_4 trms=21x1,100x1,101x2' \
            'routine=read_8 trms=20x1,200x2,201x1' 'routine=read_16 trms=20x2' \
            'routine=main trms=864x1'
        begin "$compiler $flags, cells of one byte"
        APROF='out=report resolution=1' run 0 ./unaligned
        measured report 'routine=read_2 trms=200x2' 'routine=read_4 trms=80x1,200x1,400x1,404x1' \
            'routine=read_8 trms=80x1,800x3'
    done
done
finish
