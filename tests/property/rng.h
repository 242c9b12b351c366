/* Reproducible random numbers for tests (splitmix64).
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_PROPERTY_RNG_H
#define TESTS_PROPERTY_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *rng)
{
    uint64_t z = rng->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A number from 0 to n - 1; 0 if n is 0. */
static inline uint32_t rng_below(struct rng *rng, uint32_t n)
{
    return (uint32_t)((rng_next(rng) >> 32) * n >> 32);
}

/* True once in n times. */
static inline bool rng_once_in(struct rng *rng, uint32_t n)
{
    return rng_below(rng, n) == 0;
}

#endif
