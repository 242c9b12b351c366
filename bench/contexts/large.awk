# Tables of hot calling contexts in large trees, from the lines that large.sh wrote.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     time      PROGRAM VARIANT WALL CPU PEAK-KIB STATUS
#     tree      PROGRAM VARIANT CALLS NODES
#     accuracy  PROGRAM PHI and the columns of `aprof contexts compare --format=csv`
BEGIN {
    FS = "\t"
    n_phis = split("1e-3 1e-4 1e-5", phi, " ")
}
$1 == "time" { list_add(programs, $2); sample_add($2 SUBSEP $3, $5); if ($6 > peak[$2, $3]) peak[$2, $3] = $6 }
$1 == "tree" { calls[$2, $3] = $4; nodes[$2, $3] = $5 }
$1 == "accuracy" {
    hot[$2, $3] = $8; reported[$2, $3] = $9; missed[$2, $3] = $16; error[$2, $3] = $21
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
        printf "\nHot contexts, phi %s\n%-10s %8s %8s %8s %6s %6s %9s %10s\n", phi[k], "program", "kept %", "memory %",
            "time", "hot", "found", "missed", "error %"
        for (i = 1; i <= programs["n"]; i++) {
            p = programs[i]
            printf "%-10s %8.2f %8.2f %8.2f %6d %6d %9d %10.3f\n", p, part(nodes[p, v], nodes[p, "cct"]),
                part(memory(p, v), memory(p, "cct")), cell("cct", p, v), hot[p, phi[k]],
                reported[p, phi[k]], missed[p, phi[k]], error[p, phi[k]]
        }
    }
    print "\nkept: nodes of the hot tree; memory: besides the program's own; both as parts of the full tree's."
    print "time: processor time divided by the full tree's. hot: contexts with at least phi of all calls."
}
