/* Code that is written at run time, called, overwritten and called again.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * At the same address: first a routine that reads 1 cell, 5 calls; then one that reads 3, 7 calls.
 * It belongs to no object and is known by its address: one routine with 1x5 and 3x7. A second one,
 * 256 bytes on, calls back into `callback`, which reads 2 other cells, and reads 1 itself: 3. drive
 * has what its callee has: 1, 3 and 3.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include "tests/regress/regress.h"

#define CODE_AT 0x10000000

static int data[64] CELL_ALIGNED;

ROUTINE int callback(const int *from)
{
    return from[8] + from[9];
}

/* mov (%rdi),%eax; ret */
static const unsigned char read_one[] = {0x8b, 0x07, 0xc3};
/* mov (%rdi),%eax; add 4(%rdi),%eax; add 8(%rdi),%eax; ret */
static const unsigned char read_three[] = {0x8b, 0x07, 0x03, 0x47, 0x04, 0x03, 0x47, 0x08, 0xc3};
/* push %rbx; mov (%rdi),%ebx; call *%rsi; add %ebx,%eax; pop %rbx; ret */
static const unsigned char call_back[] = {0x53, 0x8b, 0x1f, 0xff, 0xd6, 0x01, 0xd8, 0x5b, 0xc3};

typedef int generated(const int *, int (*)(const int *));

ROUTINE int call(generated *code, const int *from)
{
    return code(from, callback) + 1;
}

ROUTINE int drive(generated *code, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += call(code, data);
    return total;
}

int main(void)
{
    char *at = mmap((void *)CODE_AT, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != (char *)CODE_AT)
        return 1;
    memcpy(at, read_one, sizeof read_one);
    sink = drive((generated *)at, 5);
    memcpy(at, read_three, sizeof read_three);
    sink = drive((generated *)at, 7);
    memcpy(at + 256, call_back, sizeof call_back);
    sink = drive((generated *)(at + 256), 2);
    return 0;
}
