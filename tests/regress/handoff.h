/* Two threads take turns without reading a memory cell, so synchronisation is no input.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A turn is one byte through a pipe with constant descriptors. The sender has just written the
 * byte, and the receiver never reads it; each of them uses a separate cell of 16 bytes.
 */
#ifndef TESTS_REGRESS_HANDOFF_H
#define TESTS_REGRESS_HANDOFF_H

#include <unistd.h>
#include "tests/regress/regress.h"

enum { TURN_A = 100, TURN_B = 102 };

static void handoff_open(void)
{
    for (int turn = TURN_A; turn <= TURN_B; turn += 2) {
        int ends[2];
        if (pipe(ends) != 0 || dup2(ends[0], turn) < 0 || dup2(ends[1], turn + 1) < 0)
            _exit(99);
    }
}

INLINE void handoff_give(int turn)
{
    char token[16] __attribute__((aligned(16)));
    *(volatile char *)token = 1;
    RAW3(SYS_write, turn + 1, token, 1);
}

INLINE void handoff_await(int turn)
{
    char token[16] __attribute__((aligned(16)));
    RAW3(SYS_read, turn, token, 1);
}

#endif
