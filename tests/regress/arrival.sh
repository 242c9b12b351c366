#!/bin/sh
# The report arrives, or the user and scripts are told: other roots and users, full disks, FIFOs.
# SPDX-License-Identifier: GPL-2.0-or-later

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

begin arrival
mkdir -p "$work/tmp"
export TMPDIR="$work/tmp"

case_begin "leaves.c compiles"
compile leaves -O1 leaves.c || :
case_end

# run WORD...: silent, and with a status for reports that are not where they belong.
run() {
    rm -rf "$work/tmp"/* "$work"/out*
    status=0
    (cd "$work" && exec timeout 60 "$launcher" --tool=aprof -q --vgdb=no --error-exitcode=125 "$@") \
        > "$work/stdout" 2> "$work/stderr" < /dev/null || status=$?
}

# The report is in the folder for temporary files, and the messages say so in spite of -q.
expect_saved() {
    saved=$(cd "$work" && find tmp -name "$1")
    expect "${saved:-tmp/$1}" "routine=work calls=1"
    check "it is not said where: $(cat "$work/stderr")" grep -q "wrote .*$saved" "$work/stderr"
    check "something else was left" [ "$(find "$work/tmp" -type f | wc -l)" = 1 ]
}

is_root() {
    [ "$(id -u)" = 0 ]
}

if is_root; then
    case_begin "chroot"
    mkdir -p "$work/empty"
    run --aprof-out-file=out ./leaves chroot empty
    expect_status 3
    expect out "routine=work calls=1"
    check "something was said: $(cat "$work/stderr")" [ ! -s "$work/stderr" ]
    check "the new root has it" [ -z "$(find "$work/empty" -type f)" ]
    case_end

    case_begin "chroot, of a process that belongs to a parallel job"

    (export PMI_RANK=1 && cd "$work" &&
        exec "$launcher" --tool=aprof -q --vgdb=no --aprof-out-file=out ./leaves chroot empty) || :
    check "no host: $(grep '^process' "$work/out")" grep -q '^process.*host=.*[^	].*rank=1' "$work/out"
    case_end

    case_begin "setuid: what the program gives up is gone for the report; no failure"
    chmod 1777 "$work/tmp"
    mkdir -p "$work/mine"
    chmod 755 "$work/mine"
    run --aprof-out-file=mine/out ./leaves setuid 65534
    expect_status 3
    expect_saved out
    case_end

    case_begin "setuid, then exec"
    run --aprof-out-file=mine/out ./leaves setuid 65534 exec /bin/true
    expect_status 0
    expect_saved out.exec1
    case_end
fi

case_begin "a FIFO that nobody reads"
mkfifo "$work/fifo"
run --aprof-out-file=fifo ./leaves stay
expect_status 125
expect_saved fifo
case_end

case_begin "a FIFO that is read"
cat "$work/fifo" > "$work/copy" &
exec 9> "$work/fifo" # so that cat waits for our report, and we for cat
run --aprof-out-file=fifo ./leaves stay
exec 9>&-
wait
expect_status 3
expect copy "routine=work calls=1"
check "something was said: $(cat "$work/stderr")" [ ! -s "$work/stderr" ]
check "the FIFO was replaced" [ -p "$work/fifo" ]
case_end

# Fewer bytes than a pipe holds would be taken by it.
case_begin "a FIFO that is held open and never read on"
exec 9<> "$work/fifo"
head -c 65536 /dev/zero >&9
run --aprof-out-file=fifo ./leaves stay
exec 9>&-
expect_status 125
expect_saved fifo
case_end

case_begin "a full disk"
run --aprof-out-file=/dev/full ./leaves stay
expect_status 125
expect_saved full
check "the reason: $(cat "$work/stderr")" grep -q 'full: cannot be written: No space' "$work/stderr"
case_end

case_begin "a full disk, and none for temporary files"
run --aprof-out-file=/dev/full /bin/rm -r tmp
mkdir "$work/tmp"
expect_status 125
check "both reasons" grep -q 'tmp/full: cannot be written either: No such' "$work/stderr"
case_end

case_begin "without --error-exitcode the status is the program's"
run --error-exitcode=0 --aprof-out-file=/dev/full ./leaves stay
expect_status 3
expect_saved full
case_end

case_begin "a folder that is gone, and exec"
mkdir -p "$work/sub"
run --aprof-out-file=sub/out /bin/sh -c '/bin/rm -r sub; exec ./leaves stay'
expect_status 3
check "the shell's report is lost: $(cat "$work/stderr")" \
    [ -n "$(find "$work/tmp" -name 'out.exec1')" ]
check "it is not said where" grep -q "wrote .*tmp/out.exec1" "$work/stderr"
case_end

# When the work is done the report of then is thrown away; the one that comes next has all of it.
killed_by() {
    rm -f "$work/out" "$work/done"
    (cd "$work" && exec timeout -s QUIT 100 "$launcher" --tool=aprof -q --vgdb=no --dump-every=1 \
        --aprof-out-file=out ./leaves never done) > "$work/stdout" 2> "$work/stderr" < /dev/null &
    until [ -e "$work/done" ]; do sleep 0.1; done
    rm -f "$work/out"
    until [ -e "$work/out" ]; do sleep 0.1; done
    process=$(sed -n 's/^process.//p' "$work/out")
    expect out "routine=work calls=1 trms=10x1"
    expect out "routine=main calls=1"
    expect out "end=still_running"
    kill "-$1" "$process"
    wait || :
    check "something was said: $(cat "$work/stderr")" [ ! -s "$work/stderr" ]
    check "something else was left" [ "$(find "$work" -maxdepth 1 -name 'out*' | wc -l)" = 1 ]
    expect out "routine=work calls=1 trms=10x1"
}

case_begin "SIGKILL leaves the report of the latest second"
killed_by KILL
expect out "end=still_running"
case_end

case_begin "a later end has the last word"
killed_by TERM
expect out "end=signal_15"
case_end

case_begin "a device cannot be replaced every second"
run --dump-every=1 --aprof-out-file=/dev/null ./leaves stay
expect_status 1
check "the message: $(cat "$work/stderr")" grep -q 'dump-every: only a file' "$work/stderr"
case_end

# Everybody may write to that folder.
# shellcheck disable=SC2016
case_begin "a link in the folder for temporary files is not followed"
mkdir -p "$work/sub"
echo precious > "$work/precious"
run --aprof-out-file=sub/out /bin/sh -c '/bin/rm -r sub
    for suffix in "" .tmp-$$; do /bin/ln -s ../precious tmp/out$suffix; done'
check "a file was overwritten" [ "$(cat "$work/precious")" = precious ]
check "the report is lost" [ -f "$work/tmp/out" ]
check "there still is a link" [ ! -L "$work/tmp/out" ]
case_end

finish
