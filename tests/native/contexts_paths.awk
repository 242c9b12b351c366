# Prints the calling contexts of a file as lines "main;f;g COUNT", of all threads, sorted by the caller.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: nm OBJECT... | awk -f contexts_paths.awk - FILE
#
# Routines are named by the symbols that begin where they do (nm prints addresses of 16 digits, the
# file 0x and as many as are needed); routines without a symbol, and all other routines of their context, are
# ?.
BEGIN { FS = "\t" }
FNR == NR {
    split($0, word, " ")
    if (word[2] ~ /^[tTwW]$/) {
        sub(/^0+/, "", word[1])
        name["0x" word[1]] = word[3]
    }
    next
}
$1 == "routine" { routine[$2] = ($4 in name) ? name[$4] : "?" }
$1 == "tree" { split("", path) }
$1 == "context" && $4 != "-" {
    path[$2] = ($3 in path ? path[$3] ";" : "") routine[$4]
    if ($7 > 0)
        count[path[$2]] += $7
}
$1 == "complete" && $2 == FNR - 1 { whole++ }
END {
    for (p in count)
        print p, count[p]
    if (!whole)
        print "not whole"
}
