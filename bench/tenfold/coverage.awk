# Prints for which part of a program's cost growth is validated, in one line; see tenfold.sh.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk -v half=H -v program=P -f coverage.awk QUARTER.tsv NOW.tsv SCALE.tsv
# QUARTER and NOW are tables of `aprof report --format=tsv` of N/4 and N, SCALE one of `aprof scale` of N/4, N/2 and N.
#
# Columns: half, program, percent of the self cost at N with: a class; a trend; either, or inputs of at most 64 cells;
# either, or growth over the three runs that predicted the largest within 15 percent. Then routines whose trend at N/4
# was measured again at N, and how many of these trends held.

BEGIN { FS = OFS = "\t"; SMALL = 64; VALIDATED = 0.15; COUNTS = 0.1 }

FNR == 1 {
    file++
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}

{ key = $column["object"] ":" $column["routine"] }

file == 1 && $column["trend_exponent"] != "" {
    low[key] = $column["trend_low"]
    high[key] = $column["trend_high"]
}

file == 2 {
    self = $column["self_cost"]
    all += self
    trend = $column["trend_exponent"]
    is_class = $column["average_growth"] !~ /^(too few sizes|no simple curve|scattered)$/
    classes += is_class ? self : 0
    trends += trend != "" ? self : 0
    if (is_class || trend != "")
        known[key] = 1
    small += known[key] || $column["max_input"] <= SMALL ? self : 0
    if (trend != "" && (key in low) && $column["self_share"] >= COUNTS) {
        tried++
        held += low[key] <= trend && trend <= high[key]
    }
}

# Reads the costs of all three runs, in which the threads and parts of a routine are added up.
file == 3 {
    whole += $column["own_cost"]
    error = $column["checked_error"]
    if (known[key] || (error != "" && error <= VALIDATED))
        validated += $column["own_cost"]
}

END {
    if (all > 0 && whole > 0)
        printf "%s\t%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%d\t%d\n", half, program, 100 * classes / all, 100 * trends / all, \
            100 * (classes + trends) / all, 100 * small / all, 100 * validated / whole, tried, held
}
