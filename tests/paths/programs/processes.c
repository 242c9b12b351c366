/* Children that count for themselves, a program that starts itself, and an end by SIGKILL.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static int work(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i % 3 ? 1 : 2;
    return sum;
}

static int wait_for(pid_t child)
{
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 50, sum = work(n);
    if (argc > 2) {
        printf("%d\n", sum);
        return sum % 100;
    }
    pid_t child = fork();
    if (child == 0)
        _exit(work(2 * n) % 100);
    sum += wait_for(child);
    fflush(stdout);
    if ((child = fork()) == 0) {
        execl("/proc/self/exe", argv[0], "7", "again", (char *)NULL);
        _exit(99);
    }
    sum += wait_for(child);
    printf("%d\n", sum);
    fflush(stdout);
    kill(getpid(), SIGKILL);
    return 0;
}
