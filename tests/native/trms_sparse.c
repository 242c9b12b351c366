/* A program that touches little of its memory: prints its peak memory in MB.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

struct task {
    char *bytes;
    size_t size, step;
};

__attribute__((noinline)) static int add_up(const struct task *task)
{
    int sum = 0;
    for (size_t at = 0; at < task->size; at += task->step)
        sum += task->bytes[at];
    return sum;
}

__attribute__((noinline)) static void set_all(const struct task *task)
{
    for (size_t at = 0; at < task->size; at += task->step)
        task->bytes[at] = 1;
}

static void *second(void *argument)
{
    const struct task *task = argument;
    set_all(task);
    return (void *)(size_t)add_up(task);
}

/* A thread writes and reads the memory; then the first thread and a child read it. */
static int use(const struct task *task)
{
    pthread_t thread;
    void *sum;
    int status = 1;
    if (pthread_create(&thread, NULL, second, (void *)task) || pthread_join(thread, &sum))
        return -1;
    pid_t child = fork();
    if (!child)
        _exit(add_up(task) != (int)(size_t)sum);
    waitpid(child, &status, 0);
    return status || add_up(task) != (int)(size_t)sum ? -1 : (int)(size_t)sum;
}

int main(int n, char **words)
{
    struct rusage usage;
    struct task task = {NULL, (n > 1 ? (size_t)atoi(words[1]) : 1) * MIB,
                        n > 2 ? (size_t)atoi(words[2]) : 1};
    task.bytes = mmap(NULL, task.size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (task.bytes == MAP_FAILED)
        return 1;
    int sum = use(&task);
    getrusage(RUSAGE_SELF, &usage);
    printf("%d %ld\n", sum, usage.ru_maxrss / 1024);
    return sum != (int)((task.size + task.step - 1) / task.step);
}
