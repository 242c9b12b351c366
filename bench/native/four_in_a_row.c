/* Four in a row on a small board: alpha-beta search with many small routines.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "bench/native/by_hand.h"

#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 6
#define ROWS    5

static signed char board[COLUMNS][ROWS];
static int height[COLUMNS];
static long positions;

__attribute__((noinline)) static int at(int column, int row)
{
    return column >= 0 && column < COLUMNS && row >= 0 && row < ROWS ? board[column][row] : 0;
}

static int run_length(int column, int row, int dx, int dy, int side)
{
    int n = 0;
    PATH;
    while (TURN(at(column + dx, row + dy) == side)) {
        column += dx;
        row += dy;
        n++;
    }
    PATH_END(1);
    return n;
}

static int wins(int column, int row, int side)
{
    static const int directions[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    PATH;
    for (int i = 0; i < 4; i++) {
        int dx = directions[i][0], dy = directions[i][1];
        if (TURN(run_length(column, row, dx, dy, side) + run_length(column, row, -dx, -dy, side) >=
                 3)) {
            PATH_END(2);
            return 1;
        }
    }
    PATH_END(2);
    return 0;
}

static int search(int side, int depth, int alpha, int beta)
{
    PATH;
    positions++;
    if (TURN(depth == 0)) {
        PATH_END(3);
        return 0;
    }
    for (int column = 0; column < COLUMNS; column++) {
        int row = height[column], value;
        if (TURN(row == ROWS)) {
            PATH_END(4);
            continue;
        }
        if (TURN(wins(column, row, side))) {
            PATH_END(4);
            return depth;
        }
        board[column][row] = (signed char)side;
        height[column]++;
        value = -search(-side, depth - 1, -beta, -alpha);
        height[column]--;
        board[column][row] = 0;
        if (TURN(value > alpha))
            alpha = value;
        PATH_END(4);
        if (alpha >= beta)
            break;
    }
    return alpha;
}

int main(int argc, char **argv)
{
    int depth = argc > 1 ? atoi(argv[1]) : 9;
    int value = search(1, depth, -100, 100);
    printf("%d %ld\n", value, positions);
    return 0;
}
