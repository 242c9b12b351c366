#!/bin/sh
# Tests `aprof run` on scripts and wrappers: each program that does work gets a report, however it is started.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require
export APROF_VALGRIND_LIB="$build/.in_place"

begin "leaves.c compiles"
compile leaves -O1 leaves.c || :

# follow STATUS WORD...: runs with only the reports of this run in the folder.
follow()
{
    rm -f aprof.out.* report*
    ends=$1
    shift
    run "$ends" timeout 100 aprof run --vgdb=no "$@"
}

script()
{
    printf '#!/bin/sh\n%s\n' "$1" >script
    chmod +x script
}

# expect_reports COUNT [PATTERN]: expects COUNT reports, each of another process.
expect_reports()
{
    found=$(find . -name "${2:-aprof.out.*}" | sort)
    n=$(printf '%s\n' "$found" | grep -c . || :)
    check "$n reports instead of $1: $found" [ "$n" = "$1" ]
    n=$(sed -n 's/^process	//p' $found | sort -u | wc -l)
    check "they are of $n processes" [ "$n" = "$1" ]
}

# with_work COUNT [PATTERN]: checks that COUNT reports have the routine.
with_work()
{
    n=$(find . -name "${2:-aprof.out.*}" -exec grep -lw work {} + | wc -l)
    check "work is in $n reports instead of $1" [ "$n" = "$1" ]
}

begin "a program: one report, of its process"
follow 3 ./leaves stay
expect_reports 1
with_work 1

begin "a script that turns into the program"
script 'exec ./leaves stay'
follow 3 ./script
expect_reports 1
with_work 1

begin "a script that starts programs, here and elsewhere, with an empty environment"
# shellcheck disable=SC2016
script './leaves stay
home=$(pwd)
cd / && /usr/bin/env -i "$home/leaves" stay
exit 4'
follow 4 ./script
expect_reports 4 # the script, both programs, and the process of pwd
with_work 2

begin "one name for all: the others append their process"
follow 4 --aprof-out-file=report ./script
expect_reports 4 'report*'
with_work 0 report
with_work 2 'report.*'

begin "one name for all, of a child's child"
script '( (exit 3); exit 4 ); exit 5'
follow 5 --aprof-out-file=report ./script
expect_reports 3 'report*'

begin "wrappers have reports if that is wanted"
script 'exec ./leaves stay'
follow 3 --wrapper-cost=0 --aprof-out-file=report ./script
measured report "routine=work calls=1"
measured report.exec1 "end=exec"

begin "what is not followed is named"
script './leaves stay'
follow 3 --trace-children=no ./script
with_work 0
check "no message: $(cat err)" grep -q 'leaves is not profiled' err
follow 3 -q --trace-children=no ./script
check "-q is not silent: $(cat err)" [ ! -s err ]

begin "a program with rights of its own runs, and is not profiled"
cp leaves mighty
chmod u+s mighty
script './mighty stay; ./leaves stay'
follow 3 ./script
with_work 1
check "no message" grep -q 'mighty is not profiled: it runs with additional' err
check "the core complains" [ "$(grep -c setuid err)" = 0 ]

if [ "$(id -u)" = 0 ]; then
    begin "a program in another root runs, and is not profiled"
    mkdir -p root
    compile root/leaves "-O1 -static" leaves.c && {
        follow 9 --aprof-out-file=report --wrapper-cost=0 ./leaves chroot root exec /leaves
        measured report.exec1 "routine=work calls=1"
        check "no message" grep -q '/leaves is not profiled: Valgrind cannot be found' err
    }
fi

begin "a program that aprof-cc has compiled: a message"
run 0 env CC="$CC" aprof-cc -O1 -I"$here" -o compiled "$here/leaves.c"
follow 3 --aprof-out-file=report ./compiled stay
check "no message: $(cat err)" grep -q 'compiled: .*profiled twice' err
follow 3 --aprof-out-file=report ./leaves stay
check "a false message" [ "$(grep -c 'profiled twice' err)" = 0 ]

begin "a full disk: status 125"
follow 125 --aprof-out-file=/dev/full ./leaves stay

finish
