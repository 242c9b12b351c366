/* A program that makes many small routines while it runs, lists them in a perf map, and calls each
 * ten times. SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Usage: jit ROUTINES
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CODE_BYTES 32
#define CALLS      10

typedef int generated(const int *);

int main(int argc, char **argv)
{
    /* mov (%rdi),%eax; add 4(%rdi),%eax; ret */
    static const unsigned char code[] = {0x8b, 0x07, 0x03, 0x47, 0x04, 0xc3};
    static const int data[2] = {1, 2};
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    char path[64];
    FILE *map;
    long sum = 0;

    char *at = mmap(NULL, n * CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return 1;
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    map = fopen(path, "w");
    if (!map)
        return 1;
    for (size_t i = 0; i < n; i++) {
        memcpy(at + i * CODE_BYTES, code, sizeof code);
        fprintf(map, "%lx %x JS:~routine%zu /srv/book.js:%zu:1\n",
                (unsigned long)(at + i * CODE_BYTES), CODE_BYTES, i, i + 1);
        fflush(map);
        for (int call = 0; call < CALLS; call++)
            sum += ((generated *)(void *)(at + i * CODE_BYTES))(data);
    }
    fclose(map);
    unlink(path);
    printf("%ld\n", sum);
    return sum != (long)(3 * CALLS * n);
}
