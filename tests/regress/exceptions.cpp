// C++ exceptions through several frames, with and without clean-up on the way.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// In each round catcher calls through, through calls guarded, guarded calls thrower, which throws.
// The destructor of an object in guarded runs, then catcher's handler calls after. Each call makes
// one activation, because a return to a frame is no call. The reads of after and of the destructor
// are exact. If an abandoned activation stayed pending, its cost would include all later rounds; so
// the largest cost of an activation is checked.
#include "tests/regress/regress.h"

enum { N = 200 };

static int data[64] CELL_ALIGNED;

extern "C" {

ROUTINE int after(const int *from)
{
    int total = 0;
    for (int i = 0; i < 8; i++)
        total += from[i];
    return total;
}

ROUTINE int destroyed(const int *from)
{
    return from[1] + from[2] + from[3];
}

ROUTINE void thrower(int value)
{
    if (value >= 0)
        throw value;
    sink = value;
}

struct guard {
    ~guard()
    {
        sink = destroyed(data);
    }
};

ROUTINE void guarded(int value)
{
    guard object;
    thrower(value);
    sink = value;
}

ROUTINE void through(int value)
{
    guarded(value);
    sink = value;
}

ROUTINE void catcher(int value)
{
    try {
        through(value);
    } catch (int caught) {
        sink = after(data) + caught;
    }
}

// Catches and throws on: two unwindings.
ROUTINE void rethrower(int value)
{
    try {
        through(value);
    } catch (...) {
        throw;
    }
}

ROUTINE void outer_catcher(int value)
{
    try {
        rethrower(value);
    } catch (int caught) {
        sink = after(data) + caught;
    }
}

ROUTINE void all_rounds()
{
    for (int i = 0; i < N; i++)
        catcher(i);
    for (int i = 0; i < N; i++)
        outer_catcher(i);
}
}

int main()
{
    all_rounds();
    return 0;
}
