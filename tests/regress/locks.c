/* Locks files, maps them, and lets another process test whether the locks are still held.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     locks map FILE...   maps each file in each way, and tests after each mapping whether each
 *                         kind of lock is still held
 *     locks ask TO FROM   the same after exec, where TO and FROM are pipes to the other process
 *     locks own           locks its own executable until it ends
 *     locks test FILE     tests whether some other process has a record lock on the file
 *
 * A process loses all its record locks (fcntl) on a file when it closes any descriptor of that
 * file. An open file description lock and flock(2) belong to the descriptor that took them.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/regress/regress.h"

#define BYTES 4096

enum { RECORD, DESCRIPTION, FLOCK, KINDS };

static struct flock byte_lock(short type, off_t at)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
}

static int try_to(int fd, int command, short type, off_t at)
{
    struct flock lock = byte_lock(type, at);
    return fcntl(fd, command, &lock);
}

static int is_record_locked(int fd)
{
    struct flock lock = byte_lock(F_WRLCK, RECORD);
    return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* There is one descriptor for each kind of lock; none is closed. */
static int take_all(const char *path)
{
    int fds[KINDS];
    for (int i = 0; i < KINDS; i++)
        fds[i] = open(path, O_RDWR);
    return try_to(fds[RECORD], F_SETLK, F_WRLCK, RECORD) == 0 &&
           try_to(fds[DESCRIPTION], F_OFD_SETLK, F_WRLCK, DESCRIPTION) == 0 &&
           flock(fds[FLOCK], LOCK_EX) == 0;
}

/* ---------------------------------------------------------------- The other process */

static void test_all(const char *path, char *held)
{
    int fd = open(path, O_RDWR);
    held[RECORD] = is_record_locked(fd) ? 'y' : 'n';
    held[DESCRIPTION] = try_to(fd, F_SETLK, F_WRLCK, DESCRIPTION) ? 'y' : 'n';
    held[FLOCK] = flock(fd, LOCK_EX | LOCK_NB) ? 'y' : 'n';
    close(fd);
}

/* Answers each received byte, the index of a file, until the other process closes its pipe. */
static void answer(char **paths, int questions, int answers)
{
    unsigned char index;
    char held[KINDS];
    while (read(questions, &index, 1) == 1) {
        test_all(paths[index], held);
        if (write(answers, held, KINDS) != KINDS)
            break;
    }
    _exit(0);
}

static void ask(int to, int from, unsigned char index, const char *when)
{
    char held[KINDS] = "???";
    if (write(to, &index, 1) != 1 || read(from, held, KINDS) != KINDS)
        exit(2);
    printf("%s: record %c, description %c, flock %c\n", when, held[RECORD], held[DESCRIPTION],
           held[FLOCK]);
    fflush(stdout);
}

/* ---------------------------------------------------------------- Mappings */

static const struct {
    const char *name;
    int protection, flags;
} ways[] = {
    {"read", PROT_READ, MAP_PRIVATE},
    {"executable", PROT_READ | PROT_EXEC, MAP_PRIVATE},
    {"shared", PROT_READ | PROT_WRITE, MAP_SHARED},
};

ROUTINE int map_and_read(const char *path, int protection, int flags)
{
    int fd = open(path, O_RDWR);
    off_t offset = lseek(fd, BYTES / 2, SEEK_SET);
    const int *words = mmap(NULL, BYTES, protection, flags, fd, 0);
    if (words == MAP_FAILED || lseek(fd, 0, SEEK_CUR) != offset)
        exit(3);
    return words[0] + words[1]; /* neither closed nor unmapped: either would free the locks */
}

static void map_all(char **paths, int to, int from)
{
    char when[64];
    for (int i = 0; paths[i]; i++) {
        if (!take_all(paths[i]))
            exit(4);
        for (unsigned k = 0; k < sizeof ways / sizeof *ways; k++) {
            sink = map_and_read(paths[i], ways[k].protection, ways[k].flags);
            snprintf(when, sizeof when, "file %d, %s", i, ways[k].name);
            ask(to, from, (unsigned char)i, when);
        }
    }
}

static int map_and_exec(const char *self, char **paths)
{
    int questions[2], answers[2];
    char to[16], from[16];
    if (pipe(questions) || pipe(answers))
        return 5;
    if (fork() == 0) {
        close(questions[1]);
        close(answers[0]);
        answer(paths, questions[0], answers[1]);
    }
    map_all(paths, questions[1], answers[0]);
    snprintf(to, sizeof to, "%d", questions[1]);
    snprintf(from, sizeof from, "%d", answers[0]);
    execl(self, self, "ask", to, from, (char *)NULL);
    return 6;
}

/* ---------------------------------------------------------------- */

ROUTINE int lock_own(const char *self)
{
    return try_to(open(self, O_RDONLY), F_SETLK, F_RDLCK, RECORD);
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "map") == 0)
        return map_and_exec(argv[0], argv + 2);
    if (argc == 4 && strcmp(argv[1], "ask") == 0)
        ask(atoi(argv[2]), atoi(argv[3]), 0, "after exec");
    else if (argc == 2 && strcmp(argv[1], "own") == 0)
        return lock_own(argv[0]);
    else if (argc == 3 && strcmp(argv[1], "test") == 0)
        return !is_record_locked(open(argv[2], O_RDONLY));
    else
        return 1;
    return 0;
}
