# Turns the lines that `measure` wrote into the tables of `make bench-compiled`.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk -f ../tables_library.awk -f tables.awk compiled-results.tsv
#
# In:   PROGRAM TOOL THREADS WALL CPU PEAK STATUS     (TABs; one line per run, in any order)
# Out:  for each number of threads, ratios of CPU time, wall time and peak memory to the native run
#       with the same number of threads; the speed-up of two threads; goals and results. Medians.
#       Programs compiled with clang (clang-trms: hooks; inline: inline checks; sample: inline checks with
#       sample=8) are compared with clang's native run, which has a column, too. `none' and
#       ThreadSanitizer are compared with gcc's native run.
BEGIN {
    FS = "\t"
    list_add(columns, "")
    list_of(columns, "trms tsan none sequential concurrent clang clang-trms inline sample")
    base_of["clang-trms"] = base_of["inline"] = base_of["sample"] = "clang"
    style("", "%-20s", 10, 2, 1, 1)
    style_goal = 62
}

{
    run_take()
}

END {
    if (failed)
        exit 1
    for (t = 1; t <= threads["n"]; t++) {
        on_threads("cpu", threads[t])
        on_threads("wall", threads[t])
        on_threads("peak", threads[t])
    }
    goals_print()
}

# The native run of the program that the same compiler built.
function base_of_tool(tool) {
    return tool in base_of ? base_of[tool] : "native"
}

# Prints the table for a number of threads: ratios to a base, or to the native run of the same compiler.
function table_of(quantity, n_threads, base) {
    return quantity SUBSEP n_threads SUBSEP base
}

function cell(what, row, column,    w) {
    split(what, w, SUBSEP)
    if (column == "")
        return median(run_key(w[1], row, "native", w[2]))
    return ratio(run_key(w[1], row, column, w[2]), \
                 run_key(w[1], row, w[3] == "" ? base_of_tool(column) : w[3], w[2]))
}

function on_threads(quantity, n,    i, rows) {
    for (i = 1; i <= programs["n"]; i++)
        if (runs[run_key(quantity, programs[i], "native", n)])
            list_add(rows, programs[i])
    table_print(table_of(quantity, n), quantity_name(quantity) " as a ratio to native, " n " thread" (n == 1 ? "" : "s") \
                " (first column: native, " quantity_unit(quantity) ")", rows, columns, "geometric mean")
}

function run_median(quantity, program, tool, n) {
    return median(run_key(quantity, program, tool, n))
}

# The speed-up by a second thread, as a share of the native speed-up; geometric mean.
function kept_speed_up(tool,    i, p, native, ours, sum, count) {
    for (i = 1; i <= programs["n"]; i++) {
        p = programs[i]
        if (!runs[run_key("wall", p, tool, 2)] || !runs[run_key("wall", p, tool, 1)])
            continue
        native = run_median("wall", p, base_of_tool(tool), 1) / run_median("wall", p, base_of_tool(tool), 2)
        ours = run_median("wall", p, tool, 1) / run_median("wall", p, tool, 2)
        sum += log(ours / native)
        count++
    }
    return count ? exp(sum / count) : 0
}

# The largest excess in MiB over six times the native program's memory; "" if there is none.
function memory_excess(tool,    i, t, p, excess, worst) {
    for (i = 1; i <= programs["n"]; i++)
        for (t = 1; t <= threads["n"]; t++) {
            p = programs[i]
            if (!runs[run_key("peak", p, tool, threads[t])])
                continue
            excess = run_median("peak", p, tool, threads[t]) - 6 * run_median("peak", p, base_of_tool(tool), threads[t])
            if (worst == "" || excess > worst)
                worst = excess
        }
    return worst
}

function goals_of(tool, mean_1, mean_2,    t, excess) {
    for (t = 1; t <= threads["n"] && t <= 2; t++) {
        goal_print(tool " / native, CPU time, geometric mean, " threads[t] " threads", t == 1 ? mean_1 : mean_2, \
                   mean(table_of("cpu", threads[t]), programs, tool))
        worst_print(tool " / none, CPU time, worst program, " threads[t] " threads", 1, \
                    table_of("cpu", threads[t], "none"), programs, tool, "above it")
        worst_print(tool " / tsan, CPU time, worst program, " threads[t] " threads", 1.2, \
                    table_of("cpu", threads[t], "tsan"), programs, tool, "above it")
    }
    goal_print(tool ": speed-up by a second thread, share of the native one", 0.85, kept_speed_up(tool), 1)
    excess = memory_excess(tool)
    if (excess != "")
        printf "%-62s %8.2f %8.2f  %s\n", tool ": memory above 6 x native, MiB, worst program", 30, excess, \
            excess <= 30 ? "reached" : "NOT reached"
}

function goals_print(    t) {
    printf "\n%-62s %8s %8s\n\n", "Goals", "goal", "here"
    goals_of("trms", 4.5, 4.5)
    goals_of("inline", 3, 3.5)
    for (t = 1; t <= threads["n"] && t <= 2; t++)
        goal_print("sample / native, CPU time, geometric mean, " threads[t] " threads", 1.3, \
                   mean(table_of("cpu", threads[t]), programs, "sample"))
}
