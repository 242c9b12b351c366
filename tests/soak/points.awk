# Prints the points of a report, or the expected ones, in one form to compare.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The routines are f0 to f23. There is a line for each routine, metric and input size; noisy routines have
# only their calls.
#
# usage: awk -f points.awk expected             what soak_expect has printed, added up
#        awk -f points.awk expected report      the report's points; `expected` says who is noisy

function add(name, metric, input, calls, thread, external, again,    key) {
    if (name in noisy) {
        if (metric == "rms")
            return
        metric = "noisy"
        input = thread = external = again = 0
    }
    key = name " " metric " " input
    count[key] += calls
    induced[key] += thread
    outside[key] += external
    repeated[key] += again
}

BEGIN { FS = ARGC > 2 ? "[ \t]" : " " }

FNR == 1 { file++ }

file == 1 && $2 == "noisy" { noisy[$1] = 1 }
file == 1 && ARGC == 2 { add($1, $2, $3, $4, $5, $6, $7) }

file == 2 && $1 == "routine" { name_of[$2] = $6 }
file == 2 && $1 == "profile" { name = name_of[$2] }
file == 2 && /^(trms|rms)\t/ && name ~ /^f[0-9]+$/ { add(name, $1, $2, $3, $9, $10, $11) }

END {
    for (key in count)
        printf "%s calls %d thread %d external %d again %d\n", key, count[key], induced[key], outside[key],
            repeated[key] | "sort"
}
