#!/bin/sh
# Tests that one report of a loop's ranges equals the reports of hooks for single accesses.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

need_compilers
case $compilers in
*inline*) ;;
*) skip 'no clang, or no instrumenter' ;;
esac
unset APROF_CC_COMPILER

# Random ranges of all kinds, called from every depth, with input from the kernel and from another thread.
cat >program.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROUTINE __attribute__((noinline)) static
#define WHOLE   __attribute__((aligned(16))) /* has cells of its own, however large */
enum { BYTES = 3 << 20 };

#ifdef TOLD
void aprof_trms_read_rows(unsigned long address, unsigned long bytes, unsigned long stride, unsigned long n);
void aprof_trms_write_rows(unsigned long address, unsigned long bytes, unsigned long stride, unsigned long n);
#endif
static int file WHOLE;

struct random { unsigned long state; } WHOLE;
static unsigned below(struct random *r, unsigned n)
{
    r->state = r->state * 6364136223846793005 + 1442695040888963407;
    return (unsigned)(r->state >> 33) % n;
}

ROUTINE void reads(const unsigned char *from, unsigned bytes, unsigned stride, unsigned n)
{
#ifdef TOLD
    aprof_trms_read_rows((unsigned long)from, bytes, stride, n);
#else
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < bytes; k++)
            s += from[i * stride + k];
    __asm__ volatile("" : : "r"(s));
#endif
}

ROUTINE void writes(unsigned char *to, unsigned bytes, unsigned stride, unsigned n)
{
#ifdef TOLD
    aprof_trms_write_rows((unsigned long)to, bytes, stride, n);
#else
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < bytes; k++)
            to[i * stride + k] = (unsigned char)i;
#endif
}

/* Into memory of so many bytes. */
ROUTINE void rows(struct random *r, unsigned char *at, unsigned all, unsigned depth)
{
    for (int i = 0; i < 6; i++) {
        unsigned bytes = 1 + below(r, below(r, 4) ? 16 : 3000), stride = bytes + below(r, 20), n = 1 + below(r, 200);
        unsigned kind = below(r, 12), place = below(r, 8) ? below(r, 20000) : all / 3;
        if (kind % 3 == 0)
            stride = bytes;
        if (kind % 5 == 0)
            stride = below(r, bytes);
        if (kind < 6)
            reads(at + place, bytes, stride, n);
        else if (kind < 9)
            writes(at + place, bytes, stride, n);
        else if (kind == 9 && pread(file, at + place, 1000, 0) != 1000)
            abort();
        else if (kind > 9 && depth)
            rows(r, at, all, depth - 1);
    }
}

struct part { unsigned char *at; unsigned seed; } WHOLE;
static void *work(void *argument)
{
    struct part *part = argument;
    struct random r = {part->seed};
    rows(&r, part->at, BYTES, 4);
    return NULL;
}

ROUTINE void all(struct random *r, unsigned char *at)
{
    reads(at, 4, 4, 2 * BYTES / 4);
    rows(r, at, BYTES, 3);
    rows(r, at + BYTES, BYTES, 3);
}

int main(void)
{
    struct random r = {1};
    static const char name[16] WHOLE = "file";
    file = open(name, O_RDONLY);
    unsigned char *memory = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (unsigned i = 0; i < 12; i++) {
        struct part mine = {memory, 2 * i + 1}, others = {memory + BYTES, 2 * i + 2};
        pthread_t thread WHOLE;
        work(&mine);
        work(&others);
        all(&r, memory);
        if (i < THREADS_FROM)
            continue;
        if (pthread_create(&thread, NULL, work, &others))
            abort();
        work(&mine);
        pthread_join(thread, NULL);
        all(&r, memory);
    }
    return 0;
}
END
head -c 8192 /dev/urandom >file

# alike OPTIONS COMMAND...: the program's points are those that hooks found.
alike()
{
    options=$1
    shift
    APROF=out=hooks.report,$options run 0 ./hooks
    all_points hooks.report >hooks.points
    [ "$(wc -l <hooks.points)" -gt 500 ] || fail "few points: $(wc -l <hooks.points)"
    APROF=out=report,$options run 0 "$@"
    ! grep '^aprof' err || fail "$last: a message"
    all_points report >found.points
    cmp -s hooks.points found.points || fail "$(diff hooks.points found.points | head -8)"
}

for from in 12 6; do
    APROF_CC_COMPILER=clang aprof-cc -w -O1 -pthread -DTHREADS_FROM=$from -o hooks program.c
    aprof-cc --aprof=trms,inline -w -O1 -pthread -DTHREADS_FROM=$from -DTOLD -o told program.c
    begin "threads from round $from of 12 on: a direct-mapped shadow"
    alike metrics=trms,rms ./told
    begin "threads from round $from of 12 on: no direct-mapped shadow"
    alike metrics=trms,rms sh -c 'ulimit -v 900000; exec ./told'
done
for bytes in 1 2 8 16; do
    begin "cells of $bytes bytes"
    alike "resolution=$bytes" ./told
done
finish
