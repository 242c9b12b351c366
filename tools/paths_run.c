/* `aprof paths run`: runs all copies of a plan on one input, in parallel.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Without a launcher, the copies run on this machine, as many at a time as there are processors.
 * With a launcher, each rank runs this command again with --copy=RANK. All ranks use the same
 * folder, so the nodes must share this folder. The launcher only starts the processes on the nodes;
 * the processes exchange no messages.
 */
#include "tools/paths_command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum launcher { LAUNCHER_NONE, LAUNCHER_MPIRUN, LAUNCHER_SRUN, LAUNCHER_PARALLEL };

static const char *const launcher_names[] = {"none", "mpirun", "srun", "parallel", NULL};

static const char *const analysis_names[] = {"concurrent", "sequential", NULL};

struct settings {
    const char *folder;
    const char *copy;
    enum launcher launcher;
    int analysis;
    bool separate;
};

/* ---------------------------------------------------------------- One copy */

struct session {
    struct plan plan;
    const struct settings *settings;
    char *folder; /* absolute path */
    char *input;  /* file for standard input */
    char **arguments;
    char *self; /* path of this executable */
};

/* Copies the current folder to a folder for one copy. The names of all copies' folders have the
 * same length. */
static char *make_separate(const struct session *session, uint32_t copy)
{
    char *folder = paths_copy_file(session->folder, "folder", copy);
    char *command = memory_format(
        "rm -rf \"$1\" && mkdir \"$1\" && find . -mindepth 1 -maxdepth 1 ! -name 'aprof.paths.*' "
        "-exec cp -a {} \"$1\" \\;");
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command, "sh", folder, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    bool fine = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    free(command);
    if (fine)
        return folder;
    message_error("%s: cannot copy the files of the current folder to this folder", folder);
    free(folder);
    return NULL;
}

/* Starts the copy with a number, counted from 0. Returns the child's id, or -1 after a message. */
static pid_t start_copy(const struct session *session, uint32_t copy, int processor)
{
    char *executable = paths_copy_file(session->folder, "copy", copy + 1);
    char *counters = paths_copy_file(session->folder, "counters", copy + 1);
    char *folder = session->settings->separate ? make_separate(session, copy + 1) : NULL;
    bool makes_events = session->plan.flags & COUNTERS_EVENTS;
    struct paths_launch launch = {.executable = executable,
                                  .name = session->plan.program,
                                  .arguments = session->arguments,
                                  .counters = counters,
                                  .input = session->input ? session->input : "/dev/null",
                                  .folder = folder,
                                  .quiet = copy > 0,
                                  .processor = makes_events ? -1 : processor};
    if (makes_events)
        launch.analysis = analysis_names[session->settings->analysis];
    bool ready = folder || !session->settings->separate;
    pid_t child = ready ? paths_start(&launch) : -1;
    free(executable);
    free(counters);
    free(folder);
    return child;
}

static void forget_end(const struct session *session, uint32_t copy)
{
    char *path = paths_copy_file(session->folder, "end", copy + 1);
    unlink(path);
    free(path);
}

static bool note_end(const struct session *session, uint32_t copy, const struct paths_end *end)
{
    struct failure why;
    bool fine = paths_write_end(session->folder, copy + 1, &session->plan, end, &why);
    if (!fine)
        message_failure(&why);
    return fine;
}

/* ---------------------------------------------------------------- All copies here */

static uint32_t copy_of(const pid_t *children, uint32_t count, pid_t child)
{
    uint32_t copy = 0;
    while (copy < count && children[copy] != child)
        copy++;
    return copy;
}

static int any_child(void)
{
    siginfo_t info = {0};
    while (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) != 0)
        if (errno != EINTR)
            return -1;
    return info.si_pid;
}

/* Returns a processor on which no copy runs. */
static int free_processor(const int *processors, const pid_t *children, uint32_t count, int all)
{
    for (int p = 0; p < all; p++) {
        bool taken = false;
        for (uint32_t c = 0; c < count; c++)
            taken |= children[c] > 0 && processors[c] == p;
        if (!taken)
            return p;
    }
    return -1;
}

static bool run_all(const struct session *session)
{
    uint32_t copies = session->plan.distribution.copies, started = 0, running = 0;
    int all = (int)sysconf(_SC_NPROCESSORS_ONLN);
    pid_t *children = memory_get_zeroed(copies, sizeof *children);
    int *processors = memory_get_zeroed(copies, sizeof *processors);
    bool fine = true;
    while (running || (fine && started < copies)) {
        if (fine && started < copies && running < (uint32_t)(all > 0 ? all : 1)) {
            processors[started] = free_processor(processors, children, started, all);
            children[started] = start_copy(session, started, processors[started]);
            fine = children[started] > 0;
            running += fine;
            started++;
            continue;
        }
        pid_t child = any_child();
        struct paths_end end = paths_wait(child);
        uint32_t copy = copy_of(children, started, child);
        if (child < 0 || copy == started)
            break;
        children[copy] = 0;
        running--;
        fine &= note_end(session, copy, &end);
    }
    free(children);
    free(processors);
    return fine;
}

/* ---------------------------------------------------------------- Through a launcher */

/* The environment variables in which launchers pass a process its rank, and the rank of the first
 * process. */
static const struct {
    const char *name;
    long first;
} rank_variables[] = {
    {"OMPI_COMM_WORLD_RANK", 0}, {"PMIX_RANK", 0},    {"PMI_RANK", 0},
    {"SLURM_PROCID", 0},         {"PARALLEL_SEQ", 1},
};

/* The number of the copy in --copy, counted from 0. If the text is invalid, returns a number that
 * no copy has. */
static uint32_t wanted_copy(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);
    if (strcmp(text, "rank") != 0)
        return *text && !*end && number > 0 ? (uint32_t)number - 1 : UINT32_MAX;
    for (size_t i = 0; i < sizeof rank_variables / sizeof *rank_variables; i++) {
        const char *value = getenv(rank_variables[i].name);
        if (value && *value)
            return (uint32_t)(strtol(value, NULL, 10) - rank_variables[i].first);
    }
    return UINT32_MAX;
}

/* Removes the launcher's variables from the program's environment, because they differ between
 * ranks. */
static void forget_launcher(void)
{
    static const char *const beginnings[] = {"OMPI_", "PMI",    "SLURM_", "PARALLEL_", "PRTE_",
                                             "OPAL_", "PRRTE_", "ORTE_",  "MPI_",      "HYDRA_"};
    extern char **environ;
    for (char **variable = environ; *variable;) {
        bool ours = false;
        for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
            ours |= strncmp(*variable, beginnings[i], strlen(beginnings[i])) == 0;
        if (!ours) {
            variable++;
            continue;
        }
        char *name = memory_format("%.*s", (int)strcspn(*variable, "="), *variable);
        unsetenv(name);
        free(name);
    }
}

static bool run_one(struct session *session)
{
    uint32_t copy = wanted_copy(session->settings->copy);
    if (copy >= session->plan.distribution.copies) {
        message_error("paths run: --copy=%s: not a copy of this plan", session->settings->copy);
        return false;
    }
    forget_launcher();
    pid_t child = start_copy(session, copy, -1);
    if (child < 0)
        return false;
    struct paths_end end = paths_wait(child);
    return note_end(session, copy, &end);
}

typedef VECTOR(char *) words;

/* Adds the launcher and its own options to the command. */
static void add_launcher(words *command, enum launcher launcher, char *copies)
{
    vector_push(command, (char *)launcher_names[launcher]);
    if (launcher == LAUNCHER_PARALLEL) {
        vector_push(command, "--will-cite"); /* suppresses a notice in the program's output */
        vector_push(command, "-q");          /* arguments are words, not shell code */
        vector_push(command, "-j");
    } else {
        vector_push(command, "-n");
    }
    vector_push(command, copies);
    if (launcher == LAUNCHER_MPIRUN)
        vector_push(command, "--oversubscribe");
}

/* Makes the command LAUNCHER ... aprof paths run --copy=rank -o FOLDER -- ARGUMENTS. `numbers` has
 * the copies' numbers as text. */
static words launcher_command(const struct session *session, enum launcher launcher,
                              const words *numbers)
{
    words command = {0};
    add_launcher(&command, launcher, numbers->at[numbers->count - 1]);
    vector_push(&command, session->self);
    vector_push(&command, "paths");
    vector_push(&command, "run");
    vector_push(&command, "-o");
    vector_push(&command, session->folder);
    if (session->settings->separate)
        vector_push(&command, "--separate");
    vector_push(&command, launcher == LAUNCHER_PARALLEL ? "--copy={}" : "--copy=rank");
    vector_push(&command, "--");
    for (char **argument = session->arguments; *argument; argument++)
        vector_push(&command, *argument);
    if (launcher == LAUNCHER_PARALLEL)
        vector_push(&command, ":::");
    for (size_t i = 0; launcher == LAUNCHER_PARALLEL && i < numbers->count; i++)
        vector_push(&command, numbers->at[i]);
    vector_push(&command, NULL);
    return command;
}

static bool run_launcher(const struct session *session, enum launcher launcher)
{
    words numbers = {0};
    for (uint32_t c = 1; c <= session->plan.distribution.copies; c++)
        vector_push(&numbers, memory_format("%" PRIu32, c));
    words command = launcher_command(session, launcher, &numbers);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execvp(command.at[0], command.at);
        message_error("%s: %s", command.at[0], strerror(errno));
        _exit(127);
    }
    int status = child > 0 ? paths_wait(child).status : -1;
    for (size_t i = 0; i < numbers.count; i++)
        free(numbers.at[i]);
    vector_free(&numbers);
    vector_free(&command);
    if (status == 0)
        return true;
    message_error("%s: ended with %s", launcher_names[launcher], paths_end_text(status));
    return false;
}

/* ---------------------------------------------------------------- The result */

/* The program's exit status, if it is the same for all copies. */
static int judge(const struct session *session)
{
    struct paths_end first = {0}, end;
    struct failure why;
    for (uint32_t c = 0; c < session->plan.distribution.copies; c++) {
        if (!paths_read_end(&end, session->folder, c + 1, &session->plan, &why))
            return message_failure(&why);
        if (c == 0)
            first = end;
        if (end.status != first.status) {
            char *text = memory_copy_string(paths_end_text(first.status));
            message_error("copies ended differently: copy 1 with %s, copy %u with %s; the program "
                          "must behave equally in every copy",
                          text, c + 1, paths_end_text(end.status));
            free(text);
            return STATUS_FAILED;
        }
    }
    return WIFEXITED(first.status) ? WEXITSTATUS(first.status) : 128 + WTERMSIG(first.status);
}

static int run_copies(struct session *session)
{
    struct failure why;
    char *path = paths_file(session->folder, PATHS_INPUT);
    bool saved, fine = paths_save_input(path, &saved);
    session->input = saved ? path : NULL;
    for (uint32_t c = 0; c < session->plan.distribution.copies; c++)
        forget_end(session, c);
    if (fine &&
        !(fine = paths_write_run(session->folder, &session->plan, session->arguments, saved, &why)))
        message_failure(&why);
    if (fine && session->settings->launcher == LAUNCHER_NONE)
        fine = run_all(session);
    else if (fine)
        fine = run_launcher(session, session->settings->launcher);
    session->input = NULL;
    free(path);
    return fine ? judge(session) : STATUS_FAILED;
}

/* Runs the copy of one rank. The arguments and the input were recorded before the ranks were
 * started. */
static int run_rank(struct session *session)
{
    struct paths_run_record record;
    struct failure why;
    if (!paths_read_run(&record, session->folder, &session->plan, &why))
        return message_failure(&why);
    session->input = record.has_input ? paths_file(session->folder, PATHS_INPUT) : NULL;
    bool fine = run_one(session);
    free(session->input);
    paths_free_run(&record);
    return fine ? STATUS_OK : STATUS_FAILED;
}

static const struct option_entry run_options[] = {
    {'o', "output", "FOLDER", "the plan's folder [.]", OPTION_INTO(struct settings, folder)},
    {0, "launcher", "LAUNCHER", "launcher of the copies: * [none: this command]",
     OPTION_INTO(struct settings, launcher), OPTION_CHOICES(launcher_names)},
    {0, "copy", "N|rank", "runs only this copy; rank: the copy of the launcher's rank",
     OPTION_INTO(struct settings, copy)},
    {0, "separate", NULL, "runs each copy in a duplicate of the current folder",
     OPTION_INTO(struct settings, separate)},
    {0, "analysis", "concurrent|sequential",
     "counts events on another core, or on the core of the program [concurrent]",
     OPTION_INTO(struct settings, analysis), OPTION_CHOICES(analysis_names)},
    {0},
};

static int run(const struct command *command, char **argv)
{
    struct settings settings = {.folder = "."};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    struct session session = {.settings = &settings,
                              .arguments = (char **)options.operands.at,
                              .folder = paths_absolute(settings.folder),
                              .self = paths_absolute("/proc/self/exe")};
    int status;
    if (!session.folder || !paths_read_plan(&session.plan, session.folder, &why)) {
        if (!session.folder)
            failure_set(&why, "%s: %s", settings.folder, strerror(errno));
        status = message_failure(&why);
    } else {
        status = settings.copy ? run_rank(&session) : run_copies(&session);
        plan_free(&session.plan);
    }
    free(session.folder);
    free(session.self);
    return status;
}

const struct command paths_run = {
    .name = "run",
    .summary = "runs the copies on the same input",
    .usage = "[options] -- [arguments of the program]",
    .details = "Runs every copy of the plan with the same arguments and the same standard input.\n"
               "Shows only the output of the first copy. Returns the exit status of the program\n"
               "if all copies ended in the same way.",
    .options = run_options,
    .operands_most = OPERANDS_ANY,
    .run = run,
};
