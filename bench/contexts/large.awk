# Tables of hot calling contexts in large trees, from the lines that large.sh wrote.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     time      PROGRAM VARIANT WALL CPU PEAK-KIB STATUS
#     tree      PROGRAM VARIANT CALLS NODES
#     accuracy  PROGRAM VARIANT and the columns of `aprof contexts compare --format=csv`
BEGIN {
    FS = "\t"
    n_limits = split("1 2 4", limit, " ")
}
$1 == "time" { list_add(programs, $2); sample_add($2 SUBSEP $3, $5); if ($6 > peak[$2, $3]) peak[$2, $3] = $6 }
$1 == "tree" { calls[$2, $3] = $4; nodes[$2, $3] = $5 }
$1 == "accuracy" && $3 ~ /^hcct-/ && !($3 in seen) { seen[$3] = 1; phi[++n_phis] = substr($3, 6) }
$1 == "accuracy" {
    hot[$2, $3] = $8; false_hot[$2, $3] = $15; missed[$2, $3] = $16; largest[$2, $3] = $20; error[$2, $3] = $21
}

# The memory that the profiler needs besides the program's own.
function memory(program, variant)
{
    return peak[program, variant] - peak[program, "native"]
}

# The ratio of the processor times of two variants.
function cell(base, program, variant)
{
    return ratio(program SUBSEP variant, program SUBSEP base)
}

function part(a, b)
{
    return b > 0 ? 100 * a / b : 0
}

END {
    printf "Full trees (mode=cct)\n%-10s %12s %10s %9s %9s %11s\n", "program", "calls", "contexts", "native s", "cct s",
        "cct MiB"
    for (i = 1; i <= programs["n"]; i++) {
        p = programs[i]
        printf "%-10s %12d %10d %9.2f %9.2f %11.1f\n", p, calls[p, "cct"], nodes[p, "cct"], median(p SUBSEP "native"),
            median(p SUBSEP "cct"), memory(p, "cct") / 1024
    }
    for (k = 1; k <= n_phis; k++) {
        v = "hcct-" phi[k]
        printf "\nHot contexts, phi %s\n%-10s %8s %8s %8s %6s %6s %6s %9s %10s\n", phi[k], "program", "kept %", "memory %",
            "time", "hot", "missed", "false", "error %", "largest %"
        for (i = 1; i <= programs["n"]; i++) {
            p = programs[i]
            printf "%-10s %8.2f %8.2f %8.2f %6d %6d %6d %9.3f %10.2f\n", p, part(nodes[p, v], nodes[p, "cct"]),
                part(memory(p, v), memory(p, "cct")), cell("cct", p, v), hot[p, v], missed[p, v],
                false_hot[p, v], error[p, v], largest[p, v]
        }
    }
    printf "\nFull trees with limits of recursion: contexts, and memory and time as parts of the full tree without limit\n%-10s",
        "program"
    for (k = 1; k <= n_limits; k++)
        printf " %10s %8s %6s", "N = " limit[k], "memory %", "time"
    printf "\n"
    for (i = 1; i <= programs["n"]; i++) {
        p = programs[i]
        printf "%-10s", p
        for (k = 1; k <= n_limits; k++) {
            v = "recursion-" limit[k]
            printf " %10d %8.2f %6.2f", nodes[p, v], part(memory(p, v), memory(p, "cct")), cell("cct", p, v)
        }
        printf "\n"
    }
    print "\nkept: nodes of the hot tree; memory: besides the program's own; both as parts of the full tree's."
    print "time: processor time divided by the full tree's. hot: contexts with at least phi of all calls."
    print "missed, false: hot contexts that the hot tree lacks, and contexts below phi that it reports as hot. error, largest:"
    print "mean and largest error of their counts. The paper proves: none is missed, and no error is above 25 % (epsilon = phi/5)."
}
