#!/bin/sh
# Concurrent analysis gives the sequential report to the byte, and misses nothing that happens.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is compared: reports without their lines `process` (another process), `options` (says which
# of the two it was) and `complete` (the checksum of those). Chunks are tiny, so that each program
# hands over hundreds or thousands of them.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

begin concurrent
require amd64

tiny="--chunk-words=1024 --ring-chunks=3"

# value TEST KEY: of the first line with this key in TEST.test, the first alternative.
value() {
    sed -n "s/^$2:[[:space:]]*//p" "$regress/$1.test" | sed 's/[[:space:]]*|.*//; q'
}

# Compiles TEST as its first case says.
compile_test() {
    flags=$(value "$1" cflags)
    sed -n 's/^lib:[[:space:]]*//p' "$regress/$1.test" > "$work/libraries"
    while read -r library words <&3; do
        # shellcheck disable=SC2086
        compile "$library" "${flags:--O0} -shared -fPIC" $words || return 1
    done 3< "$work/libraries"
    sources=$(value "$1" source)
    # shellcheck disable=SC2046,SC2086
    compile prog "${flags:--O0}" ${sources:-$1.c} $(value "$1" libs) || return 1
}

body() {
    grep -av -e '^process	' -e '^options	' -e '^complete	' "$work/$1"
}

# same REPORT REPORT
same() {
    body "$1" > "$work/body.1"
    body "$2" > "$work/body.2"
    cmp -s "$work/body.1" "$work/body.2" ||
        problem "$1 and $2 differ: $(diff "$work/body.1" "$work/body.2" | head -n 4)"
}

# feed TEST OPTIONS: runs TEST as its first case says.
feed() {
    # shellcheck disable=SC2046
    profile "$2 $(value "$1" opts)" ./prog $(value "$1" args)
}

# Every program: two engines in one run, so that it does not matter how threads take turns.
for file in "$regress"/*.test; do
    name=$(basename "$file" .test)
    case_begin "$name, both engines in one run"
    case $(value "$name" require) in
    *m32* | avx*) (require "$(value "$name" require)") > /dev/null || continue ;;
    esac
    compile_test "$name" || { case_end; continue; }
    feed "$name" "--concurrent=both $tiny"
    same out out.sequential
    case_end
done

# Programs that do the same in each run: threads, pids and times of day make others differ.
for name in accesses cold coroutines deep_recursion exceptions fault figure_3 generated longjmp \
    reload shrink stack_switch; do
    case_begin "$name, in two runs"
    compile_test "$name" || { case_end; continue; }
    feed "$name" --concurrent=no
    mv "$work/out" "$work/sequential"
    feed "$name" "--concurrent=yes $tiny"
    same sequential out
    case_end
done

# all_same: each report that this profile has written, and the one of the sequential engine.
all_same() {
    count=0
    for report in "$work"/out.*.sequential; do
        [ -e "$report" ] || break
        report=${report##*/}
        same "${report%.sequential}" "$report"
        accept "$report"
        count=$((count + 1))
    done
    [ "$count" = "$1" ] || problem "$count pairs of reports instead of $1"
}

case_begin "threads, forks, and forks of forks"
compile concurrent "-O1 -pthread" concurrent.c || :
profile "--concurrent=both $tiny --aprof-out-file=out.%p" ./concurrent forks
expect_status 0
all_same 21
case_end

case_begin "dumps"
compile requests "-O1 -fno-optimize-sibling-calls" requests.c || :
profile "--concurrent=both $tiny --aprof-out-file=out.%p" ./requests dump
expect_status 0
all_same "$(find "$work" -name 'out.*' ! -name '*.sequential' | wc -l)"
check "there was no dump" [ "$count" -gt 1 ]
case_end

case_begin "exec, and an exec that fails"
compile execs -O1 execs.c || :
profile "--concurrent=both $tiny --trace-children=yes --aprof-out-file=out.%p" ./execs ./execs
expect_status 12
all_same 2
case_end

case_begin "ends.c compiles"
compile ends "-O1 -pthread" ends.c || :
case_end
while read -r how status_wanted reason; do
    case_begin "the end by $how"
    profile "--concurrent=both $tiny" ./ends "$how"
    expect_status "$status_wanted"
    expect out "routine=work calls=9 trms=6x9"
    expect out "routine=main calls=1"
    expect out "end=$reason"
    same out out.sequential
    case_end
done << 'TABLE'
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
started() {
    rm -f "$work/ready" "$work/go" "$work/out"
    # shellcheck disable=SC2086
    (cd "$work" && exec "$launcher" --tool=aprof --log-file=log --aprof-out-file=out $1 \
        ./concurrent "$2") > /dev/null 2>&1 &
    pid=$!
    tries=0
    until [ -e "$work/ready" ] || [ "$tries" -gt 300 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
}

threads_of() {
    find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l
}

# ended PID: waits for the process; problem if it does not end.
ended() {
    status=0
    (sleep 60; kill -KILL "$1" 2> /dev/null) &
    guard=$!
    wait "$1" || status=$?
    kill "$guard" 2> /dev/null || :
}

case_begin "one thread more, which ends with the process by SIGKILL"
started --concurrent=yes run
check "there are $(threads_of "$pid") threads instead of 2" [ "$(threads_of "$pid")" = 2 ]
check "it has no name" grep -qx aprof-analysis "/proc/$pid/task/"*/comm
check "the program's name has changed" [ "$(cat "/proc/$pid/comm")" != aprof-analysis ]
kill -KILL "$pid"
ended "$pid"
expect_status 137
check "the process is still there" [ ! -e "/proc/$pid/task" ]
case_end

case_begin "SIGTERM while both threads work, after SIGSTOP and SIGCONT"
started --concurrent=yes run
kill -STOP "$pid"
sleep 0.3
kill -CONT "$pid"
kill -TERM "$pid"
ended "$pid"
expect_status 143
expect out "end=signal_15"
case_end

case_begin "no thread with --concurrent=no"
started --concurrent=no run
check "there are $(threads_of "$pid") threads instead of 1" [ "$(threads_of "$pid")" = 1 ]
kill -KILL "$pid"
ended "$pid"
case_end

case_begin "a program that the kernel wants to have one thread"
if (cd "$work" && ./concurrent unshare); then
    profile "--concurrent=yes --stats=yes $tiny" ./concurrent unshare
    expect_status 0
    expect out "routine=work calls=40000 trms=6x40000"
    check "it was not concurrent" grep -q 'handed over to the analysis thread' "$work/log"
fi
case_end

case_begin "auto on one processor: no thread, and a word about it with -v only"
if command -v taskset > /dev/null; then
    first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    one_processor() {
        (cd "$work" && taskset -c "$first" "$launcher" --tool=aprof --aprof-out-file=out "$@") \
            > "$work/stdout" 2> "$work/stderr" < /dev/null
    }
    one_processor --stats=yes ./ends return || :
    check "a thread" grep -q "chunks.*by the program's thread" "$work/stderr"
    check "a word" [ "$(grep -c 'one processor' "$work/stderr")" = 0 ]
    one_processor -v ./ends return || :
    check "no word" grep -q 'one processor' "$work/stderr"
    one_processor --stats=yes --concurrent=yes ./ends return || :
    check "yes does not insist" grep -q 'chunks.*to the analysis thread' "$work/stderr"
    expect out "routine=work calls=9 trms=6x9"
fi
case_end

# Another user, of whom this is the one process that may be: Valgrind's launchers, which are shell
# scripts, could not fork.
tool=$builddir/.in_place/aprof-amd64-linux
case_begin "a thread that cannot be started"
if [ "$(id -u)" = 0 ] && [ -x "$tool" ] && command -v setpriv prlimit > /dev/null; then
    mkdir -m 777 "$work/open"
    cp "$work/ends" "$work/open"
    status=0
    (cd "$work/open" && setpriv --reuid=54321 --regid=54321 --clear-groups \
        prlimit --nproc=1 env VALGRIND_LIB="$builddir/.in_place" VALGRIND_LAUNCHER="$launcher" \
        "$tool" --tool=aprof --concurrent=yes --vgdb=no --aprof-out-file=out ./ends return) > "$work/stdout" 2> "$work/stderr" < /dev/null ||
        status=$?
    if grep -q 'ermission denied' "$work/stderr"; then
        echo "not run: $test_name: $case_name: another user cannot read the build directory"
    else
        expect_status 11
        check "no message: $(cat "$work/stderr")" grep -q 'cannot be started' "$work/stderr"
        expect open/out "routine=work calls=9 trms=6x9"
    fi
fi
case_end

for how in yes no; do
    case_begin "an engine that fails, --concurrent=$how"
    APROF_CONSUME=fail profile "--tool=aprof_measured --concurrent=$how" ./ends return
    expect_status 1
    check "no message: $(tail -n 3 "$work/log")" grep -q "asked to fail" "$work/log"
    check "more than one message" [ "$(grep -c "asked to fail" "$work/log")" = 1 ]
    case_end
done

for bad in --concurrent=maybe --concurrent= --chunk-words=512 --chunk-words=1030 --ring-chunks=2; do
    case_begin "$bad is refused"
    profile "$bad" ./ends return
    expect_status 1
    check "no message" grep -q "aprof: ${bad%%=*}: takes" "$work/log" "$work/stderr"
    case_end
done

case_begin "the help shows --concurrent, and only --help-debug the rest"
(cd "$work" && "$launcher" --tool=aprof --help) > "$work/help"
(cd "$work" && "$launcher" --tool=aprof --help-debug) > "$work/help-debug"
check "--concurrent" grep -q -e '--concurrent=no|yes|auto' "$work/help"
check "hidden ones" [ "$(grep -c -e chunk-words "$work/help")" = 0 ]
check "--help-debug" grep -q -e '--chunk-words' "$work/help-debug"
case_end

finish
