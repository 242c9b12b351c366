#!/bin/sh
# A narrow counter renumbers thousands of times and changes nothing in the report.
# SPDX-License-Identifier: GPL-2.0-or-later

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

begin numbering
require amd64

# What the program's own routines have: the C library's may depend on how its threads meet.
body() {
    awk -F '\t' '
        $1 == "routine" { own[$2] = $6 == "mix" || $6 == "round_of"; name[$2] = $6 }
        $1 == "profile" { printing = own[$2]; if (printing) print name[$2] }
        printing { $2 = $1 == "profile" ? "" : $2; print }' "$1"
}

case_begin "numbering.c compiles"
compile numbering "-O1 -pthread" numbering.c || :
case_end

for common in "" --separate-threads=yes --resolution=1 --resolution=16 --metrics=rms; do
    case_begin "two runs agree, $common"
    profile "$common" ./numbering
    expect out "routine=main calls=1"
    expect out "routine=round_of calls=80"
    cp "$work/out" "$work/wide"
    profile "$common" ./numbering
    body "$work/wide" > "$work/wide.body"
    body "$work/out" > "$work/again.body"
    check "a second run differs" cmp "$work/wide.body" "$work/again.body"
    case_end

    for bits in 4 6 8 12; do
        case_begin "a counter of $bits bits, $common"
        profile "$common --counter-bits=$bits" ./numbering
        expect_status 0
        expect out "routine=round_of calls=80"
        body "$work/out" > "$work/narrow.body"
        check "the report differs" cmp "$work/wide.body" "$work/narrow.body"
        case_end
    done
done

finish
