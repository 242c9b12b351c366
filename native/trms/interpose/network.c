/* Tables of system calls that transfer messages or wait for messages: sockets, queues, polling.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * interpose_calls.h explains the table.
 */
#define _GNU_SOURCE
#include "native/trms/interpose/interpose_calls.h"

#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#define KERNEL_SIGSET_BYTES 8

/* ---------------------------------------------------------------- addresses of sockets */

/* Records an address that the kernel has written. The returned length may exceed the buffer's
 * length; `room` is the value of *bytes before the call. */
static void calls_write_address(const void *address, const socklen_t *bytes, socklen_t room)
{
    if (!address || !bytes)
        return;
    calls_read(bytes, sizeof *bytes);
    calls_write(address, *bytes < room ? *bytes : room);
    calls_write(bytes, sizeof *bytes);
}

#define ADDRESS_CALL(type, name, parameters, arguments, reads, writes)                             \
    SYSTEM_CALL_AFTER(socklen_t room = address_bytes ? *address_bytes : 0, type, name, parameters, \
                      arguments, reads, writes;                                                    \
                      calls_write_address(address, address_bytes, room))

ADDRESS_CALL(int, accept, (int fd, struct sockaddr *address, socklen_t *address_bytes),
             (fd, address, address_bytes), NOTHING, NOTHING)
ADDRESS_CALL(int, accept4, (int fd, struct sockaddr *address, socklen_t *address_bytes, int flags),
             (fd, address, address_bytes, flags), NOTHING, NOTHING)
ADDRESS_CALL(int, getsockname, (int fd, struct sockaddr *address, socklen_t *address_bytes),
             (fd, address, address_bytes), NOTHING, NOTHING)
ADDRESS_CALL(int, getpeername, (int fd, struct sockaddr *address, socklen_t *address_bytes),
             (fd, address, address_bytes), NOTHING, NOTHING)
ADDRESS_CALL(int, getsockopt,
             (int fd, int level, int option, void *address, socklen_t *address_bytes),
             (fd, level, option, address, address_bytes), NOTHING, NOTHING)
ADDRESS_CALL(ssize_t, recvfrom,
             (int fd, void *to, size_t n, int flags, struct sockaddr *address,
              socklen_t *address_bytes),
             (fd, to, n, flags, address, address_bytes), NOTHING,
             WRITES(to, interpose_smaller((size_t)result, n)))
ADDRESS_CALL(ssize_t, __recvfrom_chk,
             (int fd, void *to, size_t n, size_t space, int flags, struct sockaddr *address,
              socklen_t *address_bytes),
             (fd, to, n, space, flags, address, address_bytes), NOTHING,
             WRITES(to, interpose_smaller((size_t)result, n)))

SYSTEM_CALL(int, bind, (int fd, const struct sockaddr *address, socklen_t bytes),
            (fd, address, bytes), READS(address, bytes), NOTHING)
SYSTEM_CALL(int, connect, (int fd, const struct sockaddr *address, socklen_t bytes),
            (fd, address, bytes), READS(address, bytes), NOTHING)
SYSTEM_CALL(int, setsockopt, (int fd, int level, int option, const void *from, socklen_t bytes),
            (fd, level, option, from, bytes), READS(from, bytes), NOTHING)
SYSTEM_CALL(int, socketpair, (int domain, int type, int protocol, int *to),
            (domain, type, protocol, to), NOTHING, WRITES(to, 2 * sizeof *to))
SYSTEM_CALL(int, shutdown, (int fd, int how), (fd, how), NOTHING, NOTHING)

/* ---------------------------------------------------------------- messages */

/* With MSG_TRUNC the result may exceed the buffer. */
SYSTEM_CALL(ssize_t, recv, (int fd, void *to, size_t n, int flags), (fd, to, n, flags), NOTHING,
            WRITES(to, interpose_smaller((size_t)result, n)))
SYSTEM_CALL(ssize_t, __recv_chk, (int fd, void *to, size_t n, size_t space, int flags),
            (fd, to, n, space, flags), NOTHING, WRITES(to, interpose_smaller((size_t)result, n)))
SYSTEM_CALL(ssize_t, send, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags),
            READS_DATA(from, result), NOTHING)
SYSTEM_CALL(ssize_t, sendto,
            (int fd, const void *from, size_t n, int flags, const struct sockaddr *address,
             socklen_t bytes),
            (fd, from, n, flags, address, bytes), READS(address, bytes);
            READS_DATA(from, result), NOTHING)

static void read_header(const struct msghdr *message)
{
    calls_read(message, sizeof *message);
    calls_read(message->msg_iov, message->msg_iovlen * sizeof *message->msg_iov);
}

static void read_outgoing(const struct msghdr *message)
{
    read_header(message);
    calls_read(message->msg_name, message->msg_namelen);
    calls_read(message->msg_control, message->msg_controllen);
}

/* Records an incoming message. In the header, the kernel has stored the lengths of the address and
 * of the ancillary data. */
static void write_incoming(struct msghdr *message, socklen_t room, size_t bytes)
{
    calls_write_vector(message->msg_iov, message->msg_iovlen, bytes);
    calls_write(message->msg_name, interpose_smaller(room, message->msg_namelen));
    calls_write(message->msg_control, message->msg_controllen);
    calls_write(&message->msg_namelen, sizeof message->msg_namelen);
    calls_write(&message->msg_controllen, sizeof message->msg_controllen);
    calls_write(&message->msg_flags, sizeof message->msg_flags);
}

SYSTEM_CALL(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags),
            (fd, message, flags), read_outgoing(message);
            READS_DATA_VECTOR(message->msg_iov, message->msg_iovlen), NOTHING)

INTERPOSE(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags))
{
    socklen_t room = message ? message->msg_namelen : 0;
    watch_thread_sync();
    ssize_t result = REAL(recvmsg)(fd, message, flags);
    int error = errno;
    if (result >= 0 || error != EFAULT)
        read_header(message);
    if (result >= 0)
        write_incoming(message, room, (size_t)result);
    errno = error;
    return result;
}

static void read_messages(struct mmsghdr *messages, unsigned n, int sent)
{
    for (unsigned i = 0; i < n; i++)
        read_outgoing(&messages[i].msg_hdr);
    for (int i = 0; i < sent; i++) {
        const struct msghdr *message = &messages[i].msg_hdr;
        calls_read_vector(message->msg_iov, message->msg_iovlen, messages[i].msg_len);
        calls_write(&messages[i].msg_len, sizeof messages[i].msg_len);
    }
}

static void write_messages(struct mmsghdr *messages, int received)
{
    for (int i = 0; i < received; i++) {
        read_header(&messages[i].msg_hdr);
        write_incoming(&messages[i].msg_hdr, messages[i].msg_hdr.msg_namelen, messages[i].msg_len);
        calls_write(&messages[i].msg_len, sizeof messages[i].msg_len);
    }
}

SYSTEM_CALL(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned n, int flags),
            (fd, messages, n, flags), read_messages(messages, n, result), NOTHING)
SYSTEM_CALL(int, recvmmsg,
            (int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *limit),
            (fd, messages, n, flags, limit), READS_ONE(limit), write_messages(messages, result))

/* ---------------------------------------------------------------- message queues */

/* The memory of a System V message begins with the message's type, a long. */
SYSTEM_CALL(int, msgsnd, (int queue, const void *from, size_t n, int flags),
            (queue, from, n, flags), READS(from, sizeof(long));
            READS_DATA((const char *)from + sizeof(long), n), NOTHING)
SYSTEM_CALL(ssize_t, msgrcv, (int queue, void *to, size_t n, long type, int flags),
            (queue, to, n, type, flags), NOTHING, WRITES(to, sizeof(long) + (size_t)result))
SYSTEM_CALL(int, msgctl, (int queue, int command, struct msqid_ds *data), (queue, command, data),
            if (command == IPC_SET) READS_ONE(data), if (command == IPC_STAT) WRITES_ONE(data))

SYSTEM_CALL(int, mq_send, (mqd_t queue, const char *from, size_t n, unsigned priority),
            (queue, from, n, priority), READS_DATA(from, n), NOTHING)
SYSTEM_CALL(int, mq_timedsend,
            (mqd_t queue, const char *from, size_t n, unsigned priority,
             const struct timespec *limit),
            (queue, from, n, priority, limit), READS_ONE(limit);
            READS_DATA(from, n), NOTHING)
SYSTEM_CALL(ssize_t, mq_receive, (mqd_t queue, char *to, size_t n, unsigned *priority),
            (queue, to, n, priority), NOTHING, WRITES(to, result);
            WRITES_ONE(priority))
SYSTEM_CALL(ssize_t, mq_timedreceive,
            (mqd_t queue, char *to, size_t n, unsigned *priority, const struct timespec *limit),
            (queue, to, n, priority, limit), READS_ONE(limit), WRITES(to, result);
            WRITES_ONE(priority))
SYSTEM_CALL(int, mq_getattr, (mqd_t queue, struct mq_attr *to), (queue, to), NOTHING,
            WRITES_ONE(to))
SYSTEM_CALL(int, mq_setattr, (mqd_t queue, const struct mq_attr *from, struct mq_attr *to),
            (queue, from, to), READS_ONE(from), WRITES_ONE(to))
SYSTEM_CALL(int, mq_unlink, (const char *name), (name), READS_NAME(name), NOTHING)

/* ---------------------------------------------------------------- semaphores, shared memory */

SYSTEM_CALL(int, semop, (int set, struct sembuf *operations, size_t n), (set, operations, n),
            READS_ARRAY(operations, n), NOTHING)
SYSTEM_CALL(int, semtimedop,
            (int set, struct sembuf *operations, size_t n, const struct timespec *limit),
            (set, operations, n, limit), READS_ARRAY(operations, n);
            READS_ONE(limit), NOTHING)
SYSTEM_CALL(int, shmctl, (int memory, int command, struct shmid_ds *data), (memory, command, data),
            if (command == IPC_SET) READS_ONE(data), if (command == IPC_STAT) WRITES_ONE(data))

/* ---------------------------------------------------------------- waiting */

/* Records that the kernel has written the member `revents` of each element. */
static void write_events(struct pollfd *files, nfds_t n)
{
    for (nfds_t i = 0; i < n; i++)
        calls_write(&files[i].revents, sizeof files[i].revents);
}

SYSTEM_CALL(int, poll, (struct pollfd * files, nfds_t n, int limit), (files, n, limit),
            READS_ARRAY(files, n), write_events(files, n))
SYSTEM_CALL(int, __poll_chk, (struct pollfd * files, nfds_t n, int limit, size_t room),
            (files, n, limit, room), READS_ARRAY(files, n), write_events(files, n))
SYSTEM_CALL(int, ppoll,
            (struct pollfd * files, nfds_t n, const struct timespec *limit, const sigset_t *mask),
            (files, n, limit, mask), READS_ARRAY(files, n);
            READS_ONE(limit); READS(mask, KERNEL_SIGSET_BYTES), write_events(files, n))
SYSTEM_CALL(int, __ppoll_chk,
            (struct pollfd * files, nfds_t n, const struct timespec *limit, const sigset_t *mask,
             size_t room),
            (files, n, limit, mask, room), READS_ARRAY(files, n);
            READS_ONE(limit); READS(mask, KERNEL_SIGSET_BYTES), write_events(files, n))

/* Returns the size of a set of file descriptors; the kernel reads and writes sets in whole
 * words. */
static size_t set_bytes(int n)
{
    size_t bits = 8 * sizeof(long);
    return n > 0 ? ((size_t)n + bits - 1) / bits * sizeof(long) : 0;
}

SYSTEM_CALL(int, select, (int n, fd_set *in, fd_set *out, fd_set *special, struct timeval *limit),
            (n, in, out, special, limit), READS(in, set_bytes(n));
            READS(out, set_bytes(n)); READS(special, set_bytes(n));
            READS_ONE(limit), WRITES(in, set_bytes(n)); WRITES(out, set_bytes(n));
            WRITES(special, set_bytes(n)); WRITES_ONE(limit))
SYSTEM_CALL(int, pselect,
            (int n, fd_set *in, fd_set *out, fd_set *special, const struct timespec *limit,
             const sigset_t *mask),
            (n, in, out, special, limit, mask), READS(in, set_bytes(n));
            READS(out, set_bytes(n)); READS(special, set_bytes(n)); READS_ONE(limit);
            READS(mask, KERNEL_SIGSET_BYTES), WRITES(in, set_bytes(n)); WRITES(out, set_bytes(n));
            WRITES(special, set_bytes(n)))

SYSTEM_CALL(int, epoll_ctl, (int epoll, int what, int fd, struct epoll_event *event),
            (epoll, what, fd, event), if (what != EPOLL_CTL_DEL) READS_ONE(event), NOTHING)
SYSTEM_CALL(int, epoll_wait, (int epoll, struct epoll_event *to, int n, int limit),
            (epoll, to, n, limit), NOTHING, WRITES(to, (size_t)result * sizeof *to))
SYSTEM_CALL(int, epoll_pwait,
            (int epoll, struct epoll_event *to, int n, int limit, const sigset_t *mask),
            (epoll, to, n, limit, mask), READS(mask, KERNEL_SIGSET_BYTES),
            WRITES(to, (size_t)result * sizeof *to))

SYSTEM_CALL(int, eventfd_read, (int fd, eventfd_t *to), (fd, to), NOTHING, WRITES_ONE(to))
SYSTEM_CALL(int, eventfd_write, (int fd, eventfd_t value), (fd, value), NOTHING, NOTHING)
SYSTEM_CALL(int, signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags),
            READS(mask, KERNEL_SIGSET_BYTES), NOTHING)
SYSTEM_CALL(int, timerfd_gettime, (int fd, struct itimerspec *to), (fd, to), NOTHING,
            WRITES_ONE(to))
SYSTEM_CALL(int, timerfd_settime,
            (int fd, int flags, const struct itimerspec *from, struct itimerspec *to),
            (fd, flags, from, to), READS_ONE(from), WRITES_ONE(to))
SYSTEM_CALL(int, pipe, (int *to), (to), NOTHING, WRITES(to, 2 * sizeof *to))
SYSTEM_CALL(int, pipe2, (int *to, int flags), (to, flags), NOTHING, WRITES(to, 2 * sizeof *to))
