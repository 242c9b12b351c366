/* A program that runs until a signal ends it: sorts arrays of different sizes, and sleeps between.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <unistd.h>

static int numbers[400];

static int sort(int n)
{
    int swaps = 0;
    for (int i = 1; i < n; i++) {
        for (int j = i; j > 0 && numbers[j - 1] > numbers[j]; j--, swaps++) {
            int kept = numbers[j];
            numbers[j] = numbers[j - 1];
            numbers[j - 1] = kept;
        }
    }
    return swaps;
}

int main(void)
{
    long swaps = 0;
    for (int round = 0;; round++) {
        int n = 20 + round * 37 % 380;
        for (int i = 0; i < n; i++)
            numbers[i] = n - i;
        swaps += sort(n);
        if (round % 10 == 0)
            usleep(20000);
    }
    return swaps == 0;
}
