/* Runs gnuplot; see gnuplot.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof-config.h"

#include "lib/base/gnuplot.h"
#include "lib/base/installation.h"
#include "lib/base/vector.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_NO_GNUPLOT 127

bool gnuplot_data_create(struct gnuplot_data *data, struct failure *why)
{
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder || strlen(folder) > sizeof data->path - 32)
        folder = "/tmp";
    snprintf(data->path, sizeof data->path, "%s/aprof-plot.XXXXXX", folder);
    int descriptor = mkstemp(data->path);
    data->stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    return data->stream || failure_set(why, "%s: %s", data->path, strerror(errno));
}

bool gnuplot_data_finish(struct gnuplot_data *data, struct failure *why)
{
    bool failed = ferror(data->stream);
    failed |= fclose(data->stream) != 0;
    data->stream = NULL;
    return !failed || failure_set(why, "%s: cannot write: %s", data->path, strerror(errno));
}

void gnuplot_data_remove(struct gnuplot_data *data)
{
    if (data->stream)
        fclose(data->stream);
    unlink(data->path);
}

/* gnuplot's messages are for authors of scripts, not for users of aprof. So after a failure, aprof
 * reports only the last line that gnuplot has printed. */
struct complaints {
    int descriptor;
    char last[200];
};

static void read_complaints(struct complaints *c)
{
    FILE *from = fdopen(c->descriptor, "r");
    char line[sizeof c->last];
    while (from && fgets(line, sizeof line, from)) {
        line[strcspn(line, "\n")] = 0;
        if (*line)
            memcpy(c->last, line, sizeof line);
    }
    if (from)
        fclose(from);
    else
        close(c->descriptor);
}

static bool wait_for(pid_t child, const struct complaints *c, struct failure *why)
{
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return failure_set(why, "gnuplot: %s", strerror(errno));
    }
    if (WIFSIGNALED(status))
        return failure_set(why, "gnuplot: killed by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) == EXIT_NO_GNUPLOT)
        return failure_set(why, "gnuplot: not found; install it to draw plots");
    return WEXITSTATUS(status) == 0 ||
           failure_set(why, "gnuplot: failed to draw the plot%s%s", *c->last ? ": " : "", c->last);
}

static bool run_child(char *const *command, FILE *drawn, struct failure *why)
{
    struct complaints complaints = {0};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return failure_set(why, "gnuplot: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        dup2(fileno(drawn), STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execvp(command[0], command);
        _exit(EXIT_NO_GNUPLOT);
    }
    close(ends[1]);
    complaints.descriptor = ends[0];
    read_complaints(&complaints);
    if (child < 0)
        return failure_set(why, "gnuplot: %s", strerror(errno));
    return wait_for(child, &complaints, why);
}

static void copy_to_output(FILE *drawn)
{
    char bytes[4096];
    rewind(drawn);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, drawn)) > 0;)
        fwrite(bytes, 1, n, stdout);
}

/* gnuplot does not report a full disk, so aprof copies gnuplot's terminal output to standard output
 * itself. */
static bool run_command(char *const *command, struct failure *why)
{
    FILE *drawn = tmpfile();
    if (!drawn)
        return failure_set(why, "gnuplot: %s", strerror(errno));
    bool good = run_child(command, drawn, why);
    if (good)
        copy_to_output(drawn);
    fclose(drawn);
    return good;
}

bool gnuplot_run(const char *script, const char *const *arguments, struct failure *why)
{
    string_list command = {0};
    char *path = installation_script(script);
    if (!path)
        return failure_set(why, "%s: script not found; set APROF_SCRIPTS to its folder", script);
    vector_push(&command, "gnuplot");
    vector_push(&command, "-c");
    vector_push(&command, path);
    for (; *arguments; arguments++)
        vector_push(&command, *arguments);
    vector_push(&command, NULL);
    bool good = run_command((char *const *)(uintptr_t)command.at, why);
    vector_free(&command);
    free(path);
    return good;
}

bool gnuplot_is_picture(const char *path)
{
    const char *dot = strrchr(path, '.');
    bool picture =
        dot && (strcmp(dot, ".svg") == 0 || strcmp(dot, ".png") == 0 || strcmp(dot, ".pdf") == 0);
    return picture || strcmp(path, "-") == 0;
}

bool gnuplot_may_write(const char *path, struct failure *why)
{
    struct stat status;
    bool existed = stat(path, &status) == 0;
    if (strcmp(path, "-") == 0)
        return true;
    FILE *file = fopen(path, "a");
    if (!file)
        return failure_set(why, "%s: cannot write: %s", path, strerror(errno));
    fclose(file);
    if (!existed)
        unlink(path);
    return true;
}

/* The text at the end of a complete picture file, for each format. */
static const char *const ends[][2] = {{".svg", "</svg>"}, {".png", "IEND"}, {".pdf", "%%EOF"}};

static bool is_whole(const char *path)
{
    char tail[32];
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t bytes = 0;
    if (fseek(file, -(long)sizeof tail, SEEK_END) == 0)
        bytes = fread(tail, 1, sizeof tail, file);
    fclose(file);
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++) {
        if (strcmp(dot, ends[i][0]) == 0)
            return memmem(tail, bytes, ends[i][1], strlen(ends[i][1])) != NULL;
    }
    return bytes > 0;
}

bool gnuplot_has_drawn(const char *path, struct failure *why)
{
    struct stat status;
    if (strcmp(path, "-") == 0)
        return true;
    bool there = stat(path, &status) == 0;
    if (there && (!S_ISREG(status.st_mode) || is_whole(path)))
        return true;
    if (there)
        unlink(path);
    return failure_set(why, "%s: gnuplot could not write all of the picture: is the disk full?",
                       path);
}
