#!/bin/sh
# Tests the counts of the compiled-in profiler in calls of the C library and system calls.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# trms_libc.c makes the calls, with libraries that have hooks and libraries that have none. If the program
# defines a function, the program's function is called.
. "${0%/*}/../lib.sh"

flags='-g -w -fno-stack-protector'

need_compilers

# The child of do_waitpid has a report too.
drop_child()
{
    for report in aprof.out.*; do
        grep -q '^routine.*	do_mmap_again	' "$report" || rm "$report"
    done
}

# external NAME CELLS [EXTERNAL]: a routine that was called once.
external()
{
    echo "routine=do_$1 calls=1 trms=$2x1 induced_thread=0 induced_external=${3-0}"
}

expectations()
{
    external memcpy 100
    external memset 0
    external memcmp 52
    external strlen 50
    external strchr 26
    external strcpy 50
    external strdup 50
    external strtol 2
    external snprintf 0
    external sscanf 2
    external qsort 200
    echo 'routine=do_bsearch input_max<=9'
    external calloc 0
    echo 'routine=do_calloc_mapped trms=100x2'
    external realloc 0
    echo 'routine=do_fread trms=100x2 induced_external=200'
    external fgets 5 5
    external getc 1 1
    external fscanf 5 4
    external getline 6 5
    external fwrite 100
    external write 100
    external write_failed 0
    external pwrite 50
    external writev 38
    external send 30
    external msgsnd 22
    external open 3
    external read 100 100
    external read_part 20 10
    external read_unused 0
    echo 'routine=do_read_twice trms=20x1 rms=10x1 induced_external=20'
    external read_failed 10
    external readv 38 30
    external recv 30 30
    external msgrcv 22 22
    external getrandom 16 16
    external syscall 16 16
    external stat 4 1
    external uname 2 2
    external clock_gettime 4 4
    external getrlimit 2 2
    external pipe 2 2
    echo 'routine=do_poll calls=1 induced_external=1'
    external getcwd 1 1
    external ioctl 1 1
    external waitpid 1 1
    external mmap_file 100 100
    external mmap_again 20
    external madvise 20
    external localtime 2
    echo 'routine=do_wait_by_pipe calls=1 trms=3x1 rms=2x1 induced_thread=1'
    external plain_library 0
    external hooked_library 110
}

cat >library.c <<'END'
#include <string.h>
void copy_bytes(void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
    ((volatile char *)to)[0] = 1;
}
END

# The program's functions with names of library functions are called, without a conflict.
cat >own.c <<'END'
int printf(const char *format, ...);
int getline(int x) { return x + 1; }
int index(int x) { return x + 2; }
int close(int x) { return x + 3; }
int main(void) { printf("%d %d %d\n", getline(1), index(1), close(1)); return 0; }
END

for compiler in $compilers; do
    use_compiler $compiler
    $plain -fno-builtin -shared -fPIC -o plain.so library.c
    for level in -O0 -O2 '-O2 -D_FORTIFY_SOURCE=2'; do
        begin "$compiler $level"
        # shellcheck disable=SC2086
        {
            aprof-cc $flags $level -shared -fPIC -o hooked.so library.c
            aprof-cc $flags $level -o libc "$here/trms_libc.c" -ldl -pthread
        }
        rm -f aprof.out.*
        run 0 timeout 60 ./libc
        ! grep '^aprof' err || fail "a message"
        drop_child
        expectations >all
        measured_as "$(echo aprof.out.*)" all
    done

    begin "$compiler: functions of the program's own"
    aprof-cc -fno-builtin -w -o own own.c
    run 0 ./own
    same "$(cat out)" '2 3 4' values
done

# The library's own accesses, which only the Valgrind tool sees, add to the other numbers.
test -x "$build/vg-in-place" || finish
command -v valgrind >/dev/null || finish
begin 'the Valgrind tool finds the same external input of system calls'
rm -f aprof.out.*
cp plain.so hooked.so
# shellcheck disable=SC2086
${CC:-gcc} $flags -O2 -o plain "$here/trms_libc.c" -ldl -pthread
run 0 "$build/vg-in-place" -q --tool=aprof --aprof-out-file=aprof.out.v ./plain
drop_child
expectations | sed -n '/do_write /,/do_madvise/s/ trms=[^ ]*//p' | sed 's/ rms=[^ ]*//' >all
measured_as aprof.out.v all
finish
