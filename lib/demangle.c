/* Symbol names as people write them; see demangle.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof-config.h"

#include "lib/demangle.h"
#include "lib/memory.h"

#include <string.h>

/* The symbol without its version: `qsort@@GLIBC_2.2.5` is called qsort. */
static char *unversioned(const char *symbol)
{
    char *name = memory_copy_string(symbol);
    char *version = *name ? strchr(name + 1, '@') : NULL;
    if (version)
        *version = 0;
    return name;
}

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#include <stdlib.h>

static char *demangle_with(const char *symbol, int options)
{
    char *plain = unversioned(symbol);
    char *name = cplus_demangle(plain, options | DMGL_ANSI | DMGL_AUTO);
    if (!name)
        return plain;
    free(plain);
    return name;
}

char *demangle_full(const char *symbol)
{
    return demangle_with(symbol, DMGL_PARAMS);
}

char *demangle_short(const char *symbol)
{
    return demangle_with(symbol, DMGL_NO_OPTS);
}
#else
char *demangle_full(const char *symbol)
{
    return unversioned(symbol);
}

char *demangle_short(const char *symbol)
{
    return unversioned(symbol);
}
#endif
