/* Numbers of 128 bits hold sums of costs and of squared costs; the sums saturate.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The engine also runs on x86, for which the compiler has no 128-bit type, so the engine adds pairs
 * of words. Code that calculates with 128-bit sums uses the compiler's type `u128`.
 *
 *     struct wide sum = {0, 0};
 *     wide_add_square(&sum, 3000000000);                  9 * 10^18
 *     wide_add_square(&sum, 4000000000);                 25 * 10^18, more than 64 bits hold
 */
#ifndef GROUND_WIDE_H
#define GROUND_WIDE_H

#include "ground/basics.h"

#define WIDE_DIGITS 40 /* digits of the largest number, plus the final 0 byte */

/* The largest number, 2^128 - 1, means "at least 2^128 - 1"; only sums of squares can reach it. */
struct wide {
    uint64_t low, high;
};

#ifdef __SIZEOF_INT128__
typedef unsigned __int128 u128;

#define U128_MAX (~(u128)0)

APROF_INLINE u128 u128_add(u128 a, u128 b)
{
    u128 sum;
    return UNLIKELY(__builtin_add_overflow(a, b, &sum)) ? U128_MAX : sum;
}

APROF_INLINE u128 u128_of(struct wide number)
{
    return (u128)number.high << 64 | number.low;
}

APROF_INLINE struct wide wide_of(u128 number)
{
    return (struct wide){(uint64_t)number, (uint64_t)(number >> 64)};
}

/* The compiled addition uses the carry flag: apart from loads and stores, it takes three
 * instructions. */
APROF_INLINE void wide_add(struct wide *sum, struct wide term)
{
    *sum = wide_of(u128_add(u128_of(*sum), u128_of(term)));
}
#else
APROF_INLINE void wide_add(struct wide *sum, struct wide term)
{
    sum->low += term.low;
    uint64_t carry = sum->low < term.low;
    uint64_t high = sum->high + term.high;
    bool over = high < term.high;
    sum->high = high + carry;
    over |= sum->high < carry;
    if (UNLIKELY(over))
        sum->low = sum->high = ~(uint64_t)0;
}
#endif

/* Adds one word, by an addition and a branch that is taken if there is no carry. */
APROF_INLINE void wide_add_word(struct wide *sum, uint64_t term)
{
    sum->low += term;
    if (UNLIKELY(sum->low < term) && UNLIKELY(++sum->high == 0))
        sum->low = sum->high = ~(uint64_t)0;
}

/* Writes decimal digits into `text`; returns `text`. */
char *wide_format(struct wide number, char text[WIDE_DIGITS]);

/* Adds two numbers; the sum saturates at the largest number. */
APROF_INLINE uint64_t u64_add(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;
    return sum < a ? ~(uint64_t)0 : sum;
}

#ifdef __SIZEOF_INT128__
APROF_INLINE char *u128_format(u128 number, char text[WIDE_DIGITS])
{
    return wide_format(wide_of(number), text);
}

APROF_INLINE void wide_add_square(struct wide *sum, uint64_t root)
{
    wide_add(sum, wide_of((u128)root * root));
}
#else
/* (a * 2^32 + b)^2 = a^2 * 2^64 + 2ab * 2^32 + b^2 */
APROF_INLINE void wide_add_square(struct wide *sum, uint64_t root)
{
    uint64_t a = root >> 32, b = root & 0xffffffff;
    struct wide square = {b * b, a * a};
    uint64_t cross = a * b;
    square.high += cross >> 31;
    wide_add(&square, (struct wide){cross << 33, 0});
    wide_add(sum, square);
}
#endif

#endif
