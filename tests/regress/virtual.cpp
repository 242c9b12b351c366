// Virtual functions: the table's address and the table's entry are read, 2 cells each.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// caller reads 4 cells to find the function, which reads 1 (square) or 2 (rectangle) more: 5 and 6.
// With -O2 the call is a computed tail jump, with the same inputs. both has 11: no cell is shared.
#include "tests/regress/regress.h"

struct shape {
    virtual int area() const = 0;
};

struct square : shape {
    int side = 3;
    ROUTINE int area() const override
    {
        return side * side;
    }
};

struct rectangle : shape {
    int width = 3, height = 4;
    ROUTINE int area() const override
    {
        return width * height;
    }
};

extern "C" ROUTINE int caller(const shape *object)
{
    return object->area();
}

extern "C" ROUTINE int both(const shape *first, const shape *second)
{
    return caller(first) + caller(second);
}

static square a CELL_ALIGNED;
static rectangle b CELL_ALIGNED;

int main()
{
    for (int i = 0; i < 5; i++)
        sink = both(&a, &b);
    return 0;
}
