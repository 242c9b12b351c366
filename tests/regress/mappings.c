/* Mapped memory: files are external input when read, anonymous memory is not.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Everything is mapped at fixed addresses inside an area that main has reserved, so that memory is
 * certainly reused. Each routine reads ints, one cell each.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/regress/regress.h"

enum { FILE_FD = 100, SPARSE_FD = 101, PAGE = 4096 };

static char *area; /* reserved, never accessible as it is */

INLINE long map(void *at, long bytes, int flags, int fd)
{
    return RAW(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0);
}

INLINE long unmap(void *at, long bytes)
{
    return RAW3(SYS_munmap, at, bytes, 0);
}

INLINE int read_ints(const char *at, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += ((volatile const int *)at)[i];
    return total;
}

/* 100 ints of a file: 100, external */
ROUTINE int read_file(char *at)
{
    map(at, PAGE, MAP_PRIVATE, FILE_FD);
    return read_ints(at, 100);
}

/* still mapped; the kernel has written nothing new since read_file read it: 100, none external
 */
ROUTINE int read_file_again(char *at)
{
    return read_ints(at, 100);
}

/* never read before: 50, external */
ROUTINE int read_file_rest(char *at)
{
    return read_ints(at + 400, 50);
}

/* writes 30 ints of the mapping before reading 40: 10, external */
ROUTINE int write_file_first(char *at)
{
    map(at, PAGE, MAP_SHARED, FILE_FD);
    for (int i = 0; i < 30; i++)
        ((volatile int *)at)[i] = i;
    return read_ints(at, 40);
}

/* anonymous memory: 100, none external */
ROUTINE int read_anonymous(char *at)
{
    map(at, PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return read_ints(at, 100);
}

/* 20 ints; after the memory is unmapped and mapped again, 20 more first accesses: 40, rms 40 */
ROUTINE int unmap_between(char *at)
{
    map(at, PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    int total = read_ints(at, 20);
    unmap(at, PAGE);
    map(at, PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return total + read_ints(at, 20);
}

/* the same by mapping over it: 40 */
ROUTINE int map_over(char *at)
{
    map(at, PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    int total = read_ints(at, 20);
    map(at, PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return total + read_ints(at, 20);
}

/* a file, then anonymous memory over it: 20 external and 20 ordinary first accesses */
ROUTINE int cover_file(char *at)
{
    map(at, PAGE, MAP_PRIVATE, FILE_FD);
    int total = read_ints(at, 20);
    map(at, PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return total + read_ints(at, 20);
}

/* a file mapped, never read, and unmapped; then anonymous memory: 25, none external */
ROUTINE int file_was_here(char *at)
{
    map(at, PAGE, MAP_PRIVATE, FILE_FD);
    unmap(at, PAGE);
    map(at, PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return read_ints(at, 25);
}

/* a part of a mapping of a file is replaced: of 3 pages the middle one; 10 ints of each: 30, 20
 * external */
ROUTINE int hole_in_file(char *at)
{
    map(at, 3 * PAGE, MAP_PRIVATE, FILE_FD);
    map(at + PAGE, PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return read_ints(at, 10) + read_ints(at + PAGE, 10) + read_ints(at + 2 * PAGE, 10);
}

/* 60 ints are read, moved elsewhere and read again; their history moves along: 60 */
ROUTINE int move_read(char *at, char *to)
{
    map(at, PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    int total = read_ints(at, 60);
    RAW(SYS_mremap, at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to, 0);
    return total + read_ints(to, 60);
}

/* written, moved, read: 0 */
ROUTINE int move_written(char *at, char *to)
{
    map(at, PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    for (int i = 0; i < 60; i++)
        ((volatile int *)at)[i] = i;
    RAW(SYS_mremap, at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to, 0);
    return read_ints(to, 60);
}

/* a file that was moved before any read: 15, external; the old place, mapped again: 15, none
 * external */
ROUTINE int move_file(char *at, char *to)
{
    map(at, PAGE, MAP_PRIVATE, FILE_FD);
    RAW(SYS_mremap, at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to, 0);
    map(at, PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return read_ints(to, 15) + read_ints(at, 15);
}

/* 3 GiB of a sparse file, touched at 64 places: 64, external. A loop over the cells of the mapping
 * would not end in time. */
ROUTINE int read_sparse(char *at, long bytes)
{
    int total = 0;
    RAW(SYS_mmap, at, bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, SPARSE_FD, 0);
    for (long offset = 0; offset < bytes; offset += bytes / 64)
        total += *(volatile int *)(at + offset);
    return total;
}

static void open_file(int descriptor, long bytes)
{
    char name[] = "mappings.XXXXXX";
    int fd = mkstemp(name);
    if (fd < 0 || unlink(name) != 0 || ftruncate(fd, bytes) != 0 || dup2(fd, descriptor) < 0)
        exit(99);
}

int main(void)
{
    const long sparse_bytes = 3L << 30;
    open_file(FILE_FD, 3 * PAGE);
    open_file(SPARSE_FD, sparse_bytes);
    area = mmap(NULL, sparse_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED)
        return 99;
    sink = read_file(area);
    sink = read_file_again(area);
    sink = read_file_rest(area);
    sink = write_file_first(area + 4 * PAGE);
    sink = read_anonymous(area + 8 * PAGE);
    sink = unmap_between(area + 12 * PAGE);
    sink = map_over(area + 16 * PAGE);
    sink = cover_file(area + 20 * PAGE);
    sink = file_was_here(area + 24 * PAGE);
    sink = hole_in_file(area + 28 * PAGE);
    sink = move_read(area + 32 * PAGE, area + 36 * PAGE);
    sink = move_written(area + 40 * PAGE, area + 44 * PAGE);
    sink = move_file(area + 48 * PAGE, area + 52 * PAGE);
    sink = read_sparse(area, sparse_bytes);
    return 0;
}
