#!/bin/sh
# Client requests, --instr-atstart and --toggle-collect (values derived in requests.c).
# SPDX-License-Identifier: GPL-2.0-or-later

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

begin requests
require amd64

for flags in -O0 -O2; do
    case_begin "START and STOP, $flags"
    compile requests "$flags -fno-optimize-sibling-calls" requests.c || :
    profile --instr-atstart=no ./requests start_stop
    expect_status 0
    expect out "routine=work calls=3 trms=12x1,13x1,15x1 rms=12x1,13x1,15x1"
    case_end

    case_begin "START and STOP with measuring on at the start, $flags"
    profile "" ./requests start_stop
    expect out "routine=work calls=4 trms=11x1,12x1,13x1,15x1"
    case_end

    case_begin "TOGGLE, $flags"
    profile "" ./requests toggle
    expect out "routine=work calls=2 trms=21x1,23x1"
    case_end

    case_begin "TOGGLE with measuring off at the start, $flags"
    profile --instr-atstart=no ./requests toggle
    expect out "routine=work calls=1 trms=22x1"
    case_end

    case_begin "ZERO, $flags"
    profile "" ./requests zero
    expect out "routine=work calls=1 trms=33x1"
    expect out "routine=pending calls=1 input_min>=7 input_max<=15"
    expect out "routine=main calls=1"
    expect out "routine=zero calls=1"
    case_end

    case_begin "DUMP, $flags"
    profile "" ./requests dump
    expect out.1 "routine=work calls=1 trms=41x1"
    expect out.1 "absent=across"
    expect out.1 "absent=main"
    expect out.1 "end=dump_1"
    expect out.2 "routine=work calls=2 trms=42x1,43x1"
    expect out.2 "routine=across calls=1 trms=6x1 rms=6x1"
    expect out.2 "end=dump_2"
    expect out "routine=work calls=1 trms=44x1"
    expect out "routine=main calls=1"
    expect out "absent=across"
    expect out "end=exit"
    check "there is no report out.3" [ ! -e "$work/out.3" ]
    case_end

    case_begin "nothing is measured at all, $flags"
    profile --instr-atstart=no ./requests toggle-nothing
    expect_status 0
    expect out "absent=work"
    case_end

    case_begin "--toggle-collect, $flags"
    profile --toggle-collect=chosen ./requests collect
    expect out "routine=chosen calls=2 trms=52x1,54x1"
    expect out "routine=work calls=2 trms=52x1,54x1"
    expect out "absent=other_choice"
    case_end

    case_begin "--toggle-collect with two patterns, $flags"
    profile "--toggle-collect=cho* --toggle-collect=?ther_choice" ./requests collect
    expect out "routine=chosen calls=2"
    expect out "routine=other_choice calls=1 trms=55x1"
    expect out "routine=work calls=3 trms=52x1,54x1,55x1"
    case_end
done

case_begin "the requests do nothing without valgrind"
status=0
(cd "$work" && ./requests dump) || status=$?
expect_status 0
case_end

finish
