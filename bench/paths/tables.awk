# Prints tables from the results of paths.sh, per program and on average, next to the paper's figures.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In: lines `program policy copies probes hits executed user_us differences`, separated by TABs.
# Out: for each number of copies the hits in percent of sbl, the hits with commits, the static probes, and the
# user time of the slowest copy as a ratio to the program itself. With -v figure=COPIES, the output is the
# data for the picture of hits at COPIES copies: a line per program, a column per policy.
BEGIN {
    FS = "\t"
    list_of(several, "2 4 8")
}

$2 == "profitable" {
    procedures[$1] = $4
    partitioned[$1, $3] = $5
    next
}

{
    key = $1 SUBSEP $2 SUBSEP $3
    probes[key] = $4
    hits[key] = $5
    executed[key] = $6
    user[key] = $7
    list_add(programs, $1)
    if ($2 != "plain") {
        list_add(columns, label($2, $3))
        policy[label($2, $3)] = $2
        copies[label($2, $3)] = $3
    }
    if ($8)
        different[$1 " " $2 " " $3] = 1
}

function label(policy, copies) {
    return policy (copies > 1 ? "/" copies : "")
}

function part_of(part, whole, scale) {
    return whole > 0 ? scale * part / whole : ""
}

function cell(what, program, column,    key, base) {
    key = program SUBSEP policy[column] SUBSEP copies[column]
    base = program SUBSEP "sbl" SUBSEP 1
    if (!(key in hits))
        return ""
    if (what == "hits")
        return part_of(hits[key], hits[base], 100)
    if (what == "executed")
        return part_of(executed[key], executed[base], 100)
    if (what == "probes")
        return probes[key]
    return part_of(user[key], user[program, "plain", 1], 1)
}

function table(title, what, digits, mean_name) {
    style("program", "%-16s", 8, digits, 0, 1)
    table_print(what, title, programs, columns, mean_name)
}

function profitable_table(    i, k, p) {
    printf "\nProfitable procedures: procedures that p3 divides over this number of copies\n\n%-16s%12s", "program", "procedures"
    for (k = 1; k <= several["n"]; k++)
        printf "%9s", several[k]
    printf "%9s\n", "% at 8"
    for (i = 1; i <= programs["n"]; i++) {
        p = programs[i]
        if (!(p in procedures))
            continue
        printf "%-16s%12d", p, procedures[p]
        for (k = 1; k <= several["n"]; k++)
            printf "%9s", (p, several[k]) in partitioned ? partitioned[p, several[k]] : "-"
        printf "%9.0f\n", part_of(partitioned[p, 8], procedures[p], 100)
    }
}

function paper_table(    k, n, p3, less, ours, pbl) {
    split("77 57 44", p3, " ")
    split("5 18 25", less, " ")
    printf "\nComparison with the paper: means of the hits, %% of sbl\n\n%-8s%10s%10s%10s%10s%22s%10s\n", "copies", \
        "p3, paper", "p3, here", "ratio", "pbl, here", "p3 below pbl, % paper", "here"
    for (k = 1; k <= several["n"]; k++) {
        n = several[k]
        ours = mean("hits", programs, label("p3", n))
        pbl = mean("hits", programs, label("pbl", n))
        if (ours != "" && pbl != "")
            printf "%-8d%10d%10.1f%10.2f%10.1f%22d%10.1f\n", n, p3[k], ours, ours / p3[k], pbl, less[k], \
                100 * (1 - ours / pbl)
    }
    print "The paper has 13 programs of SPEC CPU2006 instead of these programs."
}

function figure_cell(value) {
    printf value == "" ? " ?" : " %.2f", value
}

function figure_print(    i, c, shown) {
    printf "program"
    for (c = 1; c <= columns["n"]; c++)
        if (copies[columns[c]] == figure) {
            list_add(shown, columns[c])
            printf " %s", policy[columns[c]]
        }
    for (i = 1; i <= programs["n"]; i++) {
        printf "\n\"%s\"", programs[i]
        for (c = 1; c <= shown["n"]; c++)
            figure_cell(cell("hits", programs[i], shown[c]))
    }
    printf "\n\"average\""
    for (c = 1; c <= shown["n"]; c++)
        figure_cell(mean("hits", programs, shown[c]))
    print ""
}

END {
    if (figure) {
        figure_print()
        exit
    }
    table("Maximum hits over the copies, % of sbl", "hits", 1, "average")
    table("The same with commits: increments and commits executed, % of sbl", "executed", 1, "average")
    table("User time of the slowest copy, ratio to the program itself", "time", 2, "average")
    print "Ball and Larus report 1.31 for sbl"
    table("Static probes of the copy that has most", "probes", 0, "")
    profitable_table()
    paper_table()
    for (d in different)
        print "the copies differed: " d
}
