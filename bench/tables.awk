# Turns the lines that `measure` wrote into the tables of `make bench`.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk [-v loaders=N] -f tables.awk results.tsv      N: processes that kept processors busy
#
# In:   PROGRAM TOOL THREADS WALL CPU PEAK STATUS     (TABs; one line per run; runs in any order; the
#       number of threads in the first line is the one of the tables by program)
# Out:  one table per quantity and base, the geometric means, the table by number of threads, and what
#       was to be reached beside what was reached. The median of the runs counts.
BEGIN {
    FS = "\t"
    names["wall"] = "Wall time"
    names["cpu"] = "CPU time"
    names["peak"] = "Peak memory"
    units["wall"] = units["cpu"] = "s"
    units["peak"] = "MiB"
}

NF != 7 {
    printf "bench: line %d: expected 7 fields, found %d\n", NR, NF > "/dev/stderr"
    failed = 1
    exit 1
}

NR == 1 {
    main_threads = $3
}

{
    list_add(programs, $1)
    list_add(tools, $2)
    list_add(threads, $3)
    key = $1 SUBSEP $2 SUBSEP $3
    run = ++runs[key]
    value["wall", key, run] = $4
    value["cpu", key, run] = $5
    value["peak", key, run] = $6 / 1024
    by_thread[$1] += $3 != main_threads
}

END {
    if (failed)
        exit 1
    list_sort(threads)
    if (loaders > 0) {
        loaded_print()
        exit
    }
    n = split("cpu wall peak", quantities, " ")
    for (q = 1; q <= n; q++) {
        table_print(quantities[q], "none")
        table_print(quantities[q], "native")
    }
    table_print("peak", "memcheck")
    if (threads["n"] > 1) {
        threads_print("cpu")
        threads_print("wall")
        threads_print("peak")
    }
    goals_print()
}

# A list is an array of its members in order of appearance, with their number in ["n"].
function list_add(list, item) {
    if (!((item, "seen") in list)) {
        list[item, "seen"] = 1
        list[++list["n"]] = item
    }
}

function list_has(list, item) {
    return (item, "seen") in list
}

# Median over the runs, or 0 if there was none.
function median(quantity, program, tool, n_threads,    key, n, i, j, v, sorted) {
    key = program SUBSEP tool SUBSEP n_threads
    n = runs[key]
    if (n == 0)
        return 0
    for (i = 1; i <= n; i++) {
        v = value[quantity, key, i]
        for (j = i; j > 1 && sorted[j - 1] > v; j--)
            sorted[j] = sorted[j - 1]
        sorted[j] = v
    }
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

# tool over base, or 0 if one of them was not measured. Times below 1 ms count as 1 ms.
function ratio(quantity, program, tool, base, n_threads,    a, b) {
    a = median(quantity, program, tool, n_threads)
    b = median(quantity, program, base, n_threads)
    if (runs[program, tool, n_threads] == 0 || runs[program, base, n_threads] == 0)
        return 0
    return (a < 0.001 ? 0.001 : a) / (b < 0.001 ? 0.001 : b)
}

# Geometric mean of the ratios of all programs that have them; 0 if none has.
function mean(quantity, tool, base, n_threads, threaded_only,    i, r, sum, n) {
    for (i = 1; i <= programs["n"]; i++) {
        if (threaded_only && !by_thread[programs[i]])
            continue
        r = ratio(quantity, programs[i], tool, base, n_threads)
        if (r > 0) {
            sum += log(r)
            n++
        }
    }
    return n ? exp(sum / n) : 0
}

function cell_print(r) {
    if (r > 0)
        printf " %10.2f", r
    else
        printf " %10s", "-"
}

# `first` heads the column before those of the tools.
function head_print(title, first,    i) {
    printf "\n%s\n\n%-20s %10s", title, "", first
    for (i = 1; i <= tools["n"]; i++)
        printf " %10s", tools[i]
    printf "\n"
}

# Rows: programs; columns: the native value, then each tool as a ratio to `base`.
function table_print(quantity, base,    i, j, p) {
    if (!list_has(tools, base))
        return
    head_print(names[quantity] " as a ratio to " base " (first column: native, " units[quantity] \
               "; up to " main_threads " threads; median of runs)", "")
    for (i = 1; i <= programs["n"]; i++) {
        p = programs[i]
        printf "%-20s %10.2f", p, median(quantity, p, "native", main_threads)
        for (j = 1; j <= tools["n"]; j++)
            cell_print(ratio(quantity, p, tools[j], base, main_threads))
        printf "\n"
    }
    printf "%-20s %10s", "geometric mean", ""
    for (j = 1; j <= tools["n"]; j++)
        cell_print(mean(quantity, tools[j], base, main_threads, 0))
    printf "\n"
}

# Rows: numbers of threads; columns: tools, geometric means over the kernels.
function threads_print(quantity,    i, j) {
    head_print(names[quantity] " of the kernels by number of threads, as a ratio to none on as many " \
               "threads (geometric means)", "threads")
    for (i = 1; i <= threads["n"]; i++) {
        printf "%-20s %10d", "", threads[i]
        for (j = 1; j <= tools["n"]; j++)
            cell_print(mean(quantity, tools[j], "none", threads[i], 1))
        printf "\n"
    }
}

# Ascending; insertion sort of a list of numbers.
function list_sort(list,    i, j, item) {
    for (i = 2; i <= list["n"]; i++) {
        item = list[i]
        for (j = i; j > 1 && list[j - 1] + 0 > item + 0; j--)
            list[j] = list[j - 1]
        list[j] = item
    }
}

function goal_print(what, goal, reached) {
    if (reached > 0)
        printf "%-58s %8.2f %8.2f  %s\n", what, goal, reached, reached <= goal ? "reached" : "NOT reached"
    else
        printf "%-58s %8.2f %8s  not measured\n", what, goal, "-"
}

# The greatest ratio of aprof to helgrind on one number of threads, and the programs on which aprof is slower.
function helgrind_print(n_threads,    i, r, worst, slower) {
    for (i = 1; i <= programs["n"]; i++) {
        r = ratio("cpu", programs[i], "aprof", "helgrind", n_threads)
        if (r > worst)
            worst = r
        if (r >= 1)
            slower = slower " " programs[i]
    }
    goal_print("aprof / helgrind, CPU time, worst program, " n_threads " threads", 1, worst)
    if (slower != "")
        printf "    slower than helgrind on:%s\n", slower
}

# The greatest ratio of concurrent analysis to sequential analysis, and the programs that it slows down.
function sequential_print(    i, r, worst, slower) {
    for (i = 1; i <= programs["n"]; i++) {
        r = ratio("wall", programs[i], "concurrent", "aprof", main_threads)
        if (r > worst)
            worst = r
        if (r > 1.05)
            slower = slower " " programs[i]
    }
    goal_print("concurrent / aprof, wall time, worst program", 1.05, worst)
    if (slower != "")
        printf "    slower than without concurrency on:%s\n", slower
}

# What concurrent analysis does where its processor is wanted by others.
function loaded_print() {
    printf "\nWith %d other processes that keep processors busy:\n", loaders
    table_print("wall", "none")
    table_print("cpu", "none")
    printf "\nconcurrent / aprof, wall time, geometric mean: %.2f\n", \
        mean("wall", "concurrent", "aprof", main_threads, 0)
}

function goals_print(    i) {
    printf "\n%-58s %8s %8s\n\n", "Goals (geometric means, up to " main_threads " threads)", "goal", "here"
    goal_print("aprof / none, CPU time", 2.2, mean("cpu", "aprof", "none", main_threads, 0))
    goal_print("aprof / memcheck, CPU time", 0.85, mean("cpu", "aprof", "memcheck", main_threads, 0))
    goal_print("aprof / callgrind, CPU time", 1.1, mean("cpu", "aprof", "callgrind", main_threads, 0))
    for (i = 1; i <= threads["n"]; i++)
        helgrind_print(threads[i])
    goal_print("trms over rms, each alone, CPU time", 1.1, mean("cpu", "aprof-trms", "aprof-rms", main_threads, 0))
    goal_print("aprof / memcheck, peak memory", 1.3, mean("peak", "aprof", "memcheck", main_threads, 0))
    goal_print("concurrent / none, wall time", 1.5, mean("wall", "concurrent", "none", main_threads, 0))
    sequential_print()
}
