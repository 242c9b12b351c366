#!/bin/sh
# Tests that accesses with less alignment than their type touch the correct cells.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The tests include borders of shadow memory (1 MiB).
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

/* Neighbours of one address, in two cells each. */
struct fields {
    uint64_t before, here, behind;
    uint16_t half;
    char byte;
};
ROUTINE static void write_fields(char *to, int n)
{
    for (int i = 0; i < n; i++) {
        struct fields *fields = (struct fields *)(to + (size_t)i * 64);
        fields->before = fields->behind = (uint64_t)i;
        fields->half = 1;
    }
}
ROUTINE static void read_fields(const char *from, int n)
{
    uint64_t sum = 0;
    for (int i = 0; i < n; i++) {
        const struct fields *fields = (const struct fields *)(from + (size_t)i * 64);
        sum += (fields->before ^ fields->behind) * (fields->here + fields->half * (uint64_t)fields->byte);
    }
    result = sum;
}
/* What it has written of a place is no input. */
ROUTINE static void change_fields(char *at, int n)
{
    write_fields(at + 32, n);
    struct fields *fields = (struct fields *)at;
    for (int i = 0; i < n; i++, fields = (struct fields *)((char *)fields + 64)) {
        fields->here = fields->before + 1;
        fields->byte = (char)((fields->here + fields->behind) >> 56); /* all bits of both */
    }
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
    write_fields(memory + 70001, 100);
    read_fields(memory + 70001, 100);       /* bytes 1 to 27: 7 cells each, of which main wrote 6 */
    read_fields(memory + 80003, 100);       /* 3 to 29: 8 */
    read_fields(memory + 90008, 100);       /* 0 to 26: 7 */
    change_fields(memory + 100001, 100);    /* 1 to 8: 3 cells; 17 to 24: 3, one of which it wrote */
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
            'routine=read_fields trms=700x2,800x1' 'routine=change_fields trms=500x1' \
            'routine=main trms=2964x1'
        begin "$compiler $flags, cells of one byte"
        APROF='out=report resolution=1' run 0 ./unaligned
        measured report 'routine=read_2 trms=200x2' 'routine=read_4 trms=80x1,200x1,400x1,404x1' \
            'routine=read_8 trms=80x1,800x3'
    done
done
finish
