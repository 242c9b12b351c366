/* Fuzzes the reader of declared bounds: any bytes must end in bounds or in a message.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reader takes a path, so the harness writes the bytes to a memory file.
 */
#include "lib/growth/bounds.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Checks properties that every user of bounds relies on: a pattern, and a class or a finite
 * exponent. */
static void check_bounds(const struct bounds *bounds)
{
    for (size_t i = 0; i < bounds->list.count; i++) {
        const struct bound *bound = &bounds->list.at[i];
        if (!bound->pattern || !*bound->pattern || !bound->words ||
            bound->exponent != bound->exponent)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char path[64];
    struct bounds bounds = {0};
    struct failure why;
    int file = memfd_create("bounds", 0);
    if (file < 0 || write(file, bytes, count) != (ssize_t)count)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (bounds_read(&bounds, path, &why))
        check_bounds(&bounds);
    bounds_free(&bounds);
    close(file);
    return 0;
}
