#!/bin/sh
# Tests that thousands of renumberings of a narrow counter do not change the report.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require amd64

# Prints the values of the program's own routines, because values of C library routines may depend on the
# order of threads.
own_body()
{
    awk -F '\t' '
        $1 == "routine" { own[$2] = $6 == "mix" || $6 == "round_of"; name[$2] = $6 }
        $1 == "profile" { printing = own[$2]; if (printing) print name[$2] }
        printing { $2 = $1 == "profile" ? "" : $2; print }' "$1"
}

begin "numbering.c compiles"
compile numbering "-O1 -pthread" numbering.c || :

for common in "" --separate-threads=yes --resolution=1 --resolution=16 --metrics=rms; do
    begin "two runs agree, $common"
    profile "$common" ./numbering
    measured report "routine=main calls=1"
    measured report "routine=round_of calls=80"
    cp report wide
    profile "$common" ./numbering
    own_body wide >wide.body
    own_body report >again.body
    check "a second run differs" cmp wide.body again.body

    for bits in 4 6 8 12; do
        begin "a counter of $bits bits, $common"
        profile "$common --counter-bits=$bits" ./numbering
        expect_status 0
        measured report "routine=round_of calls=80"
        own_body report >narrow.body
        check "the report differs" cmp wide.body narrow.body
    done
done

finish
