# Tables of bench-native: medians, as overhead over the plain program.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In: `KIND PROGRAM VARIANT ANALYSIS WHAT <TAB> WALL <TAB> CPU <TAB> PEAK <TAB> STATUS`, and
# `error ... <TAB> ALL <TAB> FREQUENT <TAB> RATE <TAB> 0`.

function wall(label)
{
    return label in runs ? median(label) : -1
}

# The overhead over the plain program, in percent.
function over(label, program)
{
    return 100 * (wall(label) / wall("cost " program " - - plain") - 1)
}

function heading(text)
{
    printf "\n%s\n", text
}

BEGIN {
    FS = "\t"
    list_of(ring_programs, "expression binary_tree")
    list_of(rings, "16K 32K 64K 128K 256K 512K 1M 2M 4M 8M auto")
    list_of(sampled_programs, "expression binary_tree hash_words")
    list_of(ways, "sequential two one")
}

{
    split($1, word, " ")
    if (word[1] == "cost")
        list_add(programs, word[2])
    sample_add($1, $2)
    if (word[1] == "error") {
        sample_add("frequent " $1, $3)
        sample_add("rate " $1, $4)
    }
}

# Overhead in percent by size of the ring; time over the plain program by the number of processors.
function cell(what, program, column)
{
    if (what == "ring")
        return over("ring " program " calls callgraph " column, program)
    return 1 + over("cost " program " paths paths " (column == "two" ? "concurrent" : column), program) / 100
}

function cost_table(variant, analysis, i, p, base, none, enqueue, communicate, concurrent, sequential,
                    reduction, why, analysis_time, sum, n)
{
    heading("Overhead over the plain program in percent: " analysis)
    printf "%-14s %8s %8s %8s %10s %10s %9s  %s\n", "program", "hooks", "+queue", "+comm",
        "concurrent", "sequential", "reduction", "bound by"
    for (i = 1; i <= programs["n"]; i++) {
        p = programs[i]
        base = "cost " p " " variant " "
        none = over(base analysis " none", p)
        enqueue = over(base analysis " enqueue", p)
        communicate = over(base analysis " communicate", p)
        concurrent = over(base analysis " concurrent", p)
        sequential = over(base analysis " sequential", p)
        reduction = sequential > 0 ? 100 * (1 - concurrent / sequential) : 0
        # max(A + A_i + A_q, P + P_c): P is the time that sequential analysis adds to hooks.
        analysis_time = sequential - none
        why = analysis_time > 100 + enqueue ? "analysis (P)" : \
            communicate > enqueue * 1.3 + 5 ? "communication (P_c)" : "hooks and queue (A_i + A_q)"
        printf "%-14s %8.0f %8.0f %8.0f %10.0f %10.0f %8.0f%%  %s\n", p, none, enqueue, communicate,
            concurrent, sequential, reduction, why
        sum += reduction
        n++
    }
    reductions[analysis] = sum / n
    printf "%-14s %57.0f%%  (goal for callgraph, calltree, paths: at least 50%% on two free cores)\n",
        "mean", sum / n
    print "  P, the time of the analysis, is sequential - hooks. If P is longer than the program with"
    print "  hooks and queue, the second core is the bottleneck, and the program waits."
}

function ring_table()
{
    style("program", "%-14s", 6, 0, 0, 0)
    table_print("ring", "Ring size: overhead in percent of concurrent callgraph", ring_programs, rings, "")
}

function sampling_row(program, variant, analysis, n, rate, i, label, exhaustive)
{
    n = split("1 2 5 10 20 50 100 auto", rate, " ")
    exhaustive = over("cost " program " " variant " " analysis " concurrent", program)
    for (i = 1; i <= n; i++) {
        label = program " " variant " " analysis " " rate[i]
        printf "%-14s %-10s %5s %9.2f%% %9.0f %11.0f %9.2f%% %9.2f%%\n", program, analysis, rate[i],
            100 * median("rate error " label), over("sampling " label, program), exhaustive,
            100 * median("error " label), 100 * median("frequent error " label)
    }
}

function sampling_table(i)
{
    heading("Sampling: overhead in percent, compared with exhaustive analysis; error of all counts, and of counts of at least 0.1 % of all events")
    printf "%-14s %-10s %5s %10s %9s %11s %10s %10s\n", "program", "analysis", "rate", "seen",
        "overhead", "exhaustive", "error", "frequent"
    for (i = 1; i <= sampled_programs["n"]; i++) {
        sampling_row(sampled_programs[i], "calls", "callgraph")
        sampling_row(sampled_programs[i], "paths", "paths")
    }
    print "  goal at 5 %: error below 3 %, overhead less than half the exhaustive one"
    print "  Errors are relative to the sampled part, and every count has the same weight, as in the paper."
    print "  Rare events (a parser that runs once) are not sampled, and dominate the mean error."
}

function cache_table(program, i, p, base)
{
    heading("Cache simulation: overhead in percent")
    printf "%-14s %8s %10s %12s %12s\n", "program", "hooks", "sequential", "1 consumer", "2 consumers"
    split("binary_tree hash_words", program, " ")
    for (i = 1; i <= 2; i++) {
        p = program[i]
        base = "cache " p " memory cache "
        printf "%-14s %8.0f %10.0f %12.0f %12.0f\n", p, over(base "none", p), over(base "sequential", p),
            over(base "concurrent-1", p), over(base "concurrent-2", p)
    }
    print "  two consumers need three cores"
}

# Figure 12: the effect of shared caches, or of a shared processor.
function processors_table(    i, rows)
{
    for (i = 1; i <= programs["n"]; i++)
        if (wall("cost " programs[i] " paths paths one") >= 0)
            list_add(rows, programs[i])
    if (!rows["n"])
        return
    style("program", "%-14s", 11, 2, 0, 0)
    table_print("processors", "Path profiling, time over the plain program: one thread, two on two processors, " \
                "two on one processor", rows, ways, "mean")
    print "  paper: about 1.5 if two cores share a cache, 3.5 if they do not"
    two_processors = mean("processors", rows, "two")
}

# For samples of 5 percent: the reduction of the overhead, and the error of the counts.
function saved(variant, analysis, i, program, exhaustive, sampled) {
    for (i = 1; i <= sampled_programs["n"]; i++) {
        program = sampled_programs[i]
        exhaustive += over("cost " program " " variant " " analysis " concurrent", program)
        sampled += over("sampling " program " " variant " " analysis " 5", program)
    }
    return exhaustive > 0 ? 100 * (1 - sampled / exhaustive) : 0
}

# `of` is empty, or "frequent ".
function error_of(of, variant, analysis, i, sum) {
    for (i = 1; i <= sampled_programs["n"]; i++)
        sum += 100 * median(of "error " sampled_programs[i] " " variant " " analysis " 5")
    return sum / sampled_programs["n"]
}

function compare(quantity, paper, here) {
    printf "%-64s %7.2f %7.2f %7.2f\n", quantity, paper, here, here / paper
}

function paper_table() {
    heading("Comparison with the paper (Core i7 or Core 2): means over the programs")
    printf "%-64s %7s %7s %7s\n", "", "paper", "here", "ratio"
    compare("Figure 8: overhead removed by a second core, call graph, %", 50, reductions["callgraph"])
    compare("Figure 8: overhead removed by a second core, call tree, %", 60, reductions["calltree"])
    compare("Figure 8: overhead removed by a second core, paths, %", 50, reductions["paths"])
    compare("Figure 11: overhead removed by sampling at 5 %, call graph, %", 55, saved("calls", "callgraph"))
    compare("Figure 11: overhead removed by sampling at 5 %, paths, %", 55, saved("paths", "paths"))
    compare("Figure 11: error at 5 %, call graph, % (paper: less than)", 3, error_of("", "calls", "callgraph"))
    compare("    counts of at least 0.1 % of the events", 3, error_of("frequent ", "calls", "callgraph"))
    compare("Figure 11: error at 5 %, paths, % (paper: less than)", 3, error_of("", "paths", "paths"))
    compare("    counts of at least 0.1 % of the events", 3, error_of("frequent ", "paths", "paths"))
    if (two_processors)
        compare("Figure 12: paths, two processors with a common cache, x plain", 1.5, two_processors)
}

END {
    cost_table("calls", "methods")
    cost_table("calls", "callgraph")
    cost_table("calls", "calltree")
    cost_table("paths", "paths")
    ring_table()
    sampling_table()
    cache_table()
    processors_table()
    paper_table()
}
