#!/bin/sh
# Monitor commands through gdbserver: dump, zero, stop, start, toggle (phases: monitor.c).
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require amd64
need vgdb

# at_phase N COMMAND: gives the command when the program waits after phase N, then continues the program.
at_phase()
{
    tries=0
    while [ ! -e "ready.$1" ]; do
        tries=$((tries + 1))
        if [ "$tries" -gt 600 ]; then
            fail "phase $1 was not reached"
            return 0
        fi
        sleep 0.1
    done
    if [ -n "$2" ]; then
        timeout 30 vgdb --pid="$(cat "ready.$1")" --vgdb-prefix="$scratch/pipe" "$2" \
            >"answer.$1" 2>&1 || fail "$2: $(cat "answer.$1")"
    fi
    : >"go.$1"
}

# control OPTIONS COMMAND...: gives one command after each phase.
control()
{
    options=$1
    shift
    rm -f ready.* go.*
    (profile "--vgdb=yes --vgdb-poll=1000 --vgdb-prefix=$scratch/pipe $options" ./monitor) &
    phase=0
    for command; do
        phase=$((phase + 1))
        at_phase "$phase" "$command"
    done
    wait
}

begin "dump and zero"
compile monitor -O1 monitor.c || :
control "" dump zero "" dump ""
measured report.1 "routine=work calls=1 trms=61x1"
measured report.2 "routine=work calls=2 trms=63x1,64x1"
measured report "routine=work calls=1 trms=65x1"
measured report "routine=main calls=1"

begin "stop, start and toggle"
control "" stop start toggle toggle ""
measured report "routine=work calls=3 trms=61x1,63x1,65x1"

begin "start, when measuring is off at first"
control --instr-atstart=no "" start "" stop ""
measured report "routine=work calls=2 trms=63x1,64x1"

finish
