#!/bin/sh
# Tests that invalid options are refused before the program runs, and that valid options do not disturb the program.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require

begin "talker.c compiles"
compile talker -O1 talker.c || :

# tool STATUS WORD...: runs without the options that `profile` adds.
tool()
{
    ends=$1
    shift
    run "$ends" "$launcher" --tool=aprof "$@"
}

# refused OPTION: expects status 1 and a message that names the option or the file; the program has not run,
# and there is no report
refused()
{
    begin "$1 is refused"
    rm -f aprof.out.*
    tool 1 "$1" ./talker
    check "the program ran: $(cat out)" [ ! -s out ]
    message=$(cat err)
    check "the message does not name the option: $message" \
        grep -qF -e "${1%%=*}" -e "${1#*=}: " err
    check "an assertion or a crash: $message" [ "${message#*ssert}" = "$message" ]
    check "a report was left" [ -z "$(find . -name 'aprof.out.*')" ]
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

begin "epsilon must be less than phi"
tool 1 --contexts=hot --phi=1e-3 --epsilon=0.001 ./talker
check "the program ran: $(cat out)" [ ! -s out ]
check "the message" grep -qF -e '--epsilon: must be less than --phi' err

begin "the default name is aprof.out.PID, private to the user"
tool 42 ./talker you
report=$(echo aprof.out.*)
measured "$report" "routine=main calls=1"
measured "$report" "end=exit"
check "its mode is not 0600" [ "$(stat -c %a "$report")" = 600 ]
check "its process is not its name's" grep -q "^process	${report##*.}" "$report"
check "stdout was changed: $(cat out)" [ "$(cat out)" = "hello you" ]
check "the program's own message is lost" grep -q '^on the other side$' err
check "the log does not name the next command" grep -q "==.*aprof report.*$report" err
others=$(grep -v -e '^==[0-9]*==' -e '^on the other side$' err || :)
check "a line of ours without ==PID==: $others" [ -z "$others" ]

begin "-q is silent"
rm -f aprof.out.*
tool 42 -q ./talker
check "something was said: $(cat err)" [ "$(cat err)" = "on the other side" ]

begin "a file with %p, %q and %%"
rm -f aprof.out.*
export WHERE=there
tool 42 '--aprof-out-file=%q{WHERE}-100%%.%p' ./talker
check "there is no such file" [ -n "$(find . -name 'there-100%.[0-9]*')" ]

begin "the report carries the declared size"
tool 42 --aprof-out-file=report --size=4000 ./talker
check "size" grep -q '^size	4000$' report

begin "the environment declares the run's size where no option does"
export APROF_SIZE=300
tool 42 --aprof-out-file=report ./talker
check "size" grep -q '^size	300$' report
tool 42 --aprof-out-file=report --size=4000 ./talker
check "size" grep -q '^size	4000$' report

for APROF_SIZE in 0 -3 7x 007 ''; do
    begin "APROF_SIZE=$APROF_SIZE is refused"
    tool 1 --aprof-out-file=report ./talker
    expect_message 'aprof: APROF_SIZE: takes a number'
done
unset APROF_SIZE

begin "the report records command and options"
tool 42 --aprof-out-file=report --resolution=8 --cost=instr ./talker 'two words' "$(printf 'tab\there')"
check "command" grep -q '^command	./talker	two words	tab\\there$' report
check "resolution" grep -q '^resolution	8$' report
check "cost" grep -q '^cost	instr$' report
check "options" grep -q '^options.*--resolution=8' report
check "no size was declared" [ "$(grep -c '^size' report)" = 0 ]
check "version" [ "$(head -n 1 report)" = "aprof	3" ]
check "temporary files were left" [ -z "$(find . -name '*tmp*')" ]

begin "an old report is replaced"
echo old >report
tool 42 --aprof-out-file=report ./talker
measured report "routine=main calls=1"

# A user who wants no report names /dev/null: files that are not regular are written, never replaced.
begin "a device as the file"
if mknod null c 1 3 2>/dev/null && echo >null; then
    tool 42 --aprof-out-file=null ./talker
    check "the device was replaced" [ -c null ]
fi

begin "a full device: the report is saved elsewhere"
mkdir tmp
if mknod full c 1 7 2>/dev/null && [ -w full ]; then
    export TMPDIR="$scratch/tmp"
    tool 42 --aprof-out-file=full ./talker
    unset TMPDIR
    check "the device was replaced" [ -c full ]
    check "no message: $(cat err)" grep -q 'full.*No space left' err
    report=$(find tmp -type f)
    measured "$report" "routine=main calls=1"
    check "the message does not say where" grep -qF "$report" err
fi

begin "a directory that the program removes: the report is saved elsewhere"
rm -rf tmp
mkdir tmp sub
export TMPDIR="$scratch/tmp"
tool 5 --aprof-out-file=sub/out /bin/sh -c '/bin/rm -r sub; exit 5'
unset TMPDIR
report=$(find tmp -type f)
measured "$report" "end=exit"
check "the message does not say where" grep -qF "$report" err

begin "a program that goes elsewhere and closes everything"
rm -f report
tool 6 --aprof-out-file=report /bin/sh -c 'cd /; exec 0<&- 1>&- 2>&-; exit 6'
measured report "end=exit"

begin "one metric only"
tool 42 --aprof-out-file=report --metrics=rms ./talker
measured report "routine=main calls=1"
check "metrics" grep -q '^metrics	rms$' report
check "there are points of the other metric" [ "$(grep -c '^trms	' report)" = 0 ]
tool 42 --aprof-out-file=report --metrics=trms ./talker
measured report "routine=main calls=1"
check "there are points of the other metric" [ "$(grep -c '^rms	' report)" = 0 ]

begin "the help shows the options"
tool 0 --help
for option in --metrics --resolution --cost --separate-threads --instr-atstart --toggle-collect \
    --contexts --phi --epsilon --contexts-weight --fold-recursion --aprof-out-file; do
    check "$option" grep -q -e "$option=" out
done

begin "a pattern with many stars takes no longer than another"
long=$(printf '%0200d' 0 | tr 0 a)
echo "__attribute__((noinline)) int $long(int n) { return n + 1; }
int main(int c, char **v) { return $long(c) + 40; }" >long.c
compile long -O1 ./long.c || :
time_limit=60
profile --toggle-collect='*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*ab' ./long
expect_status 42
profile --toggle-collect='*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a' ./long
measured report "routine=$long calls=1" absent=main

begin "VALGRIND_OPTS and --aprof:option"
export VALGRIND_OPTS=--aprof:resolution=2
tool 42 --aprof-out-file=report ./talker
check "resolution" grep -q '^resolution	2$' report
unset VALGRIND_OPTS

begin "io_uring, of which nothing is seen: a message, once"
compile io_uring -O1 io_uring.c || :
last=./io_uring
status=0
"$launcher" --tool=aprof --aprof-out-file=report ./io_uring >out 2>err || status=$?
if [ "$status" != 77 ]; then
    expect_status 0
    check "messages: $(cat err)" [ "$(grep -c 'aprof: .*io_uring' err)" = 1 ]
fi

begin "a program that does not exist"
tool 127 --aprof-out-file=report ./nowhere

finish
