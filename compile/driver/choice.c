/* Chooses the profiler that aprof-cc compiles in, and the compiler (choice.h).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     aprof-cc -O2 a.c                          trms,inline by clang; without clang,
 *                                               trms,hooks by gcc
 *     APROF_CC_COMPILER=clang aprof-cc -O2 a.c  trms,inline
 *     APROF_CC_COMPILER=gcc aprof-cc -O2 a.c    trms,hooks
 *     aprof-cc --aprof=contexts -fopenmp a.c    contexts,hooks by gcc
 */
#include "compile/driver/choice.h"

#include "lib/base/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *choice_own_name(const struct compiler_words *words)
{
    const char *slash = strrchr(words->at[0], '/');
    return slash ? slash + 1 : words->at[0];
}

/* Returns whether the command has options that only clang knows. */
static bool needs_clang(const struct compiler_words *words)
{
    static const char *const beginnings[] = {"-flto=thin", "-flto=full",   "-stdlib=",  "-mllvm",
                                             "-Xclang",    "-Weverything", "--target=", NULL};
    return compiler_begins_any(words, beginnings);
}

/* Returns whether the command has options for which gcc is needed. These are options that clang
 * does not know, and options for which clang requires libomp or a linker plugin. */
static bool needs_gcc(const struct compiler_words *words)
{
    static const char *const beginnings[] = {
        "-fopenmp", "-fopenacc", "-flto", "-fplugin=", "-fgnu-tm", "-specs", NULL};
    if (compiler_has_fortran(words) || strcmp(choice_own_name(words), "aprof-fc") == 0)
        return true;
    return !needs_clang(words) && compiler_begins_any(words, beginnings);
}

/* Returns whether inline instrumentation is possible with the chosen compiler. */
static bool can_have_inline(const struct compiler_words *words)
{
    if (!compiler_named())
        return compiler_own_clang() && !needs_gcc(words);
    if (compiler_has_fortran(words) || strcmp(choice_own_name(words), "aprof-fc") == 0)
        return false;
    struct compiler compiler = compiler_choose(words->at[0], false);
    bool can = compiler_is_own_clang(&compiler);
    free(compiler.name);
    return can;
}

/* Returns the profile that an option or the environment requests. */
static const char *asked_profile(const struct compiler_words *words, const char *asked)
{
    const char *chosen = getenv("APROF_CC_PROFILE");
    if (asked && *asked)
        return asked;
    if (compiler_starts_with(choice_own_name(words), "aprof-path"))
        return PATHS_PROFILE;
    return chosen && *chosen ? chosen : "trms";
}

const struct profiler *choice_find_profiler(const struct compiler_words *words, const char *asked)
{
    static const char *const with_both[] = {"trms", "contexts", "events", NULL};
    const char *name = asked_profile(words, asked);
    if (!compiler_is_one_of(name, with_both))
        return profiler_find(name);
    char *whole = memory_format("%s,%s", name, can_have_inline(words) ? "inline" : "hooks");
    const struct profiler *profiler = profiler_find(whole);
    free(whole);
    return profiler;
}

struct compiler choice_find_compiler(const struct compiler_words *words,
                                     const struct profiler *profiler)
{
    return compiler_choose(words->at[0], profiler->pass || needs_clang(words));
}

void choice_print(const struct profiler *profiler, const struct compiler *compiler)
{
    printf("aprof-cc %s: --aprof=%s, compiled by %s\n", APROF_VERSION, profiler->name,
           compiler->name);
}

void choice_print_help(const struct profiler *profiler, const struct compiler *compiler)
{
    puts(
        "usage: aprof-cc [--aprof=PROFILE] [--aprof-inline=see] [OPTIONS OF THE COMPILER] FILE...\n"
        "       aprof-c++ ..., aprof-fc ...\n\n"
        "Compile and link like gcc or clang, and add a profiler to the program.\n\n"
        "PROFILE:");
    profiler_print_all();
    puts("\nWithout `inline` or `hooks`, trms, contexts and events use inline code if the "
         "compiler is a\n"
         "clang of the LLVM release that aprof uses, and hooks otherwise. The default is trms.\n\n"
         "--aprof-inline=see  measure routines that would be inlined as separate routines\n\n"
         "In the environment:\n"
         "  APROF_CC_COMPILER   the C compiler: clang, gcc-12\n"
         "  APROF_CC_PROFILE    PROFILE, if the command cannot be changed\n"
         "  APROF_CC_INLINE     see\n\n"
         "All other options are passed to the compiler, which lists its options with --help. "
         "This command would use");
    choice_print(profiler, compiler);
}
