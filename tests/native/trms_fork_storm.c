/* Threads that allocate and fork while signal handlers interrupt them: the program must end.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 6
#define ROUNDS  6000
#define BLOCKS  16

static volatile int handled;

static void handler(int number)
{
    char bytes[8];
    memset(bytes, number, sizeof bytes);
    handled += bytes[3] != 0;
}

static void fork_once(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
}

static void *run(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    char *blocks[BLOCKS] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        char **block = &blocks[rand_r(&seed) % BLOCKS];
        size_t bytes = (size_t)(rand_r(&seed) % 64 ? rand_r(&seed) % 500 : 200000) + 1;
        free(*block);
        *block = calloc(1, bytes);
        memset(*block, 1, bytes < 500 ? bytes : 500);
        if (i % (ROUNDS / 3) == 0)
            fork_once();
    }
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    signal(SIGALRM, handler);
    ualarm(500, 500);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ualarm(0, 0);
    printf("%s\n", handled ? "done" : "no signals");
    return 0;
}
