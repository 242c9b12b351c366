/* Fuzzing readers of record files: any bytes must end in contents or in a message.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Random changes hardly ever give a valid checksum, so every input is read twice: unchanged, and
 * with a valid last line appended. With the valid last line, all record parsers read the input. The
 * including file defines read_once().
 */
#ifndef TESTS_FUZZ_FUZZ_LINES_H
#define TESTS_FUZZ_FUZZ_LINES_H

#include "lib/base/memory.h"
#include "lib/base/vector.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void read_once(const uint8_t *bytes, size_t count);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s: %s\n", __FILE__, #condition);                                     \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Completes the bytes: adds a newline if the last line has none, and the last record. */
static void read_sealed(const uint8_t *bytes, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325), lines = 0;
    char *sealed = memory_resize(NULL, count + 80, 1);
    if (count)
        memcpy(sealed, bytes, count);
    if (count && bytes[count - 1] != '\n')
        sealed[count++] = '\n';
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ (uint8_t)sealed[i]) * UINT64_C(0x100000001b3);
        lines += sealed[i] == '\n';
    }
    int tail = snprintf(sealed + count, 80, "complete\t%" PRIu64 "\t%016" PRIx64 "\n", lines, hash);
    read_once((const uint8_t *)sealed, count + (size_t)tail);
    free(sealed);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    read_once(bytes, count);
    read_sealed(bytes, count);
    return 0;
}

#endif
