/* Stack memory of callers: arguments are input, the return address is not.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `eight_arguments`, 2: the caller wrote the last two ints to the stack.
 * `by_value`, 3: reads 3 of the 16 ints of a structure that the caller has copied to the stack.
 * `returns_structure`, 0: writes 16 ints to the caller's address. `own_address`, 2: reads the slot
 * of its return address, like any other 8 bytes of its caller. `calls_many`, 0: calls `own_address`
 * from all depths of a loop. Its input is its callees' input minus its own writes, and it has
 * written the arguments and return addresses itself.
 */
#include "tests/regress/regress.h"

struct large {
    int field[16];
};

ROUTINE int eight_arguments(int a, int b, int c, int d, int e, int f, int g, int h)
{
    return a + b + c + d + e + f + g * 2 + h * 3;
}

ROUTINE int by_value(struct large from)
{
    return from.field[0] + from.field[5] + from.field[15];
}

ROUTINE struct large returns_structure(int seed)
{
    struct large result;
    for (int i = 0; i < 16; i++)
        ((volatile int *)result.field)[i] = seed + i;
    return result;
}

ROUTINE long own_address(void)
{
    return (long)__builtin_return_address(0);
}

ROUTINE int calls_many(int n)
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        total += eight_arguments(i, 2, 3, 4, 5, 6, i, n);
        total += (int)own_address();
    }
    return total;
}

int main(void)
{
    struct large large = returns_structure(3);
    sink = by_value(large);
    sink = calls_many(10);
    return 0;
}
