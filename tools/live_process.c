/* A running program that is profiled; see live_process.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/live_process.h"
#include "lib/base/short_name.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT_BYTES_MAX (1 << 20) /* maximum bytes of a file in /proc */
#define NAME_DEFAULT   "aprof.out.%p"
#define CLOCK_SLACK    2 /* tolerance in seconds, because the kernel rounds start times */

#define REQUESTS_PER_DOUBLING 100
#define DOUBLINGS_MAX         16

extern char **environ;

/* Reading /proc -------------------------------------------------------------------------------- */

/* The contents of /proc/PID/NAME, with a 0 at the end that is not counted; NULL if the file cannot
 * be read. The caller frees it. */
static char *proc_read(pid_t pid, const char *name, size_t *bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    FILE *file = fopen(path, "re");
    if (!file)
        return NULL;
    char *text = memory_get_zeroed(TEXT_BYTES_MAX + 1, 1);
    *bytes = fread(text, 1, TEXT_BYTES_MAX, file);
    fclose(file);
    return text;
}

/* The target of the link /proc/PID/NAME; NULL if the link cannot be read.
 * The caller frees the text. */
static char *proc_link(pid_t pid, const char *name)
{
    char path[64], target[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    ssize_t bytes = readlink(path, target, sizeof target - 1);
    if (bytes < 0)
        return NULL;
    target[bytes] = 0;
    return memory_copy_string(target);
}

/* The state letter and the start time of a process; false if the process does not exist. */
static bool read_state(pid_t pid, char *state, unsigned long long *ticks)
{
    size_t bytes;
    char *text = proc_read(pid, "stat", &bytes);
    const char *rest = text ? strrchr(text, ')')
                            : NULL; /* the name of the program may contain any characters, also ) */
    bool good = rest && sscanf(rest,
                               ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
                               " %*s %*s %*s %llu",
                               state, ticks) == 2;
    free(text);
    return good;
}

/* The time at which the machine started, in seconds since 1970. */
static time_t boot_time(void)
{
    FILE *file = fopen("/proc/stat", "re");
    char line[256];
    long long seconds = 0;
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "btime %lld", &seconds);
    if (file)
        fclose(file);
    return (time_t)seconds;
}

/* Whether the process has a handler for the signal. Without a handler, the signal would end the
 * process. */
static bool handles_signal(pid_t pid, int number)
{
    size_t bytes;
    char *text = proc_read(pid, "status", &bytes);
    const char *line = text ? strstr(text, "\nSigCgt:") : NULL;
    unsigned long long caught = line ? strtoull(line + strlen("\nSigCgt:"), NULL, 16) : 0;
    free(text);
    return caught >> (number - 1) & 1;
}

/* Options -------------------------------------------------------------------------------------- */

/* The value of a variable of the environment. `texts` has the variables, each with a final 0; NULL
 * if the variable is missing. */
static const char *variable_in(const char *texts, size_t bytes, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = texts; at && at < texts + bytes; at += strlen(at) + 1) {
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
    }
    return NULL;
}

/* The last value of an option before the program's name in a command line of Valgrind; NULL if the
 * option is missing. */
static const char *option_in(const char *words, size_t bytes, const char *name)
{
    const char *value = NULL;
    size_t length = strlen(name);
    for (const char *at = words + strlen(words) + 1; at < words + bytes && *at == '-';
         at += strlen(at) + 1) {
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            value = at + length + 1;
    }
    return value;
}

/* The last value of a key in "key=value,key=value"; NULL if the key is missing. The
 * caller frees the text. */
static char *key_in(const char *options, const char *key)
{
    char *value = NULL;
    size_t length = strlen(key);
    for (const char *at = options; at && *at; at += strcspn(at, " ,")) {
        at += strspn(at, " ,");
        if (strncmp(at, key, length) != 0 || at[length] != '=')
            continue;
        free(value);
        at += length + 1;
        value = memory_format("%.*s", (int)strcspn(at, " ,"), at);
    }
    return value;
}

/* Replaces %p, %q{VAR} and %% in a name of a report. The caller frees the
 * new name. */
static char *expand_name(const char *pattern, pid_t pid, const char *variables, size_t bytes)
{
    char *name = NULL;
    size_t name_bytes;
    FILE *to = open_memstream(&name, &name_bytes);
    for (const char *at = pattern; to && *at; at++) {
        const char *end = strncmp(at, "%q{", 3) == 0 ? strchr(at, '}') : NULL;
        if (strncmp(at, "%p", 2) == 0) {
            fprintf(to, "%d", (int)pid);
            at++;
        } else if (strncmp(at, "%%", 2) == 0) {
            fputc('%', to);
            at++;
        } else if (end) {
            char *variable = memory_format("%.*s", (int)(end - at - 3), at + 3);
            const char *value = variable_in(variables, bytes, variable);
            fputs(value ? value : "", to);
            free(variable);
            at = end;
        } else {
            fputc(*at, to);
        }
    }
    if (to)
        fclose(to);
    return name ? name : memory_copy_string("");
}

/* A relative name is relative to the folder in which the program was started. The start folder is
 * the current folder, unless the program has changed its folder. If a shell started the program,
 * PWD names the start folder even after the program has changed its folder. A child of the profiled
 * program appends its PID to the name. */
static void set_names(struct live_process *p, const char *name, const char *started_in)
{
    char *now_in = proc_link(p->pid, "cwd");
    const char *folders[] = {*name == '/' ? "" : now_in, *name == '/' ? NULL : started_in};
    size_t count = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *folder = folders[i];
        if (!folder || (*folder && *folder != '/'))
            continue;
        p->names[count++] = memory_format("%s%s%s", folder, *folder ? "/" : "", name);
        p->names[count++] = memory_format("%s%s%s.%d", folder, *folder ? "/" : "", name, p->pid);
    }
    free(now_in);
}

static enum live_method compiled_method(struct live_process *p, const char *options)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"HUP", SIGHUP}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}};
    char *every = key_in(options, "dump-every"), *on = key_in(options, "dump-signal");
    enum live_method method = every ? LIVE_AT_INTERVALS : LIVE_AT_END;
    for (size_t i = 0; on && !every && i < sizeof signals / sizeof *signals; i++) {
        if (strcmp(on, signals[i].name) == 0) {
            p->signal = signals[i].number;
            method = LIVE_BY_SIGNAL;
        }
    }
    free(every);
    free(on);
    return method;
}

/* Sets the method and the names from the options of the process; false if the process is not
 * profiled. */
static bool find_options(struct live_process *p)
{
    size_t words_bytes = 0, bytes = 0;
    char *words = proc_read(p->pid, "cmdline", &words_bytes);
    char *variables = proc_read(p->pid, "environ", &bytes);
    char *program = proc_link(p->pid, "exe");
    const char *options = variable_in(variables, bytes, "APROF");
    char *out = key_in(options, "out");
    const char *pattern = NULL;
    if (words && program && fnmatch("aprof-*-linux", short_path(program), 0) == 0) {
        p->method =
            option_in(words, words_bytes, "--dump-every") ? LIVE_AT_INTERVALS : LIVE_BY_VGDB;
        pattern = option_in(words, words_bytes, "--aprof-out-file");
        pattern = pattern ? pattern : NAME_DEFAULT;
    } else if (options) {
        p->method = compiled_method(p, options);
        pattern = out ? out : NAME_DEFAULT;
    }
    if (pattern) {
        char *name = expand_name(pattern, p->pid, variables, bytes);
        set_names(p, name, variable_in(variables, bytes, "PWD"));
        free(name);
    }
    free(words);
    free(variables);
    free(program);
    free(out);
    return pattern != NULL;
}

/* The interface -------------------------------------------------------------------------------- */

bool live_process_is_pid(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

bool live_process_find(struct live_process *p, const char *pid, struct failure *why)
{
    char state;
    unsigned long number = strtoul(pid, NULL, 10);
    *p = (struct live_process){.pid = number <= INT_MAX ? (pid_t)number : 0};
    if (!read_state(p->pid, &state, &p->ticks) || state == 'Z')
        return failure_set(why, "process %s: does not run", pid);
    p->started = boot_time() + (time_t)(p->ticks / (unsigned long long)sysconf(_SC_CLK_TCK));
    if (find_options(p))
        return true;
    live_process_free(p);
    return failure_set(why,
                       "process %s: not profiled; start it with `aprof run --dump-every=SECONDS`,"
                       " or compiled by aprof-cc with APROF=dump-every=2s",
                       pid);
}

/* Ends a vgdb that still runs; vgdb is a child of this process. */
static void end_request(struct live_process *p)
{
    if (p->vgdb && kill(p->vgdb, SIGKILL) == 0)
        waitpid(p->vgdb, NULL, 0);
    p->vgdb = 0;
}

void live_process_free(struct live_process *p)
{
    end_request(p);
    for (size_t i = 0; i < LIVE_NAMES; i++) {
        free(p->names[i]);
        p->names[i] = NULL;
    }
}

bool live_process_runs(struct live_process *p)
{
    char state;
    unsigned long long ticks;
    if (!__atomic_load_n(&p->has_ended, __ATOMIC_RELAXED) &&
        (!read_state(p->pid, &state, &ticks) || ticks != p->ticks || state == 'Z'))
        __atomic_store_n(&p->has_ended, true, __ATOMIC_RELAXED);
    return !__atomic_load_n(&p->has_ended, __ATOMIC_RELAXED);
}

static void request_by_vgdb(struct live_process *p)
{
    char process[32];
    snprintf(process, sizeof process, "--pid=%d", (int)p->pid);
    char *words[] = {(char *)(uintptr_t) "vgdb", process, (char *)(uintptr_t) "dump", NULL};
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    for (int i = 0; i < 3; i++)
        posix_spawn_file_actions_addopen(&quiet, i, "/dev/null", O_RDWR, 0);
    if (posix_spawnp(&p->vgdb, words[0], &quiet, NULL, words, environ) != 0)
        p->vgdb = 0;
    p->requests++;
    posix_spawn_file_actions_destroy(&quiet);
}

void live_process_request(struct live_process *p)
{
    if (p->vgdb && waitpid(p->vgdb, NULL, WNOHANG) == p->vgdb)
        p->vgdb = 0;
    if (!live_process_runs(p))
        return;
    if (p->method == LIVE_BY_SIGNAL && handles_signal(p->pid, p->signal))
        kill(p->pid, p->signal);
    else if (p->method == LIVE_BY_VGDB && !p->vgdb)
        request_by_vgdb(p);
}

double live_process_interval(const struct live_process *p, double every)
{
    unsigned doublings = p->requests / REQUESTS_PER_DOUBLING;
    return every * (double)(1U << (doublings < DOUBLINGS_MAX ? doublings : DOUBLINGS_MAX));
}

const char *live_process_hint(const struct live_process *p)
{
    if (p->method == LIVE_AT_END)
        return "writes its report only at its end; start the program with APROF=dump-every=2s";
    if (p->method == LIVE_BY_VGDB)
        return "vgdb requests reports, and their sum is shown; the last report will have only "
               "the rest (--dump-every of `aprof run` avoids this)";
    return NULL;
}

/* Whether the file exists and is not older than the process. */
static bool is_fresh(const struct live_process *p, const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_mtime + CLOCK_SLACK >= p->started;
}

/* Adds the files NAME.1, NAME.2 and so on. */
static void add_parts(const struct live_process *p, const char *name, path_list *paths)
{
    for (unsigned i = 1; p->method == LIVE_BY_VGDB; i++) {
        char *part = memory_format("%s.%u", name, i);
        if (!is_fresh(p, part)) {
            free(part);
            return;
        }
        vector_push(paths, part);
    }
}

void live_process_files(const struct live_process *p, path_list *paths)
{
    for (size_t i = 0; i < LIVE_NAMES && paths->count == 0; i++) {
        if (!p->names[i])
            continue;
        add_parts(p, p->names[i], paths);
        if (is_fresh(p, p->names[i]))
            vector_push(paths, memory_copy_string(p->names[i]));
    }
}
