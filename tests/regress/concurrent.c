/* Actions that could disturb concurrent analysis; the argument selects one.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *   run        works until it is killed; the file `ready` says that it has begun
 *   unshare    works, requests its own user name space, and continues to work. The kernel refuses
 *              name spaces to processes with several threads. Status 0, or 9 if it refused
 *   forks      10 times, two threads work while the main thread forks. The child also works, and
 *              forks again. Each process calls `work` often
 *   idle       works, waits for the file `go`, and continues to work
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/regress/regress.h"

#define WORD_COUNT 6

static int data[64] CELL_ALIGNED;

ROUTINE int work(void)
{
    int total = 0;

    for (int i = 0; i < WORD_COUNT; i++)
        total += ((volatile int *)data)[i];
    return total;
}

static void work_times(int times)
{
    while (times-- > 0)
        sink = work();
}

static void run(void)
{
    work_times(10000);
    close(open("ready", O_CREAT | O_WRONLY, 0600));
    for (;;)
        work_times(1000);
}

static int unshare_users(void)
{
    int refused;

    work_times(20000);
    refused = unshare(CLONE_NEWUSER);
    work_times(20000);
    return refused ? 9 : 0;
}

static void *work_aside(void *unused)
{
    work_times(2000);
    return NULL;
}

static int child(void)
{
    int grandchild, status = 0;

    work_times(1500);
    grandchild = fork();
    work_times(1500);
    if (grandchild)
        waitpid(grandchild, &status, 0);
    return status;
}

static int fork_often(void)
{
    int bad = 0;

    for (int i = 0; i < 10; i++) {
        pthread_t aside[2];
        int forked, status = 1;

        for (int t = 0; t < 2; t++)
            pthread_create(&aside[t], NULL, work_aside, NULL);
        forked = fork();
        if (forked == 0)
            _exit(child() != 0);
        waitpid(forked, &status, 0);
        bad += status != 0;
        for (int t = 0; t < 2; t++)
            pthread_join(aside[t], NULL);
    }
    return bad;
}

static int idle(void)
{
    work_times(20000);
    close(open("ready", O_CREAT | O_WRONLY, 0600));
    while (access("go", F_OK) != 0)
        usleep(10000);
    work_times(20000);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (strcmp(argv[1], "run") == 0)
        run();
    if (strcmp(argv[1], "unshare") == 0)
        return unshare_users();
    if (strcmp(argv[1], "forks") == 0)
        return fork_often();
    return idle();
}
