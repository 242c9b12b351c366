/* Allocates memory pages for freestanding code in the command, for example for tables of analyses.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ground/host.h"
#include "lib/base/memory.h"

#include <stdlib.h>

void *host_map(const char *site, size_t bytes)
{
    (void)site;
    return memory_get_zeroed(bytes, 1);
}

void host_unmap(void *pages, size_t bytes)
{
    (void)bytes;
    free(pages);
}
