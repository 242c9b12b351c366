#!/bin/sh
# Tests that concurrent analysis gives the bytes of the sequential report, and misses no event.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The reports are compared without their lines `process` (another process), `options` (shows the kind of
# analysis) and `complete` (the checksum). Chunks are tiny, so that each program transfers hundreds or
# thousands of chunks.
. "${0%/*}/../lib.sh"
require amd64
chmod 755 .

tiny="--chunk-words=1024 --ring-chunks=3"

# value TEST KEY: prints the first alternative of the first line with this key in TEST.test.
value()
{
    sed -n "s/^$2:[[:space:]]*//p" "$here/$1.test" | sed 's/[[:space:]]*|.*//; q'
}

# Compiles TEST with the options of its first case.
compile_test()
{
    flags=$(value "$1" cflags)
    sed -n 's/^lib:[[:space:]]*//p' "$here/$1.test" >libraries
    while read -r library words <&3; do
        # shellcheck disable=SC2086
        compile "$library" "${flags:--O0} -shared -fPIC" $words || return 1
    done 3<libraries
    sources=$(value "$1" source)
    # shellcheck disable=SC2046,SC2086
    compile prog "${flags:--O0}" ${sources:-$1.c} $(value "$1" libs) || return 1
}

# same_reports REPORT REPORT
same_reports()
{
    body "$1" >body.1
    body "$2" >body.2
    same_files body.1 body.2 "$1 and $2 differ"
}

# feed TEST OPTIONS: runs TEST with the options of its first case.
feed()
{
    # shellcheck disable=SC2046
    profile "$2 $(value "$1" opts)" ./prog $(value "$1" args)
}

# Every program runs with two engines at once, so that the order of threads has no effect.
for file in "$here"/*.test; do
    name=$(basename "$file" .test)
    case $(value "$name" require) in
    *m32* | avx* | arm64) (require "$(value "$name" require)") >/dev/null || continue ;;
    esac
    begin "$name, both engines in one run"
    compile_test "$name" || continue
    feed "$name" "--concurrent=both $tiny"
    same_reports report report.sequential
done

# Programs that are deterministic; threads, pids and the time of day make other programs differ.
for name in accesses cold coroutines exceptions fault figure_3 generated longjmp \
    reload shrink stack_switch; do
    begin "$name, in two runs"
    compile_test "$name" || continue
    feed "$name" --concurrent=no
    mv report sequential
    feed "$name" "--concurrent=yes $tiny"
    same_reports sequential report
done

# all_same: compares each report of the profile with the report of the sequential engine.
all_same()
{
    count=0
    for report in report.*.sequential; do
        [ -e "$report" ] || break
        same_reports "${report%.sequential}" "$report"
        accepted "$report"
        count=$((count + 1))
    done
    [ "$count" = "$1" ] || fail "$count pairs of reports instead of $1"
}

begin "threads, forks, and forks of forks"
compile concurrent "-O1 -pthread" concurrent.c || :
profile "--concurrent=both $tiny --aprof-out-file=report.%p" ./concurrent forks
expect_status 0
all_same 21

begin "dumps"
compile requests "-O1 -fno-optimize-sibling-calls" requests.c || :
profile "--concurrent=both $tiny --aprof-out-file=report.%p" ./requests dump
expect_status 0
all_same "$(find . -name 'report.*' ! -name '*.sequential' | wc -l)"
check "there was no dump" [ "$count" -gt 1 ]

begin "exec, and an exec that fails"
compile execs -O1 execs.c || :
profile "--concurrent=both $tiny --trace-children=yes --aprof-out-file=report.%p" ./execs ./execs
expect_status 12
all_same 2

begin "ends.c compiles"
compile ends "-O1 -pthread" ends.c || :
while read -r how status_wanted reason; do
    begin "the end by $how"
    profile "--concurrent=both $tiny" ./ends "$how"
    expect_status "$status_wanted"
    measured report "routine=work calls=9 trms=6x9"
    measured report "routine=main calls=1"
    measured report "end=$reason"
    same_reports report report.sequential
done <<'TABLE'
return 11 exit
_exit 7 exit
exit_group 9 exit
threads 10 exit
abort 134 signal_6
segv 139 signal_11
kill-term 143 signal_15
TABLE

# ---------------------------------------------------------------- The thread

# started OPTIONS MODE: runs ./concurrent MODE in the background until the file `ready` is there.
started()
{
    rm -f ready go report
    last="./concurrent $*"
    # shellcheck disable=SC2086
    "$launcher" --tool=aprof --log-file=log --aprof-out-file=report $1 ./concurrent "$2" \
        >out 2>err &
    pid=$!
    tries=0
    until [ -e ready ] || [ "$tries" -gt 300 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
}

threads_of()
{
    find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l
}

# ended PID: waits for the process; a failure if it does not end.
ended()
{
    status=0
    (sleep 60; kill -KILL "$1" 2>/dev/null) &
    guard=$!
    { wait "$1" || status=$?; } 2>/dev/null # the shell's own message about a signal
    kill "$guard" 2>/dev/null || :
}

begin "one thread more, which ends with the process by SIGKILL"
started --concurrent=yes run
check "there are $(threads_of "$pid") threads instead of 2" [ "$(threads_of "$pid")" = 2 ]
check "it has no name" grep -qx aprof-analysis "/proc/$pid/task/"*/comm
check "the program's name has changed" [ "$(cat "/proc/$pid/comm")" != aprof-analysis ]
kill -KILL "$pid"
ended "$pid"
expect_status 137
check "the process is still there" [ ! -e "/proc/$pid/task" ]

begin "SIGTERM while both threads work, after SIGSTOP and SIGCONT"
started --concurrent=yes run
kill -STOP "$pid"
sleep 0.3
kill -CONT "$pid"
kill -TERM "$pid"
ended "$pid"
expect_status 143
measured report "end=signal_15"

begin "no thread with --concurrent=no"
started --concurrent=no run
check "there are $(threads_of "$pid") threads instead of 1" [ "$(threads_of "$pid")" = 1 ]
kill -KILL "$pid"
ended "$pid"

begin "a program that the kernel wants to have one thread"
if ./concurrent unshare; then
    profile "--concurrent=yes --stats=yes $tiny" ./concurrent unshare
    expect_status 0
    measured report "routine=work calls=40000 trms=6x40000"
    check "it was not concurrent" grep -q 'handed over to the analysis thread' log
fi

begin "auto on one processor: no thread, and a word about it with -v only"
if command -v taskset >/dev/null; then
    first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    one_processor()
    {
        run 11 taskset -c "$first" "$launcher" --tool=aprof --aprof-out-file=report "$@"
    }
    one_processor --stats=yes ./ends return
    check "a thread" grep -q "chunks.*by the program's thread" err
    check "a word" [ "$(grep -c 'one processor' err)" = 0 ]
    one_processor -v ./ends return
    check "no word" grep -q 'one processor' err
    one_processor --stats=yes --concurrent=yes ./ends return
    check "yes does not insist" grep -q 'chunks.*to the analysis thread' err
    measured report "routine=work calls=9 trms=6x9"
fi

# Another user may have only this one process, so Valgrind's launchers, which are shell scripts, could not
# fork.
tool=$build/.in_place/aprof-amd64-linux
begin "a thread that cannot be started"
if [ "$(id -u)" = 0 ] && [ -x "$tool" ] && command -v setpriv prlimit >/dev/null; then
    mkdir -m 777 open
    cp ends open
    last='setpriv ./ends'
    status=0
    (cd open && setpriv --reuid=54321 --regid=54321 --clear-groups \
        prlimit --nproc=1 env VALGRIND_LIB="$build/.in_place" VALGRIND_LAUNCHER="$launcher" \
        "$tool" --tool=aprof --concurrent=yes --vgdb=no --aprof-out-file=report ./ends return) >out 2>err </dev/null ||
        status=$?
    if grep -q 'ermission denied' err; then
        echo "not run: $test_name: $case_name: another user cannot read the build directory"
    else
        expect_status 11
        check "no message: $(cat err)" grep -q 'cannot be started' err
        measured open/report "routine=work calls=9 trms=6x9"
    fi
fi

for how in yes no; do
    begin "an engine that fails, --concurrent=$how"
    APROF_CONSUME=fail profile "--tool=aprof_measured --concurrent=$how" ./ends return
    expect_status 1
    check "no message: $(tail -n 3 log)" grep -q "asked to fail" log
    check "more than one message" [ "$(grep -c "asked to fail" log)" = 1 ]
done

begin "a recorded stream, replayed, costs what the run has cost"
APROF_CONSUME=record=recording profile "--tool=aprof_measured --concurrent=no" ./ends return
run 0 "$build/bench/aprof/replay" recording
expect "cost $(awk '$1 == "totals" { print $2 }' report),"

for bad in --concurrent=maybe --concurrent= --chunk-words=512 --chunk-words=1030 --ring-chunks=2; do
    begin "$bad is refused"
    profile "$bad" ./ends return
    expect_status 1
    check "no message" grep -q "aprof: ${bad%%=*}: takes" log err
done

begin "the help shows --concurrent, and only --help-debug the rest"
run 0 "$launcher" --tool=aprof --help
expect --concurrent='no|yes|auto'
expect_not chunk-words
run 0 "$launcher" --tool=aprof --help-debug
expect --chunk-words

finish
