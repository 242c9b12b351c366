/* Writes to both outputs and ends with status 42: what a profiler must not disturb.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>

int main(int argc, char **argv)
{
    printf("hello %s\n", argc > 1 ? argv[1] : "nobody");
    fprintf(stderr, "on the other side\n");
    return 42;
}
