/* Finds the files that belong to this aprof; see installation.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * If `.in_place` is in the executable's folder or the folder above, the executable is in the build
 * folder and uses the source folder's scripts. An installed executable uses the compiled-in
 * folders. If a whole installation was moved, the executable finds the moved folders: their
 * positions relative to the executable are unchanged.
 */
#include "aprof-config.h"

#include "lib/base/installation.h"
#include "lib/base/memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool cut_last_component(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = 0;
    return slash;
}

/* The path `base/tail` if this file exists, else NULL; if `tail` is empty, the path is `base`
 * itself. */
static char *existing(const char *base, const char *tail)
{
    char *path = memory_format("%s%s%s", base, *tail ? "/" : "", tail);
    if (access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

/* The folder of this executable; false if /proc is not available. */
static bool executable_folder(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    if (length <= 0)
        return false;
    folder[length] = 0;
    return cut_last_component(folder);
}

/* The path of `.in_place` in the build folder of this executable; NULL if the executable is
 * installed. */
static char *build_folder_links(const char *folder)
{
    char above[PATH_MAX];
    char *links = existing(folder, ".in_place");
    strcpy(above, folder);
    if (!links && cut_last_component(above))
        links = existing(above, ".in_place");
    return links;
}

static char *first_of(char *found, const char *folder, const char *tail)
{
    return found ? found : existing(folder, tail);
}

char *installation_valgrind_folder(void)
{
    char folder[PATH_MAX];
    const char *wanted = getenv("APROF_VALGRIND_LIB");
    if (wanted && *wanted)
        return memory_copy_string(wanted);
    bool known = executable_folder(folder);
    char *links = known ? build_folder_links(folder) : NULL;
    links = first_of(links, AP_VALGRIND_LIB, "");
    return known ? first_of(links, folder, "../libexec/aprof/valgrind") : links;
}

char *installation_script(const char *name)
{
    char folder[PATH_MAX];
    const char *wanted = getenv("APROF_SCRIPTS");
    if (wanted && *wanted)
        return existing(wanted, name);
    bool known = executable_folder(folder);
    char *links = known ? build_folder_links(folder) : NULL;
    char *script = links ? existing(AP_SOURCE_SCRIPTS, name) : NULL;
    free(links);
    script = first_of(script, AP_SCRIPTS, name);
    if (script || !known)
        return script;
    char *moved = memory_format("%s/../share/aprof/scripts", folder);
    script = existing(moved, name);
    free(moved);
    return script;
}
