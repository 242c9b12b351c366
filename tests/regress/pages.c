/* Writes and unmaps much memory, so that the profiler frees pages during the run.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stddef.h>
#include <sys/mman.h>
#include "tests/regress/regress.h"

#define BYTES  (64l << 20)
#define ROUNDS 4

ROUTINE void use_pages(void)
{
    volatile char *pages =
        mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (long i = 0; i < BYTES; i += 64)
        pages[i]++;
    munmap((void *)pages, BYTES);
}

int main(void)
{
    for (int i = 0; i < ROUNDS; i++)
        use_pages();
    return 3;
}
