#!/bin/sh
# Tests that shadow memory, which is made in blocks of pages, does not exceed the program's used memory.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

need_compilers
case $compilers in
*inline*) ;;
*) skip 'no clang, or no instrumenter' ;;
esac
unset APROF_CC_COMPILER

clang -O1 -pthread -o native "$here/trms_sparse.c" || skip 'no clang'
APROF_CC_COMPILER=clang aprof-cc --aprof=trms,inline -O1 -g -pthread -o inline "$here/trms_sparse.c"
export APROF=out=report

# peak COMMAND...: prints the peak memory in MB; the program's sum must be correct.
peak()
{
    "$@" >printed || fail "$*: status $?"
    sed 's/.* //' printed
}

# at_most_four NAME MB STEP: the program's memory, two direct-mapped shadows and tokens. Reads of all that were written,
# and of the three words that say where they are.
at_most_four()
{
    native=$(peak ./native "$2" "$3")
    inline=$(peak ./inline "$2" "$3")
    test "$inline" -le $((4 * native + 15)) || fail "$1: $inline MB, and $native natively"
    cells=$(($2 * 1048576 / ($3 < 4 ? 4 : $3) + 6))
    measured report "routine=add_up rms=${cells}x2 trms=${cells}x2"
}

begin 'one byte of each page'
at_most_four 'each page' 64 4096

begin 'one byte of every other page'
at_most_four 'every other page' 64 8192

begin 'one byte of 64 KiB'
at_most_four '64 KiB' 1024 65536

begin 'every byte'
at_most_four 'all' 16 1

begin 'threads that have ended take none'
cat >ended.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
static char *heap;
static void *fill(void *argument)
{
    for (long i = 0; i < 32l << 20; i += 4)
        *(int *)(heap + i) += 1;
    return argument;
}
int main(void)
{
    struct rusage usage;
    pthread_t other;
    heap = calloc(32, 1 << 20);
    for (int i = 0; i < 8; i++) {
        pthread_create(&other, NULL, fill, NULL);
        pthread_join(other, NULL);
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("peak %ld\n", usage.ru_maxrss / 1024);
    return 0;
}
END
clang -O1 -w -pthread -o native_ended ended.c
APROF_CC_COMPILER=clang aprof-cc --aprof=trms,inline -O1 -g -w -pthread -o inline_ended ended.c
native=$(peak ./native_ended)
inline=$(peak ./inline_ended)
test "$inline" -le $((3 * native + 15)) || fail "$inline MB, and $native natively"

begin 'in little address space'
run 0 sh -c 'ulimit -v 3000000; exec ./inline 64 4096'
run 0 sh -c 'ulimit -v 400000; exec ./inline 64 4096'

finish
