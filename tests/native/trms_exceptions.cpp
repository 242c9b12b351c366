// Exceptions through instrumented frames: each unwound activation ends where it is left.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdio>
#include <vector>

static std::vector<int> numbers(100, 1);
static volatile int result;

__attribute__((noinline)) static void read_some(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += numbers[i];
    result = sum;
}

__attribute__((noinline)) static void thrower(int depth)
{
    struct guard {
        ~guard() { result = result + 1; }
    } kept;
    if (depth == 0)
        throw depth;
    thrower(depth - 1);
}

__attribute__((noinline)) static void catcher()
{
    for (int i = 0; i < 1000; i++)
        try {
            thrower(i % 5);
        } catch (int) {
            read_some(10);
        }
}

int main()
{
    catcher();
    read_some(20);
    return 0;
}
