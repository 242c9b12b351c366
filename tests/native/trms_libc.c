/* Functions of the C library, a routine for each, with input sizes that were computed by hand.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Cells have 4 bytes. The comment of each routine has its first reads: the number of cells, and how
 * many are external. trms_libc.sh has the expected values, and builds the two libraries.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUTINE __attribute__((noinline, noclone)) static
#define CELLS   1024

static _Alignas(16) int in[CELLS], out[CELLS], numbers[CELLS];
static _Alignas(16) char text[256], copy[256], name[16] = "/dev/null";
static _Alignas(16) struct iovec pieces[2];
static volatile long sink;
static int sockets[2], queue;

typedef void copier(void *, const void *, size_t);

/* Uses a result without reading a cell. */
static inline void keep(long value)
{
    sink = value;
}

static inline void use(const volatile int *from, int cells)
{
    int sum = 0;
    for (int i = 0; i < cells; i++)
        sum += from[i];
    keep(sum);
}

/* ---------------------------------------------------------------- memory and strings */

ROUTINE void do_memcpy(void) /* 100: written bytes are no input */
{
    memcpy(in, out, 400);
    use(in, 100);
}

ROUTINE void do_memset(void) /* 0 */
{
    memset(in, 1, 400);
    use(in, 100);
}

ROUTINE void do_memcmp(void) /* 26 of each: the 101st byte differs */
{
    keep(memcmp(text, copy, 200));
}

ROUTINE void do_strlen(void) /* 199 bytes and the end: 50 */
{
    keep((long)strlen(text));
}

ROUTINE void do_strchr(void) /* the 101st byte: 26 */
{
    keep(strchr(text, 'x') != NULL);
}

ROUTINE void do_strcpy(void) /* 50 */
{
    keep(strcpy(copy, text)[3]);
}

ROUTINE void do_strdup(void) /* 50 */
{
    char *duplicate = strdup(text);
    keep(duplicate[7]);
    free(duplicate);
}

ROUTINE void do_strtol(const char *digits) /* 5 digits and the end: 2 */
{
    keep(strtol(digits, NULL, 10));
}

ROUTINE void do_snprintf(void) /* 0 */
{
    snprintf((char *)in, 400, "%0100d", 7);
    use(in, 25);
}

ROUTINE void do_sscanf(const char *digits) /* 2; the stored number is no input */
{
    sscanf(digits, "%d", &in[500]);
    use(&in[500], 1);
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

ROUTINE void do_qsort(void) /* 200, without the library's copies */
{
    qsort(numbers, 200, sizeof *numbers, compare);
    use(numbers, 200);
}

ROUTINE void do_bsearch(const int *key) /* the key, and 8 of 200 or fewer */
{
    keep(bsearch(key, numbers, 200, sizeof *numbers, compare) != NULL);
}

/* ---------------------------------------------------------------- the heap */

ROUTINE void do_calloc(void) /* 0 */
{
    int *block = calloc(100, sizeof *block);
    use(block, 100);
    free(block);
}

ROUTINE void do_calloc_mapped(void) /* 100: fresh pages, twice at the same place */
{
    int *block = calloc(100000, sizeof *block);
    use(block, 100);
    free(block);
}

ROUTINE void do_realloc(void) /* 0 */
{
    int *block = malloc(72);
    char *behind = malloc(16);
    for (int i = 0; i < 18; i++)
        block[i] = i;
    block = realloc(block, 4000);
    use(block, 18);
    free(block);
    free(behind);
}

/* ---------------------------------------------------------------- streams */

ROUTINE void do_fread(FILE *stream) /* 100, all external */
{
    keep((long)fread(in, 1, 400, stream));
    use(in, 100);
}

ROUTINE void do_fgets(FILE *stream) /* a line of 20 bytes: 5, all external */
{
    keep(fgets((char *)in, 100, stream) != NULL);
    use(in, 5);
}

ROUTINE void do_getc(FILE *stream) /* 1, external */
{
    keep(getc(stream));
}

ROUTINE void do_fscanf(FILE *stream) /* bytes 1 to 18 of a line: 5, one of them read by getc */
{
    char word[32];
    keep(fscanf(stream, "%31s", word) + word[17]);
}

ROUTINE void
do_getline(FILE *stream) /* the rest of a line, and the next: 1 and 5; 1 was read before */
{
    char *line = NULL;
    size_t room = 0;
    keep(getline(&line, &room, stream));
    keep(getline(&line, &room, stream) + line[19]);
    free(line);
}

ROUTINE void do_fwrite(FILE *to) /* 100 */
{
    keep((long)fwrite(out, 1, 400, to));
}

/* ---------------------------------------------------------------- output */

ROUTINE void do_write(int null) /* 100 */
{
    keep(write(null, out, 400));
}

ROUTINE void do_write_failed(void) /* 0 */
{
    keep(write(-1, out, 400));
}

ROUTINE void do_pwrite(int file) /* 50 */
{
    keep(pwrite(file, out, 200, 2000));
}

ROUTINE void do_writev(int null) /* 8 of the array, 10, 20 */
{
    keep(writev(null, pieces, 2));
}

ROUTINE void do_send(int socket) /* 30 */
{
    keep(send(socket, out, 120, 0));
}

ROUTINE void do_msgsnd(int queue) /* 2 of the type, 20 */
{
    keep(msgsnd(queue, out, 80, 0));
}

ROUTINE int do_open(void) /* 10 bytes: 3 */
{
    return open(name, O_RDWR);
}

/* ---------------------------------------------------------------- input */

ROUTINE void do_read(int file) /* 100, all external */
{
    keep(read(file, in, 400));
    use(in, 100);
}

ROUTINE void do_read_part(int file) /* 20, but 10 external: only 10 arrived */
{
    keep(pread(file, in, 80, 960));
    use(in, 20);
}

ROUTINE void do_read_unused(int file) /* 0 */
{
    keep(pread(file, in, 400, 0));
}

ROUTINE void do_read_twice(int file) /* the second time is input again: 20 by trms, 10 by rms */
{
    keep(pread(file, in, 40, 0));
    use(in, 10);
    keep(pread(file, in, 40, 40));
    use(in, 10);
}

ROUTINE void do_read_failed(void) /* 10, none external */
{
    keep(read(-1, &in[600], 40));
    use(&in[600], 10);
}

ROUTINE void do_readv(int file) /* 8 of the array; 10 and 20 external */
{
    keep(preadv(file, pieces, 2, 0));
    use(out, 30);
}

ROUTINE void do_recv(int socket) /* 30, all external */
{
    keep(recv(socket, in, 400, 0));
    use(in, 30);
}

ROUTINE void do_msgrcv(int queue) /* 22, all external */
{
    keep(msgrcv(queue, in, 80, 0, 0));
    use(in, 22);
}

ROUTINE void do_getrandom(void) /* 16, all external */
{
    keep(getrandom(in, 64, 0));
    use(in, 16);
}

ROUTINE void do_syscall(void) /* 16, all external */
{
    keep(syscall(SYS_getrandom, in, 64, 0));
    use(in, 16);
}

ROUTINE void do_stat(void) /* 3 of the name; 1 external */
{
    static struct stat status;
    keep(stat(name, &status) + (long)status.st_mode);
}

ROUTINE void do_uname(void) /* 2, external */
{
    keep(uname((struct utsname *)in));
    use(in, 2);
}

ROUTINE void do_clock_gettime(void) /* 2 cells of each word: 4, external */
{
    static struct timespec now;
    keep(clock_gettime(CLOCK_MONOTONIC, &now) + now.tv_sec + now.tv_nsec);
}

ROUTINE void do_getrlimit(void) /* 2, external */
{
    static struct rlimit limit;
    keep(getrlimit(RLIMIT_NOFILE, &limit) + (long)limit.rlim_cur);
}

ROUTINE void do_pipe(void) /* 2, external */
{
    static int ends[2];
    keep(pipe(ends));
    close(ends[0]);
    close(ends[1]);
}

ROUTINE void do_poll(int socket) /* 2 by the kernel, then revents: 1, external */
{
    static struct pollfd files[1];
    files[0].fd = socket;
    files[0].events = POLLOUT;
    keep(poll(files, 1, 0) + files[0].revents);
}

ROUTINE void do_getcwd(void) /* 1, external */
{
    keep(getcwd((char *)in, 4096) != NULL);
    use(in, 1);
}

ROUTINE void do_ioctl(int socket) /* 1, external */
{
    keep(ioctl(socket, FIONREAD, in));
    use(in, 1);
}

ROUTINE void do_waitpid(pid_t child) /* 1, external */
{
    keep(waitpid(child, in, 0));
    use(in, 1);
}

/* ---------------------------------------------------------------- mappings */

ROUTINE void do_mmap_file(int file) /* 100, all external */
{
    int *mapped = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    use(mapped, 100);
    munmap(mapped, 4096);
}

ROUTINE void do_mmap_again(void) /* 10 of new memory, and 10 after it is new again */
{
    int *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    use(mapped, 10);
    mmap(mapped, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    use(mapped, 10);
    munmap(mapped, 4096);
}

ROUTINE void do_madvise(void) /* 10, and 10 after the pages were given up */
{
    int *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    use(mapped, 10);
    madvise(mapped, 4096, MADV_DONTNEED);
    use(mapped, 10);
    munmap(mapped, 4096);
}

/* ---------------------------------------------------------------- threads */

static int there[2], back[2];
static volatile _Alignas(4) int shared;

ROUTINE void do_wait_by_pipe(int ask, int answer) /* shared and name; shared again, induced */
{
    char byte = 0;
    keep(shared);
    write(ask, name, 1);
    read(answer, &byte, 1);
    keep(shared);
}

static void *other_thread(void *argument)
{
    char byte;
    read(there[0], &byte, 1);
    shared = 5;
    write(back[1], name, 1);
    return argument;
}

static void threads(void)
{
    pthread_t other;
    pipe(there);
    pipe(back);
    pthread_create(&other, NULL, other_thread, NULL);
    do_wait_by_pipe(there[1], back[0]);
    pthread_join(other, NULL);
}

ROUTINE void do_localtime(const time_t *now) /* 2 */
{
    struct tm date;
    localtime_r(now, &date);
    keep(date.tm_year + date.tm_mon);
}

/* ---------------------------------------------------------------- libraries */

ROUTINE void do_plain_library(copier *copy) /* 0: the copy is the library's own */
{
    copy(in, out, 400);
}

ROUTINE void do_hooked_library(copier *copy) /* 110 */
{
    copy(in, out, 440);
}

/* ---------------------------------------------------------------- */

static void *load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    void *found = library ? dlsym(library, "copy_bytes") : NULL;
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return found;
}

/* 50 lines with 20 bytes each. */
static int make_file(void)
{
    int file = open("lines", O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < 50; i++)
        if (write(file, "1234567890123456789\n", 20) != 20)
            exit(1);
    lseek(file, 0, SEEK_SET);
    return file;
}

static void prepare(void)
{
    socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets);
    queue = msgget(IPC_PRIVATE, 0600);
    mallopt(M_MMAP_THRESHOLD, 65536);
    out[0] = 1;
    memset(text, 'a', 199);
    memset(copy, 'a', 199);
    text[100] = 'x';
    pieces[0].iov_base = out;
    pieces[0].iov_len = 40;
    pieces[1].iov_base = out + 10;
    pieces[1].iov_len = 80;
    for (int i = 0; i < 200; i++)
        numbers[i] = i * 37 % 200;
}

static void memory(void)
{
    static _Alignas(8) char digits[8] = "12345";
    static int key = 123;
    do_memcpy();
    do_memset();
    do_memcmp();
    do_strlen();
    do_strchr();
    do_strcpy();
    do_strdup();
    do_strtol(digits);
    do_snprintf();
    do_sscanf(digits);
    do_qsort();
    do_bsearch(&key);
    do_calloc();
    do_calloc_mapped();
    do_calloc_mapped();
    do_realloc();
}

static void streams(void)
{
    FILE *from = fopen("lines", "r"), *to = fopen("/dev/null", "w");
    do_fread(from);
    do_fread(from);
    do_fgets(from);
    do_getc(from);
    do_fscanf(from);
    do_getline(from);
    do_fwrite(to);
    fclose(from);
    fclose(to);
}

static void output(int file)
{
    int null = do_open();
    do_write(null);
    do_write_failed();
    do_pwrite(file);
    do_writev(null);
    do_send(sockets[0]);
    do_msgsnd(queue);
    ftruncate(file, 1000);
}

static void input(int file)
{
    do_read(file);
    do_read_part(file);
    do_read_unused(file);
    do_read_twice(file);
    do_read_failed();
    do_readv(file);
    do_poll(sockets[0]);
    do_ioctl(sockets[1]);
    do_recv(sockets[1]);
    do_msgrcv(queue);
    do_getrandom();
    do_syscall();
    do_stat();
    do_uname();
    do_clock_gettime();
    do_getrlimit();
    do_pipe();
    do_getcwd();
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    do_waitpid(child);
}

int main(void)
{
    int file = make_file();
    prepare();
    memory();
    streams();
    output(file);
    input(file);
    do_mmap_file(file);
    do_mmap_again();
    do_madvise();
    static time_t now = 1000000000;
    do_localtime(&now);
    threads();
    do_plain_library((copier *)load("./plain.so"));
    do_hooked_library((copier *)load("./hooked.so"));
    msgctl(queue, IPC_RMID, NULL);
    return 0;
}
