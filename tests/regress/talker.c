/* Writes to standard output and standard error, and ends with status 42.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>

int main(int argc, char **argv)
{
    printf("hello %s\n", argc > 1 ? argv[1] : "nobody");
    fprintf(stderr, "on the other side\n");
    return 42;
}
