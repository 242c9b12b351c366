/* Compresses lines of made-up words with zlib.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     zlib N
 */
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#define LINE_BYTES 48

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    unsigned random = 1;
    unsigned char *text = malloc((size_t)n * LINE_BYTES);
    size_t bytes = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k + 1 < LINE_BYTES; k++) {
            random = random * 1103515245 + 12345;
            text[bytes++] = (unsigned char)("etaoin shrdlucmf"[random >> 28]);
        }
        text[bytes++] = '\n';
    }
    uLongf room = compressBound(bytes);
    unsigned char *packed = malloc(room);
    int status = compress2(packed, &room, text, bytes, 6);
    printf("%d %lu\n", status, room);
    free(packed);
    free(text);
    return 0;
}
