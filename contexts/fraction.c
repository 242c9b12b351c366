/* Represents phi and epsilon without floating point, as billionths.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "contexts/fraction.h"

#define DIGITS 9 /* number of decimal digits of FRACTION_ONE */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A decimal number before its exponent is applied. */
struct decimal {
    uint64_t digits;
    int exponent; /* exponent of ten */
};

/* Reads decimal digits with at most one decimal point. Returns the number of characters, or 0 if
 * there are no digits or too many digits. */
static size_t read_digits(const char *text, size_t length, struct decimal *number)
{
    bool seen_point = false, seen_digit = false;
    size_t at = 0;
    for (; at < length && (is_digit(text[at]) || (text[at] == '.' && !seen_point)); at++) {
        if (text[at] == '.') {
            seen_point = true;
            continue;
        }
        if (number->digits > FRACTION_ONE * (uint64_t)FRACTION_ONE)
            return 0;
        seen_digit = true;
        number->digits = 10 * number->digits + (uint64_t)(text[at] - '0');
        number->exponent -= seen_point;
    }
    return seen_digit ? at : 0;
}

/* Reads the exponent after an `e`. */
static bool read_exponent(const char *text, size_t length, struct decimal *number)
{
    int value = 0;
    bool is_negative = length && text[0] == '-';
    size_t at = length && (text[0] == '-' || text[0] == '+');
    if (at == length)
        return false;
    for (; at < length; at++) {
        if (!is_digit(text[at]) || value > 99)
            return false;
        value = 10 * value + (text[at] - '0');
    }
    number->exponent += is_negative ? -value : value;
    return true;
}

bool fraction_parse(const char *text, size_t length, uint32_t *fraction)
{
    struct decimal number = {0, 0};
    size_t at = read_digits(text, length, &number);
    if (!at)
        return false;
    if (at < length) {
        bool is_exponent = text[at] == 'e' || text[at] == 'E';
        if (!is_exponent || !read_exponent(text + at + 1, length - at - 1, &number))
            return false;
    }
    int scale = number.exponent + DIGITS;
    for (; scale < 0 && number.digits % 10 == 0 && number.digits; scale++)
        number.digits /= 10;
    for (; scale > 0 && number.digits <= FRACTION_ONE; scale--)
        number.digits *= 10;
    if (scale != 0 || number.digits == 0 || number.digits > FRACTION_ONE)
        return false;
    *fraction = (uint32_t)number.digits;
    return true;
}

/* Writes the digits as text, without trailing zeros; returns the number of digits. */
static int significant(uint32_t fraction, char digits[DIGITS + 1])
{
    int n = 0;
    char reversed[DIGITS + 1];
    while (fraction && fraction % 10 == 0)
        fraction /= 10;
    for (; fraction; fraction /= 10)
        reversed[n++] = (char)('0' + fraction % 10);
    for (int i = 0; i < n; i++)
        digits[i] = reversed[n - 1 - i];
    return n;
}

/* Writes the form "d.dde-0x", the format of %g for numbers below 0.0001. */
static size_t format_small(const char *digits, int n, int power, char *text)
{
    size_t at = 0;
    text[at++] = digits[0];
    if (n > 1)
        text[at++] = '.';
    for (int i = 1; i < n; i++)
        text[at++] = digits[i];
    text[at++] = 'e';
    text[at++] = '-';
    text[at++] = '0';
    text[at++] = (char)('0' + power);
    text[at] = '\0';
    return at;
}

size_t fraction_format(uint32_t fraction, char text[FRACTION_CHARACTERS])
{
    char digits[DIGITS + 1];
    int n = significant(fraction, digits), power = 0;
    size_t at = 0;
    if (fraction == 0 || fraction >= FRACTION_ONE) {
        text[at++] = fraction ? '1' : '0';
        text[at] = '\0';
        return at;
    }
    for (uint64_t scaled = fraction; scaled < FRACTION_ONE; scaled *= 10)
        power++; /* a 1 as first digit means 10^-power */
    if (power > 4)
        return format_small(digits, n, power, text);
    text[at++] = '0';
    text[at++] = '.';
    for (int i = 1; i < power; i++)
        text[at++] = '0';
    for (int i = 0; i < n; i++)
        text[at++] = digits[i];
    text[at] = '\0';
    return at;
}

uint64_t fraction_of(uint32_t fraction, uint64_t total)
{
    return total / FRACTION_ONE * fraction + total % FRACTION_ONE * fraction / FRACTION_ONE;
}
