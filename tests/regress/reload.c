/* Libraries that are loaded and unloaded: a routine stays one routine wherever its library is.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `plug_a` (4 cells) and `plug_b` (6 cells) come from two libraries. The libraries are opened and
 * closed in turns, so that one may have the addresses of the other: 10 rounds, one call each. In
 * odd rounds, a block of memory is mapped in between, to move the libraries.
 */
#include <dlfcn.h>
#include <sys/mman.h>
#include "tests/regress/regress.h"

enum { ROUNDS = 10 };

static int data[64] CELL_ALIGNED;

ROUTINE int round_trip(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_NOW);
    if (!handle)
        return 1;
    int (*plug)(const int *) = (int (*)(const int *))dlsym(handle, name);
    sink = plug(data);
    return dlclose(handle);
}

int main(void)
{
    int wrong = 0;
    for (int i = 0; i < ROUNDS; i++) {
        wrong |= round_trip("./libplug_a.so", "plug_a");
        if (i % 2)
            mmap(0, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        wrong |= round_trip("./libplug_b.so", "plug_b");
    }
    return wrong;
}
