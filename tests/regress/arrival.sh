#!/bin/sh
# Tests that the report is written, or users and scripts get an error: other roots and users, full disks, FIFOs.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require
chmod 755 .
mkdir tmp
export TMPDIR="$scratch/tmp"

begin "leaves.c compiles"
compile leaves -O1 leaves.c || :
compile execs -O1 execs.c || :

# tool STATUS WORD...: runs silently, with an exit status for lost reports.
tool()
{
    rm -rf tmp/* report*
    ends=$1
    shift
    run "$ends" timeout 60 "$launcher" --tool=aprof -q --vgdb=no --error-exitcode=125 "$@"
}

# The report is in the folder for temporary files, and the messages name it despite -q.
expect_saved()
{
    saved=$(find tmp -name "$1")
    measured "${saved:-tmp/$1}" "routine=work calls=1"
    check "it is not said where: $(cat err)" grep -q "wrote .*$saved" err
    check "something else was left" [ "$(find tmp -type f | wc -l)" = 1 ]
}

if [ "$(id -u)" = 0 ]; then
    begin "chroot"
    mkdir -p empty
    tool 3 --aprof-out-file=report ./leaves chroot empty
    measured report "routine=work calls=1"
    expect_no_message
    check "the new root has it" [ -z "$(find empty -type f)" ]

    begin "chroot, of a process that belongs to a parallel job"
    PMI_RANK=1 tool 3 --aprof-out-file=report ./leaves chroot empty
    check "no host: $(grep '^process' report)" grep -q '^process.*host=.*[^	].*rank=1' report

    begin "setuid: what the program gives up is gone for the report"
    chmod 1777 tmp
    mkdir -p mine
    chmod 755 mine
    tool 125 --aprof-out-file=mine/out ./leaves setuid 65534
    expect_saved out

    begin "setuid, then exec"
    tool 0 --aprof-out-file=mine/out ./leaves setuid 65534 exec /bin/true
    expect_saved out.exec1
fi

begin "a FIFO that nobody reads"
mkfifo fifo
tool 125 --aprof-out-file=fifo ./leaves stay
expect_saved fifo

begin "a FIFO that is read"
cat fifo >copy &
exec 9>fifo # so that cat waits for the report, and the test for cat
tool 3 --aprof-out-file=fifo ./leaves stay
exec 9>&-
wait
measured copy "routine=work calls=1"
expect_no_message
check "the FIFO was replaced" [ -p fifo ]

# A pipe would buffer a smaller report completely.
begin "a FIFO that is held open and never read on"
exec 9<>fifo
head -c 65536 /dev/zero >&9
tool 125 --aprof-out-file=fifo ./leaves stay
exec 9>&-
expect_saved fifo

begin "a full disk"
tool 125 --aprof-out-file=/dev/full ./leaves stay
expect_saved full
check "the reason: $(cat err)" grep -q 'full: cannot be written: No space' err

begin "a full disk, and none for temporary files"
tool 125 --aprof-out-file=/dev/full /bin/rm -r tmp
mkdir tmp
check "both reasons" grep -q 'tmp/full: cannot be written either: No such' err

begin "without --error-exitcode the status is the program's"
tool 3 --error-exitcode=0 --aprof-out-file=/dev/full ./leaves stay
expect_saved full

begin "a folder that is gone, and exec"
mkdir -p sub
tool 3 --aprof-out-file=sub/out /bin/sh -c '/bin/rm -r sub; exec ./leaves stay'
check "the shell's report is lost: $(cat err)" \
    [ -n "$(find tmp -name 'out.exec1')" ]
check "it is not said where" grep -q "wrote .*tmp/out.exec1" err

begin "where no report can be created the program does not run"
mkdir -p folder/is_one
for name in /nowhere/report folder/is_one /tmp; do
    tool 125 --aprof-out-file=$name /bin/echo ran
    expect_message "$name: cannot be created: "
    expect_not ran
    tool 1 --error-exitcode=0 --aprof-out-file=$name /bin/echo ran
    expect_not ran
done

begin "a child keeps its status, which its parent reads"
mkdir -p sub
tool 125 --trace-children=yes --aprof-out-file=sub/out /bin/sh -c '/bin/rm -r sub
    ./leaves stay
    echo "program: $?"
    (exit 4)
    echo "fork: $?"'
same "$(tr '\n' ' ' <out)" 'program: 3 fork: 4 ' 'what the parent sees'
check "no report of the program" [ "$(grep -l -w work tmp/out.* | wc -l)" = 1 ]

begin "the report of a child alone is not where it belongs: the status is the program's"
OUT=report tool 5 --trace-children=yes --aprof-out-file=%q{OUT} /bin/sh -c 'OUT=gone/out ./leaves stay
    exit 5'
expect_message 'gone/out.*: cannot be written: No such'
check "the program's report is lost" grep -qw work tmp/out.*

begin "a program that a signal ends"
# shellcheck disable=SC2016
tool 143 --aprof-out-file=/dev/full /bin/sh -c 'kill -TERM $$'
expect_message 'full: cannot be written: No space'

begin "the report before exec is not where it belongs, the last one is"
mkdir -p sub
OUT=sub/out tool 125 --trace-children=yes --aprof-out-file=%q{OUT} /bin/sh -c '/bin/rm -r sub
    OUT=report exec ./leaves stay'
measured report "routine=work calls=1"
check "the shell's report is lost: $(cat err)" [ -e tmp/out.exec1 ]

begin "that before exec is not, and exec fails: it does not count"
echo bad >bad
chmod +x bad
mkdir -p folder/out.exec1
tool 12 --aprof-out-file=folder/out ./execs ./bad
expect_message 'folder/out.exec1: cannot be written: Is a directory'
check "there is a report of it" [ ! -e tmp/out.exec1 ]
measured folder/out "routine=work calls=7" end=exit

begin "a report is not where it belongs until the next one takes its place"
tool 3 --dump-every=1 --aprof-out-file=report /bin/sh -c '
    until /bin/mkdir report 2>/dev/null; do /bin/rm -f report; done
    until [ -e tmp/report ]; do :; done
    /bin/rmdir report
    exit 3'
measured report end=exit
expect_message 'report: cannot be written: Is a directory'

# The report after the work is discarded; the next report contains all work.
killed_by()
{
    rm -f report* "done"
    timeout -s QUIT 100 "$launcher" --tool=aprof -q --vgdb=no --dump-every=1 \
        --aprof-out-file=report ./leaves never "done" >out 2>err </dev/null &
    until [ -e "done" ]; do sleep 0.1; done
    rm -f report
    until [ -e report ]; do sleep 0.1; done
    process=$(sed -n 's/^process.//p' report)
    last='./leaves never done'
    measured report "routine=work calls=1 trms=10x1" "routine=main calls=1" end=still_running
    kill "-$1" "$process"
    wait || :
    expect_no_message
    check "something else was left" [ "$(find . -maxdepth 1 -name 'report*' | wc -l)" = 1 ]
    measured report "routine=work calls=1 trms=10x1" "end=$2"
}

begin "SIGKILL leaves the report of the latest second"
killed_by KILL still_running

begin "a later end has the last word"
killed_by TERM signal_15

begin "a device cannot be replaced every second"
tool 1 --dump-every=1 --aprof-out-file=/dev/null ./leaves stay
expect_message 'dump-every: only a regular file'

# All users may write to the folder.
# shellcheck disable=SC2016
begin "a link in the folder for temporary files is not followed"
mkdir -p sub
echo precious >precious
tool 125 --aprof-out-file=sub/out /bin/sh -c '/bin/rm -r sub
    for suffix in "" .tmp-$$; do /bin/ln -s ../precious tmp/out$suffix; done'
check "a file was overwritten" [ "$(cat precious)" = precious ]
check "the report is lost" [ -f tmp/out ]
check "there still is a link" [ ! -L tmp/out ]

finish
