/* Starts copies under conditions that are as equal as possible, and waits for them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Equal input does not mean equal paths if a program depends on its addresses, its name or its
 * environment. Therefore all copies have the same argv[0], the same environment variables with
 * values of the same length, and no address space randomisation.
 */
#include "tools/paths_command.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static bool redirect(const char *path, int flags, int descriptor)
{
    int file = open(path, flags);
    bool fine = file >= 0 && dup2(file, descriptor) >= 0;
    if (file >= 0 && file != descriptor)
        close(file);
    return fine;
}

static void bind_to_processor(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)processor, &set);
    sched_setaffinity(0, sizeof set, &set); /* if this call fails, runs only take longer */
}

/* Passes the analysis and the name of its report in environment variables. A `%` in the name is
 * escaped, because report names expand `%`. */
static void choose_analysis(const struct paths_launch *launch)
{
    char *counters = memory_get_zeroed(2 * strlen(launch->counters) + 1, 1), *to = counters;
    for (const char *from = launch->counters; *from; from++) {
        if (*from == '%')
            *to++ = '%';
        *to++ = *from;
    }
    char *value = memory_format("analysis=paths,mode=%s,out=%s.%%p", launch->analysis, counters);
    setenv("APROF_EVENTS", value, 1);
    free(value);
    free(counters);
}

static void become(const struct paths_launch *launch)
{
    char *const *arguments = launch->arguments;
    size_t count = 0;
    while (arguments[count])
        count++;
    char **argv = memory_get_zeroed(count + 2, sizeof *argv);
    argv[0] = (char *)launch->name;
    memcpy(argv + 1, arguments, count * sizeof *argv);
    setenv("APROF_PATHS_COUNTERS", launch->counters, 1);
    if (launch->analysis)
        choose_analysis(launch);
    if (launch->processor >= 0)
        bind_to_processor(launch->processor);
    personality(ADDR_NO_RANDOMIZE);
    if ((launch->folder && chdir(launch->folder) != 0) ||
        (launch->input && !redirect(launch->input, O_RDONLY, STDIN_FILENO)) ||
        (launch->quiet && (!redirect("/dev/null", O_WRONLY, STDOUT_FILENO) ||
                           !redirect("/dev/null", O_WRONLY, STDERR_FILENO))))
        _exit(126);
    execv(launch->executable, argv);
    _exit(127);
}

pid_t paths_start(const struct paths_launch *launch)
{
    if (access(launch->executable, X_OK) != 0) {
        message_error("%s: %s; make the copies again with 'aprof paths plan'", launch->executable,
                      strerror(errno));
        return -1;
    }
    counts_remove_files(launch->counters);
    pid_t child = fork();
    if (child == 0)
        become(launch);
    if (child < 0)
        message_error("%s: %s", launch->executable, strerror(errno));
    return child;
}

struct paths_end paths_wait(pid_t child)
{
    struct paths_end end = {.status = -1};
    struct rusage usage;
    while (wait4(child, &end.status, 0, &usage) < 0)
        if (errno != EINTR)
            return end;
    end.user_microseconds =
        (uint64_t)usage.ru_utime.tv_sec * 1000000 + (uint64_t)usage.ru_utime.tv_usec;
    return end;
}

const char *paths_end_text(int status)
{
    static char text[64];
    if (WIFSIGNALED(status))
        snprintf(text, sizeof text, "signal %d", WTERMSIG(status));
    else
        snprintf(text, sizeof text, "exit status %d", WEXITSTATUS(status));
    return text;
}

/* ---------------------------------------------------------------- Standard input */

static bool is_worth_saving(void)
{
    struct stat status;
    if (fstat(STDIN_FILENO, &status) != 0 || isatty(STDIN_FILENO))
        return false;
    return !S_ISCHR(status.st_mode) || status.st_rdev != makedev(1, 3); /* device numbers of the
                                                                         * null device */
}

static bool copy_input(int to)
{
    char bytes[65536];
    ssize_t got;
    while ((got = read(STDIN_FILENO, bytes, sizeof bytes)) > 0)
        for (ssize_t done = 0, put; done < got; done += put)
            if ((put = write(to, bytes + done, (size_t)(got - done))) < 0)
                return false;
    return got == 0;
}

bool paths_save_input(const char *path, bool *saved)
{
    *saved = is_worth_saving();
    unlink(path);
    if (!*saved)
        return true;
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool fine = to >= 0 && copy_input(to) && close(to) == 0;
    if (!fine)
        message_error("%s: cannot store standard input: %s", path, strerror(errno));
    return fine;
}
