/* Which compiler aprof-cc calls.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "compile/compiler.h"

#include "lib/memory.h"

#include <stdlib.h>
#include <string.h>

/* clang-14 -> clang++-14, gcc -> g++, cc -> c++; what is C++ already stays. */
static char *name_for_cxx(const char *name)
{
    static const char *const names[][2] = {{"clang", "clang++"}, {"gcc", "g++"}, {"cc", "c++"}};
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    for (size_t i = 0; i < sizeof names / sizeof *names && !strstr(base, "++"); i++) {
        const char *found = strstr(base, names[i][0]);
        if (found)
            return memory_format("%.*s%s%s", (int)(found - name), name, names[i][1],
                                 found + strlen(names[i][0]));
    }
    return memory_copy_string(name);
}

/* gcc-12 -> gfortran-12; what is no gcc is a Fortran compiler already. */
static char *name_for_fortran(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *found = strstr(slash ? slash : name, "gcc");
    if (!found)
        return memory_copy_string(name);
    return memory_format("%.*sgfortran%s", (int)(found - name), name, found + strlen("gcc"));
}

static char *name_for_own(const char *own_name, const char *chosen)
{
    const char *slash = strrchr(own_name, '/');
    const char *own = slash ? slash + 1 : own_name;
    if (strstr(own, "++"))
        return name_for_cxx(chosen);
    return strcmp(own, "aprof-fc") == 0 ? name_for_fortran(chosen) : memory_copy_string(chosen);
}

struct compiler compiler_choose(const char *own_name, bool prefers_clang)
{
    const char *chosen = getenv("APROF_CC_COMPILER");
    struct compiler compiler;
    if (!chosen || !*chosen)
        chosen = prefers_clang ? "clang" : "gcc";
    compiler.name = name_for_own(own_name, chosen);
    compiler.is_clang = strstr(chosen, "clang") != NULL;
    return compiler;
}
