/* The memory accesses for comparing the cache analysis with cachegrind.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_ANALYSES_SWEEP_H
#define TESTS_ANALYSES_SWEEP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sweep {
    int stores;
    size_t bytes, stride, rounds;
};

static inline struct sweep sweep_parse(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: %s load|store BYTES STRIDE ROUNDS\n", argv[0]);
        exit(2);
    }
    return (struct sweep){strcmp(argv[1], "store") == 0, strtoul(argv[2], NULL, 10),
                          strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10)};
}

#endif
