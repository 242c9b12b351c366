/* `aprof run`: starts a program under Valgrind with the aprof tool.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * aprof translates its arguments to a command line of Valgrind, as in this example:
 *
 *     aprof run --metrics=trms,rms -- ./app 1000
 *     valgrind --tool=aprof DEFAULTS --metrics=trms,rms ./app 1000
 *
 * VALGRIND_LIB names a folder with Valgrind's own files and the aprof tool, so that no file of
 * Valgrind's installation is changed. This process becomes Valgrind by exec, so its exit status is
 * the exit status of the program. `-o FILE`, as in other sub-commands, is the tool's
 * --aprof-out-file.
 */
#include "tools/command.h"
#include "lib/base/installation.h"
#include "lib/base/short_name.h"
#include "tools/go_program.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUTPUT_OPTION "--aprof-out-file="
#define NO_SUPPORT    "--no-runtime-support"
#define PYTHON        "--python"
#define SHOW_RUNTIME  "--runtime=show"

/* If a hook cannot be loaded, the program must run nevertheless. */
#define LUA_HOOK                                                                                   \
    "do local start, why = package.loadlib([[{}/lua/_aprof.so]], 'aprof_start') "                  \
    "if start then start(_VERSION) else io.stderr:write('aprof: run: this Lua cannot report "      \
    "functions of scripts: ', why, '\\n') end end"

/* Exit statuses for programs that cannot run or be found, as in shells. */
enum { STATUS_NOT_RUNNABLE = 126, STATUS_NOT_FOUND = 127 };

/* Whether the argument is `-o` or `--output`, the only option with its value in the next argument.
 * All other options are single words, and are passed to Valgrind. */
static bool names_output(const char *argument)
{
    return strcmp(argument, "-o") == 0 || strcmp(argument, "--output") == 0;
}

/* The index of the program: the argument after `--`, or the first argument that is not an option; 0
 * if there is no program. */
static size_t program_index(char **argv)
{
    for (size_t i = 1; argv[i]; i++) {
        if (strcmp(argv[i], "--") == 0)
            return argv[i + 1] ? i + 1 : 0;
        if (argv[i][0] != '-')
            return i;
        if (names_output(argv[i]) && !argv[++i])
            return 0;
    }
    return 0;
}

static bool has_option(char **argv, size_t program, const char *option)
{
    for (size_t i = 1; i < program; i++) {
        if (strcmp(argv[i], option) == 0)
            return true;
    }
    return false;
}

/* Searches for an executable as execvp() does. Returns 0 and stores the path, which the caller
 * frees; or returns the error. */
static int find_executable(const char *name, char **executable)
{
    const char *folders = getenv("PATH");
    int reason = ENOENT;
    *executable = NULL;
    if (strchr(name, '/')) {
        if (access(name, X_OK) != 0)
            return errno;
        *executable = memory_copy_string(name);
        return 0;
    }
    while (folders && *name) {
        const char *end = strchrnul(folders, ':');
        const char *folder = end > folders ? folders : "."; /* an empty entry of PATH means the
                                                             * current folder */
        char *path =
            memory_format("%.*s/%s", end > folders ? (int)(end - folders) : 1, folder, name);
        bool found = access(path, X_OK) == 0;
        if (!found && errno == EACCES)
            reason = EACCES;
        if (found) {
            *executable = path;
            return 0;
        }
        free(path);
        folders = *end ? end + 1 : NULL;
    }
    return reason;
}

static int complain(const char *what, int reason, const char *advice)
{
    message_error("%s: %s%s", what, strerror(reason), advice);
    return reason == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUNNABLE;
}

/* Run-time systems that can write the names of their scripts' functions, or that load a hook. */
static const struct runtime {
    const char *program; /* pattern for fnmatch(3) */
    const char *variable;
    const char *value;        /* {} means the folder of the tool and of the hooks */
    const char *arguments[4]; /* options that are inserted before the user's arguments */
} runtimes[] = {
    {"python[0-9.]*", "PYTHONPERFSUPPORT", "1", {NULL}},
    {"python", "PYTHONPERFSUPPORT", "1", {NULL}},
    /* Each function is compiled once, before it first runs. So its cost depends on its input, not
     * on the number of earlier calls. An interpreter would also read bytecode, which would count as
     * input; compiled code reads no bytecode. */
    {"node",
     "NODE_OPTIONS",
     "--perf-basic-prof --interpreted-frames-native-stack",
     {"--no-opt", "--always-sparkplug", "--no-lazy-feedback-allocation", NULL}},
    {"nodejs",
     "NODE_OPTIONS",
     "--perf-basic-prof --interpreted-frames-native-stack",
     {"--no-opt", "--always-sparkplug", "--no-lazy-feedback-allocation", NULL}},
    {"erl", "ERL_FLAGS", "+JPperf true", {NULL}},
    /* The map lists only compiled code, so each method is compiled before its first call. */
    {"java",
     "JAVA_TOOL_OPTIONS",
     "-Xcomp -XX:TieredStopAtLevel=1 -XX:-Inline -XX:+IgnoreUnrecognizedVMOptions "
     "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
     {NULL}},
    {"lua", "LUA_INIT", LUA_HOOK, {NULL}},
    {"lua5.[34]", "LUA_INIT", LUA_HOOK, {NULL}},
    {"perl", "PERL5OPT", "-I{}/perl -MAprof", {NULL}},
    {"perl5.[0-9.]*", "PERL5OPT", "-I{}/perl -MAprof", {NULL}},
    {"ruby", "RUBYOPT", "-r{}/ruby/aprof_hook.rb", {NULL}},
    {"ruby[0-9.]*", "RUBYOPT", "-r{}/ruby/aprof_hook.rb", {NULL}},
};

static const struct runtime *runtime_find(const char *program)
{
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++) {
        if (fnmatch(runtimes[i].program, short_path(program), 0) == 0)
            return &runtimes[i];
    }
    return NULL;
}

static void variable_prepend(const char *variable, const char *value, const char *separator)
{
    const char *old = getenv(variable);
    char *both =
        old && *old ? memory_format("%s%s%s", value, separator, old) : memory_copy_string(value);
    setenv(variable, both, 1);
    free(both);
}

/* The hook for Python before 3.12; the file sitecustomize.py starts it. */
static void python_support(const char *valgrind_folder)
{
    char *folder = memory_format("%s/python", valgrind_folder);
    variable_prepend("PYTHONPATH", folder, ":");
    free(folder);
}

/* Whether the executable's name belongs to a Python release without perf maps. */
static bool is_old_python(const char *executable)
{
    static const char prefix[] = "python3.";
    char *path = realpath(executable, NULL);
    const char *name = short_path(path ? path : executable);
    bool is_old =
        strncmp(name, prefix, strlen(prefix)) == 0 && strtoul(name + strlen(prefix), NULL, 10) < 12;
    free(path);
    return is_old;
}

/* Whether this value of the variable loads one of aprof's hooks. */
static bool is_hook(const struct runtime *runtime)
{
    return strstr(runtime->value, "{}") != NULL;
}

/* Adds a value to the old value of an environment variable. LUA_INIT is Lua code, or the name of a
 * file after '@'; the other variables are lists of options. */
static char *value_join(const struct runtime *runtime, const char *old, const char *value)
{
    if (!old || !*old)
        return memory_copy_string(value);
    if (strcmp(runtime->variable, "LUA_INIT") != 0)
        return memory_format("%s %s", old, value);
    return *old == '@' ? memory_format("%s dofile([[%s]])", value, old + 1)
                       : memory_format("%s %s", value, old);
}

/* Sets environment variables that make the run-time system report the names of script functions. If
 * a script starts another run-time system, that system inherits these variables. */
static void runtime_support(const struct runtime *runtime, const char *folder, bool is_quiet)
{
    const char *slot = strstr(runtime->value, "{}");
    char *value = slot ? memory_format("%.*s%s%s", (int)(slot - runtime->value), runtime->value,
                                       folder, slot + strlen("{}"))
                       : memory_copy_string(runtime->value);
    char *joined = value_join(runtime, getenv(runtime->variable), value);
    setenv(runtime->variable, joined, 1);
    free(value);
    free(joined);
    if (!is_quiet)
        message_error(
            "run: sets %s%s so that script functions have names; to avoid this, add " NO_SUPPORT,
            runtime->variable, runtime->arguments[0] ? " and options" : "");
}

/* The default options; the user's options come later and override them. Child processes are
 * profiled, because shell scripts and wrappers start the actual program. The start of a shell costs
 * about 100 000 basic blocks. A process that calls exec before its cost reaches 1 000 000 is a
 * wrapper and gets no report. If a report was lost, the exit status is 125, which scripts can
 * check; timeout, nohup and env also use 125 for their own errors. */
static const char *const defaults[] = {
    "valgrind",
    "--tool=aprof",
    "--fair-sched=try",
    "--error-exitcode=125",
    "--trace-children=yes",
    "--wrapper-cost=1000000",
};

/* Makes Valgrind's command line; `program` is the index in argv. */
static void make_command(char **argv, size_t program, const struct runtime *runtime,
                         string_list *command)
{
    static const char output[] = "--output=";
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        vector_push(command, defaults[i]);
    for (size_t i = 1; i < program; i++) {
        bool is_output = strncmp(argv[i], output, strlen(output)) == 0;
        if (names_output(argv[i]))
            vector_push(command, memory_format(OUTPUT_OPTION "%s", argv[++i]));
        else if (is_output)
            vector_push(command, memory_format(OUTPUT_OPTION "%s", argv[i] + strlen(output)));
        else if (strcmp(argv[i], "--") != 0 && strcmp(argv[i], NO_SUPPORT) != 0 &&
                 strcmp(argv[i], PYTHON) != 0)
            vector_push(command, argv[i]);
    }
    vector_push(command, argv[program]);
    for (size_t i = 0; runtime && runtime->arguments[i]; i++)
        vector_push(command, runtime->arguments[i]);
    for (size_t i = program + 1; argv[i]; i++)
        vector_push(command, argv[i]);
    vector_push(command, NULL);
}

static int run(const struct command *command, char **argv)
{
    (void)command;
    size_t program = program_index(argv);
    if (program == 0) {
        message_error("run: no program to run; see 'aprof help run'");
        return STATUS_USAGE;
    }
    char *executable;
    int reason = find_executable("valgrind", &executable);
    free(executable);
    if (reason)
        return complain("valgrind", reason, "; install it to profile programs");
    reason = find_executable(argv[program], &executable);
    if (reason)
        return complain(argv[program], reason, "");
    char *folder = installation_valgrind_folder();
    if (!folder) {
        message_error("run: the tool's folder is missing; set APROF_VALGRIND_LIB to the folder");
        return STATUS_NOT_FOUND;
    }
    setenv("VALGRIND_LIB", folder, 1);
    bool is_quiet = has_option(argv, program, "-q");
    bool has_hook = has_option(argv, program, PYTHON);
    if (has_hook)
        python_support(folder);
    const struct runtime *runtime =
        has_option(argv, program, NO_SUPPORT) ? NULL : runtime_find(argv[program]);
    if (runtime && !has_hook && is_old_python(executable)) {
        runtime = NULL;
        if (!is_quiet)
            message_error(
                "run: %s: before Python 3.12, functions of scripts are in the report only "
                "with " PYTHON,
                argv[program]);
    }
    if (!is_quiet && go_program_lacks_symbols(executable))
        message_error("run: %s: a Go program without symbols: calls may be counted twice or end "
                      "late; build the program without -ldflags=-s",
                      argv[program]);
    free(executable);
    /* A hook reports calls of script functions, which no machine code calls; the interpreter's
     * routines cannot be measured separately at the same time. */
    if (runtime && is_hook(runtime) && has_option(argv, program, SHOW_RUNTIME))
        runtime = NULL;
    if (runtime)
        runtime_support(runtime, folder, is_quiet || has_hook);
    free(folder);
    string_list words = {0};
    make_command(argv, program, runtime, &words);
    execvp("valgrind", (char **)(uintptr_t)words.at);
    reason = errno;
    vector_free(&words);
    return complain("valgrind", reason, "");
}

const struct command command_run = {
    .name = "run",
    .summary = "runs a program and writes its profile",
    .usage = "[options of Valgrind and of its tool aprof] [--] PROGRAM [arguments]",
    .details =
        "Runs the program, and every program that it starts, under Valgrind with the aprof\n"
        "tool. Each process writes a report aprof.out.PID into the current folder; -o FILE\n"
        "gives another name. All other options are passed to Valgrind; aprof-run(1) describes\n"
        "the options of the tool. For python3, node, erl, java, lua, perl and ruby, variables\n"
        "are set so that functions of scripts have names, unless --no-runtime-support is\n"
        "given. Functions of Python before 3.12 need --python. To verify the concurrent\n"
        "analysis, add --concurrent=both, which analyses the same run in both ways. The exit\n"
        "status is the program's, or 125 if the report could not be written under its name.",
    .run = run,
};
