/* N queens by backtracking: a recursive search that calls a test for each square.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "bench/native/by_hand.h"

#include <stdio.h>
#include <stdlib.h>

struct board {
    int size;
    int column_of[32];
};

__attribute__((noinline)) static int is_safe(const struct board *board, int row, int column)
{
    PATH;
    for (int i = 0; i < row; i++) {
        int other = board->column_of[i];
        if (TURN(other == column) || TURN(abs(other - column) == row - i)) {
            PATH_END(1);
            return 0;
        }
        PATH_END(2);
    }
    PATH_END(1);
    return 1;
}

static long place(struct board *board, int row)
{
    long found = 0;
    PATH;
    if (TURN(row == board->size)) {
        PATH_END(3);
        return 1;
    }
    for (int column = 0; column < board->size; column++) {
        if (TURN(is_safe(board, row, column))) {
            board->column_of[row] = column;
            found += place(board, row + 1);
        }
        PATH_END(4);
    }
    return found;
}

int main(int argc, char **argv)
{
    struct board board = {.size = argc > 1 ? atoi(argv[1]) : 9};
    printf("%ld\n", place(&board, 0));
    return 0;
}
