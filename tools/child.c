/* Runs a program; see child.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/child.h"
#include "lib/base/memory.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MILLISECONDS 500

const char *child_own_path(void)
{
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    return length > 0 ? path : "aprof";
}

/* The program gets the default actions of signals, except for signals that were already ignored. */
static void default_signals(posix_spawnattr_t *attributes, const struct sigaction *before)
{
    static const int numbers[] = {SIGINT, SIGQUIT};
    sigset_t signals;
    sigemptyset(&signals);
    for (int i = 0; i < 2; i++) {
        if (before[i].sa_handler != SIG_IGN)
            sigaddset(&signals, numbers[i]);
    }
    posix_spawnattr_init(attributes);
    posix_spawnattr_setsigdefault(attributes, &signals);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF);
}

/* Waits, and shows the progress if Linux has pidfd_open() (since 5.3).
 */
static void wait_for(pid_t child, struct progress *progress, int *status)
{
    struct pollfd end = {.fd = -1, .events = POLLIN};
    if (progress)
        end.fd = (int)syscall(SYS_pidfd_open, child, 0);
    while (end.fd >= 0 && poll(&end, 1, WAIT_MILLISECONDS) == 0)
        progress_wait(progress);
    if (end.fd >= 0)
        close(end.fd);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        continue;
}

bool child_run(const char *const *argv, const posix_spawn_file_actions_t *actions,
               struct progress *progress, int *status, struct failure *why)
{
    extern char **environ;
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    struct sigaction before[2];
    posix_spawnattr_t attributes;
    pid_t child;
    sigaction(SIGINT, &ignored, &before[0]);
    sigaction(SIGQUIT, &ignored, &before[1]);
    default_signals(&attributes, before);
    int error = posix_spawnp(&child, argv[0], actions, &attributes, (char *const *)(uintptr_t)argv,
                             environ);
    if (error == 0)
        wait_for(child, progress, status);
    posix_spawnattr_destroy(&attributes);
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGQUIT, &before[1], NULL);
    return error == 0 || failure_set(why, "%s: %s", argv[0], strerror(error));
}

char *child_status_words(int status)
{
    return WIFEXITED(status) ? memory_format("exit status %d", WEXITSTATUS(status))
                             : memory_format("ended by signal %d", WTERMSIG(status));
}

char *child_folder_make(const char *name, struct failure *why)
{
    const char *parent = getenv("TMPDIR");
    char *folder = memory_format("%s/%s-XXXXXX", parent && *parent ? parent : "/tmp", name);
    if (mkdtemp(folder))
        return folder;
    failure_set(why, "%s: %s", folder, strerror(errno));
    free(folder);
    return NULL;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

void child_folder_remove(char *folder)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(folder);
}
