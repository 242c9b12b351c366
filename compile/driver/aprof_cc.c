/* aprof-cc, aprof-c++, aprof-fc: gcc, clang or gfortran, with a profiler compiled in.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     CC=aprof-cc CXX=aprof-c++ ./configure && make
 *
 * If aprof-cc is called as aprof-pathcc or aprof-pathc++, it compiles for path profiles
 * (path_driver.c).
 *
 * Sources are compiled with the hooks of the requested profiler. Executables are linked with the
 * whole archive that implements the hooks; shared libraries use the executable's hooks. The link
 * must not have -fsanitize=thread, because the compiler would add its own ThreadSanitizer.
 * Therefore a command that compiles and links is executed in steps.
 */
#include "compile/driver/choice.h"
#include "lib/base/memory.h"
#include "lib/base/message.h"
#include "lib/base/vector.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- The archive */

/* Finds the file `name`. In the build tree, the file is in `from_here`, relative to the folder of
 * aprof-cc. In an installation, the file is in `folder`. */
static char *file_find(const char *from_here, const char *folder, const char *name)
{
    char own[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    if (n > 0) {
        own[n] = 0;
        *strrchr(own, '/') = 0;
        char *path = memory_format("%s/%s%s", own, from_here, name);
        if (access(path, R_OK) == 0)
            return path;
        free(path);
    }
    char *path = memory_format("%s/%s", folder, name);
    if (access(path, R_OK) == 0)
        return path;
    message_error("%s: %s", path, strerror(errno));
    free(path);
    return NULL;
}

/* ---------------------------------------------------------------- One command */

struct task {
    const struct profiler *profiler;
    struct compiler compiler;
    /* the words of the user's command without --aprof options; [0] is the name of aprof-cc */
    struct compiler_words words;
    const char *pass;  /* job of aprof-instrument; NULL: no job is needed */
    bool sees_inlined; /* whether functions that the compiler could inline stay separate routines */
    struct compiler_job job;
    struct arena strings;
    char *folder;     /* folder for temporary files; NULL: not made yet, or files are kept */
    int n_files;      /* number of files made in `folder` so far */
    const char *stem; /* stem of the file names of the current source */
};

static void add(struct compiler_words *list, const char *word)
{
    vector_push(list, (char *)word);
}

/* ---------------------------------------------------------------- The program's processor */

enum processor { AMD64, ARM64, OTHER };

#if defined(__x86_64__)
#define OWN_PROCESSOR AMD64
#elif defined(__aarch64__)
#define OWN_PROCESSOR ARM64
#else
#define OWN_PROCESSOR OTHER
#endif

/* Returns the processor that the name of a target or cross compiler begins with, for example ARM64
 * for aarch64-linux-gnu-gcc. */
static enum processor processor_named(const char *name)
{
    if (compiler_starts_with(name, "x86_64") || compiler_starts_with(name, "amd64"))
        return AMD64;
    bool is_arm64 = compiler_starts_with(name, "aarch64-") || compiler_starts_with(name, "arm64-");
    return is_arm64 && strstr(name, "-linux") && !strstr(name, "android") ? ARM64 : OTHER;
}

/* Returns the processor for which the program is compiled. `named` receives the word that names the
 * processor: an option, or the name of a cross compiler in APROF_CC_COMPILER. If there is no such
 * word, `named` receives NULL. */
static enum processor find_processor(const struct task *task, const char **named)
{
    static const char option[] = "--target=";
    for (size_t i = 1; i < task->words.count; i++) {
        const char *word = *named = task->words.at[i];
        if (compiler_starts_with(word, option))
            return processor_named(word + strlen(option));
        if (strcmp(word, "-target") == 0 && i + 1 < task->words.count)
            return processor_named(*named = task->words.at[i + 1]);
    }
    const char *slash = strrchr(task->compiler.name, '/');
    *named = slash ? slash + 1 : task->compiler.name;
    if (strstr(*named, "-linux-"))
        return processor_named(*named);
    *named = NULL;
    return OWN_PROCESSOR;
}

/* Finds an archive. The archives for another processor are in a folder with its name. */
static char *archive_find(const struct task *task, const char *archive)
{
    static const char *const folders[] = {
        [AMD64] = "x86_64-linux-gnu/", [ARM64] = "aarch64-linux-gnu/", [OTHER] = ""};
    const char *named;
    enum processor processor = find_processor(task, &named);
    char *name =
        memory_format("%s%s", processor == OWN_PROCESSOR ? "" : folders[processor], archive);
    char *path = file_find("../", AP_LIBDIR, name);
    free(name);
    return path;
}

static bool uses_lto(const struct task *task)
{
    for (size_t i = 1; i < task->words.count; i++)
        if (compiler_starts_with(task->words.at[i], "-flto"))
            return true;
    return false;
}

static bool has_word(const struct task *task, const char *word)
{
    for (size_t i = 1; i < task->words.count; i++)
        if (strcmp(task->words.at[i], word) == 0)
            return true;
    return false;
}

/* Returns the option that requests a program without the C library, or with another C library. */
static const char *own_library_word(const struct task *task)
{
    static const char *const words[] = {"-nostdlib", "-nodefaultlibs", "-nolibc", NULL};
    for (size_t i = 0; words[i]; i++)
        if (has_word(task, words[i]))
            return words[i];
    return NULL;
}

/* Returns whether LTO must be switched off. With LTO, gcc inserts the sanitizer's code when it
 * links the program, and only if the link command has -fsanitize=thread. */
static bool must_switch_lto_off(const struct task *task)
{
    return !task->compiler.is_clang && !task->profiler->gcc_lto && uses_lto(task);
}

/* Returns whether macros can replace calls of hooks. The macros are for executables, and use the
 * assembler's default syntax. With -pipe, the assembler cannot read the file of macros before the
 * code. If the macros cannot be used, the code calls the hooks. */
static bool can_inline(const struct task *task)
{
    static const char *const others[] = {"-fPIC", "-fpic", "-pipe", "-masm=intel", NULL};
    for (size_t i = 1; i < task->words.count; i++)
        if (compiler_is_one_of(task->words.at[i], others))
            return false;
    return task->profiler->inlined && !task->compiler.is_clang && !task->job.is_no_program;
}

static void add_inlined(struct compiler_words *command, struct task *task)
{
    char *path = archive_find(task, task->profiler->inlined);
    char *word = memory_format("-Wa,%s", path ? path : "");
    if (path && !strchr(path, ','))
        add(command, arena_copy(&task->strings, word, strlen(word)));
    free(word);
    free(path);
}

static bool watches_memory(const struct profiler *profiler)
{
    for (size_t i = 0; profiler->clang[i]; i++)
        if (strcmp(profiler->clang[i], "-fsanitize=thread") == 0)
            return true;
    return false;
}

static bool patches_entries(const struct task *task)
{
    return task->profiler->gcc[0] && compiler_starts_with(task->profiler->gcc[0], "-fpatchable-");
}

static void add_plugin(struct compiler_words *command, struct task *task, const char *name)
{
    char *path = file_find("", APROF_PATHS_LIB, name);
    char *word = memory_format("-fplugin=%s", path ? path : "");
    if (path)
        add(command, arena_copy(&task->strings, word, strlen(word)));
    free(word);
    free(path);
}

/* Adds the plugins compile/gcc/gcc_*.cpp if gcc has the release for which they were built. */
static void add_plugins(struct compiler_words *command, struct task *task)
{
    if (task->compiler.is_clang || !compiler_is_release(&task->compiler, AP_GCC_RELEASE))
        return;
    if (patches_entries(task))
        add_plugin(command, task, "aprof-gcc-entries.so");
    else
        add_plugin(command, task, "aprof-gcc-resolvers.so");
    if (watches_memory(task->profiler))
        add_plugin(command, task, "aprof-gcc-tables.so");
}

/* Returns whether vector accesses may have masks. With -march or -mavx, the compiler may use vector
 * accesses that are masked or gather elements. */
static bool may_have_masks(const struct task *task)
{
    for (size_t i = 1; i < task->words.count; i++)
        if (compiler_starts_with(task->words.at[i], "-march=") ||
            compiler_starts_with(task->words.at[i], "-mavx"))
            return true;
    return false;
}

/* Prevents errors about options that a step does not use. */
static void accept_unused(struct compiler_words *command, const struct task *task)
{
    if (task->compiler.is_clang)
        add(command, "-Qunused-arguments");
}

/* gfortran warns about -fno-builtin-..., which has no meaning for Fortran. */
static void add_compile_flags(struct compiler_words *command, struct task *task)
{
    const char *const *flag = task->compiler.is_clang ? task->profiler->clang : task->profiler->gcc;
    bool fortran = compiler_has_fortran(&task->words);
    for (; *flag; flag++)
        if (!fortran || !compiler_starts_with(*flag, "-fno-builtin-"))
            add(command, *flag);
    if (task->profiler->checks_inline && may_have_masks(task))
        for (size_t i = 0; profiler_without_vectors[i]; i++)
            add(command, profiler_without_vectors[i]);
    add_plugins(command, task);
    if (task->sees_inlined)
        add(command, "-fno-inline");
    if (!task->job.chooses_debug)
        add(command, "-g1");
    if (can_inline(task))
        add_inlined(command, task);
    accept_unused(command, task);
}

static bool add_whole_archive(struct compiler_words *command, struct task *task, const char *name)
{
    char *archive = archive_find(task, name);
    if (!archive)
        return false;
    add(command, "-Wl,--whole-archive");
    add(command, arena_copy(&task->strings, archive, strlen(archive)));
    add(command, "-Wl,--no-whole-archive");
    free(archive);
    return true;
}

static void add_exports(struct compiler_words *command, struct task *task)
{
    for (const char *const *hook = task->profiler->exports; *hook; hook++) {
        char *word = memory_format("-Wl,--export-dynamic-symbol=%s", *hook);
        add(command, arena_copy(&task->strings, word, strlen(word)));
        free(word);
    }
}

/* Returns whether the command hides symbols of the library. With hidden symbols, the linker would
 * bind the library's calls to the library's stubs rather than to the program's functions. */
static bool hides_symbols(const struct task *task)
{
    static const char *const words[] = {"version-script", "exclude-libs", "retain-symbols", NULL};
    for (size_t i = 1; i < task->words.count; i++)
        for (const char *const *word = words; *word; word++)
            if (strstr(task->words.at[i], *word))
                return true;
    return false;
}

static bool add_stubs(struct compiler_words *command, struct task *task)
{
    static const char *const shared[] = {"-shared", "--shared", NULL};
    if (!task->profiler->stubs || !compiler_begins_any(&task->words, shared) || hides_symbols(task))
        return true;
    char *archive = archive_find(task, task->profiler->stubs);
    if (!archive)
        return false;
    /* add_exports adds options with which the hooks in the program take precedence over the
     * library's stubs, even with -Bsymbolic. */
    add_exports(command, task);
    add(command, arena_copy(&task->strings, archive, strlen(archive)));
    free(archive);
    return true;
}

static bool add_link_flags_of_library(struct compiler_words *command, struct task *task)
{
    add(command, "-Wl,-z,undefs");
    if (task->profiler->object && !add_whole_archive(command, task, task->profiler->object))
        return false;
    return add_stubs(command, task);
}

/* Adds the profiler's hooks and archive to the link command after the words of the user's command,
 * because later words take precedence. */
static bool add_link_flags(struct compiler_words *command, struct task *task)
{
    accept_unused(command, task);
    if (must_switch_lto_off(task))
        add(command, "-fno-lto");
    if (task->job.is_no_program)
        return add_link_flags_of_library(command, task);
    add_exports(command, task);
    if (!add_whole_archive(command, task, task->profiler->archive))
        return false;
    /* Some libraries that the compiler adds (libgomp) need functions of the archive, so the archive
     * must precede these libraries. */
    add(command, "-Wl,--no-as-needed");
    add(command, "-pthread");
    add(command, "-ldl");
    if (own_library_word(task))
        add(command, "-lc"); /* -lc is repeated, because the first -lc precedes the archive */
    return true;
}

static int run(struct compiler_words *command)
{
    add(command, NULL);
    int status = compiler_run(command->at);
    vector_free(command);
    return status;
}

/* ---------------------------------------------------------------- Sources among the words */

static const char *const source_endings[] = {
    ".c",   ".i",   ".cc",  ".cp",  ".cxx", ".cpp", ".CPP", ".c++", ".C", ".ii",  ".m",
    ".mm",  ".f",   ".for", ".ftn", ".f90", ".f95", ".f03", ".f08", ".F", ".F90", ".F95",
    ".F03", ".F08", ".FOR", ".FTN", ".fpp", ".FPP", ".ll",  ".bc",  ".s", ".S",   NULL};

/* Returns whether the word is a source. `language` is the argument of -x, or NULL. */
static bool is_source(const char *word, const char *language)
{
    const char *dot = strrchr(word, '.');
    if (*word == '-' && word[1])
        return false;
    return language || (dot && compiler_is_one_of(dot, source_endings));
}

/* Returns the language that applies after words[*i]. If words[*i] is -x, the function advances *i
 * to the last word of this option. */
static const char *next_language(const struct compiler_words *words, size_t *i,
                                 const char *language)
{
    const char *word = words->at[*i];
    if (!compiler_starts_with(word, "-x") || compiler_starts_with(word, "-xS"))
        return language;
    if (!word[2] && *i + 1 < words->count)
        word = words->at[++*i];
    else
        word += 2;
    return strcmp(word, "none") == 0 ? NULL : word;
}

/* ---------------------------------------------------------------- Files between two steps */

static bool make_folder(struct task *task)
{
    const char *temporary = getenv("TMPDIR");
    if (task->folder)
        return true;
    task->folder =
        memory_format("%s/aprof-cc-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (mkdtemp(task->folder))
        return true;
    message_error("%s: %s", task->folder, strerror(errno));
    free(task->folder);
    task->folder = NULL;
    return false;
}

/* Names a file. The files of source number N are N.o, N.bc and N.inst.bc. If temporary files are
 * kept, the source's name replaces N. */
static const char *name_file(struct task *task, const char *ending)
{
    char *path = memory_format("%s%s", task->stem, ending);
    const char *kept = arena_copy(&task->strings, path, strlen(path));
    free(path);
    return kept;
}

static void set_stem(struct task *task, char *stem)
{
    task->stem = arena_copy(&task->strings, stem, strlen(stem));
    free(stem);
}

/* Returns the option that keeps temporary files in the current folder or in the output's folder;
 * NULL if the command has no such option. */
static const char *word_that_keeps(const struct task *task)
{
    static const char *const words[] = {"-save-temps", "-save-temps=cwd", "-save-temps=obj", NULL};
    const char *found = NULL;
    for (size_t i = 1; i < task->words.count; i++)
        if (compiler_is_one_of(task->words.at[i], words))
            found = task->words.at[i];
    return found;
}

static int length_of_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash + 1 - path) : 0;
}

static bool begin_source(struct task *task, const char *source)
{
    const char *keeps = word_that_keeps(task), *output = task->job.output;
    if (!keeps) {
        if (!make_folder(task))
            return false;
        set_stem(task, memory_format("%s/%d", task->folder, ++task->n_files));
        return true;
    }
    const char *name = source + length_of_folder(source), *dot = strrchr(name, '.');
    int n = strcmp(keeps, "-save-temps=obj") == 0 ? length_of_folder(output) : 0;
    set_stem(task, memory_format("%.*s%.*s", n, output,
                                 (int)(dot ? dot - name : (long)strlen(name)), name));
    return true;
}

static void remove_folder(struct task *task)
{
    static const char *const endings[] = {".o", ".bc", ".inst.bc", ".inst.dwo"};
    for (; task->folder && task->n_files > 0; task->n_files--) {
        set_stem(task, memory_format("%s/%d", task->folder, task->n_files));
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
            unlink(name_file(task, endings[i]));
    }
    if (task->folder)
        rmdir(task->folder);
    free(task->folder);
    task->folder = NULL;
}

/* ---------------------------------------------------------------- One source */

/* Returns whether the compiler needs the word in a step without linking. */
static bool is_for_compiling(const char *word)
{
    static const char *const linking[] = {"-l",     "-L", "-Wl,",     "-o", "-Xlinker",
                                          "-rpath", "-x", "-fuse-ld", NULL};
    for (size_t i = 0; linking[i]; i++)
        if (compiler_starts_with(word, linking[i]))
            return false;
    return *word == '-' && word[1];
}

static void add_words(struct compiler_words *command, const struct task *task,
                      bool (*wanted)(const char *word))
{
    for (size_t i = 1; i < task->words.count; i++) {
        const char *word = task->words.at[i];
        bool with_value = compiler_takes_value(word) && i + 1 < task->words.count;
        if (wanted(word)) {
            add(command, word);
            if (with_value)
                add(command, task->words.at[i + 1]);
        }
        i += with_value;
    }
}

/* Completes and runs a command that compiles one source. */
static int run_for(struct compiler_words *command, const char *source, const char *language,
                   const char *output)
{
    add(command, "-c");
    add(command, "-o");
    add(command, output);
    if (language) {
        add(command, "-x");
        add(command, language);
    }
    add(command, source);
    return run(command);
}

static int compile_plainly(struct task *task, const char *source, const char *language,
                           const char *object)
{
    struct compiler_words command = {0};
    add(&command, task->compiler.name);
    add_compile_flags(&command, task);
    add_words(&command, task, is_for_compiling);
    if (must_switch_lto_off(task))
        add(&command, "-fno-lto");
    return run_for(&command, source, language, object);
}

/* Returns whether this word belongs in the command that compiles a source to bitcode; options that
 * choose the kind of output do not belong there. */
static bool is_for_bitcode(const char *word)
{
    static const char *const others[] = {"-c", "-S", "-emit-llvm", NULL};
    return is_for_compiling(word) && !compiler_is_one_of(word, others);
}

/* Returns whether this word belongs in the command that compiles bitcode to an object; options for
 * the preprocessor's output do not belong there. */
static bool is_for_code(const char *word)
{
    return is_for_compiling(word) && !compiler_starts_with(word, "-M") &&
           !compiler_starts_with(word, "-Wp,") && strcmp(word, "-c") != 0;
}

/* Adds options for dependency files. The compiler writes rules for make that name the requested
 * object. The file with these rules is next to the object. */
static void add_dependencies(struct compiler_words *command, struct task *task, const char *object)
{
    static const char *const asked[] = {"-MD", "-MMD", NULL}, *const file[] = {"-MF", NULL};
    static const char *const target[] = {"-MT", "-MQ", NULL};
    const char *slash = strrchr(object, '/'), *dot = strrchr(slash ? slash : object, '.');
    if (!compiler_begins_any(&task->words, asked))
        return;
    if (!compiler_begins_any(&task->words, file)) {
        char *path =
            memory_format("%.*s.d", (int)(dot ? dot - object : (long)strlen(object)), object);
        add(command, "-MF");
        add(command, arena_copy(&task->strings, path, strlen(path)));
        free(path);
    }
    if (!compiler_begins_any(&task->words, target)) {
        add(command, "-MT");
        add(command, object);
    }
}

static int make_bitcode(struct task *task, const char *source, const char *language,
                        const char *object, const char *bitcode)
{
    struct compiler_words command = {0};
    add(&command, task->compiler.name);
    add_compile_flags(&command, task);
    add_words(&command, task, is_for_bitcode);
    add_dependencies(&command, task, object);
    add(&command, "-emit-llvm");
    return run_for(&command, source, language, bitcode);
}

static int instrument_bitcode(struct task *task, const char *given, const char *instrumented)
{
    struct compiler_words command = {0};
    char *instrumenter = file_find("", APROF_PATHS_LIB, "aprof-instrument");
    if (!instrumenter)
        return STATUS_FAILED;
    add(&command, instrumenter);
    add(&command, task->pass);
    add(&command, given);
    add(&command, instrumented);
    int status = run(&command);
    free(instrumenter);
    return status;
}

/* Compiles bitcode that is already optimised. If the debug information has no variables, LLVM's
 * analysis of the locations of variables is disabled: the analysis would find nothing, but take an
 * eighth of the compilation time. Machine sinking is disabled, because computations are already
 * near their uses. Without machine sinking, code generation takes a tenth less time, and programs
 * execute as many instructions as before. */
static int make_code(struct task *task, const char *bitcode, const char *object)
{
    struct compiler_words command = {0};
    add(&command, task->compiler.name);
    add_words(&command, task, is_for_code);
    accept_unused(&command, task);
    add(&command, "-Xclang");
    add(&command, "-disable-llvm-passes");
    add(&command, "-mllvm");
    add(&command, "-disable-machine-sink");
    if (!task->job.describes_variables) {
        add(&command, "-mllvm");
        add(&command, "-experimental-debug-variable-locations=false");
    }
    if (!has_word(task, "-S"))
        add(&command, "-c");
    add(&command, "-o");
    add(&command, object);
    add(&command, "-x");
    add(&command, "ir");
    add(&command, bitcode);
    return run(&command);
}

static bool is_assembly(const char *source, const char *language)
{
    static const char *const endings[] = {".s", ".S", NULL};
    const char *dot = strrchr(source, '.');
    return language ? compiler_starts_with(language, "assembler")
                    : dot && compiler_is_one_of(dot, endings);
}

static int compile_one(struct task *task, const char *source, const char *language,
                       const char *object)
{
    if (!task->pass || is_assembly(source, language))
        return compile_plainly(task, source, language, object);
    const char *given = name_file(task, ".bc"), *instrumented = name_file(task, ".inst.bc");
    int status = make_bitcode(task, source, language, object, given);
    if (status == STATUS_OK)
        status = instrument_bitcode(task, given, instrumented);
    return status == STATUS_OK ? make_code(task, instrumented, object) : status;
}

/* ---------------------------------------------------------------- Compiling and linking at once */

static int compile_to_link(struct task *task, struct compiler_words *command, const char *source,
                           const char *language)
{
    if (!begin_source(task, source))
        return STATUS_FAILED;
    const char *object = name_file(task, ".o");
    add(command, object);
    return compile_one(task, source, language, object);
}

/* Collects the arguments of the link command. Compiles each source, and replaces the source by its
 * object in the link command. */
static int collect_link(struct task *task, struct compiler_words *command)
{
    const char *language = NULL;
    int status = STATUS_OK;
    for (size_t i = 1; i < task->words.count && status == STATUS_OK; i++) {
        const char *word = task->words.at[i];
        size_t before = i;
        const char *now = next_language(&task->words, &i, language);
        if (i != before || now != language) {
            language = now;
            continue;
        }
        if (compiler_takes_value(word) && i + 1 < task->words.count) {
            add(command, word);
            add(command, task->words.at[++i]);
        } else if (is_source(word, language)) {
            status = compile_to_link(task, command, word, language);
        } else {
            add(command, word);
        }
    }
    return status;
}

static int compile_and_link(struct task *task)
{
    struct compiler_words command = {0};
    add(&command, task->compiler.name);
    int status = collect_link(task, &command);
    if (status == STATUS_OK)
        status = add_link_flags(&command, task) ? run(&command) : STATUS_FAILED;
    vector_free(&command);
    return status;
}

/* ---------------------------------------------------------------- The other commands */

static const char *output_word(const struct task *task)
{
    for (size_t i = 1; i < task->words.count; i++) {
        const char *word = task->words.at[i];
        if (strcmp(word, "-o") == 0 && i + 1 < task->words.count)
            return task->words.at[i + 1];
        if (compiler_starts_with(word, "-o") && word[2])
            return word + 2;
        i += compiler_takes_value(word);
    }
    return NULL;
}

/* Returns the name of the output file. By default, this is the name of the source with the suffix
 * .s or .o, in the current folder. */
static const char *output_of(struct task *task, const char *source)
{
    const char *given = output_word(task), *slash = strrchr(source, '/');
    if (given)
        return given;
    const char *name = slash ? slash + 1 : source, *dot = strrchr(name, '.');
    char *path = memory_format("%.*s%s", (int)(dot ? dot - name : (long)strlen(name)), name,
                               has_word(task, "-S") ? ".s" : ".o");
    const char *kept = arena_copy(&task->strings, path, strlen(path));
    free(path);
    return kept;
}

/* Handles -c and -S with aprof-instrument. */
static int compile_each(struct task *task)
{
    const char *language = NULL;
    int status = STATUS_OK;
    for (size_t i = 1; i < task->words.count && status == STATUS_OK; i++) {
        const char *word = task->words.at[i];
        size_t before = i;
        const char *now = next_language(&task->words, &i, language);
        if (i != before || now != language) {
            language = now;
        } else if (compiler_takes_value(word)) {
            i++;
        } else if (is_source(word, language)) {
            status = begin_source(task, word)
                         ? compile_one(task, word, language, output_of(task, word))
                         : STATUS_FAILED;
        }
    }
    return status;
}

static int compile_only(struct task *task)
{
    struct compiler_words command = {0};
    if (task->pass && task->job.has_input && !task->job.makes_no_code)
        return compile_each(task);
    add(&command, task->compiler.name);
    if (task->job.has_input && !task->job.makes_no_code)
        add_compile_flags(&command, task);
    for (size_t i = 1; i < task->words.count; i++)
        add(&command, task->words.at[i]);
    if (task->job.has_input && must_switch_lto_off(task))
        add(&command, "-fno-lto");
    return run(&command);
}

/* Returns whether the word is -fsanitize=LIST with a sanitizer that must instrument all memory
 * accesses. */
static bool is_other_sanitizer(const char *word)
{
    static const char *const others[] = {"address", "hwaddress",        "kernel-address", "leak",
                                         "memory",  "kernel-hwaddress", "thread",         NULL};
    if (!compiler_starts_with(word, "-fsanitize="))
        return false;
    for (const char *name = strchr(word, '=') + 1; *name;) {
        size_t n = strcspn(name, ",");
        for (size_t i = 0; others[i]; i++)
            if (strlen(others[i]) == n && strncmp(name, others[i], n) == 0)
                return true;
        name += n + (name[n] == ',');
    }
    return false;
}

static bool makes_counters(const char *word)
{
    static const char *const beginnings[] = {"-fprofile-generate",
                                             "-fprofile-instr-generate",
                                             "-fcs-profile-generate",
                                             "-fprofile-arcs",
                                             "--coverage",
                                             "-coverage",
                                             NULL};
    for (size_t i = 0; beginnings[i]; i++)
        if (compiler_starts_with(word, beginnings[i]))
            return true;
    return false;
}

/* Returns the reason why the program cannot be profiled as requested; NULL if it can be profiled.
 * `word` receives the word of the command that is the cause. Without this check, users would get
 * messages about flags and files that they did not write. */
static const char *refusal(const struct task *task, const char **word)
{
    static const char *const narrow[] = {"-m32", "-mx32", "-m16", NULL};
    for (size_t i = 1; i < task->words.count; i++) {
        *word = task->words.at[i];
        if (compiler_is_one_of(*word, narrow))
            return "only 64-bit programs can be profiled with aprof-cc";
        if (watches_memory(task->profiler) && is_other_sanitizer(*word))
            return "this sanitizer cannot be combined with the profiler";
        if (watches_memory(task->profiler) && makes_counters(*word))
            return "the profiler would measure accesses to the counters; leave this option out";
    }
    enum processor processor = find_processor(task, word);
    if (processor == OTHER)
        return "only programs for x86-64 and arm64 can be profiled with aprof-cc; use `aprof run`";
    *word = task->profiler->name;
    if (processor == ARM64 && !task->profiler->arm64)
        return "not for arm64; use --aprof=trms,inline, which clang compiles, or `aprof run`";
    if (task->profiler->pass && !*APROF_CLANG)
        return COMPILER_WITHOUT_LLVM;
    if (task->profiler->pass && !task->compiler.is_clang)
        return "only clang can compile it; set APROF_CC_COMPILER=clang";
    *word = "-static";
    if (task->job.is_static && task->job.links)
        return "the compiled-in profiler needs dynamic linking; leave this option out";
    *word = own_library_word(task);
    if (*word && task->job.links && !task->job.is_no_program && !has_word(task, "-lc"))
        return "a compiled-in profiler needs the C library";
    return NULL;
}

/* Prints a warning about reads without hooks, once for each program, when the program is linked.
 * From clang 19 on, the hooks miss every read of a constant table. */
static void note_missing_hooks(const struct task *task)
{
    bool has_hooks = task->compiler.is_clang && !task->profiler->pass;
    if (has_hooks && watches_memory(task->profiler) && !task->job.is_no_program &&
        !has_word(task, "-w"))
        message_error("aprof-cc: %s: clang adds no hooks to reads of constant tables, so they "
                      "are not measured; use gcc or --aprof=trms,inline",
                      task->profiler->name);
}

/* Processes --aprof-inline=VALUE or APROF_CC_INLINE. */
static bool understand_inline(struct task *task, const char *value)
{
    task->sees_inlined = value && strcmp(value, "see") == 0;
    if (value && *value && !task->sees_inlined)
        message_error("aprof-cc: --aprof-inline=%s: unknown value; use see", value);
    return !value || !*value || task->sees_inlined;
}

static bool read_words(struct task *task, int argc, char **argv)
{
    const char *profile = NULL, *inlined = getenv("APROF_CC_INLINE");
    struct compiler_words given = {0};
    for (int i = 0; i < argc; i++)
        compiler_add_expanded(&given, &task->strings, argv[i]);
    for (size_t i = 0; i < given.count; i++) {
        if (i && compiler_starts_with(given.at[i], "--aprof="))
            profile = given.at[i] + strlen("--aprof=");
        else if (i && compiler_starts_with(given.at[i], "--aprof-inline="))
            inlined = given.at[i] + strlen("--aprof-inline=");
        else
            add(&task->words, given.at[i]);
    }
    vector_free(&given);
    task->profiler = choice_find_profiler(&task->words, profile);
    return task->profiler && understand_inline(task, inlined);
}

/* clang inserts the hooks itself; aprof-instrument only removes the hooks of resolvers. */
static void choose_compiler(struct task *task)
{
    task->compiler = choice_find_compiler(&task->words, task->profiler);
    task->pass = task->profiler->pass;
    if (!task->pass && !patches_entries(task) && compiler_is_own_clang(&task->compiler))
        task->pass = "hooks";
}

static int perform(struct task *task)
{
    task->job = compiler_understand(&task->words);
    const char *word, *why = refusal(task, &word);
    if (why) {
        message_error("aprof-cc: %s: %s", word, why);
        return STATUS_USAGE;
    }
    if (task->job.links) {
        note_missing_hooks(task);
        return compile_and_link(task);
    }
    int status = compile_only(task);
    if (status == STATUS_OK && has_word(task, "--version"))
        choice_print(task->profiler, &task->compiler);
    return status;
}

static int drive(struct task *task)
{
    if (task->profiler->drives && task->sees_inlined)
        add(&task->words, "-fno-inline");
    if (task->profiler->drives)
        return task->profiler->drives(&task->words,
                                      strstr(choice_own_name(&task->words), "++") != NULL);
    choose_compiler(task);
    if (!has_word(task, "--help"))
        return perform(task);
    choice_print_help(task->profiler, &task->compiler);
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    struct task task = {0};
    int status = read_words(&task, argc, argv) ? drive(&task) : STATUS_USAGE;
    remove_folder(&task);
    vector_free(&task.words);
    arena_free(&task.strings);
    free(task.compiler.name);
    return status;
}
