/* Sweeps over memory that cachegrind measures: each access has its own source line.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/analyses/sweep.h"

#define MEMORY_BYTES (1 << 21)

__attribute__((noinline)) static void sweep_loads(const volatile char *memory, struct sweep sweep)
{
    for (size_t round = 0; round < sweep.rounds; round++)
        for (size_t at = 0; at < sweep.bytes; at += sweep.stride)
            (void)memory[at]; /* the loads */
}

__attribute__((noinline)) static void sweep_stores(volatile char *memory, struct sweep sweep)
{
    for (size_t round = 0; round < sweep.rounds; round++)
        for (size_t at = 0; at < sweep.bytes; at += sweep.stride)
            memory[at] = 1; /* the stores */
}

int main(int argc, char **argv)
{
    struct sweep sweep = sweep_parse(argc, argv);
    /* The array is aligned to its size, so that its sets are the same as for the address 0. */
    char *memory = aligned_alloc(MEMORY_BYTES, MEMORY_BYTES);

    if (!memory)
        return 1;
    if (sweep.stores)
        sweep_stores(memory, sweep);
    else
        sweep_loads(memory, sweep);
    free(memory);
    return 0;
}
