# Turns the lines that `measure` wrote into the tables of `make bench-compiled`.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk -f tables.awk compiled-results.tsv
#
# In:   PROGRAM TOOL THREADS WALL CPU PEAK STATUS     (TABs; one line per run, in any order)
# Out:  for each number of threads, ratios of CPU time, wall time and peak memory to the native run
#       on as many threads; the speed-up of two threads; goals beside what was reached. Medians.
#       What clang has made (clang-trms: hooks; inline: code that looks itself; sample: that, with
#       sample=8) is compared with its own
#       native run, which has a column, too. `none' and ThreadSanitizer are of gcc's.
BEGIN {
    FS = "\t"
    n_tools = split("native trms tsan none sequential concurrent clang clang-trms inline sample", tools, " ")
    base_of["clang-trms"] = base_of["inline"] = base_of["sample"] = "clang"
    title["cpu"] = "CPU time"
    title["wall"] = "Wall time"
    title["peak"] = "Peak memory"
}

NF != 7 {
    printf "bench: line %d: expected 7 fields, found %d\n", NR, NF > "/dev/stderr"
    failed = 1
    exit 1
}

{
    if (!($1 in known_program)) {
        known_program[$1] = 1
        programs[++n_programs] = $1
    }
    if (!($3 in known_threads)) {
        known_threads[$3] = 1
        threads[++n_threads] = $3
    }
    key = $1 SUBSEP $2 SUBSEP $3
    run = ++runs[key]
    value["wall", key, run] = $4
    value["cpu", key, run] = $5
    value["peak", key, run] = $6 / 1024
}

END {
    if (failed)
        exit 1
    for (t = 1; t <= n_threads; t++) {
        table_print("cpu", threads[t])
        table_print("wall", threads[t])
        table_print("peak", threads[t])
    }
    goals_print()
}

# Median over the runs, or 0 if there was none.
function median(quantity, program, tool, n,    key, count, i, j, v, sorted) {
    key = program SUBSEP tool SUBSEP n
    count = runs[key]
    for (i = 1; i <= count; i++) {
        v = value[quantity, key, i]
        for (j = i; j > 1 && sorted[j - 1] > v; j--)
            sorted[j] = sorted[j - 1]
        sorted[j] = v
    }
    if (count == 0)
        return 0
    return count % 2 ? sorted[(count + 1) / 2] : (sorted[count / 2] + sorted[count / 2 + 1]) / 2
}

# 0 if one of them was not measured. Times below 1 ms count as 1 ms.
function ratio(quantity, program, tool, base, n,    a, b) {
    a = median(quantity, program, tool, n)
    b = median(quantity, program, base, n)
    if (!runs[program, tool, n] || !runs[program, base, n])
        return 0
    return (a < 0.001 ? 0.001 : a) / (b < 0.001 ? 0.001 : b)
}

function mean(quantity, tool, base, n,    i, r, sum, count) {
    for (i = 1; i <= n_programs; i++) {
        r = ratio(quantity, programs[i], tool, base, n)
        if (r > 0) {
            sum += log(r)
            count++
        }
    }
    return count ? exp(sum / count) : 0
}

# The native run by the same compiler.
function base_of_tool(tool) {
    return tool in base_of ? base_of[tool] : "native"
}

function cell_print(r) {
    if (r > 0)
        printf " %10.2f", r
    else
        printf " %10s", "-"
}

function table_print(quantity, n,    i, j) {
    printf "\n%s as a ratio to native, %d thread%s (first column: native, %s)\n\n%-20s %10s",
        title[quantity], n, n == 1 ? "" : "s", quantity == "peak" ? "MiB" : "s", "", ""
    for (j = 2; j <= n_tools; j++)
        printf " %10s", tools[j]
    printf "\n"
    for (i = 1; i <= n_programs; i++) {
        if (!runs[programs[i], "native", n])
            continue
        printf "%-20s %10.2f", programs[i], median(quantity, programs[i], "native", n)
        for (j = 2; j <= n_tools; j++)
            cell_print(ratio(quantity, programs[i], tools[j], base_of_tool(tools[j]), n))
        printf "\n"
    }
    printf "%-20s %10s", "geometric mean", ""
    for (j = 2; j <= n_tools; j++)
        cell_print(mean(quantity, tools[j], base_of_tool(tools[j]), n))
    printf "\n"
}

function goal_print(what, goal, reached, at_least) {
    if (reached > 0)
        printf "%-62s %8.2f %8.2f  %s\n", what, goal, reached,
            (at_least ? reached >= goal : reached <= goal) ? "reached" : "NOT reached"
    else
        printf "%-62s %8.2f %8s  not measured\n", what, goal, "-"
}

# Greatest ratio over the programs, and what it is greater than `limit` on.
function worst_print(what, limit, tool, base, n,    i, r, worst, list) {
    for (i = 1; i <= n_programs; i++) {
        r = ratio("cpu", programs[i], tool, base, n)
        if (r > worst)
            worst = r
        if (r > limit)
            list = list " " programs[i]
    }
    goal_print(what, limit, worst)
    if (list != "")
        printf "    above it:%s\n", list
}

# The speed-up by a second thread, as a share of the native one; geometric mean.
function kept_speed_up(tool,    i, p, native, ours, sum, count) {
    for (i = 1; i <= n_programs; i++) {
        p = programs[i]
        if (!runs[p, tool, 2] || !runs[p, tool, 1])
            continue
        native = median("wall", p, base_of_tool(tool), 1) / median("wall", p, base_of_tool(tool), 2)
        ours = median("wall", p, tool, 1) / median("wall", p, tool, 2)
        sum += log(ours / native)
        count++
    }
    return count ? exp(sum / count) : 0
}

# MiB above six times what the program itself takes; the largest.
function memory_excess(tool,    i, t, p, excess, worst) {
    worst = -1e9
    for (i = 1; i <= n_programs; i++)
        for (t = 1; t <= n_threads; t++) {
            p = programs[i]
            if (!runs[p, tool, threads[t]])
                continue
            excess = median("peak", p, tool, threads[t]) - 6 * median("peak", p, base_of_tool(tool), threads[t])
            if (excess > worst)
                worst = excess
        }
    return worst
}

function goals_of(tool, mean_1, mean_2,    t, excess) {
    for (t = 1; t <= n_threads && t <= 2; t++) {
        goal_print(tool " / native, CPU time, geometric mean, " threads[t] " threads", t == 1 ? mean_1 : mean_2,
                   mean("cpu", tool, base_of_tool(tool), threads[t]))
        worst_print(tool " / none, CPU time, worst program, " threads[t] " threads", 1, tool, "none",
                    threads[t])
        worst_print(tool " / tsan, CPU time, worst program, " threads[t] " threads", 1.2, tool, "tsan",
                    threads[t])
    }
    goal_print(tool ": speed-up by a second thread, share of the native one", 0.85, kept_speed_up(tool), 1)
    excess = memory_excess(tool)
    if (excess > -1e9)
        printf "%-62s %8.2f %8.2f  %s\n", tool ": memory above 6 x native, MiB, worst program", 30, excess,
            excess <= 30 ? "reached" : "NOT reached"
}

function goals_print(    t) {
    printf "\n%-62s %8s %8s\n\n", "Goals", "goal", "here"
    goals_of("trms", 4.5, 4.5)
    goals_of("inline", 3, 3.5)
    for (t = 1; t <= n_threads && t <= 2; t++)
        goal_print("sample / native, CPU time, geometric mean, " threads[t] " threads", 1.3,
                   mean("cpu", "sample", "clang", threads[t]))
}
