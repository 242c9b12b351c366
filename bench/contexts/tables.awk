# Tables of the benchmark of the calling-context profiler, from the lines that contexts.sh wrote.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     time      PROGRAM VARIANT WALL CPU PEAK-KIB STATUS
#     tree      PROGRAM VARIANT CALLS NODES MONITORED
#     stats     PROGRAM and the columns of `aprof contexts stats --format=tsv` for the full tree
#     skew      PROGRAM and the percent of all calls that the hottest 1, 5, 10 and 20 % of the contexts have
#     accuracy  PROGRAM VARIANT and the columns of `aprof contexts compare --format=csv`
#
# Times are medians of processor time, as ratios to native; the last line has geometric means.
BEGIN {
    FS = "\t"
    list_of(times, "idle gprof empty empty-patched cct hcct burst burst-short burst-adaptive " \
                   "cct-hooks hcct-hooks burst-hooks")
    list_of(clang, "inline-off inline-cct inline-hcct clang-cct clang-hcct clang-burst")
    style("program", "%-14s", 14, 2, 1, 0)
}
$1 == "time" { list_add(programs, $2); sample_add(time_key($2, $3), $5); if ($6 > peak[$2, $3]) peak[$2, $3] = $6 }
$1 == "tree" { calls[$2, $3] = $4; nodes[$2, $3] = $5; monitored[$2, $3] = $6 }
$1 == "stats" { stats[$2] = $0 }
$1 == "skew" { skew[$2] = $0 }
$1 == "accuracy" { accuracy[++n_accuracy] = $0 }

function time_key(program, variant)
{
    return program SUBSEP variant
}

function time(program, variant)
{
    return median(time_key(program, variant))
}

# Prints ratios to the unchanged program, built by the compiler `native` or `clang`.
function cell(native, program, variant)
{
    return ratio(time_key(program, variant), time_key(program, native))
}

function tree_table(    i, p, base)
{
    printf "\nTrees, and peak memory in MiB\n%-14s %12s %8s %9s %9s %9s %9s %9s %9s %9s %9s\n", "program",
        "call tree", "native s", "cct", "hcct", "monitored", "hcct 1e-3", "ns cct", "ns hcct", "MiB cct",
        "MiB hcct"
    for (i = 1; i <= programs["n"]; i++) {
        p = programs[i]
        base = time(p, "native")
        printf "%-14s %12d %8.2f %9d %9d %9d %9d %9.1f %9.1f %9.1f %9.1f\n", p, calls[p, "cct"], base,
            nodes[p, "cct"], nodes[p, "hcct"], monitored[p, "hcct"], nodes[p, "hcct-1e-3"],
            (time(p, "cct") - base) * 1e9 / calls[p, "cct"],
            (time(p, "hcct") - base) * 1e9 / calls[p, "cct"], peak[p, "cct"] / 1024,
            peak[p, "hcct"] / 1024
    }
    print "ns: of an entry and its exit, over native. 'call tree' is the number of calls."
}

# Prints whether trees of inline counting code equal the trees of hooks, and the memory of the whole program.
function inline_table(    i, j, p, phi, n_phis)
{
    n_phis = split("1e-3 1e-4 1e-5", phi, " ")
    printf "\nInline counting code: contexts, and peak memory in MiB\n%-14s %12s %9s %12s %9s", "program", "calls",
        "contexts", "by hooks", "contexts"
    for (j = 1; j <= n_phis; j++)
        printf " %10s", "hcct " phi[j]
    printf " %9s %9s", "MiB clang", "cct"
    for (j = 1; j <= n_phis; j++)
        printf " %10s", "hcct " phi[j]
    printf "\n"
    for (i = 1; i <= programs["n"]; i++) {
        p = programs[i]
        if (!((p, "inline-cct") in calls))
            continue
        printf "%-14s %12d %9d %12d %9d", p, calls[p, "inline-cct"], nodes[p, "inline-cct"],
            calls[p, "clang-cct"], nodes[p, "clang-cct"]
        unlike += calls[p, "inline-cct"] != calls[p, "clang-cct"] ||
            nodes[p, "inline-cct"] != nodes[p, "clang-cct"]
        for (j = 1; j <= n_phis; j++)
            printf " %10d", nodes[p, "inline-hcct-" phi[j]]
        printf " %9.1f %9.1f", peak[p, "clang"] / 1024, peak[p, "inline-cct"] / 1024
        for (j = 1; j <= n_phis; j++)
            printf " %10.1f", peak[p, "inline-hcct-" phi[j]] / 1024
        printf "\n"
    }
}

function graph_table(    i, f, g)
{
    printf "\nSizes, and the percent of all calls in the hottest contexts\n%-14s %10s %10s %10s %12s %8s %8s %8s %8s\n",
        "program", "routines", "edges", "contexts", "calls", "1 %", "5 %", "10 %", "20 %"
    for (i = 1; i <= programs["n"]; i++) {
        if (!(programs[i] in stats))
            continue
        split(stats[programs[i]], f, "\t")
        split(skew[programs[i]], g, "\t")
        printf "%-14s %10d %10d %10d %12d %8.2f %8.2f %8.2f %8.2f\n", programs[i], f[6], f[7], f[9], f[10], g[3],
            g[4], g[5], g[6]
    }
}

function accuracy_table(    i, f)
{
    printf "\nAccuracy against the full tree, in percent\n"
    printf "%-14s %-15s %8s %8s %8s %8s %7s %9s %9s %9s %9s %9s %9s\n", "program", "variant", "phi",
        "hot", "missed", "at 2phi", "false", "error", "largest", "overlap", "edges.01", "unc.max",
        "unc.avg"
    for (i = 1; i <= n_accuracy; i++) {
        split(accuracy[i], f, "\t")
        printf "%-14s %-15s %8s %8d %8d %8d %7d %9.3f %9.3f %9.3f %9.3f %9.4f %9.4f\n", f[2], f[3],
            f[4], f[8], f[16], f[17], f[15], f[21], f[20], f[12], f[22], f[13], f[14]
        if (!(f[3] in n_errors))
            variants[++n_variants] = f[3]
        errors[f[3]] += f[21]; n_errors[f[3]]++
        missed[f[3]] += f[17]
        if (f[3] ~ /^hcct/) { plain_missed += f[16]; plain_error += f[21]; n_plain++ }
    }
}

function goal(text, value, limit)
{
    printf "%-58s %8.3f   goal %6s   %s\n", text, value, limit,
        value <= limit ? "reached" : "NOT REACHED"
}

function has(variant,    i)
{
    for (i = 1; i <= programs["n"]; i++)
        if (time_key(programs[i], variant) in runs)
            return 1
    return 0
}

END {
    if (has("native")) {
        table_print("native", "Processor time over native (columns -hooks: -finstrument-functions)", programs, times,
                    "geometric mean")
        tree_table()
        graph_table()
        accuracy_table()
    }
    if (has("clang"))
        table_print("clang", "Processor time over clang -O2 (inline-: inline counting code; clang-: patched entries)",
                    programs, clang, "geometric mean")
    if (has("inline-cct"))
        inline_table()
    printf "\nGoals\n"
    if (has("clang")) {
        goal("inline counting code: cct over clang", mean("clang", programs, "inline-cct"), 1.5)
        goal("inline counting code: hcct over clang", mean("clang", programs, "inline-hcct"), 1.7)
        goal("inline counting code: trees not equal to those of hooks", unlike, 0)
    }
    if (!has("native"))
        exit
    goal("cct over native", mean("native", programs, "cct"), 2.6)
    goal("hcct over native", mean("native", programs, "hcct"), 2.8)
    burst = mean("native", programs, "burst")
    gprof = mean("native", programs, "gprof")
    goal("hcct with bursts (20ms/2ms) over native", burst, 1.3)
    goal("hcct with bursts over gprof", gprof ? burst / gprof : 0, 1)
    if (n_plain) {
        goal("without bursts: contexts missed", plain_missed, 0)
        goal("without bursts: average error of hot counts, %", plain_error / n_plain, 0.2)
    }
    for (i = 1; i <= n_variants; i++) {
        variant = variants[i]
        if (variant ~ /^burst/) {
            goal(variant ": average error of hot counts, %", errors[variant] / n_errors[variant], 10)
            goal(variant ": contexts missed above 2 phi", missed[variant], 0)
        }
    }
}
