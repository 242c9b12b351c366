# Prints the tables of docs/evaluation.md from the cells of one part.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk -v part=PART -v table=TABLE -f ../tables_library.awk -f tables.awk CELL.txt...
#
# Tables: measured, facts, crowd, totals, origins, bars, and a curve of each figure; cells.sh says what the lines of a cell are. A table with blanks in its name is
# a kind and what it is about, for example `facts mysql_select`.
BEGIN {
    FS = "\t"
    about = table
    kind = table
    sub(/ .*/, "", kind)
    sub(/^[^ ]* ?/, "", about)
}

/^# / {
    key = $0
    sub(/^# /, "", key)
    value = key
    sub(/:.*/, "", key)
    sub(/^[^:]*: /, "", value)
    if (key == "load") {
        split(value, load, " ")
        load_add(load[1])
        load_add(load[3])
    } else if (!((key, value) in seen)) {
        seen[key, value]
        values[key] = values[key] (values[key] ? "; " : "") value
    }
    next
}

{ run = FILENAME; sub(/.*\//, "", run); sub(/\.txt$/, "", run) }

$1 == "fact" { fact[++facts] = run FS $0 }
$1 == "crowd" { crowd[++crowds] = $0 }
$1 == "origin" { origin[++origins] = $0 }
$1 == "totals" { total[++totals] = $0 }
$1 == "curve" { list_add(names, $2); for (i = 4; i <= 9; i++) curve[$2, $3, i] = $i }

function load_add(value) {
    if (!loads || value < least)
        least = value
    if (!loads++ || value > most)
        most = value
}

# Prints a row of a table, with a line below the first row.
function row(line,    i, n, cells) {
    print "| " line " |"
    if (rows++)
        return
    n = split(line, cells, " \\| ")
    printf "|"
    for (i = 1; i <= n; i++)
        printf "---|"
    print ""
}

# 1234567 as 1 234 567
function thousands(n,    digits, out) {
    digits = sprintf("%d", n)
    while (length(digits) > 3) {
        out = " " substr(digits, length(digits) - 2) out
        digits = substr(digits, 1, length(digits) - 3)
    }
    return digits out
}

function measured_print(    commits) {
    commits = values["commit"]
    gsub(/;/, ",", commits)
    row("results of | date | aprof, commit | machine | load")
    row("`make evaluate-" part "` | " values["date"] " | " commits " | " values["machine"] \
        (values["server"] ? ", server " values["server"] : "") " | " least " to " most)
}

# Prints the values of the routine `about` by the two metrics, for each cell.
function facts_print(    i, f) {
    row("run | metric | calls | distinct sizes | largest | most expensive call | growth of a call | from threads, % | from outside, %")
    for (i = 1; i <= facts; i++) {
        split(fact[i], f, FS)
        sub(/few points/, "too few sizes", f[9]) # words of earlier reports
        sub(/no fit/, "no simple curve", f[9])
        sub(/cloud/, "scattered", f[9])
        if (f[3] == about)
            row(f[1] " | " f[4] " | " thousands(f[5]) " | " thousands(f[6]) " | " thousands(f[7]) " | " \
                thousands(f[8]) " | " f[9] " | " sprintf("%.1f | %.1f", f[11], f[12]))
    }
}

function crowd_print(    i, f) {
    row("metric | most calls of one size | that size | cheapest of them | most expensive of them")
    for (i = 1; i <= crowds; i++) {
        split(crowd[i], f, FS)
        if (f[2] == about)
            row(f[3] " | " f[4] " | " thousands(f[5]) " | " thousands(f[6]) " | " thousands(f[7]))
    }
}

# Sorts by the part that threads induced, the largest first, as in figure 17.
function totals_print(    i, j, f, share, swap) {
    row("run | routines | activations | first reads | induced, % | by threads, % of these | from outside, % of these")
    for (i = 1; i <= totals; i++) {
        split(total[i], f, FS)
        share[i] = f[6] + f[7] > 0 ? f[6] / (f[6] + f[7]) : 0
        for (j = i; j > 1 && share[j] > share[j - 1]; j--) {
            swap = share[j]; share[j] = share[j - 1]; share[j - 1] = swap
            swap = total[j]; total[j] = total[j - 1]; total[j - 1] = swap
        }
    }
    for (i = 1; i <= totals; i++) {
        split(total[i], f, FS)
        row(f[2] " | " thousands(f[3]) " | " thousands(f[4]) " | " thousands(f[5]) " | " \
            percent(f[6] + f[7], f[5]) " | " percent(f[6], f[6] + f[7]) " | " percent(f[7], f[6] + f[7]))
    }
}

function percent(a, b) {
    return b > 0 ? sprintf("%.1f", 100 * a / b) : "-"
}

function origins_print(    i, f) {
    row("run | routines with induced input | mostly from threads, % of these | mostly from outside, % of these")
    for (i = 1; i <= origins; i++) {
        split(origin[i], f, FS)
        row(f[2] " | " f[3] + f[4] " | " percent(f[3], f[3] + f[4]) " | " percent(f[4], f[3] + f[4]))
    }
}

# The value of a curve at a share of the routines: one field, or two fields for figure 9.
function cell(field, run, share) {
    if (field == "bars")
        return sprintf("%.0f + %.0f", curve[run, share, 8], curve[run, share, 9])
    return curve[run, share, field] + 0
}

function curves_print(field, shares,    i, k, share, line) {
    list_of(share, shares)
    line = "run"
    for (k = 1; k <= share["n"]; k++)
        line = line " | " share[k] " %"
    row(line)
    for (i = 1; i <= names["n"]; i++) {
        line = names[i]
        for (k = 1; k <= share["n"]; k++)
            line = line " | " cell(field, names[i], share[k])
        row(line)
    }
}

BEGIN {
    shares = "0.5 1 2 4 8 15 30 50"
    field["richness"] = 4
    field["volume"] = 5
    field["thread-induced"] = 6
    field["external"] = 7
}

END {
    if (kind == "measured")
        measured_print()
    else if (kind == "facts")
        facts_print()
    else if (kind == "crowd")
        crowd_print()
    else if (kind == "totals")
        totals_print()
    else if (kind == "origins")
        origins_print()
    else if (kind == "bars")
        curves_print("bars", shares)
    else if (kind in field)
        curves_print(field[kind], "0 " shares)
    else {
        print "tables: no table " table >"/dev/stderr"
        exit 1
    }
}
