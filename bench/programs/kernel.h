/* Functions of all benchmark kernels: arguments, random numbers, the checksum line.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Every kernel is called `NAME [SIZE [THREADS]]` and prints one line `NAME SIZE CHECKSUM`. The
 * checksum depends only on the size, and not on the number of threads or the tool. So bench.sh can
 * detect wrong results. No kernel calls the mathematical library, because the library selects its
 * code by the processor, and Valgrind emulates another processor.
 */
#ifndef BENCH_PROGRAMS_KERNEL_H
#define BENCH_PROGRAMS_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernel_args {
    int size;
    int threads;
};

/* Parses a positive number; ends the program with exit status 2 if the text is invalid. */
static inline int kernel_number_parse(const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (*text == '\0' || *end != '\0' || value < 1 || value > 1000000000) {
        fprintf(stderr, "usage: NAME [SIZE [THREADS]], both positive numbers\n");
        exit(2);
    }
    return (int)value;
}

static inline struct kernel_args kernel_args_parse(int argc, char **argv, int default_size)
{
    struct kernel_args args = {default_size, 1};

    if (argc > 1)
        args.size = kernel_number_parse(argv[1]);
    if (argc > 2)
        args.threads = kernel_number_parse(argv[2]);
    return args;
}

static inline void *kernel_alloc(size_t bytes)
{
    void *block = calloc(1, bytes);

    if (block == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return block;
}

/* SplitMix64, a good generator that has only a counter as its state. */
static inline uint64_t kernel_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A random number, uniform in [0, 1). */
static inline double kernel_random_unit(uint64_t *state)
{
    return (double)(kernel_random(state) >> 11) * 0x1p-53;
}

/* One step of FNV-1a over whole words. */
static inline uint64_t kernel_checksum_add(uint64_t sum, uint64_t word)
{
    return (sum ^ word) * 0x100000001b3u;
}

static inline uint64_t kernel_checksum_add_double(uint64_t sum, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return kernel_checksum_add(sum, bits);
}

static inline int kernel_checksum_print(const char *name, int size, uint64_t sum)
{
    printf("%s %d %016llx\n", name, size, (unsigned long long)sum);
    return fflush(stdout) == 0 ? 0 : 1;
}

#endif
