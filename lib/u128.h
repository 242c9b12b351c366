/* Sums of costs and of their squares in 128 bits: reading, printing, saturating.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_U128_H
#define LIB_U128_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned __int128 u128;

#define U128_MAX    (~(u128)0) /* of a sum of squares: "at least this" */
#define U128_DIGITS 40         /* of the largest value, and the final 0 */

/* Decimal digits only; false when empty, foreign or too large. */
bool u128_parse(const char *text, size_t bytes, u128 *value);

/* Writes into `text` and returns it. */
char *u128_format(u128 value, char text[U128_DIGITS]);

u128 u128_add(u128 a, u128 b); /* stops at U128_MAX */

/* Stops at the largest number. */
static inline uint64_t u64_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
