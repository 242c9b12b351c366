#!/bin/sh
# Options: bad ones are refused before the program runs, which is not disturbed otherwise.
# SPDX-License-Identifier: GPL-2.0-or-later

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

begin options

case_begin "talker.c compiles"
compile talker -O1 talker.c || :
case_end

# run WORD...: without the options that `profile` adds.
run() {
    status=0
    (cd "$work" && exec "$launcher" --tool=aprof "$@") \
        > "$work/stdout" 2> "$work/stderr" < /dev/null || status=$?
}

# refused OPTION: status 1, a message that names the option or the file, nothing has run, no report
refused() {
    case_begin "$1 is refused"
    rm -f "$work"/aprof.out.*
    run "$1" ./talker
    expect_status 1
    check "the program ran: $(cat "$work/stdout")" [ ! -s "$work/stdout" ]
    message=$(cat "$work/stderr")
    check "the message does not name the option: $message" \
        grep -qF -e "${1%%=*}" -e "${1#*=}: " "$work/stderr"
    check "an assertion or a crash: $message" [ "${message#*ssert}" = "$message" ]
    check "a report was left" [ -z "$(find "$work" -name 'aprof.out.*')" ]
    case_end
}

refused --no-such-option
refused --no-such-option=yes
refused --resolution=3
refused --resolution=0
refused --resolution=32
refused --resolution=
refused --resolution=4x
refused --metrics=
refused --metrics=foo
refused --metrics=trms,foo
refused --metrics=trms,
refused --cost=time
refused --cost=
refused --separate-threads=maybe
refused --instr-atstart=1
refused --toggle-collect=
refused --dump-every=0
refused --dump-every=1s
refused --contexts=yes
refused --contexts=
refused --phi=0
refused --phi=2
refused --phi=1e-10
refused --phi=some
refused --epsilon=0
refused --epsilon=1e
refused --contexts-weight=time
refused --fold-recursion=1
refused --counter-bits=3
refused --counter-bits=32
refused --counter-bits=-5
refused --aprof-out-file=
refused --aprof-out-file=/nowhere/at/all/out
refused --aprof-out-file=/proc/out

case_begin "epsilon must be less than phi"
run --contexts=hot --phi=1e-3 --epsilon=0.001 ./talker
expect_status 1
check "the program ran: $(cat "$work/stdout")" [ ! -s "$work/stdout" ]
check "the message" grep -qF -e '--epsilon: must be less than --phi' "$work/stderr"
case_end

case_begin "the default name is aprof.out.PID, private to the user"
run ./talker you
expect_status 42
report=$(cd "$work" && echo aprof.out.*)
expect "$report" "routine=main calls=1"
expect "$report" "end=exit"
check "its mode is not 0600" [ "$(stat -c %a "$work/$report")" = 600 ]
check "its process is not its name's" grep -q "^process	${report##*.}" "$work/$report"
check "stdout was changed: $(cat "$work/stdout")" [ "$(cat "$work/stdout")" = "hello you" ]
check "the program's own message is lost" grep -q '^on the other side$' "$work/stderr"
check "the log does not name the next command" grep -q "==.*aprof report.*$report" "$work/stderr"
others=$(grep -v -e '^==[0-9]*==' -e '^on the other side$' "$work/stderr" || :)
check "a line of ours without ==PID==: $others" [ -z "$others" ]
case_end

case_begin "-q is silent"
rm -f "$work"/aprof.out.*
run -q ./talker
expect_status 42
check "something was said: $(cat "$work/stderr")" [ "$(cat "$work/stderr")" = "on the other side" ]
case_end

case_begin "a file with %p, %q and %%"
rm -f "$work"/aprof.out.*
export WHERE=there
run '--aprof-out-file=%q{WHERE}-100%%.%p' ./talker
expect_status 42
check "there is no such file" [ -n "$(find "$work" -name 'there-100%.[0-9]*')" ]
case_end

case_begin "the report carries the declared size"
run --aprof-out-file=out --size=4000 ./talker
expect_status 42
check "size" grep -q '^size	4000$' "$work/out"
case_end

case_begin "the environment declares the run's size where no option does"
export APROF_SIZE=300
run --aprof-out-file=out ./talker
check "size" grep -q '^size	300$' "$work/out"
run --aprof-out-file=out --size=4000 ./talker
check "size" grep -q '^size	4000$' "$work/out"
case_end

for APROF_SIZE in 0 -3 7x 007 ''; do
    case_begin "APROF_SIZE=$APROF_SIZE is refused"
    run --aprof-out-file=out ./talker
    expect_status 1
    check "the message" grep -q 'aprof: APROF_SIZE: takes a number' "$work/stderr"
    case_end
done
unset APROF_SIZE

case_begin "the report records command and options"
run --aprof-out-file=out --resolution=8 --cost=instr ./talker 'two words' "$(printf 'tab\there')"
expect_status 42
check "command" grep -q '^command	./talker	two words	tab\\there$' "$work/out"
check "resolution" grep -q '^resolution	8$' "$work/out"
check "cost" grep -q '^cost	instr$' "$work/out"
check "options" grep -q '^options.*--resolution=8' "$work/out"
check "no size was declared" [ "$(grep -c '^size' "$work/out")" = 0 ]
check "version" [ "$(head -n 1 "$work/out")" = "aprof	1" ]
check "temporary files were left" [ -z "$(find "$work" -name '*tmp*')" ]
case_end

case_begin "an old report is replaced"
echo old > "$work/out"
run --aprof-out-file=out ./talker
expect out "routine=main calls=1"
case_end

# Somebody who wants no report says /dev/null: what is no plain file is written to, never replaced.
case_begin "a device as the file"
if mknod "$work/null" c 1 3 2> /dev/null && echo > "$work/null"; then
    run --aprof-out-file=null ./talker
    expect_status 42
    check "the device was replaced" [ -c "$work/null" ]
fi
case_end

case_begin "a full device: the report is saved elsewhere"
mkdir "$work/tmp"
if mknod "$work/full" c 1 7 2> /dev/null && [ -w "$work/full" ]; then
    export TMPDIR="$work/tmp"
    run --aprof-out-file=full ./talker
    unset TMPDIR
    expect_status 42
    check "the device was replaced" [ -c "$work/full" ]
    check "no message: $(cat "$work/stderr")" grep -q 'full.*No space left' "$work/stderr"
    report=$(cd "$work" && find tmp -type f)
    expect "$report" "routine=main calls=1"
    check "the message does not say where" grep -qF "$report" "$work/stderr"
fi
case_end

case_begin "a directory that the program removes: the report is saved elsewhere"
rm -rf "$work/tmp"
mkdir "$work/tmp" "$work/sub"
export TMPDIR="$work/tmp"
run --aprof-out-file=sub/out /bin/sh -c '/bin/rm -r sub; exit 5'
unset TMPDIR
expect_status 5
report=$(cd "$work" && find tmp -type f)
expect "$report" "end=exit"
check "the message does not say where" grep -qF "$report" "$work/stderr"
case_end

case_begin "a program that goes elsewhere and closes everything"
rm -f "$work/out"
run --aprof-out-file=out /bin/sh -c 'cd /; exec 0<&- 1>&- 2>&-; exit 6'
expect_status 6
expect out "end=exit"
case_end

case_begin "one metric only"
run --aprof-out-file=out --metrics=rms ./talker
expect out "routine=main calls=1"
check "metrics" grep -q '^metrics	rms$' "$work/out"
check "there are points of the other metric" [ "$(grep -c '^trms	' "$work/out")" = 0 ]
run --aprof-out-file=out --metrics=trms ./talker
expect out "routine=main calls=1"
check "there are points of the other metric" [ "$(grep -c '^rms	' "$work/out")" = 0 ]
case_end

case_begin "the help shows the options"
run --help
expect_status 0
for option in --metrics --resolution --cost --separate-threads --instr-atstart --toggle-collect \
    --contexts --phi --epsilon --contexts-weight --fold-recursion --aprof-out-file; do
    check "$option" grep -q -e "$option=" "$work/stdout"
done
case_end

case_begin "VALGRIND_OPTS and --aprof:option"
export VALGRIND_OPTS=--aprof:resolution=2
run --aprof-out-file=out ./talker
check "resolution" grep -q '^resolution	2$' "$work/out"
unset VALGRIND_OPTS
case_end

case_begin "io_uring, of which nothing is seen: a message, once"
compile io_uring -O1 io_uring.c || :
run --aprof-out-file=out ./io_uring
if [ "$status" != 77 ]; then
    expect_status 0
    check "messages: $(cat "$work/stderr")" [ "$(grep -c 'aprof: .*io_uring' "$work/stderr")" = 1 ]
fi
case_end

case_begin "a program that does not exist"
run --aprof-out-file=out ./nowhere
check "status is $status" [ "$status" = 127 ]
case_end

finish
