# Tables from the results of paths.sh: per program and on average, with the paper's figures beside.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In: lines `program policy copies probes hits executed user_us differences`, separated by TABs.
# Out: for each number of copies the hits as % of sbl's, the same with commits, static probes, and
# user time of the slowest copy over that of the program itself. With -v figure=COPIES instead what
# the picture of the hits at so many copies is drawn from: a line per program, a column per policy.
BEGIN { FS = "\t" }

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
    if (!($1 in known)) {
        known[$1] = 1
        program[++programs] = $1
    }
    if ($2 != "plain" && !(($2, $3) in column)) {
        column[$2, $3] = 1
        policy[++columns] = $2
        copies[columns] = $3
    }
    if ($8)
        different[$1 " " $2 " " $3] = 1
}

function ratio(part, whole) { return whole > 0 ? part / whole : -1 }

function value(what, p, c,    key, base) {
    key = p SUBSEP policy[c] SUBSEP copies[c]
    base = p SUBSEP "sbl" SUBSEP 1
    if (!(key in hits))
        return -1
    if (what == "hits")
        return 100 * ratio(hits[key], hits[base])
    if (what == "executed")
        return 100 * ratio(executed[key], executed[base])
    if (what == "probes")
        return probes[key]
    return ratio(user[key], user[p, "plain", 1])
}

function table(title, what, format, average,    i, c, v, sum, count) {
    printf "\n%s\n\n%-16s", title, "program"
    for (c = 1; c <= columns; c++)
        printf "%9s", policy[c] (copies[c] > 1 ? "/" copies[c] : "")
    print ""
    for (i = 1; i <= programs; i++) {
        printf "%-16s", program[i]
        for (c = 1; c <= columns; c++) {
            v = value(what, program[i], c)
            if (v < 0) {
                printf "%9s", "-"
                continue
            }
            printf format, v
            sum[c] += v
            count[c]++
        }
        print ""
    }
    if (!average)
        return
    printf "%-16s", "average"
    for (c = 1; c <= columns; c++)
        printf format, sum[c] / (count[c] ? count[c] : 1)
    print ""
}

function profitable_table(    i, k, n, count) {
    n = split("2 4 8", count, " ")
    printf "\nProfitable procedures: those that p3 divides over so many copies\n\n%-16s%12s", "program", "procedures"
    for (k = 1; k <= n; k++)
        printf "%9s", count[k]
    printf "%9s\n", "% at 8"
    for (i = 1; i <= programs; i++) {
        if (!(program[i] in procedures))
            continue
        printf "%-16s%12d", program[i], procedures[program[i]]
        for (k = 1; k <= n; k++)
            printf (program[i], count[k]) in partitioned ? "%9d" : "%9s", \
                (program[i], count[k]) in partitioned ? partitioned[program[i], count[k]] : "-"
        printf "%9.0f\n", 100 * ratio(partitioned[program[i], 8], procedures[program[i]])
    }
}

# The mean over the programs of the hits of a policy at so many copies; -1: nothing.
function mean_hits(name, count,    i, c, v, sum, n) {
    for (c = 1; c <= columns; c++)
        if (policy[c] == name && copies[c] == count)
            for (i = 1; i <= programs; i++)
                if ((v = value("hits", program[i], c)) >= 0) {
                    sum += v
                    n++
                }
    return n ? sum / n : -1
}

function paper_table(    k, n, count, p3, less, ours, pbl) {
    n = split("2 4 8", count, " ")
    split("77 57 44", p3, " ")
    split("5 18 25", less, " ")
    printf "\nThe paper beside this: means of the hits, %% of sbl\n\n%-8s%10s%10s%10s%10s%22s%10s\n", "copies", \
        "p3, paper", "p3, here", "ratio", "pbl, here", "p3 below pbl, % paper", "here"
    for (k = 1; k <= n; k++) {
        ours = mean_hits("p3", count[k])
        pbl = mean_hits("pbl", count[k])
        if (ours >= 0 && pbl >= 0)
            printf "%-8d%10d%10.1f%10.2f%10.1f%22d%10.1f\n", count[k], p3[k], ours, ours / p3[k], pbl, less[k], \
                100 * (1 - ours / pbl)
    }
    print "The paper has 13 programs of SPEC CPU2006, not these."
}

function figure_row(name, p,    i, c, v, sum, count) {
    printf "\"%s\"", name
    for (c = 1; c <= columns; c++) {
        if (copies[c] != figure)
            continue
        if (p) {
            v = value("hits", p, c)
        } else {
            sum = count = 0
            for (i = 1; i <= programs; i++)
                if ((v = value("hits", program[i], c)) >= 0) {
                    sum += v
                    count++
                }
            v = count ? sum / count : -1
        }
        printf v < 0 ? " ?" : " %.2f", v
    }
    print ""
}

function write_figure(    i, c) {
    printf "program"
    for (c = 1; c <= columns; c++)
        if (copies[c] == figure)
            printf " %s", policy[c]
    print ""
    for (i = 1; i <= programs; i++)
        figure_row(program[i], program[i])
    figure_row("average", "")
}

END {
    if (figure) {
        write_figure()
        exit
    }
    table("Maximum hits over the copies, % of sbl", "hits", "%9.1f", 1)
    table("The same with commits: increments and commits executed, % of sbl", "executed", "%9.1f", 1)
    table("User time of the slowest copy, ratio to the program itself", "time", "%9.2f", 1)
    print "Ball and Larus report 1.31 for sbl"
    table("Static probes of the copy that has most", "probes", "%9d", 0)
    profitable_table()
    paper_table()
    for (d in different)
        print "copies did not run alike: " d
}
