/* More system calls that read or write memory, each with exact values.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * As in syscalls.c, the routine reads what the kernel reads, and data from the kernel are external.
 * Unless a comment says otherwise, structures are global and untouched. Cells have 4 bytes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/regress/regress.h"

enum { FILE_FD = 100, SOCKET_A, SOCKET_B, EVENT_FD, EPOLL_FD };

static int out[256] CELL_ALIGNED;
static int in[256] CELL_ALIGNED;
static struct pollfd polled[2] CELL_ALIGNED = {{EVENT_FD, POLLOUT, 0}, {SOCKET_A, POLLOUT, 0}};
static struct stat status CELL_ALIGNED;
static struct utsname names CELL_ALIGNED;
static struct timespec now CELL_ALIGNED;
static struct timespec no_time CELL_ALIGNED;
static struct rlimit limit CELL_ALIGNED;
static char null_path[16] CELL_ALIGNED = "/dev/null";
static char link_path[16] CELL_ALIGNED = "/proc/self/exe";
static int value CELL_ALIGNED;
static int length CELL_ALIGNED = sizeof value;
static int child_status CELL_ALIGNED;
static unsigned long counter CELL_ALIGNED;
static struct epoll_event event CELL_ALIGNED;

INLINE int read_ints(volatile const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

INLINE void clear(void *at, unsigned long bytes)
{
    for (unsigned long i = 0; i < bytes; i++)
        ((volatile char *)at)[i] = 0;
}

/* Two entries of a descriptor (1 cell) and what to wait for (half a cell): 4, read by the kernel;
 * it writes the other halves; reading these 2 cells again is external: trms 6, rms 4 */
ROUTINE int do_poll(void)
{
    RAW3(SYS_poll, polled, 2, 0);
    return ((volatile struct pollfd *)polled)[0].revents +
           ((volatile struct pollfd *)polled)[1].revents;
}

/* a path of 10 bytes: 3, and one field: 1 external */
ROUTINE int do_stat(void)
{
    RAW3(SYS_stat, null_path, &status, 0);
    return *(volatile unsigned *)&status.st_mode;
}

/* one field: 1 external */
ROUTINE int do_fstat(void)
{
    RAW3(SYS_fstat, FILE_FD, &status, 0);
    return *(volatile unsigned *)&status.st_mode;
}

/* 8 bytes: 2 external */
ROUTINE int do_uname(void)
{
    RAW3(SYS_uname, &names, 0, 0);
    return read_ints((int *)&names, 2);
}

/* 16 bytes: 4 external */
ROUTINE int do_clock_gettime(void)
{
    RAW3(SYS_clock_gettime, CLOCK_MONOTONIC, &now, 0);
    return read_ints((int *)&now, 4);
}

/* the kernel reads 16 bytes: 4 */
ROUTINE int do_nanosleep(void)
{
    return RAW3(SYS_nanosleep, &no_time, 0, 0);
}

/* 16 bytes: 4 external */
ROUTINE int do_getrlimit(void)
{
    RAW3(SYS_getrlimit, RLIMIT_NOFILE, &limit, 0);
    return read_ints((int *)&limit, 4);
}

/* at least one cell of text: 1 external */
ROUTINE int do_getcwd(void)
{
    RAW3(SYS_getcwd, in, sizeof in, 0);
    return read_ints(in, 1);
}

/* a path of 15 bytes: 4, and 1 external */
ROUTINE int do_readlink(void)
{
    RAW3(SYS_readlink, link_path, in + 16, 64);
    return read_ints(in + 16, 1);
}

/* 1 external */
ROUTINE int do_ioctl(void)
{
    RAW3(SYS_ioctl, SOCKET_B, FIONREAD, &value);
    return read_ints(&value, 1);
}

/* the kernel reads the length: 1, and writes the value: 1 external. It writes the length as well,
 * but Valgrind does not report this to tools */
ROUTINE int do_getsockopt(void)
{
    RAW(SYS_getsockopt, SOCKET_A, SOL_SOCKET, SO_TYPE, &value, &length, 0);
    return read_ints(&value, 1) + read_ints(&length, 1);
}

/* 40 and 24 bytes are sent: 10 + 6; the headers are the routine's own; the kernel writes the two
 * counts of bytes over what the routine wrote, so reading them is external, but no first access:
 * trms 18, rms 16 */
ROUTINE int do_sendmmsg(void)
{
    struct iovec iov[2];
    struct mmsghdr messages[2];
    clear(iov, sizeof iov);
    clear(messages, sizeof messages);
    iov[0].iov_base = out;
    iov[0].iov_len = 40;
    iov[1].iov_base = out + 64;
    iov[1].iov_len = 24;
    for (int i = 0; i < 2; i++) {
        messages[i].msg_hdr.msg_iov = &iov[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    RAW(SYS_sendmmsg, SOCKET_A, messages, 2, 0, 0, 0);
    return ((volatile struct mmsghdr *)messages)[0].msg_len +
           ((volatile struct mmsghdr *)messages)[1].msg_len;
}

/* the second message is too long for a datagram, so 40 bytes are sent: 10, and one count of bytes:
 * trms 11, rms 10 */
ROUTINE int do_sendmmsg_in_part(void)
{
    struct iovec iov[2];
    struct mmsghdr messages[2];
    clear(iov, sizeof iov);
    clear(messages, sizeof messages);
    iov[0].iov_base = out;
    iov[0].iov_len = 40;
    iov[1].iov_base = out;
    iov[1].iov_len = 1 << 20;
    for (int i = 0; i < 2; i++) {
        messages[i].msg_hdr.msg_iov = &iov[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    if (RAW(SYS_sendmmsg, SOCKET_A, messages, 2, 0, 0, 0) != 1)
        return -1;
    return ((volatile struct mmsghdr *)messages)[0].msg_len;
}

/* they arrive in places of 64 bytes: 10 + 6 external of 10 + 10 */
ROUTINE int do_recvmmsg(void)
{
    struct iovec iov[2];
    struct mmsghdr messages[2];
    clear(iov, sizeof iov);
    clear(messages, sizeof messages);
    for (int i = 0; i < 2; i++) {
        iov[i].iov_base = in + 64 + 32 * i;
        iov[i].iov_len = 64;
        messages[i].msg_hdr.msg_iov = &iov[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    RAW(SYS_recvmmsg, SOCKET_B, messages, 2, 0, 0, 0);
    return read_ints(in + 64, 10) + read_ints(in + 96, 10);
}

/* 60 bytes: 15 */
ROUTINE int do_pwritev2(void)
{
    struct iovec iov[1];
    clear(iov, sizeof iov);
    iov[0].iov_base = out + 100;
    iov[0].iov_len = 60;
    return RAW(SYS_pwritev2, FILE_FD, iov, 1, 0, 0, 0);
}

/* 32 bytes: 8 external */
ROUTINE int do_preadv2(void)
{
    struct iovec iov[1];
    clear(iov, sizeof iov);
    iov[0].iov_base = in + 200;
    iov[0].iov_len = 32;
    RAW(SYS_preadv2, FILE_FD, iov, 1, 0, 0, 0);
    return read_ints(in + 200, 8);
}

ROUTINE int set_counter(void)
{
    counter = 1;
    return 0;
}

/* the kernel reads 8 bytes: 2; and writes 8 into the same place: 2 external; rms 2 */
ROUTINE int do_eventfd(void)
{
    RAW3(SYS_write, EVENT_FD, &counter, 8);
    RAW3(SYS_read, EVENT_FD, &counter, 8);
    return *(volatile long *)&counter;
}

/* an event of 12 bytes: 3 external */
ROUTINE int do_epoll_wait(void)
{
    RAW(SYS_epoll_wait, EPOLL_FD, &event, 1, 0, 0, 0);
    return read_ints((int *)&event, 3);
}

/* 1 external */
ROUTINE int do_wait(int child)
{
    RAW(SYS_wait4, child, &child_status, 0, 0, 0, 0);
    return read_ints(&child_status, 1);
}

static void need(int ok, const char *what)
{
    if (!ok) {
        perror(what);
        exit(99);
    }
}

static void prepare(void)
{
    int pair[2];
    char name[] = "syscalls.XXXXXX";
    int fd = mkstemp(name);
    need(fd >= 0 && unlink(name) == 0 && ftruncate(fd, 4096) == 0, "mkstemp");
    dup2(fd, FILE_FD);
    need(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0, "socketpair");
    dup2(pair[0], SOCKET_A);
    dup2(pair[1], SOCKET_B);
    dup2(eventfd(0, 0), EVENT_FD);
    dup2(epoll_create1(0), EPOLL_FD);
    struct epoll_event wanted = {.events = EPOLLOUT};
    need(epoll_ctl(EPOLL_FD, EPOLL_CTL_ADD, SOCKET_A, &wanted) == 0, "epoll_ctl");
}

int main(void)
{
    prepare();
    need(do_poll() == 2 * POLLOUT, "poll");
    need(S_ISCHR(do_stat()), "stat");
    need(S_ISREG(do_fstat()), "fstat");
    sink = do_uname() + do_clock_gettime();
    need(do_nanosleep() == 0, "nanosleep");
    sink = do_getrlimit() + do_getcwd() + do_readlink();
    need(do_ioctl() == 0, "ioctl");
    need(do_getsockopt() == SOCK_DGRAM + 4, "getsockopt");
    need(do_sendmmsg() == 64, "sendmmsg");
    sink = do_recvmmsg();
    need(do_sendmmsg_in_part() == 40, "sendmmsg in part");
    need(do_pwritev2() == 60, "pwritev2");
    sink = do_preadv2() + set_counter();
    need(do_eventfd() == 1, "eventfd");
    need((do_epoll_wait() & EPOLLOUT) != 0, "epoll_wait");
    int child = fork();
    if (child == 0)
        _exit(0);
    need(do_wait(child) == 0, "wait4");
    return 0;
}
