/* Ends in the way that its argument names, three routines deep.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `work` reads 6 cells, 9 times. `deepest` is pending at the end, with `outer` and main. All three
 * are recorded once, as if they had returned then. `deepest` has the input of `end_by` and 2 cells
 * more, and `outer` another 4.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/regress/regress.h"

static int data[64] CELL_ALIGNED;
static int *volatile nowhere;

INLINE int read_ints(volatile const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

ROUTINE int work(void)
{
    return read_ints(data, 6);
}

static void *forever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

ROUTINE void end_by(const char *how)
{
    pthread_t thread;
    if (!strcmp(how, "_exit"))
        _exit(7);
    if (!strcmp(how, "exit"))
        exit(8);
    if (!strcmp(how, "exit_group"))
        RAW3(SYS_exit_group, 9, 0, 0);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "segv"))
        *nowhere = 1;
    if (!strcmp(how, "term"))
        raise(SIGTERM);
    if (!strcmp(how, "kill-term"))
        kill(getpid(), SIGTERM);
    if (!strcmp(how, "int"))
        raise(SIGINT);
    if (!strcmp(how, "clone"))
        RAW3(SYS_clone, 0x111, 0, 0); /* CLONE_VM and SIGCHLD */
    if (!strcmp(how, "threads")) {
        pthread_create(&thread, NULL, forever, NULL);
        pthread_create(&thread, NULL, forever, NULL);
        exit(10);
    }
    if (!strcmp(how, "illegal"))
        __asm__ volatile("ud2");
}

ROUTINE int deepest(const char *how)
{
    int total = read_ints(data + 16, 2);
    end_by(how);
    return total;
}

ROUTINE int outer(const char *how)
{
    int total = read_ints(data + 32, 4);
    return total + deepest(how);
}

int main(int argc, char **argv)
{
    for (int i = 0; i < 9; i++)
        sink = work();
    sink = outer(argc > 1 ? argv[1] : "return");
    return 11;
}
