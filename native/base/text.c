/* Builds texts without stdio: appends words and numbers to a buffer.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/base/report_output.h"

void native_text_append(char *buffer, size_t size, size_t *n, const char *text)
{
    while (*text && *n + 1 < size)
        buffer[(*n)++] = *text++;
    buffer[*n] = 0;
}

void native_text_append_decimal(char *buffer, size_t size, size_t *n, uint64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = 0;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    native_text_append(buffer, size, n, digits + at);
}

/* ---------------------------------------------------------------- reals, as printf's %g */

#define SIGNIFICANT 6

/* Returns digits such that value = digits / 100000 * 10^exponent. There are six digits; the first
 * digit is not 0. */
static uint64_t split(double value, int *exponent)
{
    long double scaled = value;
    int e = 0;
    for (; scaled >= 10; e++)
        scaled /= 10;
    for (; scaled < 1; e--)
        scaled *= 10;
    uint64_t digits = (uint64_t)(scaled * 100000 + 0.5L);
    if (digits == 1000000) {
        digits = 100000;
        e++;
    }
    *exponent = e;
    return digits;
}

static void append_scientific(char *buffer, size_t size, size_t *n, const char *digits, size_t used,
                              int exponent)
{
    char head[3] = {digits[0], used > 1 ? '.' : 0, 0};
    unsigned magnitude = exponent < 0 ? (unsigned)-exponent : (unsigned)exponent;
    native_text_append(buffer, size, n, head);
    native_text_append(buffer, size, n, digits + 1);
    native_text_append(buffer, size, n, exponent < 0 ? "e-" : "e+");
    native_text_append(buffer, size, n, magnitude < 10 ? "0" : "");
    native_text_append_decimal(buffer, size, n, magnitude);
}

static void append_fixed(char *buffer, size_t size, size_t *n, const char *digits, size_t used,
                         int exponent)
{
    if (exponent < 0)
        native_text_append(buffer, size, n, "0.");
    for (int e = -1; e > exponent; e--)
        native_text_append(buffer, size, n, "0");
    for (int i = 0; i < (int)used || i <= exponent; i++) {
        char one[2] = {i < (int)used ? digits[i] : '0', 0};
        native_text_append(buffer, size, n, one);
        if (i == exponent && i + 1 < (int)used)
            native_text_append(buffer, size, n, ".");
    }
}

void native_text_append_real(char *buffer, size_t size, size_t *n, double value)
{
    char digits[SIGNIFICANT + 1];
    size_t at = 0, used = SIGNIFICANT;
    int exponent;
    if (!(value > 0) || value > 1e300) {
        native_text_append(buffer, size, n, value > 0 ? "inf" : "0");
        return;
    }
    native_text_append_decimal(digits, sizeof digits, &at, split(value, &exponent));
    while (used > 1 && digits[used - 1] == '0')
        digits[--used] = 0;
    if (exponent < -4 || exponent >= SIGNIFICANT)
        append_scientific(buffer, size, n, digits, used, exponent);
    else
        append_fixed(buffer, size, n, digits, used, exponent);
}
