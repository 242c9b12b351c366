/* A program that makes code while it runs, and writes its perf map, as CPython and V8 do.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     again     `one`, which reads 1 cell, is called 5 times. Then `three` takes its place, is
 *               listed, and called 7 times.
 *     back      `back` reads 1 cell and calls `callback` twice, which reads 2 others: 3 cells. If
 *               callback belongs to an interpreter, its work is back's own; back calls nothing.
 *     unlisted  `one` is called, and never listed.
 *     late      `one` is called twice at its first byte and 5 times at the second, then listed. The
 *               map stays, like the map of a Java virtual machine.
 *     child     `one` is listed, and called 2 times by the parent, 3 times by its child.
 *     fifo      the map is a FIFO, which nobody reads; `one` is called.
 *     broken    invalid lines are before and after the entry of `one`.
 *
 * The lines of each function belong to an invented source, book.js.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/regress/regress.h"

#define CODE_AT 0x10000000

static int data[64] CELL_ALIGNED;
static char path[64];

typedef int generated(const int *, int (*)(const int *));

ROUTINE int callback(const int *from)
{
    return from[8] + from[9];
}

/* nop; mov (%rdi),%eax; ret */
static const unsigned char read_after_nop[] = {0x90, 0x8b, 0x07, 0xc3};
/* mov (%rdi),%eax; ret */
static const unsigned char read_one[] = {0x8b, 0x07, 0xc3};
/* mov (%rdi),%eax; add 4(%rdi),%eax; add 8(%rdi),%eax; ret */
static const unsigned char read_three[] = {0x8b, 0x07, 0x03, 0x47, 0x04, 0x03, 0x47, 0x08, 0xc3};
/* push %rbx; push %rbp; push %r12; mov %rdi,%rbx; mov %rsi,%r12; mov (%rdi),%ebp; call *%rsi; mov
 * %rbx,%rdi; call *%r12; add %ebp,%eax; pop %r12; pop %rbp; pop %rbx; ret */
static const unsigned char call_back[] = {0x53, 0x55, 0x41, 0x54, 0x48, 0x89, 0xfb, 0x49, 0x89,
                                          0xf4, 0x8b, 0x2f, 0xff, 0xd6, 0x48, 0x89, 0xdf, 0x41,
                                          0xff, 0xd4, 0x01, 0xe8, 0x41, 0x5c, 0x5d, 0x5b, 0xc3};

static void map_write(const char *text)
{
    FILE *map = fopen(path, "a");
    fputs(text, map);
    fclose(map);
}

static char *make(const unsigned char *code, size_t bytes, const char *line)
{
    char *at = mmap((void *)CODE_AT, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memcpy(at, code, bytes);
    if (line)
        map_write(line);
    return at;
}

ROUTINE void drive(char *code, int n)
{
    for (int i = 0; i < n; i++)
        sink = ((generated *)code)(data, callback);
}

static void run_again(void)
{
    drive(make(read_one, sizeof read_one, "10000000 3 JS:~one /srv/book.js:3:1\n"), 5);
    drive(make(read_three, sizeof read_three, "10000000 9 JS:*three /srv/book.js:8:1\n"), 7);
}

static void run_late(void)
{
    char *code = make(read_after_nop, sizeof read_after_nop, NULL);
    drive(code, 2);
    drive(code + 1, 5);
    map_write("10000000 4 int Book.one(int[])\n");
}

static void run_child(void)
{
    char *code = make(read_one, sizeof read_one, "10000000 3 JS:~one /srv/book.js:3:1\n");
    drive(code, 2);
    if (fork() == 0) {
        drive(code, 3);
        _exit(0);
    }
    wait(NULL);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    if (strcmp(what, "again") == 0) {
        run_again();
    } else if (strcmp(what, "back") == 0) {
        drive(make(call_back, sizeof call_back, "10000000 1b JS:~back /srv/book.js:20:1\n"), 2);
    } else if (strcmp(what, "unlisted") == 0) {
        drive(make(read_one, sizeof read_one, NULL), 5);
    } else if (strcmp(what, "late") == 0) {
        run_late();
        return 0;
    } else if (strcmp(what, "child") == 0) {
        run_child();
    } else if (strcmp(what, "fifo") == 0) {
        if (mkfifo(path, 0600))
            return 1;
        drive(make(read_one, sizeof read_one, NULL), 5);
    } else {
        drive(make(read_one, sizeof read_one,
                   "\n10000000 fffffffffffffff0 all\nx 3 f\n10000000 3 JS:~one "
                   "/srv/book.js:3:1\n10000000 3"),
              5);
    }
    unlink(path);
    return 0;
}
