/* Children by vfork, posix_spawn and system: the parent's report stays whole.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `work` (4 cells) is called 4 times in between; with_vfork, with_spawn and with_shell once each.
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/regress/regress.h"

static int data[64] CELL_ALIGNED;
extern char **environ;

ROUTINE int work(void)
{
    int total = 0;
    for (int i = 0; i < 4; i++)
        total += ((volatile int *)data)[i];
    return total;
}

ROUTINE int with_vfork(void)
{
    int status = 1;
    pid_t child = vfork();
    if (child == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    return status;
}

ROUTINE int with_spawn(void)
{
    int status = 1;
    pid_t child;
    char *arguments[] = {"true", NULL};
    if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) != 0)
        return 1;
    waitpid(child, &status, 0);
    return status;
}

ROUTINE int with_shell(void)
{
    return system("exit 0");
}

int main(void)
{
    int wrong = 0;
    sink = work();
    wrong |= with_vfork();
    sink = work();
    wrong |= with_spawn();
    sink = work();
    wrong |= with_shell();
    sink = work();
    return wrong;
}
