/* Forbids itself system calls, works, and then continues as its arguments specify.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     sandbox ACTION CALL,CALL... AFTERWARDS [PROGRAM ARGUMENT...]
 *
 * `refused` is a filter with an instruction that does not exist; `probe` makes the calls by which
 * libseccomp tests the features of the kernel; the kernel refuses these calls. The filter's answer
 * to the calls is ACTION; `strict` is the kernel's other mode, which allows only read, write and
 * exit. before reads 9 cells; after reads 30, when the filter is active.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tests/regress/regress.h"

#define LARGE_BYTES (64 << 20)
#define MOST_CALLS  16

static const struct name {
    const char *name;
    unsigned value;
} calls[] =
    {
        {"clock_gettime", SYS_clock_gettime},
        {"clone", SYS_clone},
        {"close", SYS_close},
        {"futex", SYS_futex},
        {"getsid", SYS_getsid},
        {"madvise", SYS_madvise},
        {"mmap", SYS_mmap},
        {"openat", SYS_openat},
        {"prctl", SYS_prctl},
        {"renameat", SYS_renameat},
        {"rt_sigprocmask", SYS_rt_sigprocmask},
        {"unlink", SYS_unlink},
        {"unlinkat", SYS_unlinkat},
        {"write", SYS_write},
},
  actions[] = {
      {"kill", SECCOMP_RET_KILL_THREAD},       {"kill-process", SECCOMP_RET_KILL_PROCESS},
      {"errno", SECCOMP_RET_ERRNO | EPERM},    {"trap", SECCOMP_RET_TRAP},
      {"refused", SECCOMP_RET_ERRNO | ENOSYS},
};

static int data[64] CELL_ALIGNED;
static char large[LARGE_BYTES];

static unsigned value_of(const struct name *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(names[i].name, name) == 0)
            return names[i].value;
    }
    fprintf(stderr, "sandbox: unknown name: %s\n", name);
    exit(2);
}

INLINE int read_ints(volatile const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

ROUTINE int before(void)
{
    return read_ints(data, 9);
}

ROUTINE int after(void)
{
    return read_ints(data, 30);
}

/* Makes the profiler allocate memory: one cell of each page is written, read and released. */
ROUTINE int work_in_much_memory(void)
{
    int total = 0;
    for (int round = 0; round < 3; round++) {
        for (long i = 0; i < LARGE_BYTES; i += 64)
            total += ((volatile char *)large)[i]++;
    }
    return total;
}

static void *call_getsid(void *unused)
{
    sink = (int)getsid(0);
    return unused;
}

static void forbid(unsigned action, char *list)
{
    struct sock_filter filter[2 * MOST_CALLS + 4];
    struct sock_fprog program = {0, filter};
    unsigned short n = 0;
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (char *call = strtok(list, ","); call; call = strtok(NULL, ",")) {
        unsigned number = value_of(calls, sizeof calls / sizeof *calls, call);
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
        filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
    }
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (action == (SECCOMP_RET_ERRNO | ENOSYS)) {
        filter[n++] = (struct sock_filter)BPF_STMT(0xffff, 0);
        filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    program.len = n;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        perror("sandbox: prctl");
        exit(2);
    }
}

static void probe(void)
{
    RAW3(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, 0);
    RAW3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL);
}

static void isolate(const char *action, char *list)
{
    if (strcmp(action, "strict") == 0)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    else if (strcmp(action, "probe") == 0)
        probe();
    else
        forbid(value_of(actions, sizeof actions / sizeof *actions, action), list);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    const char *how = argc > 3 ? argv[3] : "";
    sink = before();
    isolate(argv[1], argv[2]);
    sink = after();
    if (strcmp(how, "exec") == 0)
        execvp(argv[4], argv + 4);
    if (strcmp(how, "getsid") == 0)
        sink = (int)getsid(0);
    if (strcmp(how, "thread") == 0) {
        pthread_create(&thread, NULL, call_getsid, NULL);
        sleep(1);
    }
    if (strcmp(how, "large") == 0)
        sink = work_in_much_memory();
    if (strcmp(how, "unmap") == 0)
        sink = munmap(memset(mmap(NULL, LARGE_BYTES, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                             1, LARGE_BYTES),
                      LARGE_BYTES);
    if (strcmp(how, "_exit") == 0)
        RAW3(SYS_exit, 4, 0, 0);
    return 3;
}
