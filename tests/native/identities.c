/* Changes its namespaces or its identity in the middle of 200 000 calls of `leaf`.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     identities user|pid      unshare: a new user namespace; pid: also a pid namespace
 *     identities uid           setresuid; then every thread of the process must have the new one
 *
 * Exit status: 0; 1: an expected change did not happen; 77: the system does not allow the change.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CALLS  100000
#define NOBODY 65534

static volatile int sum;

__attribute__((noinline, noclone)) static void leaf(int i)
{
    sum += i;
}

__attribute__((noinline, noclone)) static void work(void)
{
    for (int i = 0; i < CALLS; i++)
        leaf(i);
}

/* Checks that all user ids of the thread are equal to this id. */
static int thread_is(const char *task, unsigned user)
{
    char path[300], line[256];
    unsigned ids[4] = {0};
    snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
    FILE *status = fopen(path, "r");
    if (!status)
        return 1; /* the thread has already ended */
    while (fgets(line, sizeof line, status))
        sscanf(line, "Uid: %u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]);
    fclose(status);
    return ids[0] == user && ids[1] == user && ids[2] == user && ids[3] == user;
}

static int all_threads_are(unsigned user)
{
    int all = 1;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));)
        if (task->d_name[0] != '.')
            all &= thread_is(task->d_name, user);
    if (tasks)
        closedir(tasks);
    return all;
}

static int change(const char *how)
{
    if (strcmp(how, "uid") == 0) {
        if (getuid() != 0 || setresuid(NOBODY, NOBODY, NOBODY) < 0)
            return 77;
        return !all_threads_are(NOBODY);
    }
    if (unshare(CLONE_NEWUSER | (strcmp(how, "pid") == 0 ? CLONE_NEWPID : 0)) == 0)
        return 0;
    fprintf(stderr, "unshare: %s\n", strerror(errno));
    return errno == EINVAL ? 1 : 77;
}

int main(int argc, char **argv)
{
    work();
    int status = argc == 2 ? change(argv[1]) : 0;
    work();
    return status;
}
