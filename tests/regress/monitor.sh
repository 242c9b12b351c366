#!/bin/sh
# Monitor commands through gdbserver: dump, zero, stop, start, toggle (phases: monitor.c).
# SPDX-License-Identifier: GPL-2.0-or-later

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

begin monitor
require amd64
command -v vgdb > /dev/null || skip "there is no vgdb"

# at_phase N COMMAND: when the program waits after phase N, give the command and let it go on.
at_phase() {
    tries=0
    while [ ! -e "$work/ready.$1" ]; do
        tries=$((tries + 1))
        if [ "$tries" -gt 600 ]; then
            problem "phase $1 was not reached"
            return 0
        fi
        sleep 0.1
    done
    if [ -n "$2" ]; then
        timeout 30 vgdb --pid="$(cat "$work/ready.$1")" --vgdb-prefix="$work/pipe" "$2" \
            > "$work/answer.$1" 2>&1 || problem "$2: $(cat "$work/answer.$1")"
    fi
    : > "$work/go.$1"
}

# control OPTIONS COMMAND...: one command after each phase.
control() {
    options=$1
    shift
    rm -f "$work"/ready.* "$work"/go.*
    (profile "--vgdb=yes --vgdb-poll=1000 --vgdb-prefix=$work/pipe $options" ./monitor) &
    phase=0
    for command; do
        phase=$((phase + 1))
        at_phase "$phase" "$command"
    done
    wait
}

case_begin "dump and zero"
compile monitor -O1 monitor.c || :
control "" dump zero "" dump ""
expect out.1 "routine=work calls=1 trms=61x1"
expect out.2 "routine=work calls=2 trms=63x1,64x1"
expect out "routine=work calls=1 trms=65x1"
expect out "routine=main calls=1"
case_end

case_begin "stop, start and toggle"
control "" stop start toggle toggle ""
expect out "routine=work calls=3 trms=61x1,63x1,65x1"
case_end

case_begin "start, when measuring is off at first"
control --instr-atstart=no "" start "" stop ""
expect out "routine=work calls=2 trms=63x1,64x1"
case_end

finish
