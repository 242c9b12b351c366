/* Runs a command and appends to a file: label, wall time, processor time, peak memory, status.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Usage: measure FILE LABEL COMMAND [ARGUMENT...]
 *
 * The line is `LABEL WALL CPU PEAK STATUS`, separated by TABs. The units are seconds, seconds (user
 * and system), and KiB (largest resident set). STATUS is the exit status, or 128 + the signal's
 * number. Example:
 *
 *     xz memcheck 1	4.812	4.790	131072	0
 *
 * The child is a fork of this small process, so that its peak does not include the memory of a
 * large parent. Exit status: 0 if the command was run, even if it failed; 1 if the file cannot be
 * written; 2 usage.
 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static int status_of(int wait_status)
{
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

static int line_append(const char *path, const char *label, double wall, const struct rusage *usage,
                       int status)
{
    FILE *file = fopen(path, "a");

    if (file == NULL)
        return -1;
    fprintf(file, "%s\t%.3f\t%.3f\t%ld\t%d\n", label, wall,
            seconds_of(usage->ru_utime) + seconds_of(usage->ru_stime), usage->ru_maxrss, status);
    return fclose(file);
}

int main(int argc, char **argv)
{
    struct rusage usage = {0};
    double start;
    int status = 0;
    pid_t child;

    if (argc < 4) {
        fprintf(stderr, "usage: measure FILE LABEL COMMAND [ARGUMENT...]\n");
        return 2;
    }
    start = seconds_now();
    child = fork();
    if (child == 0) {
        execvp(argv[3], argv + 3);
        fprintf(stderr, "measure: %s: %s\n", argv[3], strerror(errno));
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        perror("measure");
        return 1;
    }
    if (line_append(argv[1], argv[2], seconds_now() - start, &usage, status_of(status)) != 0) {
        fprintf(stderr, "measure: %s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    return 0;
}
