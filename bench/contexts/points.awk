# Tables of input sizes per hot calling context, from the lines that points.sh wrote.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     time    WORK ENGINE VARIANT WALL CPU PEAK-KIB STATUS
#     points  see points_compare.awk
#     growth  see points_growths.awk
BEGIN {
    FS = "\t"
    n_engines = split("compiled valgrind", engine, " ")
    n_phis = split("1e-3 1e-4", phi, " ")
}
$1 == "time" { list_add(works, $2); sample_add($2 SUBSEP $3 SUBSEP $4, $6); if ($7 > peak[$2, $3, $4]) peak[$2, $3, $4] = $7 }
$1 == "points" {
    key = $2 SUBSEP $3 SUBSEP $4
    calls[$2, $3] = $5; contexts[$2, $3] = $6
    kept[key] = $7; hot[key] = $8; missed[key] = $9; wrong[key] = $10; whole[key] = $11
    sizes[key] = $12 ? 100 * $13 / $12 : 100
    covered[key] = $14; self_covered[key] = $15; error[key] = $16; several[key] = $17
}
$1 == "growth" {
    key = $2 SUBSEP $3 SUBSEP $4
    class[key] = $5; trend[key] = $6; hot_class[key] = $7; hot_trend[key] = $8
    same[key] = $9; other[key] = $10; difference[key] = $11
}

# Memory in addition to a run without contexts, in MiB.
function memory(work, engine, variant)
{
    return (peak[work, engine, variant] - peak[work, engine, "off"]) / 1024
}

function cell(work, engine, variant)
{
    return ratio(work SUBSEP engine SUBSEP variant, work SUBSEP engine SUBSEP "off")
}

END {
    for (e = 1; e <= n_engines; e++) {
        v = engine[e]
        printf "\nMemory in addition to a run without contexts, MiB, and processor time divided by that run's: %s\n", v
        printf "%-12s %11s %10s %9s %6s", "work", "calls", "contexts", "all", "time"
        for (k = 1; k <= n_phis; k++)
            printf " %9s %6s %7s", "hot " phi[k], "time", "kept"
        printf "\n"
        for (i = 1; i <= works["n"]; i++) {
            w = works[i]
            printf "%-12s %11d %10d %9.1f %6.2f", w, calls[w, v], contexts[w, v], memory(w, v, "full"), cell(w, v, "full")
            for (k = 1; k <= n_phis; k++)
                printf " %9.1f %6.2f %7d", memory(w, v, "hot-" phi[k]), cell(w, v, "hot-" phi[k]), kept[w, v, phi[k]]
            printf "\n"
        }
    }
    for (k = 1; k <= n_phis; k++) {
        printf "\nHot contexts, phi %s\n", phi[k]
        printf "%-12s %-9s %6s %6s %6s %6s %7s %8s %8s %8s %7s %7s %7s %7s %7s %6s %6s\n", "work", "engine", "hot", "missed",
            "wrong", "whole", "sizes %", "calls %", "self %", "error %", "several", "class", "trend", "class*", "trend*", "same", "other"
        for (i = 1; i <= works["n"]; i++)
            for (e = 1; e <= n_engines; e++) {
                key = works[i] SUBSEP engine[e] SUBSEP phi[k]
                printf "%-12s %-9s %6d %6d %6d %6d %7.1f %8.2f %8.2f %8.4f %7d %7d %7d %7d %7d %6d %6d\n", works[i], engine[e],
                    hot[key], missed[key], wrong[key], whole[key], sizes[key], covered[key], self_covered[key], error[key],
                    several[key], hot_class[key], hot_trend[key], class[key], trend[key], same[key], other[key]
            }
    }
    print "\nwrong: violations of the guarantees. whole: contexts with all their points. sizes, calls, self: parts of the input"
    print "sizes, calls and self costs of hot contexts that their points cover. error: mean excess of counts. several: contexts with"
    print "several input sizes. class: contexts with"
    print "a growth class; trend: further contexts with a trend; *: in the run with all contexts. same, other: equal and"
    print "different classes."
}
