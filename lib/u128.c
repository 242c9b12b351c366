/* 128-bit numbers; see u128.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/u128.h"

bool u128_parse(const char *text, size_t bytes, u128 *value)
{
    u128 sum = 0;
    if (bytes == 0 || bytes >= U128_DIGITS)
        return false;
    for (size_t i = 0; i < bytes; i++) {
        unsigned digit = (unsigned char)text[i] - '0';
        if (digit > 9 || sum > (U128_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return true;
}

char *u128_format(u128 value, char text[U128_DIGITS])
{
    char reversed[U128_DIGITS];
    size_t length = 0;
    do {
        reversed[length++] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value);
    for (size_t i = 0; i < length; i++)
        text[i] = reversed[length - 1 - i];
    text[length] = 0;
    return text;
}

u128 u128_add(u128 a, u128 b)
{
    return a > U128_MAX - b ? U128_MAX : a + b;
}
