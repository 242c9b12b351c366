# Cuts a report to one routine: its profile and points, without edges and lines. `seal` adds the last line.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk -v symbol=SYMBOL -f keep_routine.awk REPORT | seal
#
# The routine is the first routine whose symbol contains SYMBOL. The routine and its object get the number 0.
# Of paths outside of /usr, only the last component is kept. Exit status: 1 if there is no such routine.
BEGIN {
    FS = OFS = "\t"
    routine = -1
}

$1 == "aprof" { print "aprof", 1; next }
$1 == "options" { print $1, "--metrics=trms,rms"; next }
$1 == "object" { object[$2] = $3; next }

$1 == "routine" {
    if (routine < 0 && index($6, symbol)) {
        routine = $2
        print "object", 0, brief(object[$3])
        print "routine", 0, 0, $4, $5, $6, brief($7), $8
    }
    next
}

$1 == "profile" {
    inside = $2 == routine
    if (inside)
        print "profile", 0, $3, $4, $5, $6
    next
}

$1 == "trms" || $1 == "rms" {
    if (inside)
        print
    next
}

function brief(path) {
    if (path !~ /^\/usr\//)
        sub(/.*\//, "", path)
    return path
}

routine < 0 && $1 ~ /^(creator|tool|arch|command|process|size|metrics|resolution|cost|threads|end|totals)$/

END { exit routine < 0 }
