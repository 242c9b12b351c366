/* Finds the compiler that aprof-cc calls.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "compile/driver/compiler.h"

#include "lib/base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Converts the name of a C compiler to the name of its C++ compiler: clang-14 -> clang++-14, gcc ->
 * g++, cc -> c++. A C++ compiler's name stays unchanged. */
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

/* Converts the name of a C compiler to the name of its Fortran compiler: gcc-12 -> gfortran-12. A
 * name without "gcc" stays unchanged, because it is already the name of a Fortran compiler. */
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

const char *compiler_own_clang(void)
{
    return access(APROF_CLANG, X_OK) == 0 ? APROF_CLANG : NULL;
}

const char *compiler_named(void)
{
    const char *named = getenv("APROF_CC_COMPILER");
    return named && *named ? named : NULL;
}

struct compiler compiler_choose(const char *own_name, bool prefers_clang)
{
    const char *chosen = compiler_named(), *clang = compiler_own_clang();
    struct compiler compiler;
    if (!chosen)
        chosen = !prefers_clang ? "gcc" : clang ? clang : "clang";
    compiler.name = name_for_own(own_name, chosen);
    compiler.is_clang = strstr(chosen, "clang") != NULL;
    return compiler;
}

/* Runs the command and returns the first bytes of its output in `answer`: "" if the command
 * fails. */
static void ask(char *const *command, char *answer, size_t bytes)
{
    int ends[2];
    size_t n = 0;
    ssize_t got = 0;
    *answer = 0;
    if (pipe(ends) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(command[0], command);
        _exit(127);
    }
    close(ends[1]);
    while (n + 1 < bytes && (got = read(ends[0], answer + n, bytes - 1 - n)) > 0)
        n += (size_t)got;
    close(ends[0]);
    answer[n] = 0;
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
        *answer = 0;
}

static void ask_release(const char *compiler, const char *option, char *answer, size_t bytes)
{
    char *name = memory_copy_string(compiler), *flag = memory_copy_string(option);
    char *command[] = {name, flag, NULL};
    ask(command, answer, bytes);
    answer[strcspn(answer, "\n")] = 0;
    free(name);
    free(flag);
}

bool compiler_is_release(const struct compiler *compiler, const char *release)
{
    char answer[64];
    if (!*release)
        return false;
    ask_release(compiler->name, "-dumpfullversion", answer, sizeof answer);
    return strcmp(answer, release) == 0;
}

bool compiler_is_own_clang(const struct compiler *compiler)
{
    char own[64], other[64];
    const char *clang = compiler_own_clang();
    if (!clang || !compiler->is_clang)
        return false;
    if (strcmp(compiler->name, clang) == 0)
        return true;
    ask_release(clang, "-dumpversion", own, sizeof own);
    ask_release(compiler->name, "-dumpversion", other, sizeof other);
    return *own && strtoul(own, NULL, 10) == strtoul(other, NULL, 10);
}
