/* Completes a report: copies standard input and appends the last line with its checksum.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     printf 'aprof\t1\n...' | seal > report
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

int main(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325), lines = 0;
    for (int byte = getchar(); byte != EOF; byte = getchar()) {
        hash = (hash ^ (unsigned)byte) * UINT64_C(0x100000001b3);
        lines += byte == '\n';
        putchar(byte);
    }
    printf("complete\t%" PRIu64 "\t%016" PRIx64 "\n", lines, hash);
    return fflush(stdout) != 0;
}
