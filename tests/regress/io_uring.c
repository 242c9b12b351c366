/* Sets up io_uring twice, without any transfer of data.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Exit status 77: the kernel has no io_uring, or forbids it.
 */
#include "regress.h"

static struct {
    unsigned words[30]; /* struct io_uring_params, in which zeros are defaults */
} parameters;

int main(void)
{
    for (int i = 0; i < 2; i++) {
        long fd = RAW3(SYS_io_uring_setup, 4, &parameters, 0);

        if (fd < 0)
            return 77;
        RAW3(SYS_close, fd, 0, 0);
        for (int w = 0; w < 30; w++)
            parameters.words[w] = 0;
    }
    return 0;
}
