// Instances of one template are routines of their own, by their mangled names.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// 64 elements: chars are 64/4 = 16 cells, shorts 32, ints 64, doubles 128.
#include "tests/regress/regress.h"

enum { N = 64 };

static char chars[N] CELL_ALIGNED;
static short shorts[N] CELL_ALIGNED;
static int ints[N] CELL_ALIGNED;
static double doubles[N] CELL_ALIGNED;

template <class T> ROUTINE T sum(const T *from, int n)
{
    T total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

namespace first
{
ROUTINE int work(const int *from)
{
    return from[0];
}
ROUTINE int work(const int *from, int)
{
    return from[0] + from[1];
}
} // namespace first

namespace second
{
ROUTINE int work(const int *from)
{
    return from[0] + from[1] + from[2];
}
} // namespace second

int main()
{
    sink = sum(chars, N);
    sink = sum(shorts, N);
    sink = sum(ints, N);
    sink = (long)sum(doubles, N);
    sink = first::work(ints) + first::work(ints, 0) + second::work(ints);
    return 0;
}
