#!/bin/sh
# Tests native/base with a runtime that counts: no end of a process loses calls.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

link="-pthread -Wl,--whole-archive $build/libaprof_counting.a -Wl,--no-whole-archive
    -Wl,--export-dynamic-symbol=__cyg_profile_func_*"
flags='-O1 -g -w -finstrument-functions'


# shellcheck disable=SC2086
{
    gcc $flags -o lives "$here/base_lives.c" $link
    gcc $flags -fPIC -shared -o libone.so "$here/base_library.c"
    gcc $flags -fPIC -shared -o libtwo.so "$here/base_library.c"
}
echo text >text
chmod +x text

# The sums of a report: all calls, of all threads; a report must be complete and have an equal number of
# leaves.
calls()
{
    awk -F '\t' '
        $1 == "ended" || $1 == "thread" { enters += $3; leaves += $4 }
        $1 == "complete" && $2 == NR - 1 { whole = 1 }
        END { print enters "/" leaves (whole ? "" : " not whole") }' "$1"
}

# life NAME STATUS END CALLS [END CALLS]...: expects one report for each END, in any order.
life()
{
    name=$1
    rm -f aprof.*
    run "$2" timeout 60 ./lives "$name"
    shift 2
    wanted=$(while test $# -gt 0; do
        echo "$1 $2/$2"
        shift 2
    done | sort)
    got=$(for report in aprof.counting.*; do
        echo "$(awk -F '\t' '$1 == "end" { print $2 }' "$report") $(calls "$report")"
    done | sort)
    same "$got" "$wanted" "$name"
    ! grep '^aprof' err || fail "$name: a message"
}

# Constructors are always counted; destructors are counted if they run.
life return 7 exit 7
life _exit 7 _exit 6
life _Exit 7 _exit 6
life quick_exit 7 quick_exit 8
life abort 134 'signal 6' 6
life fault 139 'signal 11' 6
life term 143 'signal 15' 6
life overflow 139 'signal 11' 6
life fcloseall 7 exit 6
life exec 0 exec 6
life exec-self 7 exec 6 exit 7
life exec-fails 7 exit 11
life fork 7 exit 9 exit 4
life _Fork 7 exit 7 _exit 3
life vfork 7 exit 8
life spawn 7 exit 7
life many-threads 7 exit 6002
life at-once 7 exit 902
life keys 7 exit 6
life cancel 7 exit 5
life alive 7 exit 5
life main-leaves 0 exit 7
life handlers 7 exit 9
life default 130 'signal 2' 3
life library 7 exit 6
if [ "$(id -u)" = 0 ]; then
    life chroot 7 exit 7
    rmdir root
fi

begin 'a daemon'
# The child may end after this shell continues.
rm -f aprof.*
run 0 ./lives daemon
tries=0
until grep -q '^end	exit' aprof.counting.*[0-9] || test $tries = 100; do
    sleep 0.1
    tries=$((tries + 1))
done
same "$(for report in aprof.counting.*; do calls "$report"; done | sort)" "4/4
6/6" 'daemon'

life libraries 7 exit 29
# Two libraries were loaded alternately; each of their routines has one position in a file.
routines=$(awk -F '\t' '$1 == "routine" { n = split($2, part, "/"); print part[n] }' aprof.counting.* |
    sort | uniq -c | tr -s ' \n' ' ')
same "$routines" ' 6 libone.so 6 libtwo.so 2 lives ' 'routines of libraries'

begin 'what runs after all destructors counts'
rm -f aprof.*
run 7 ./lives return late
same "$(calls aprof.counting.*)" 8/8 'a stream that is flushed last'

begin 'threads in the midst of hooks, and handlers that interrupt them: a whole report'
for name in busy storm; do
    rm -f aprof.*
    run 7 timeout 60 ./lives $name
    calls aprof.counting.* | grep -q 'not whole' && fail "$name: report is not whole"
done

begin 'thousands of threads need the records of those that live at a time'
run 7 env APROF_COUNTING=out=/dev/null sh -c 'ulimit -v 200000; exec ./lives many-threads'

begin 'reports of a program that still runs'
# killed LIFE OPTION END CALLS
killed()
{
    rm -f aprof.* report*
    run 137 env APROF_COUNTING="out=report,$2" timeout -s INT 60 ./lives "$1" report
    ! grep '^aprof' err || fail "$2: a message"
    same "$(awk -F '\t' '$1 == "end" { print $2 }' report) $(calls report)" "$3" "$1"
    same "$(echo report*)" report "$1: files"
}
killed killed dump-signal=USR1 'still running 10/10'
killed killed-later dump-every=5ms 'still running 6/6'
killed exec-fails-later dump-signal=USR1 'still running 6/6'
rm -f report*
run 0 env APROF_COUNTING=out=report,dump-signal=USR1 timeout 60 ./lives exec-later report
same "$(echo report*) $(calls report.exec1)" 'report.exec1 15/15' 'exec: one report'

begin 'a report that is asked for while that of exec is being written: an older file of that name stays'
rm -f report*
echo older >report
run 0 env APROF_COUNTING=out=report,dump-signal=USR1,late=100ms timeout 60 ./lives exec
same "$(echo report*) $(cat report) $(calls report.exec1)" 'report report.exec1 older 6/6' 'older report'

begin 'however often it is, nothing is lost and nothing is counted twice, and the last report is the last'
APROF_COUNTING=dump-every=1ms
export APROF_COUNTING
life return 7 exit 7
life exec 0 exec 6
life exec-self 7 exec 6 exit 7
life exec-fails 7 exit 11
life fork 7 exit 9 exit 4
life vfork 7 exit 8
life many-threads 7 exit 6002
life alive 7 exit 5
life main-leaves 0 exit 7
life handlers 7 exit 9
life libraries 7 exit 29
for name in busy storm; do
    rm -f aprof.*
    run 7 timeout 60 ./lives $name
    calls aprof.counting.* | grep -q 'not whole' && fail "$name: report is not whole"
done
unset APROF_COUNTING

# A file that can only be written is not replaced; if no file can be written, there is one message.
run 7 env APROF_COUNTING=out=/dev/null,dump-every=1ms ./lives return
same "$(cat err)" \
    'aprof: APROF_COUNTING: dump: only a regular file can be replaced, not a device or a pipe' '/dev/null'
mkdir gone
run 137 env APROF_COUNTING=out=gone/report,dump-every=1ms TMPDIR="$scratch" \
    timeout -s INT 60 ./lives killed-elsewhere report
same "$(grep -c '^aprof: dump: failed' err)" 1 'a folder that is gone'

begin 'options and names'
rm -f aprof.*
run 7 env APROF_COUNTING='bytes=2M,duration=20ms,number=17,fraction=2e-5,colour=blue,out=r%%.%q{NAME}' \
    NAME=x ./lives return
same "$(awk -F '\t' '$1 == "options" { print $2, $3, $4, $5, $6 }' r%.x)" \
    '2097152 20000000 17 2e-05 2' 'options'
same "$(stat -c %a r%.x)" 600 'mode of the report'

begin 'blanks and commas alike; a comma that no other key follows is part of the value'
while read -r name options; do
    run 7 env APROF_COUNTING="$options" ./lives return
    same "$(cat err)" '' "$options: messages"
    same "$(awk -F '\t' '$1 == "options" { print $2, $4, $6 }' "$name")" '2097152 17 2' "$options"
    rm "$name"
done <<'END'
r1 bytes=2M,number=17,colour=blue,out=r1
r2 bytes=2M number=17 colour=blue out=r2
r3 ,bytes=2M, number=17  ,colour=blue	out=r3,
r4,a bytes=2M out=r4,a number=17,colour=blue
r5,a,b bytes=2M out=r5,a,b,number=17 colour=blue
END
while read -r option message; do
    rm -f aprof.*
    run 7 env APROF_COUNTING="$option" ./lives return
    expect_error "$message"
    same "$(calls aprof.counting.*)" 7/7 "$option"
done <<'END'
bytes=2X APROF_COUNTING: bytes=2X: must be a size
duration=20 must be a time
number=-1 must be a number
fraction=1.5 must be from 0 to 1
fraction=1e-4x must be from 0 to 1
colour=pink must be red, green or blue
bytes needs a value
size=1 APROF_COUNTING: size=1: unknown option; known are out, bytes,
out=%z after % there must be
out=%q{X %q needs a variable
END

begin 'where nothing can be written, it goes to TMPDIR, with a message at once'
mkdir tmp
run 7 env APROF_COUNTING=out=/nowhere/report TMPDIR="$scratch/tmp" ./lives return
grep -q '/nowhere/report: No such file or directory' err || fail 'no message'
same "$(calls tmp/report)" 7/7 'report in TMPDIR'
run 7 env APROF_COUNTING=out=/dev/full ./lives return
grep -q '/dev/full: No space left on device' err || fail 'no message about a full disk'
run 7 env APROF_COUNTING=out=/dev/stdout ./lives return
expect 'complete'

begin 'a pipe that nobody reads holds nobody up, and in TMPDIR there are none'
mkfifo pipe tmp/pipe
run 7 env APROF_COUNTING=out=pipe TMPDIR="$scratch/tmp" timeout 60 ./lives return
grep -q 'pipe: No such device or address' err || fail "no message: $(cat err)"
same "$(calls tmp/pipe)" 7/7 'report in TMPDIR'
cat pipe >copy &
exec 9>pipe
run 7 env APROF_COUNTING=out=pipe ./lives return
exec 9>&-
wait
same "$(cat err) $(calls copy)" ' 7/7' 'a pipe that is read'

begin 'a child without a name of its own'
rm -f report*
run 7 env APROF_COUNTING=out=report ./lives fork
same "$(find . -maxdepth 1 -name 'report*' | wc -l)" 2 'reports of parent and child'

begin 'arguments are escaped'
rm -f aprof.*
run 7 ./lives return "$(printf 'a\tb\\\n\001')"
grep -q "^command	./lives	return	a\\\\tb\\\\\\\\\\\\n\\\\x01$" aprof.counting.* ||
    fail "command: $(grep ^command aprof.counting.*)"
finish
