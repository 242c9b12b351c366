// Inlined functions at lines that code.sh knows, and a routine that is called from two lines.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// insert is inlined into main at one line, and shift into insert. find is not inlined; it is called
// from a line of main and from a line of insert.
#include "tests/regress/regress.h"

struct Book {
    int orders[1000];
    int n;
    ROUTINE int find(int key) const
    {
        for (int i = 0; i < n; i++)
            if (orders[i] == key)
                return i; // line: find
        return n;
    }
    __attribute__((always_inline)) void shift(int from)
    {
        for (int i = n; i > from; i--)
            orders[i] = orders[i - 1]; // line: shift
    }
    __attribute__((always_inline)) void insert(int key)
    {
        int at = find(key);
        shift(at / 2); // line: shift is inlined
        orders[at / 2] = key;
        n++;
    }
};

static Book book;

int main()
{
    for (int i = 0; i < 500; i++)
        book.insert(i); // line: insert is inlined
    for (int i = 0; i < 7; i++)
        sink = book.find(i);
    return 0;
}
