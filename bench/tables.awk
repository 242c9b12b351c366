# Turns the lines that `measure` wrote into the tables of `make bench`.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk [-v loaders=N] -f tables_library.awk -f tables.awk results.tsv      N: processes that kept processors busy
#
# In:   PROGRAM TOOL THREADS WALL CPU PEAK STATUS     (TABs; one line per run; runs in any order; the
#       number of threads in the first line is the one of the tables by program)
# Out:  one table per quantity and base, the geometric means, the table by number of threads, and what
#       was to be reached beside what was reached. The median of the runs counts.
BEGIN {
    FS = "\t"
    list_add(columns, "")
    style("", "%-20s", 10, 2, 1, 1)
    style_goal = 58
}

NR == 1 {
    main_threads = $3
}

{
    run_take()
    list_add(columns, $2)
    if ($3 != main_threads)
        list_add(threaded, $1)
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
        by_program(quantities[q], "none")
        by_program(quantities[q], "native")
    }
    by_program("peak", "memcheck")
    if (threads["n"] > 1) {
        by_threads("cpu")
        by_threads("wall")
        by_threads("peak")
    }
    goals_print()
}

# Prints the table of tools by program, as ratios to `base`; with THREADS, the table by number of threads, as
# ratios to none.
function table_of(quantity, base, n_threads) {
    return quantity SUBSEP base SUBSEP n_threads
}

function cell(what, row, column,    w) {
    split(what, w, SUBSEP)
    if (w[3] == "THREADS")
        return mean(table_of(w[1], "none", row), threaded, column)
    if (column == "")
        return median(run_key(w[1], row, "native", w[3]))
    return ratio(run_key(w[1], row, column, w[3]), run_key(w[1], row, w[2], w[3]))
}

function by_program(quantity, base) {
    if (list_has(columns, base))
        table_print(table_of(quantity, base, main_threads), \
                    quantity_name(quantity) " as a ratio to " base " (first column: native, " \
                    quantity_unit(quantity) "; up to " main_threads " threads; median of runs)", \
                    programs, columns, "geometric mean")
}

function by_threads(quantity,    i, tools) {
    for (i = 2; i <= columns["n"]; i++)
        list_add(tools, columns[i])
    style("threads", "%31s", 10, 2, 1, 1)
    table_print(table_of(quantity, "none", "THREADS"), \
                quantity_name(quantity) " of the kernels by number of threads, as a ratio to none on as many " \
                "threads (geometric means)", threads, tools, "")
}

# Concurrent analysis while other processes need its processor.
function loaded_print() {
    printf "\nWith %d other processes that keep processors busy:\n", loaders
    by_program("wall", "none")
    by_program("cpu", "none")
    printf "\nconcurrent / aprof, wall time, geometric mean: %.2f\n", \
        mean(table_of("wall", "aprof", main_threads), programs, "concurrent")
}

function mean_print(text, goal, quantity, tool, base) {
    goal_print(text, goal, mean(table_of(quantity, base, main_threads), programs, tool))
}

function goals_print(    i) {
    printf "\n%-58s %8s %8s\n\n", "Goals (geometric means, up to " main_threads " threads)", "goal", "here"
    mean_print("aprof / none, CPU time", 2.2, "cpu", "aprof", "none")
    mean_print("aprof / memcheck, CPU time", 0.85, "cpu", "aprof", "memcheck")
    mean_print("aprof / callgrind, CPU time", 1.1, "cpu", "aprof", "callgrind")
    for (i = 1; i <= threads["n"]; i++)
        worst_print("aprof / helgrind, CPU time, worst program, " threads[i] " threads", 1, \
                    table_of("cpu", "helgrind", threads[i]), programs, "aprof", "slower than helgrind on")
    mean_print("trms over rms, each alone, CPU time", 1.1, "cpu", "aprof-trms", "aprof-rms")
    mean_print("aprof / memcheck, peak memory", 1.3, "peak", "aprof", "memcheck")
    mean_print("concurrent / none, wall time", 1.5, "wall", "concurrent", "none")
    worst_print("concurrent / aprof, wall time, worst program", 1.05, table_of("wall", "aprof", main_threads), \
                programs, "concurrent", "slower than without concurrency on")
}
