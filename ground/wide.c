/* Formats numbers of 128 bits as decimal digits.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ground/wide.h"

/* Divides the number by ten and returns the remainder. The lowest limb comes first in memory. Each
 * step divides 32 bits of the number, because larger divisions would call the compiler's
 * library. */
static unsigned take_digit(uint32_t limb[4])
{
    uint64_t rest = 0;
    for (int i = 3; i >= 0; i--) {
        rest = rest << 32 | limb[i];
        limb[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
    return (unsigned)rest;
}

char *wide_format(struct wide number, char text[WIDE_DIGITS])
{
    char reversed[WIDE_DIGITS];
    uint32_t limb[4] = {(uint32_t)number.low, (uint32_t)(number.low >> 32), (uint32_t)number.high,
                        (uint32_t)(number.high >> 32)};
    int n = 0, at = 0;
    do
        reversed[n++] = (char)('0' + take_digit(limb));
    while (limb[0] | limb[1] | limb[2] | limb[3]);
    while (n)
        text[at++] = reversed[--n];
    text[at] = 0;
    return text;
}
