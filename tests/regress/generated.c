/* Code that is written at run time, called, overwritten and called again.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The first routine reads 1 cell and is called 5 times. Then another routine at the same address
 * reads 3 cells and is called 7 times. The code belongs to no object, so its address is its name:
 * one routine with 1x5 and 3x7. A routine 256 bytes further reads 1 cell and calls `callback`,
 * which reads 2 other cells: 3. `drive` has the input of its callee: 1, 3 and 3.
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

#if defined(__aarch64__)
/* ldr w0, [x0]; ret */
static const unsigned read_one[] = {0xb9400000, 0xd65f03c0};
/* ldr w2, [x0]; ldr w3, [x0, #4]; ldr w4, [x0, #8]; add w0, w2, w3; add w0, w0, w4; ret */
static const unsigned read_three[] = {0xb9400002, 0xb9400403, 0xb9400804,
                                      0x0b030040, 0x0b040000, 0xd65f03c0};
/* stp x19, x30, [sp, #-16]!; ldr w19, [x0]; blr x1; add w0, w0, w19; ldp x19, x30, [sp], #16; ret
 */
static const unsigned call_back[] = {0xa9bf7bf3, 0xb9400013, 0xd63f0020,
                                     0x0b130000, 0xa8c17bf3, 0xd65f03c0};
#else
/* mov (%rdi),%eax; ret */
static const unsigned char read_one[] = {0x8b, 0x07, 0xc3};
/* mov (%rdi),%eax; add 4(%rdi),%eax; add 8(%rdi),%eax; ret */
static const unsigned char read_three[] = {0x8b, 0x07, 0x03, 0x47, 0x04, 0x03, 0x47, 0x08, 0xc3};
/* push %rbx; mov (%rdi),%ebx; call *%rsi; add %ebx,%eax; pop %rbx; ret */
static const unsigned char call_back[] = {0x53, 0x8b, 0x1f, 0xff, 0xd6, 0x01, 0xd8, 0x5b, 0xc3};
#endif

typedef int generated(const int *, int (*)(const int *));

ROUTINE int call(generated *code, const int *from)
{
    return code(from, callback) + 1;
}

static void write_code(char *at, const void *code, size_t bytes)
{
    memcpy(at, code, bytes);
    __builtin___clear_cache(at, at + bytes);
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
    write_code(at, read_one, sizeof read_one);
    sink = drive((generated *)at, 5);
    write_code(at, read_three, sizeof read_three);
    sink = drive((generated *)at, 7);
    write_code(at + 256, call_back, sizeof call_back);
    sink = drive((generated *)(at + 256), 2);
    return 0;
}
