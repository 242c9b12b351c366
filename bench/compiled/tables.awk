# Turns the lines that `measure` wrote into the tables of `make bench-compiled`.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk -f tables.awk compiled-results.tsv
#
# In:   PROGRAM TOOL THREADS WALL CPU PEAK STATUS     (TABs; one line per run, in any order)
# Out:  for each number of threads, ratios of CPU time, wall time and peak memory to the native run
#       on as many threads; the speed-up of two threads; goals beside what was reached. Medians.
BEGIN {
    FS = "\t"
    n_tools = split("native trms tsan none sequential concurrent", tools, " ")
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
        printf "%-20s %10.2f", programs[i], median(quantity, programs[i], "native", n)
        for (j = 2; j <= n_tools; j++)
            cell_print(ratio(quantity, programs[i], tools[j], "native", n))
        printf "\n"
    }
    printf "%-20s %10s", "geometric mean", ""
    for (j = 2; j <= n_tools; j++)
        cell_print(mean(quantity, tools[j], "native", n))
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
function kept_speed_up(    i, native, ours, sum, count) {
    for (i = 1; i <= n_programs; i++) {
        if (!runs[programs[i], "trms", 2] || !runs[programs[i], "trms", 1])
            continue
        native = median("wall", programs[i], "native", 1) / median("wall", programs[i], "native", 2)
        ours = median("wall", programs[i], "trms", 1) / median("wall", programs[i], "trms", 2)
        sum += log(ours / native)
        count++
    }
    return count ? exp(sum / count) : 0
}

# MiB above six times what the program itself takes; the largest.
function memory_excess(    i, t, p, excess, worst) {
    for (i = 1; i <= n_programs; i++)
        for (t = 1; t <= n_threads; t++) {
            p = programs[i]
            excess = median("peak", p, "trms", threads[t]) - 6 * median("peak", p, "native", threads[t])
            if (excess > worst || (i == 1 && t == 1))
                worst = excess
        }
    return worst
}

function goals_print(    t) {
    printf "\n%-62s %8s %8s\n\n", "Goals", "goal", "here"
    for (t = 1; t <= n_threads && t <= 2; t++) {
        goal_print("trms / native, CPU time, geometric mean, " threads[t] " threads", 4.5,
                   mean("cpu", "trms", "native", threads[t]))
        worst_print("trms / none, CPU time, worst program, " threads[t] " threads", 1, "trms", "none",
                    threads[t])
        worst_print("trms / tsan, CPU time, worst program, " threads[t] " threads", 1.2, "trms", "tsan",
                    threads[t])
    }
    goal_print("speed-up by a second thread, share of the native one", 0.85, kept_speed_up(), 1)
    printf "%-62s %8.2f %8.2f  %s\n", "memory above 6 x native, MiB, worst program", 30, memory_excess(),
        memory_excess() <= 30 ? "reached" : "NOT reached"
}
