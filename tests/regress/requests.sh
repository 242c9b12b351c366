#!/bin/sh
# Client requests, --instr-atstart and --toggle-collect (values derived in requests.c).
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require amd64

for flags in -O0 -O2; do
    begin "START and STOP, $flags"
    compile requests "$flags -fno-optimize-sibling-calls" requests.c || :
    profile --instr-atstart=no ./requests start_stop
    expect_status 0
    measured report "routine=work calls=3 trms=12x1,13x1,15x1 rms=12x1,13x1,15x1"

    begin "START and STOP with measuring on at the start, $flags"
    profile "" ./requests start_stop
    measured report "routine=work calls=4 trms=11x1,12x1,13x1,15x1"

    begin "TOGGLE, $flags"
    profile "" ./requests toggle
    measured report "routine=work calls=2 trms=21x1,23x1"

    begin "TOGGLE with measuring off at the start, $flags"
    profile --instr-atstart=no ./requests toggle
    measured report "routine=work calls=1 trms=22x1"

    begin "ZERO, $flags"
    profile "" ./requests zero
    measured report "routine=work calls=1 trms=33x1"
    measured report "routine=pending calls=1 input_min>=7 input_max<=15"
    measured report "routine=main calls=1"
    measured report "routine=zero calls=1"

    begin "DUMP, $flags"
    profile "" ./requests dump
    measured report.1 "routine=work calls=1 trms=41x1"
    measured report.1 "absent=across"
    measured report.1 "absent=main"
    measured report.1 "end=dump_1"
    measured report.2 "routine=work calls=2 trms=42x1,43x1"
    measured report.2 "routine=across calls=1 trms=6x1 rms=6x1"
    measured report.2 "end=dump_2"
    measured report "routine=work calls=1 trms=44x1"
    measured report "routine=main calls=1"
    measured report "absent=across"
    measured report "end=exit"
    check "there is no report.3" [ ! -e report.3 ]

    begin "nothing is measured at all, $flags"
    profile --instr-atstart=no ./requests toggle-nothing
    expect_status 0
    measured report "absent=work"

    begin "--toggle-collect, $flags"
    profile --toggle-collect=chosen ./requests collect
    measured report "routine=chosen calls=2 trms=52x1,54x1"
    measured report "routine=work calls=2 trms=52x1,54x1"
    measured report "absent=other_choice"

    begin "--toggle-collect with two patterns, $flags"
    profile "--toggle-collect=cho* --toggle-collect=?ther_choice" ./requests collect
    measured report "routine=chosen calls=2"
    measured report "routine=other_choice calls=1 trms=55x1"
    measured report "routine=work calls=3 trms=52x1,54x1,55x1"
done

begin "the requests do nothing without valgrind"
status=0
./requests dump || status=$?
expect_status 0

finish
