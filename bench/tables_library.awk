# Functions that the tables of all benchmarks share: lists, medians of runs, means, and tables of rows and columns.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk -f bench/tables_library.awk -f bench/NAME/tables.awk LINES
#
# NAME/tables.awk reads the lines and defines the tables:
#     cell(what, row, column)   the value of a cell, or "" if it was not measured
#     style(...)                the layout of the tables that follow
# table_print(what, title, rows, columns, mean_name) then prints a table. The function `mean` computes its last row;
# `mean_name` names this row, and "" leaves it out. The column "" has the plain program's own values, which have no mean.

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

function list_of(list, words,    i, n, word) {
    n = split(words, word, " ")
    for (i = 1; i <= n; i++)
        list_add(list, word[i])
}

# Sorts a list by number, in ascending order, by insertion.
function list_sort(list,    i, j, item) {
    for (i = 2; i <= list["n"]; i++) {
        item = list[i]
        for (j = i; j > 1 && list[j - 1] + 0 > item + 0; j--)
            list[j] = list[j - 1]
        list[j] = item
    }
}

# The values of the runs of one key.
function sample_add(key, value) {
    samples[key, ++runs[key]] = value
}

# The median of a list of values, or 0 if the list is empty.
function median(key,    i, n, sorted) {
    n = sorted["n"] = runs[key] + 0
    if (n == 0)
        return 0
    for (i = 1; i <= n; i++)
        sorted[i] = samples[key, i]
    list_sort(sorted)
    return n % 2 ? sorted[(n + 1) / 2] + 0 : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

# The ratio of the medians of two keys, or "" if one was not measured. Less than 1 ms counts as 1 ms.
function ratio(key, base,    a, b) {
    if (!runs[key] || !runs[base])
        return ""
    a = median(key)
    b = median(base)
    return (a < 0.001 ? 0.001 : a) / (b < 0.001 ? 0.001 : b)
}

# The mean of a column over the rows that have a value; "" if none has. A ratio has a geometric mean.
function mean(what, rows, column,    i, v, sum, n) {
    for (i = 1; i <= rows["n"]; i++) {
        v = cell(what, rows[i], column)
        if (v == "" || (style_geometric && v <= 0))
            continue
        sum += style_geometric ? log(v) : v
        n++
    }
    return n == 0 ? "" : style_geometric ? exp(sum / n) : sum / n
}

# `corner` heads the names of the rows, which `name` formats. A gap is an empty line between the title and the table.
function style(corner, name, column_width, digits, geometric, gap) {
    style_corner = corner
    style_name = name
    style_text = " %" column_width "s"
    style_number = " %" column_width "." digits "f"
    style_geometric = geometric
    style_gap = gap ? "\n" : ""
}

function heading_print(title, columns,    i) {
    printf "\n%s\n" style_gap style_name, title, style_corner
    for (i = 1; i <= columns["n"]; i++)
        printf style_text, columns[i]
    printf "\n"
}

function cell_print(value) {
    if (value == "")
        printf style_text, "-"
    else
        printf style_number, value
}

function row_print(what, name, row, columns,    i) {
    printf style_name, name
    for (i = 1; i <= columns["n"]; i++)
        cell_print(cell(what, row, columns[i]))
    printf "\n"
}

function table_print(what, title, rows, columns, mean_name,    i) {
    heading_print(title, columns)
    for (i = 1; i <= rows["n"]; i++)
        row_print(what, rows[i], rows[i], columns)
    if (mean_name == "")
        return
    printf style_name, mean_name
    for (i = 1; i <= columns["n"]; i++) {
        if (columns[i] == "")
            printf style_text, ""
        else
            cell_print(mean(what, rows, columns[i]))
    }
    printf "\n"
}

# Prints a goal next to the result. The goal is a maximum or, with `at_least`, a minimum. `style_goal` is the
# width of the text.
function goal_print(what, goal, reached, at_least) {
    if (reached > 0)
        printf "%-" style_goal "s %8.2f %8.2f  %s\n", what, goal, reached, \
            (at_least ? reached >= goal : reached <= goal) ? "reached" : "NOT reached"
    else
        printf "%-" style_goal "s %8.2f %8s  not measured\n", what, goal, "-"
}

# The largest value of a column as a goal, and the rows that exceed the limit; `note` introduces them.
function worst_print(text, limit, what, rows, column, note,    i, v, worst, above) {
    for (i = 1; i <= rows["n"]; i++) {
        v = cell(what, rows[i], column)
        if (v > worst)
            worst = v
        if (v > limit)
            above = above " " rows[i]
    }
    goal_print(text, limit, worst)
    if (above != "")
        printf "    %s:%s\n", note, above
}

# Lines of `measure`: PROGRAM TOOL THREADS WALL CPU PEAK STATUS, separated by TABs.
function run_take() {
    if (NF != 7) {
        printf "bench: line %d: expected 7 fields, found %d\n", NR, NF > "/dev/stderr"
        failed = 1
        exit 1
    }
    list_add(programs, $1)
    list_add(threads, $3)
    sample_add(run_key("wall", $1, $2, $3), $4)
    sample_add(run_key("cpu", $1, $2, $3), $5)
    sample_add(run_key("peak", $1, $2, $3), $6 / 1024)
}

function run_key(quantity, program, tool, n_threads) {
    return quantity SUBSEP program SUBSEP tool SUBSEP n_threads
}

function quantity_name(quantity) {
    return quantity == "cpu" ? "CPU time" : quantity == "wall" ? "Wall time" : "Peak memory"
}

function quantity_unit(quantity) {
    return quantity == "peak" ? "MiB" : "s"
}
