#!/bin/sh
# Tests that the compiled-in profiler measures values that were derived by hand.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The tests cover all events of frames, threads and processes. trms_same.c compares the profiler with the
# Valgrind tool, for compilers, optimisation levels, languages and kinds of threads.
. "${0%/*}/../lib.sh"

flags='-g -w -fno-stack-protector -pthread'
need_compilers

# life STATUS NAME EXPECTATION...
life()
{
    rm -f aprof.out.*
    run "$1" timeout 60 ./lives "$2"
    ! grep '^aprof' err || fail "$last: a message"
    shift 2
    measured "$(echo aprof.out.*)" "$@"
}

each_life()
{
    life 0 longjmp 'routine=jumper calls=1' 'routine=deep_touch calls=400000' \
        'routine=touch trms=10x100000,20x1,30x1' 'routine=wide_touch calls=1 trms=30x1' end=exit
    life 0 recursion 'routine=recurse calls=2000001 input_max=40' 'routine=touch trms=40x1'
    life 0 signal 'routine=on_signal calls=1 trms=50x1' 'routine=touch trms=10x2,50x1' \
        'routine=raiser calls=1 trms=10x1'
    life 0 interruption 'routine=on_interruption calls=1 trms=50x1' \
        'routine=interrupted calls=1 trms=1000x1'
    life 0 handed 'routine=handed calls=1 trms=40x1 induced_thread=20'
    life 0 coroutine 'routine=coroutine calls=1' 'routine=touch calls=10 trms=7x5,60x5' \
        'routine=resumer calls=1'
    life 0 reading_coroutine 'routine=reading_coroutine calls=1 trms=60x1' \
        'routine=reading_resumer calls=1 trms=40x1'
    life 0 left_handler 'routine=on_leaving calls=1 trms=1x1' 'routine=handler_leaver calls=1 trms=90x1'
    life 0 litter 'routine=on_litter calls=40 trms=50x40' 'routine=litterer trms=40x40'
    life 100 induced 'routine=locked_writer trms=1x1' 'routine=touch trms=1x1 induced_thread=1'
    life 0 threads 'routine=leaver calls=1500 trms=5x1500' 'routine=sleeper calls=1' \
        'routine=touch trms=5x1500,6x1'
    life 0 atomics 'routine=atomics calls=1'
    life 134 abort 'routine=touch trms=16x1' end=signal_6
    life 0 none 'routine=touch trms=3x1'
    fork_life
}

# A child reports its own work only; a failed exec leaves one report, of the whole run.
fork_life()
{
    rm -f aprof.out.*
    run 0 ./lives fork
    found=0
    for report in aprof.out.*; do
        found=$((found + 1))
        case $(grep '^end' "$report") in
        *_exit) measured "$report" 'routine=touch trms=12x1' ;;
        *) measured "$report" 'routine=touch trms=11x1,13x1' end=exit ;;
        esac
    done
    same "$found" 2 'reports of a forking program'
    is_emulated || life 0 exec 'routine=touch trms=14x1,15x1' end=exit
}

arch=amd64
! is_emulated || arch=arm64
for compiler in $compilers; do
    for level in -O0 -O2; do
        begin "$compiler $level"
        build $compiler "$level -latomic" lives "$here/trms_lives.c"
        each_life
        same "$(grep "^arch" "$measured_report" | cut -f 2)" $arch 'processor of the report'
    done

    begin "$compiler: exceptions"
    build $compiler -O2 exceptions "$here/trms_exceptions.cpp"
    rm -f aprof.out.*
    run 0 ./exceptions
    measured "$(echo aprof.out.*)" 'routine=_ZL7catcherv calls=1' 'routine=_ZL9read_somei calls=1001' \
        'routine=_ZL7throweri calls=3000'

    begin "$compiler: forks of many threads"
    build $compiler -O1 storm "$here/trms_fork_storm.c"
    rm -f aprof.out.*
    run 0 timeout 120 ./storm
    for report in aprof.out.*; do
        tail -n 1 "$report" | grep -q '^complete' || fail "$report is not complete"
    done
done

# ---------------------------------------------------------------- options and mistakes

begin 'options, and mistakes in them'
APROF='out=there.%p metrics=trms cost=instr resolution=3 nonsense=1'
export APROF
run 0 ./lives none
expect_message '^aprof: APROF: nonsense'
expect_message 'does not count instructions'
measured "$(echo there.*)" 'routine=touch trms=3x1'
APROF='out=/nowhere/report resolution=8 separate-threads=yes cost=time'
TMPDIR=$scratch/tmp
mkdir "$TMPDIR"
export TMPDIR
run 0 ./lives none
expect_message '^aprof: /nowhere/report'
test -f "$TMPDIR/report" || fail 'an unwritable report is nowhere'
run 0 aprof report "$TMPDIR/report"
expect nanoseconds
APROF='out=there.none collect=off'
run 0 ./lives none
grep -q '^routine' there.none && fail 'collect=off measures'
unset APROF TMPDIR

begin 'a plain object among instrumented ones: the program runs, and its routines are not there'
echo 'int plain(int n) { return n + 1; }' >plain.c
echo 'int plain(int n); int main(void) { return plain(1); }' >mixed.c
plain_compiler=gcc
! is_emulated || plain_compiler=clang
$plain_compiler -c plain.c
aprof-cc -g -o mixed mixed.c plain.o
rm -f aprof.out.*
run 2 ./mixed
measured "$(echo aprof.out.*)" 'routine=main calls=1' absent=plain

begin 'a library that is loaded again, wherever that is, has the routines that it had'
cat >library.c <<'END'
int library_sum(const int *from, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += from[i];
    return sum;
}
END
cat >loader.c <<'END'
#include <dlfcn.h>
static int numbers[100];
int main(void)
{
    for (int i = 1; i <= 3; i++) {
        void *library = dlopen("./library.so", RTLD_NOW);
        int (*sum)(const int *, int) = (int (*)(const int *, int))dlsym(library, "library_sum");
        sum(numbers, 10 * i);
        dlclose(library);
    }
    return 4;
}
END
aprof-cc -O2 -g -fPIC -shared -o library.so library.c
aprof-cc -O2 -g -o loader loader.c -ldl
rm -f aprof.out.*
run 4 ./loader
measured "$(echo aprof.out.*)" 'routine=library_sum calls=3 trms=10x1,20x1,30x1' 'routine=main calls=1 trms=30x1'

# ---------------------------------------------------------------- the Valgrind tool's answers

is_emulated || test -x "$build/vg-in-place" || finish
is_emulated || command -v valgrind >/dev/null || finish

# Prints the points of routines without callees: routine, metric, input, calls, induced.
points()
{
    awk -F '\t' '
        $1 == "routine" { name[$2] = $6 }
        $1 == "profile" { of = name[$2] }
        ($1 == "trms" || $1 == "rms") &&
            of ~ /^(sum_range|insertion_sort|list_length|tree_depth|matrix_product|string_hash|fill|drain)$/ {
            print of, $1, $2, $3, $9, $10 }' "$1" | sort
}

# of_this_machine FLAGS SOURCE: the Valgrind tool measures $plain's program, in valgrind.out. A program of arm64
# in emulation is compared with the same profiler on this machine.
of_this_machine()
{
    # shellcheck disable=SC2086
    if is_emulated; then
        "$APROF_HOST_TOOLS/aprof-cc" --aprof=trms,inline $flags $1 -o plain "$2"
        APROF=out=valgrind.out run 0 ./plain
    else
        $plain $flags $1 -o plain "$2"
        run 0 "$build/vg-in-place" -q --tool=aprof --aprof-out-file=valgrind.out ./plain
    fi
}

# same_answers COMPILER FLAGS SOURCE
same_answers()
{
    plain=$(echo "$1" | sed 's/inline/clang/')
    case $3 in *.cc) plain=$(echo "$plain" | sed 's/gcc/g++/;s/clang/clang++/') ;; esac
    begin "$1 $2 ${3##*/}: the Valgrind tool's answers"
    build "$1" "$2" same "$3"
    rm -f aprof.out.* valgrind.out
    run 0 ./same
    points aprof.out.* >compiled.points
    of_this_machine "$2" "$3"
    points valgrind.out >valgrind.points
    if ! test -s compiled.points || ! diff valgrind.points compiled.points >differences; then
        fail "$(head -8 differences)"
    fi
}

# Constants in memory are a known cause of differences: two cells of one, for each call.
constants()
{
    measured "$(echo aprof.out.*)" 'routine=scale trms=200x1'
    measured valgrind.out 'routine=scale trms=202x1'
}

cp "$here/trms_same.c" same.cc
for compiler in $compilers; do
    for level in -O0 -O1 -O2 -O3; do
        same_answers $compiler $level "$here/trms_same.c"
    done
    same_answers $compiler -O2 same.cc
    test $compiler != gcc || constants
done
is_emulated || same_answers gcc '-O2 -fopenmp' "$here/trms_same.c"

! is_emulated || finish

begin "code for executables has the hooks' beginnings inline; what cannot have them calls the hooks"
for options in '' -fPIC -fpic -pipe -masm=intel; do
    # shellcheck disable=SC2086
    aprof-cc -O2 $options -c -o inline.o "$here/trms_same.c" || fail "$options: does not compile"
    uses=$(nm inline.o | grep -c 'U aprof_trms_exec_context' || :)
    test "$uses" = "$(test "$options" && echo 0 || echo 1)" || fail "$options: inline hooks: $uses"
done
same_answers gcc '-O2 -fPIC' "$here/trms_same.c"
same_answers gcc '-O2 -pipe -masm=intel' "$here/trms_same.c"

# The report contains the size that the user declares; an invalid size only causes a message.
rm -f aprof.out.*
APROF_SIZE=4000
export APROF_SIZE
run 0 ./same
same "$(grep '^size' aprof.out.* | cut -f 2)" 4000 'declared size'
for APROF_SIZE in 0 7x '' 007 123456789012345678901234; do
    rm -f aprof.out.*
    run 0 ./same
    expect_error 'aprof: APROF_SIZE: must be a number above 0'
    same "$(grep -c '^size' aprof.out.*)" 0 "a size of '$APROF_SIZE'"
done
finish
