#!/bin/sh
# Tests that after any failure aprof leaves a complete report or one clear message, and does not damage the last report.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2086
#
# `make check` runs a small part; `make soak-faults` kills a thousand times and damages each kind of file a
# hundred thousand times. SOAK_KILLS, SOAK_DAMAGES and APROF_SEED choose.
. "${0%/*}/../lib.sh"

kills=${SOAK_KILLS:-3}
damages=${SOAK_DAMAGES:-3000}
seed=${APROF_SEED:-1}
basic=$data/basic.aprof
page=
! has_page || page=html
export page
need_compilers

# The program has many routines, so that the report is large. The argument is the number of calls of each
# routine: 2000 calls take some tenths of a second.
awk 'BEGIN {
    for (i = 0; i < 1000; i++)
        printf "__attribute__((noinline)) int routine_%d(int *a) { return a[%d] + %d; }\n", i, i % 64, i
    print "#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **v)\n{\n    static int a[64];\n    int sum = 0;"
    print "    for (int i = 0; i < (n > 1 ? atoi(v[1]) : 2); i++) {"
    for (i = 0; i < 1000; i++)
        printf "        sum += routine_%d(a);\n", i
    print "    }\n    printf(\"%d\\n\", sum != 0);\n    return 7;\n}"
}' >program.c
gcc -O0 -g -o plain program.c 2>/dev/null || clang -O0 -g -o plain program.c
build ${compilers##* } -O0 compiled program.c

# whole WHAT: checks that the report is the earlier report, or its replacement.
whole()
{
    aprof export report >out 2>err || {
        fail "$1: $(cat err)"
        cp "$basic" report
    }
}

# killed_within MS COMMAND...: kills the command at a random moment; only the report remains.
killed_within()
{
    within=$1
    shift
    for i in $(seq "$kills"); do
        "$@" >out 2>err </dev/null &
        victim=$!
        sleep "$(awk -v seed="$seed$i" -v most="$within" 'BEGIN { srand(seed); printf "%.4f", rand() * most / 1000 }')"
        kill -KILL $victim 2>/dev/null || :
        wait $victim 2>/dev/null || :
        whole "kill $i of $*"
        rm -f report.tmp-* report.partial-* report.*.tmp*
    done
}

begin 'killed at any moment, a compiled program leaves the last complete report'
APROF=out=report
export APROF
cp "$basic" report
killed_within 400 ./compiled 2000

begin 'killed at any moment, the command leaves the last complete report'
run 7 ./compiled
cp report more
killed_within 40 aprof merge -o report more more
unset APROF

if test -x "$launcher" && command -v valgrind >/dev/null; then
    begin 'killed at any moment, the Valgrind tool leaves the last complete report'
    killed_within 3000 "$launcher" -q --tool=aprof --aprof-out-file=report ./plain
fi

begin 'a file may not become so large: one message, the program as it was, the last report as it was'
cp more small
for blocks in 1 8 64; do
    for command in 'export -o' ${page:+'html -o'} 'flamegraph -o' 'merge -o'; do
        cp "$basic" report
        (
            ulimit -f $blocks
            status=0
            aprof $command report small >out 2>err || status=$?
            echo $status >status
        )
        status=$(cat status)
        test "$status" = 0 || expect_error 'report: cannot write: File too large'
        test "$status" = 0 || same_files report "$basic" "$command: the report that stood there"
        test ! -e "$(echo report.partial-*)" || fail "$command leaves a part"
    done
    mkdir -p spare
    cp "$basic" report
    (
        ulimit -f $blocks
        status=0
        TMPDIR=$scratch/spare APROF=out=report ./compiled >out 2>err || status=$?
        echo $status >status
    )
    same "$(cat status)" 7 'status of the program'
    whole "a compiled program, and $blocks blocks"
done

begin 'a full disk: one message, and the last report as it was'
cat >full.sh <<'SH'
mount -t tmpfs -o size=16k none full || exit 77
cp "$1" full/report
status=0
aprof export -o full/report more 2>export.err || status=$?
echo "export $status"
cmp full/report "$1" || echo 'not as it was'
status=0
APROF=out=full/report ./compiled >printed 2>compiled.err || status=$?
echo "compiled $status"
cmp full/report "$1" || echo 'not as it was'
SH
mkdir full
status=0
TMPDIR=$scratch/spare unshare -rm sh full.sh "$basic" >out 2>err || status=$?
if test $status = 0; then
    expect 'export 1'
    expect 'compiled 7'
    expect_not 'not as it was'
    grep -q '^aprof: full/report: cannot write: No space left on device' export.err || fail "$(cat export.err)"
    grep -q '^aprof: .*report: No space left on device' compiled.err || fail "$(cat compiled.err)"
fi

begin 'a read-only folder: one message, the report elsewhere, and the last one as it was'
cat >read_only.sh <<'SH'
mount -t tmpfs -o size=1m none fixed || exit 77
cp "$1" fixed/report
mount -o remount,ro none fixed || exit 77
status=0
for command in 'export -o' ${page:+'html -o'} 'flamegraph -o' 'merge -o'; do
    aprof $command fixed/report more >printed 2>err || echo "$command $?: $(cat err)"
done
aprof history add --label=x --database=fixed/history more >printed 2>err || echo "history $?: $(cat err)"
APROF=out=fixed/report ./compiled >printed 2>compiled.err || echo "compiled $?"
test ! -x "$2" || "$2" -q --tool=aprof --aprof-out-file=fixed/report ./plain >printed 2>tool.err || echo "tool $?"
cmp fixed/report "$1" || echo 'not as it was'
SH
mkdir -p fixed spare
rm -rf spare/*
status=0
TMPDIR=$scratch/spare unshare -rm sh read_only.sh "$basic" "$launcher" >out 2>err || status=$?
if test $status = 0; then
    for command in 'export -o' ${page:+'html -o'} 'flamegraph -o' 'merge -o'; do
        expect "$command 1: aprof: fixed/report: cannot write: Read-only file system"
    done
    ! grep '^history' out | grep -v '^history [12]: aprof: [^:]*: .' || fail "$(cat out)"
    expect 'compiled 7'
    expect_not 'not as it was'
    same "$(grep -c 'report: Read-only file system' compiled.err)" 1 'messages of the compiled program'
    if test -x "$launcher" && command -v valgrind >/dev/null; then
        expect 'tool 1' # before the program has begun
        same "$(grep -c 'report: cannot be created: Read-only file system' tool.err)" 1 'messages of the tool'
    fi
    for saved in spare/*; do
        run 0 aprof report "$saved"
    done
fi

# Under clocks that jump, also for system calls: leaves `jumps`, their number.
jumping()
{
    status=0
    CLOCK_JUMPS=jumps LD_PRELOAD=$scratch/clock.so timeout 300 ./clock "$@" >out 2>err </dev/null || status=$?
    test -s jumps || echo 0 >jumps
}

# jumped WHAT [CALLS]: checks that the program has ended normally, and that its report is complete.
jumped()
{
    same $status 7 "status of $1"
    test "$(cat jumps)" -gt 0 || fail "$1: no clock has jumped"
    run 0 aprof report report
    measured report "routine=routine_0 calls=${2:-2000}" "routine=routine_999 calls=${2:-2000}" 'end=exit'
    rm -f report jumps
}

if test "$(uname -m)" = x86_64 && gcc -O1 -o clock "$here/clock.c" 2>/dev/null &&
    gcc -O1 -shared -fPIC -DCLOCK_PRELOADED -o clock.so "$here/clock.c"; then
    begin 'under clocks that jump, compiled programs end as they do, and their reports are whole'
    APROF=out=report,dump-every=20ms jumping ./compiled 2000
    jumped 'a program that dumps often'
    # Each call reads the clock twice, and stops the program meanwhile.
    APROF=out=report,cost=time,dump-every=20ms jumping ./compiled 50
    awk -F '\t' '$1 == "totals" { exit !($2 > 0 && $2 < 1e12) }' report || fail "costs: $(grep ^totals report)"
    jumped 'a program that is measured in time' 50
    run 0 aprof-cc --aprof=contexts,hooks -O0 -w -o contexts program.c
    for burst in 2ms/200us 20ms/2ms; do
        rm -f report
        APROF_CONTEXTS=out=report,mode=hcct,burst=$burst,dump-every=20ms jumping ./contexts 2000
        same $status 7 "status of a program in bursts of $burst"
        test "$(cat jumps)" -gt 0 || fail "bursts of $burst: no clock has jumped"
        run 0 aprof contexts report report
        expect 'routine_'
    done

    begin 'under clocks that jump, a history is written and shown'
    for label in one two three four five six; do
        jumping aprof history add --label=$label --workload=w --database=history more
        same $status 0 "status of adding $label"
        jumping aprof history show --database=history --format=tsv
        same $status 0 "status of showing $label"
    done
    same "$(cut -f 1 out | tr '\n' ' ')" 'label one two three four five six ' 'the order of the runs'

    if test -x "$launcher" && command -v valgrind >/dev/null; then
        begin 'under clocks that jump, the Valgrind tool measures what it does'
        for concurrent in no yes; do
            jumping "$launcher" -q --tool=aprof --concurrent=$concurrent --aprof-out-file=report ./plain 2000
            jumped "a program under the tool, --concurrent=$concurrent"
        done
    fi
fi

begin 'no descriptors, no address space: an end with a status, never by a signal'
for descriptors in 4 5 6 8; do
    for command in report 'export -f sqlite -o other' ${page:+'html -o other'} merge diff; do
        status=0
        (ulimit -n $descriptors && exec aprof $command more more) >out 2>err || status=$?
        test $status -lt 126 || fail "$command with $descriptors descriptors: status $status"
        test $status = 0 || test -s err -o -s out || fail "$command with $descriptors descriptors: no message"
    done
    status=0
    (ulimit -n $descriptors && APROF=out=other exec ./compiled) >out 2>err || status=$?
    same $status 7 "compiled, with $descriptors descriptors"
done
kilobytes=16000
while test $kilobytes -lt 40000; do
    for command in report 'export -f json' ${page:+html} merge; do
        status=0
        (ulimit -v $kilobytes && exec aprof $command more -o other) >out 2>err || status=$?
        case $status in
        0 | 1 | 2 | 127) ;;
        *) fail "$command in $kilobytes kilobytes: status $status: $(cat err)" ;;
        esac
    done
    kilobytes=$((kilobytes + 500))
done

begin 'damaged files of every kind, also with the right checksum: a message, or what can be written again'
run 0 "$build/tests/fuzz/replay_report" -change "$damages" "$data"/*.aprof
run 0 "$build/tests/fuzz/replay_contexts" -change "$damages" "$data"/*.contexts
run 0 "$build/tests/fuzz/replay_analyses" -change "$damages" "$data"/*.events
finish
