/* Figure 3, example 4: a buffer of two cells is filled n times, and one of them is read.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel's writes of b[0] and b[1] are no reads. Each later read of b[0] is induced, and one of
 * them is a first access: trms N, rms 1, N external.
 */
#include <fcntl.h>
#include <unistd.h>
#include "tests/regress/regress.h"

enum { N = 500, DEVICE = 100 };

static int b[2] CELL_ALIGNED;

ROUTINE int consume_data(const int *at)
{
    return at[0];
}

ROUTINE int external_read(int n)
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        RAW3(SYS_read, DEVICE, b, sizeof b);
        total += consume_data(b);
    }
    return total;
}

int main(void)
{
    if (dup2(open("/dev/zero", O_RDONLY), DEVICE) < 0)
        return 1;
    sink = external_read(N);
    return 0;
}
