/* System calls that transfer data, each with exact values: the paper's twelve, and more.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Output: bytes that the kernel takes count as read by the routine; after a failure, none do.
 * Nothing else in the routine reads the buffers. Cells have 4 bytes: n bytes are n/4
 * cells. Input: the kernel's writes are no reads. Each cell that the routine reads afterwards is
 * external, and also a first access: rms = trms. A read of memory after the bytes that arrived is
 * an ordinary first access. The kernel also reads argument structures. If they are local variables,
 * just written, they add nothing; if they are global (iov_global), they count: 16 bytes = 4 cells
 * each.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include "tests/regress/regress.h"

enum { FILE_FD = 100, SOCKET_A, SOCKET_B, DIRECTORY, SMALL_FILE };

struct message {
    long type;
    char text[96];
};

static int out[1024] CELL_ALIGNED;
static int in[1024] CELL_ALIGNED;
static struct message message_out CELL_ALIGNED;
static struct message message_in CELL_ALIGNED;
static struct iovec iov_global[2] CELL_ALIGNED;
static char path[16] CELL_ALIGNED = "/dev/null";
static char missing[16] CELL_ALIGNED = "/dev/nul2";

INLINE int read_ints(volatile int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

/* Local structures are filled byte by byte, padding included, so that the kernel finds nothing
 * unwritten. */
INLINE void clear(void *at, unsigned long bytes)
{
    for (unsigned long i = 0; i < bytes; i++)
        ((volatile char *)at)[i] = 0;
}

/* ---------------------------------------------------------------- output */

/* 400 bytes: 100 */
ROUTINE long do_write(void)
{
    return RAW3(SYS_write, FILE_FD, out, 400);
}

/* 200 bytes: 50 */
ROUTINE long do_pwrite64(void)
{
    return RAW(SYS_pwrite64, FILE_FD, out, 200, 1000, 0, 0);
}

/* 80 + 40 bytes from two places: 30; a part of no bytes at address 0 between them: 0 */
ROUTINE long do_writev(void)
{
    struct iovec iov[3];
    clear(iov, sizeof iov);
    iov[0].iov_base = out;
    iov[0].iov_len = 80;
    iov[2].iov_base = out + 100;
    iov[2].iov_len = 40;
    return RAW3(SYS_writev, FILE_FD, iov, 3);
}

/* The vector is global: 2 * 4 cells of it and 8 + 16 bytes of data: 8 + 6 = 14 */
ROUTINE long do_writev_global(void)
{
    return RAW3(SYS_writev, FILE_FD, iov_global, 2);
}

/* 20 + 60 bytes: 20 */
ROUTINE long do_pwritev(void)
{
    struct iovec iov[2];
    clear(iov, sizeof iov);
    iov[0].iov_base = out;
    iov[0].iov_len = 20;
    iov[1].iov_base = out + 200;
    iov[1].iov_len = 60;
    return RAW(SYS_pwritev, FILE_FD, iov, 2, 0, 0, 0);
}

/* 120 bytes: 30 */
ROUTINE long do_sendto(void)
{
    return RAW(SYS_sendto, SOCKET_A, out, 120, 0, 0, 0);
}

/* 64 + 32 bytes: 24 */
ROUTINE long do_sendmsg(void)
{
    struct iovec iov[2];
    struct msghdr header;
    clear(iov, sizeof iov);
    clear(&header, sizeof header);
    iov[0].iov_base = out;
    iov[0].iov_len = 64;
    iov[1].iov_base = out + 300;
    iov[1].iov_len = 32;
    header.msg_iov = iov;
    header.msg_iovlen = 2;
    return RAW3(SYS_sendmsg, SOCKET_A, &header, 0);
}

/* type and 72 bytes of text: (8 + 72)/4 = 20 */
ROUTINE long do_msgsnd(int queue)
{
    return RAW(SYS_msgsnd, queue, &message_out, 72, 0, 0, 0);
}

/* the file may not grow beyond 65536 bytes, 40 of 400 fit: 10 */
ROUTINE long do_write_partial(void)
{
    return RAW(SYS_pwrite64, FILE_FD, out, 400, 65536 - 40, 0, 0);
}

/* 64 of 400 bytes, in a vector whose first part has 48: 12 and 4 cells: 16 */
ROUTINE long do_writev_partial(void)
{
    struct iovec iov[2];
    clear(iov, sizeof iov);
    iov[0].iov_base = out;
    iov[0].iov_len = 48;
    iov[1].iov_base = out + 100;
    iov[1].iov_len = 352;
    return RAW(SYS_pwritev, FILE_FD, iov, 2, 65536 - 64, 0, 0);
}

/* no such descriptor: 0 */
ROUTINE long do_write_failed(void)
{
    return RAW3(SYS_write, 999, out, 400);
}

ROUTINE long do_send_failed(void)
{
    return RAW(SYS_sendto, FILE_FD, out, 400, 0, 0, 0);
}

/* no bytes: 0 */
ROUTINE long do_write_nothing(void)
{
    return RAW3(SYS_write, FILE_FD, out, 0);
}

/* ---------------------------------------------------------------- input */

/* 400 bytes arrive, 60 ints are read: 60, external */
ROUTINE long do_read(void)
{
    RAW3(SYS_lseek, FILE_FD, 0, 0);
    RAW3(SYS_read, FILE_FD, in, 400);
    return read_ints(in, 60);
}

/* nothing of what arrived is read: 0 */
ROUTINE long do_read_unused(void)
{
    return RAW(SYS_pread64, FILE_FD, in, 400, 0, 0, 0);
}

/* 100 bytes arrive, all are read: 25 */
ROUTINE long do_pread64(void)
{
    RAW(SYS_pread64, FILE_FD, in, 100, 0, 0, 0);
    return read_ints(in, 25);
}

/* 40 bytes to one place, 40 to another; 10 ints read of each, and 3 that lie between: 23, 20 of
 * them external */
ROUTINE long do_readv(void)
{
    struct iovec iov[2];
    clear(iov, sizeof iov);
    iov[0].iov_base = in;
    iov[0].iov_len = 40;
    iov[1].iov_base = in + 100;
    iov[1].iov_len = 40;
    RAW3(SYS_lseek, FILE_FD, 0, 0);
    RAW3(SYS_readv, FILE_FD, iov, 2);
    return read_ints(in, 13) + read_ints(in + 100, 10);
}

/* the same by preadv, without the ints between: 20 */
ROUTINE long do_preadv(void)
{
    struct iovec iov[2];
    clear(iov, sizeof iov);
    iov[0].iov_base = in;
    iov[0].iov_len = 40;
    iov[1].iov_base = in + 100;
    iov[1].iov_len = 40;
    RAW(SYS_preadv, FILE_FD, iov, 2, 0, 0, 0);
    return read_ints(in, 10) + read_ints(in + 100, 10);
}

/* 120 bytes were sent: 30 */
ROUTINE long do_recvfrom(void)
{
    RAW(SYS_recvfrom, SOCKET_B, in, 400, 0, 0, 0);
    return read_ints(in, 30);
}

/* 96 bytes were sent; they fill the first place, 80 bytes, and 16 bytes of the second: 24 of the
 * 20 + 10 ints read are external */
ROUTINE long do_recvmsg(void)
{
    struct iovec iov[2];
    struct msghdr header;
    clear(iov, sizeof iov);
    clear(&header, sizeof header);
    iov[0].iov_base = in;
    iov[0].iov_len = 80;
    iov[1].iov_base = in + 200;
    iov[1].iov_len = 80;
    header.msg_iov = iov;
    header.msg_iovlen = 2;
    RAW3(SYS_recvmsg, SOCKET_B, &header, 0);
    return read_ints(in, 20) + read_ints(in + 200, 10);
}

/* 72 bytes of text were sent, 96 have room: type and text are 80 bytes, 20 cells; 26 are read, 20
 * external */
ROUTINE long do_msgrcv(int queue)
{
    RAW(SYS_msgrcv, queue, &message_in, 96, 0, 0, 0);
    return read_ints((int *)&message_in, 26);
}

/* the file has 40 bytes, 400 are wanted, 60 ints are read: 60, but 10 are external (new
 * memory) */
ROUTINE long do_read_partial(void)
{
    RAW(SYS_pread64, SMALL_FILE, in + 512, 400, 0, 0, 0);
    return read_ints(in + 512, 60);
}

/* 40 bytes for a vector of 24 and 80 bytes: 6 + 4 external of 6 + 20 */
ROUTINE long do_readv_partial(void)
{
    struct iovec iov[2];
    clear(iov, sizeof iov);
    iov[0].iov_base = in;
    iov[0].iov_len = 24;
    iov[1].iov_base = in + 100;
    iov[1].iov_len = 80;
    RAW(SYS_preadv, SMALL_FILE, iov, 2, 0, 0, 0);
    return read_ints(in, 6) + read_ints(in + 100, 20);
}

/* fails, so later reads are ordinary first accesses: 10, none external */
ROUTINE long do_read_failed(void)
{
    RAW3(SYS_read, 999, in, 400);
    return read_ints(in, 10);
}

/* end of file: the same */
ROUTINE long do_read_end(void)
{
    RAW(SYS_pread64, SMALL_FILE, in, 400, 40, 0, 0);
    return read_ints(in, 10);
}

/* 64 bytes: 16 */
ROUTINE long do_getrandom(void)
{
    RAW3(SYS_getrandom, in, 64, 0);
    return read_ints(in, 16);
}

/* a directory entry has at least 20 bytes: 4 */
ROUTINE long do_getdents(void)
{
    RAW3(SYS_getdents64, DIRECTORY, in, 1024);
    return read_ints(in, 4);
}

/* a pair of descriptors: 2 */
ROUTINE long do_pipe(void)
{
    RAW3(SYS_pipe2, in, 0, 0);
    return read_ints(in, 2);
}

/* two reads into the same cells, all read each time: trms 20, rms 10, 20 external */
ROUTINE long do_read_twice(void)
{
    int total = 0;
    for (int i = 0; i < 2; i++) {
        RAW(SYS_pread64, FILE_FD, in, 40, 0, 0, 0);
        total += read_ints(in, 10);
    }
    return total;
}

/* ---------------------------------------------------------------- paths */

/* "/dev/null" and its end are 10 bytes: 3 */
ROUTINE long do_open(void)
{
    return RAW3(SYS_open, path, O_RDONLY, 0);
}

/* the path is read, there is no such file: 3 */
ROUTINE long do_open_failed(void)
{
    return RAW3(SYS_open, missing, O_RDONLY, 0);
}

static void need(int ok, const char *what)
{
    if (!ok) {
        perror(what);
        exit(99);
    }
}

/* A file without a name. */
static int open_file(int descriptor, long bytes)
{
    char name[] = "syscalls.XXXXXX";
    int fd = mkstemp(name);
    need(fd >= 0 && unlink(name) == 0, "mkstemp");
    need(ftruncate(fd, bytes) == 0 && dup2(fd, descriptor) == descriptor, "ftruncate");
    close(fd);
    return descriptor;
}

static void prepare(void)
{
    int pair[2];
    open_file(FILE_FD, 4096);
    open_file(SMALL_FILE, 40);
    need(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0, "socketpair");
    dup2(pair[0], SOCKET_A);
    dup2(pair[1], SOCKET_B);
    need(dup2(open("/", O_RDONLY | O_DIRECTORY), DIRECTORY) == DIRECTORY, "/");
    iov_global[0] = (struct iovec){out, 8};
    iov_global[1] = (struct iovec){out + 50, 16};
    message_out.type = 1;
    signal(SIGXFSZ, SIG_IGN);
}

/* Limits file sizes only during partial writes, because the report is a file, too. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit = {bytes, RLIM_INFINITY};
    need(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
}

static void outputs(int queue)
{
    need(do_write() == 400, "write");
    need(do_pwrite64() == 200, "pwrite64");
    need(do_writev() == 120, "writev");
    need(do_writev_global() == 24, "writev");
    need(do_pwritev() == 80, "pwritev");
    need(do_sendto() == 120, "sendto");
    need(do_sendmsg() == 96, "sendmsg");
    need(do_msgsnd(queue) == 0, "msgsnd");
    limit_files(65536);
    need(do_write_partial() == 40, "partial pwrite64");
    need(do_writev_partial() == 64, "partial pwritev");
    limit_files(RLIM_INFINITY);
    need(do_write_failed() < 0, "failed write");
    need(do_send_failed() < 0, "failed sendto");
    need(do_write_nothing() == 0, "write of nothing");
}

static void inputs(int queue)
{
    sink = do_recvfrom() + do_recvmsg() + do_msgrcv(queue);
    sink = do_read() + do_read_unused() + do_pread64() + do_readv() + do_preadv();
    sink = do_read_partial() + do_readv_partial() + do_read_failed() + do_read_end();
    sink = do_getrandom() + do_getdents() + do_pipe() + do_read_twice();
}

int main(void)
{
    int queue = msgget(IPC_PRIVATE, 0600);
    need(queue >= 0, "msgget");
    prepare();
    outputs(queue);
    inputs(queue);
    msgctl(queue, IPC_RMID, NULL);
    need(do_open() >= 0, "open");
    need(do_open_failed() < 0, "failed open");
    return 0;
}
