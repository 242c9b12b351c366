# Computes the terms of the cost model from measured lines; cost_model.sh describes the terms.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk -f cost_model.awk analysis.tsv results.tsv
#
# In:   PROGRAM TOOL THREADS MICROSECONDS                     (what the analysis thread took, per run)
#       PROGRAM TOOL THREADS WALL CPU PEAK STATUS             (seconds; one line per run)
# Out:  one line per program, and the geometric means of what is a ratio.
BEGIN {
    FS = "\t"
}

NF == 4 {
    sample("analysis", $1, $2, $4 / 1e6)
    next
}

{
    if (!($1 in seen)) {
        seen[$1] = 1
        programs[++n] = $1
    }
    sample("wall", $1, $2, $4)
    sample("cpu", $1, $2, $5)
}

END {
    printf "%-20s %6s %5s %5s %5s %5s | %10s %5s | %9s %5s\n", "program", "A, s", "A_i", "A_q", "P", "P_c", \
        "model: seq", "conc", "wall: seq", "conc"
    for (i = 1; i <= n; i++)
        line_print(programs[i])
    printf "%-20s %6s %5s %5s %5s %5s | %10.2f %5.2f | %9.2f %5.2f\n", "geometric mean", "", "", "", "", "", \
        exp(logs["ms"] / n), exp(logs["mc"] / n), exp(logs["ws"] / n), exp(logs["wc"] / n)
}

function sample(what, program, tool, x) {
    values[what, program, tool, ++count[what, program, tool]] = x
}

function median(what, program, tool,    k, i, j, v, sorted) {
    k = count[what, program, tool]
    for (i = 1; i <= k; i++) {
        v = values[what, program, tool, i]
        for (j = i; j > 1 && sorted[j - 1] > v; j--)
            sorted[j] = sorted[j - 1]
        sorted[j] = v
    }
    return k == 0 ? 0 : k % 2 ? sorted[(k + 1) / 2] : (sorted[k / 2] + sorted[k / 2 + 1]) / 2
}

# A difference of two measured times can be negative.
function positive(x) {
    return x > 0 ? x : 0
}

function line_print(p,    a, a_i, a_q, pure, p_c, sequential, producer, analysis) {
    a = median("cpu", p, "none")
    a_i = positive(median("cpu", p, "records") - a)
    a_q = positive(median("cpu", p, "queue") - median("analysis", p, "queue") - a - a_i)
    p_c = median("analysis", p, "touch")
    pure = positive(median("analysis", p, "concurrent") - p_c)
    sequential = (a + a_i + pure) / a
    producer = a + a_i + a_q
    analysis = pure + p_c
    report(p, a, a_i / a, a_q / a, pure / a, p_c / a, sequential, \
           (producer > analysis ? producer : analysis) / a)
}

function report(p, a, a_i, a_q, pure, p_c, sequential, concurrent,    base, ws, wc) {
    base = median("wall", p, "none")
    ws = median("wall", p, "aprof") / base
    wc = median("wall", p, "concurrent") / base
    printf "%-20s %6.2f %5.2f %5.2f %5.2f %5.2f | %10.2f %5.2f | %9.2f %5.2f\n", p, a, a_i, a_q, pure, p_c, \
        sequential, concurrent, ws, wc
    logs["ms"] += log(sequential)
    logs["mc"] += log(concurrent)
    logs["ws"] += log(ws)
    logs["wc"] += log(wc)
}
