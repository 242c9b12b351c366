/* Searches a game of four in a row to a fixed depth (alpha-beta): a recursion with small helpers.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Usage: connect DEPTH
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define WIDTH    7
#define HEIGHT   6
#define COLUMN   (HEIGHT + 1) /* bits of a column; the top bit stays empty */

static uint64_t boards[2];
static int heights[WIDTH];

static NOINLINE int has_line(uint64_t board, int step)
{
    uint64_t pairs = board & (board >> step);
    return (pairs & (pairs >> 2 * step)) != 0;
}

static NOINLINE int has_won(uint64_t board)
{
    return has_line(board, 1) || has_line(board, COLUMN) || has_line(board, COLUMN - 1) ||
           has_line(board, COLUMN + 1);
}

static NOINLINE int may_move(int column)
{
    return heights[column] < HEIGHT;
}

static NOINLINE void make_move(int side, int column)
{
    boards[side] |= (uint64_t)1 << (column * COLUMN + heights[column]++);
}

static NOINLINE void take_back(int side, int column)
{
    boards[side] &= ~((uint64_t)1 << (column * COLUMN + --heights[column]));
}

static NOINLINE int search(int side, int depth, int alpha, int beta)
{
    static const int order[WIDTH] = {3, 2, 4, 1, 5, 0, 6};
    if (has_won(boards[!side]))
        return -100 - depth;
    if (depth == 0)
        return 0;
    for (int i = 0; i < WIDTH && alpha < beta; i++) {
        if (!may_move(order[i]))
            continue;
        make_move(side, order[i]);
        int score = -search(!side, depth - 1, -beta, -alpha);
        take_back(side, order[i]);
        if (score > alpha)
            alpha = score;
    }
    return alpha;
}

int main(int argc, char **argv)
{
    printf("%d\n", search(0, argc > 1 ? atoi(argv[1]) : 8, -1000, 1000));
    return 0;
}
