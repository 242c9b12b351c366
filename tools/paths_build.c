/* Makes instrumented programs: calls aprof-instrument, and the compiler as a linker.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/paths_command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---------------------------------------------------------------- Our own parts */

static char *executable_folder(void)
{
    char *path = paths_absolute("/proc/self/exe");
    char *slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        *slash = 0;
    return path;
}

/* Searches for a file in $APROF_PATHS_LIB, then in the build folder if this executable is not
 * installed, then in the installation. */
static char *find_part(const char *name, struct failure *why)
{
    char *beside = executable_folder();
    char *above = beside ? memory_format("%s/..", beside) : NULL;
    const char *folders[] = {getenv("APROF_PATHS_LIB"), beside, above, APROF_PATHS_LIB, AP_LIBDIR};
    char *found = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !found; i++) {
        char *path = folders[i] ? memory_format("%s/%s", folders[i], name) : NULL;
        if (path && access(path, R_OK) == 0)
            found = path;
        else
            free(path);
    }
    free(beside);
    free(above);
    if (!found)
        failure_set(why,
                    "%s: not found; this aprof was built without LLVM, or APROF_PATHS_LIB "
                    "must name its folder",
                    name);
    return found;
}

/* ---------------------------------------------------------------- Processes */

/* Runs a command in a folder (NULL: the current folder) and returns the command's exit status. */
static int run_command(char *const *command, const char *folder)
{
    pid_t child = fork();
    if (child == 0) {
        const char *what = folder && chdir(folder) != 0 ? folder : command[0];
        if (what == command[0])
            execvp(command[0], command);
        message_error("%s: %s", what, strerror(errno));
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool paths_normalise(const char *program, const char *folder, struct failure *why)
{
    char *instrumenter = find_part("aprof-instrument", why);
    if (!instrumenter)
        return false;
    char *bitcode = memory_format("%s" LINK_BITCODE_SUFFIX, program);
    char *normalised = paths_file(folder, PATHS_BITCODE);
    char *graphs = paths_file(folder, PATHS_GRAPHS);
    char *command[] = {instrumenter, "normalise", bitcode, normalised, graphs, NULL};
    bool fine = run_command(command, NULL) == 0 ||
                failure_set(why, "%s: cannot make its control-flow graphs", bitcode);
    free(instrumenter);
    free(bitcode);
    free(normalised);
    free(graphs);
    return fine;
}

/* ---------------------------------------------------------------- One copy */

/* The files that all copies share. */
struct kit {
    const struct link_record *link;
    char *instrumenter, *runtime, *bitcode;
    /* object file that emits an event for each finished path; NULL: the program emits no events */
    char *events;
};

typedef VECTOR(char *) word_list;

static void add_runtime(word_list *command, const struct kit *kit)
{
    static char *const of_dynamic[] = {"-Wl,-u,aprof_paths_dynamic",
                                       "-Wl,--export-dynamic-symbol=pthread_create"};
    static char *const of_static[] = {"-Wl,-u,aprof_paths_static", "-Wl,--wrap=pthread_create"};
    char *const *interposition = kit->link->is_static ? of_static : of_dynamic;
    vector_push(command, kit->runtime);
    if (kit->events) {
        vector_push(command, "-Wl,--whole-archive");
        vector_push(command, kit->events);
        vector_push(command, "-Wl,--no-whole-archive");
        return;
    }
    vector_push(command, interposition[0]);
    vector_push(command, interposition[1]);
}

/* Links a copy with the options that aprof-pathcc used. The linker compiles the bitcode without
 * optimisation. */
static int link_copy(const struct kit *kit, char *instrumented, char *executable)
{
    word_list command = {0};
    vector_push(&command, (char *)kit->link->compiler);
    vector_push(&command, "-fuse-ld=lld");
    vector_push(&command, "-Wno-unused-command-line-argument");
    vector_push(&command, "-Wl,--lto-O0");
    vector_push(&command, instrumented);
    for (size_t i = 0; i < kit->link->arguments.count; i++)
        vector_push(&command, (char *)kit->link->arguments.at[i]);
    add_runtime(&command, kit);
    vector_push(&command, "-ldl");
    vector_push(&command, "-lpthread");
    vector_push(&command, "-o");
    vector_push(&command, executable);
    vector_push(&command, NULL);
    int status = run_command(command.at, kit->link->folder);
    vector_free(&command);
    return status;
}

static int build_one(const struct kit *kit, const struct paths_build *build)
{
    char *instrumented = memory_format("%s.bc", build->executable);
    char *command[] = {kit->instrumenter, "instrument", kit->bitcode,
                       build->probes,     instrumented, NULL};
    int status = run_command(command, NULL);
    if (status == 0)
        status = link_copy(kit, instrumented, build->executable);
    unlink(instrumented);
    free(instrumented);
    return status;
}

/* ---------------------------------------------------------------- All of them */

static bool build_in_parallel(const struct kit *kit, const struct paths_build *builds, size_t count,
                              struct failure *why)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t started = 0, running = 0, failed = 0;
    while (running || (started < count && !failed)) {
        if (started < count && !failed && running < (size_t)(processors > 0 ? processors : 1)) {
            pid_t child = fork();
            if (child == 0)
                _exit(build_one(kit, &builds[started]));
            if (child < 0)
                return failure_set(why, "cannot start a process to build with: %s",
                                   strerror(errno));
            started++;
            running++;
            continue;
        }
        int status;
        if (wait(&status) < 0)
            break;
        running--;
        failed += status != 0;
    }
    return !failed || failure_set(why, "cannot build an instrumented copy");
}

/* Selects one of the runtime's three forms, which differ in what happens at the end of a path. */
static bool find_runtime(struct kit *kit, bool makes_events, struct failure *why)
{
    if (makes_events && kit->link->is_static)
        return failure_set(
            why, "-static: the compiled-in profiler needs dynamic linking; leave this option out");
    kit->runtime = find_part(makes_events           ? "libaprof_paths_events.a"
                             : kit->link->is_static ? "libaprof_paths_static.a"
                                                    : "libaprof_paths.a",
                             why);
    if (kit->runtime && makes_events)
        kit->events = find_part("libaprof_events.a", why);
    return kit->runtime && (kit->events || !makes_events);
}

bool paths_build_all(const struct link_record *link, const char *folder,
                     const struct paths_build *builds, size_t count, struct failure *why)
{
    struct kit kit = {.link = link};
    char *bitcode = paths_file(folder, PATHS_BITCODE);
    kit.bitcode = paths_absolute(bitcode);
    bool fine = kit.bitcode || failure_set(why, "%s: %s", bitcode, strerror(errno));
    fine = fine && (kit.instrumenter = find_part("aprof-instrument", why)) &&
           find_runtime(&kit, count && builds[0].makes_events, why);
    fine = fine && build_in_parallel(&kit, builds, count, why);
    free(bitcode);
    free(kit.bitcode);
    free(kit.instrumenter);
    free(kit.runtime);
    free(kit.events);
    return fine;
}
