/* The dynamic linker's stubs and binder are neither routine, cost nor input.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress.h"

static int data[16] CELL_ALIGNED;

long caller(int *), tail_caller(int *);

int main(void)
{
    for (int i = 0; i < 10; i++) {
        caller(data);
        tail_caller(data);
    }
    return 0;
}
