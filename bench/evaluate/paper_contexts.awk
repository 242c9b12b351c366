# Prints the figures of the paper on hot calling contexts next to the results of the benchmark of contexts.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: awk [-v large=yes] -f paper_contexts.awk LINES
#
# The lines of all programs come from contexts.sh or, with `large`, from large.sh (bench/contexts/). tables.awk in the
# same folder explains the lines. A quantity that was not measured has no row.
#
# Times are geometric means, over programs, of the medians of their runs, as ratios to gcc -O2.
BEGIN { FS = "\t" }

$1 == "time" && !($2 in seen) { seen[$2] = 1; programs[++n_programs] = $2 }
$1 == "time" { cpu[$2, $3, ++runs[$2, $3]] = $5 + 0 }
$1 == "tree" { nodes[$2, $3] = $5 }
$1 == "stats" { contexts[$2] = $9 }
$1 == "skew" { tenth[$2] = $5 }
$1 == "accuracy" {
    kept[$2, $3, $4] = $10
    share_of_false[$2, $3, $4] = $8 ? 100 * $15 / ($8 + $15) : 0
    late[$2, $3, $4] = $17
    error[$2, $3, $4] = $21
    edges[$2, $3, $4] = $22
    uncovered_most[$2, $3, $4] = $13
    uncovered[$2, $3, $4] = $14
}

function median(key,    n, i, j, a, swap)
{
    n = runs[key]
    for (i = 1; i <= n; i++)
        a[i] = cpu[key, i]
    for (i = 1; i <= n; i++)
        for (j = i + 1; j <= n; j++)
            if (a[j] < a[i]) { swap = a[i]; a[i] = a[j]; a[j] = swap }
    return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}

function over(variant, base,    i, above, below, sum, n)
{
    for (i = 1; i <= n_programs; i++) {
        above = median(programs[i] SUBSEP variant)
        below = median(programs[i] SUBSEP base)
        if (above > 0 && below > 0) { sum += log(above / below); n++ }
    }
    return n ? exp(sum / n) : 0
}

# Formats a quantity over programs: its mean (the least to the greatest value).
function spread(where, what, paper, form, values, variant, phi,    i, key, n, mean, least, most)
{
    for (i = 1; i <= n_programs; i++) {
        key = variant == "" ? programs[i] : programs[i] SUBSEP variant SUBSEP (phi + 0)
        if (!(key in values))
            continue
        if (!n || values[key] + 0 < least) least = values[key] + 0
        if (!n || values[key] + 0 > most) most = values[key] + 0
        mean += values[key]
        n++
    }
    if (n)
        row(where, what, paper, sprintf(form " (" form " to " form ")", mean / n, least, most), "")
}

function row(where, what, paper, here, ratio)
{
    printf "| %s | %s | %s | %s | %s |\n", where, what, paper, here, ratio
}

function time_row(what, paper, variant, base,    value)
{
    value = over(variant, base)
    if (value)
        row("Figure 6", what, paper, sprintf("%.2f", value), sprintf("%.2f", value / paper))
}

function times_of_hooks()
{
    time_row("empty hooks (-finstrument-functions)", 1.21, "empty", "native")
    time_row("the full tree (-finstrument-functions)", 2.45, "cct-hooks", "native")
    time_row("the full tree, patched entries", 2.45, "cct", "native")
    time_row("the full tree, inline counting code, over clang", 2.45, "inline-cct", "clang")
    time_row("the hot tree (-finstrument-functions)", 2.9, "hcct-hooks", "native")
    time_row("the hot tree, patched entries", 2.9, "hcct", "native")
    time_row("the hot tree, inline counting code, over clang", 2.9, "inline-hcct", "clang")
    time_row("the hot tree in bursts of 20ms/2ms, patched entries", 1.58, "burst", "native")
    time_row("the hot tree in bursts of 20ms/2ms, over gprof", 1.18, "burst", "gprof")
}

function times_of_large_trees()
{
    time_row("the full tree, inline counting code, over clang", 2.45, "cct", "native")
    time_row("the hot tree, inline counting code, over clang", 2.9, "hcct-1e-4", "native")
}

function hot_nodes(phi, paper)
{
    spread("Table II", "hot contexts and their ancestors, phi = " phi, paper, "%.0f",
           kept, "hcct-" phi, phi)
}

function tree_sizes(where, variant, how, paper,    i, p)
{
    for (i = 1; i <= n_programs; i++) {
        p = programs[i]
        if (nodes[p, "cct"] && nodes[p, variant])
            share_of_nodes[p, variant, 0] = 100 * nodes[p, variant] / nodes[p, "cct"]
    }
    spread(where, "contexts in the hot tree, % of the full tree, " how, paper, "%.2f",
           share_of_nodes, variant, 0)
}

END {
    print "| figure or table | quantity | paper | here | here / paper |"
    print "|---|---|---|---|---|"
    spread("Table I", "contexts, mean (minimum to maximum)", "millions", "%.0f", contexts, "")
    spread("Figure 1", "% of all calls in the hottest tenth of contexts", "more than 86 to 90", "%.1f",
           tenth, "")
    hot_nodes("1e-3", "100")
    hot_nodes("1e-5", "10 000")
    hot_nodes("1e-7", "1 000 000")
    tree_sizes("Figure 4", "hcct-1e-3", "phi = 1e-3", "below 1 on most, at most 4.1")
    tree_sizes("Figure 4", "hcct-1e-4", "phi = 1e-4", "below 1 on most, at most 4.1")
    tree_sizes("Figure 5", "burst-short", "phi = 1e-4, bursts of 2ms/200us", "less than without bursts")
    if (large)
        times_of_large_trees()
    else
        times_of_hooks()
    spread("Figure 7", "covered edges with at least 1 % of the calls of the hottest, %, phi = 1e-4", "100", "%.1f",
           edges, "hcct-1e-4", 0.0001)
    spread("Figure 8", "calls of the hottest uncovered context, % of the hottest context", "at most 10", "%.2f",
           uncovered_most, "hcct-1e-4", 0.0001)
    spread("Figure 8", "mean calls of uncovered contexts, % of the hottest context", "0.01", "%.3f",
           uncovered, "hcct-1e-4", 0.0001)
    spread("Figure 9", "false positives, %, epsilon = phi / 5", "up to 5, on all below 10", "%.2f",
           share_of_false, "epsilon-5", 0.0001)
    spread("Figure 10", "false positives, %, epsilon = phi / 10", "near 0", "%.2f",
           share_of_false, "epsilon-10", 0.0001)
    spread("Figure 11", "average error of the counts of hot contexts, %", "below 2 on most, above 4 on one", "%.3f",
           error, "epsilon-5", 0.0001)
    spread("Figure 12", "average error of counts in bursts of 20ms/2ms, phi = 1e-3, %", "6.89 to 17.31", "%.2f",
           error, "burst", 0.001)
    spread("Figure 12", "missed contexts above 2 phi in bursts of 20ms/2ms", "0", "%.1f", late, "burst", 0.001)
}
