# Draws cumulative curves over routines, one per report: x % of the routines have at least y.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     gnuplot -c curves.gp DATA OUTPUT [TITLE [XLABEL [YLABEL [LOG]]]]
#
# DATA has one block for each report: the report's name in quotes, then two columns, percent of the
# routines and value. OUTPUT and LOG have the same meaning as in cost.gp.

if (ARGC < 2) {
    printerr "usage: gnuplot -c curves.gp DATA OUTPUT [TITLE [XLABEL [YLABEL [LOG]]]]"
    exit status 2
}
data_path = ARG1
output_path = ARG2
title_text = ARGC >= 3 ? ARG3 : ""
x_text = ARGC >= 4 ? ARG4 : "routines (%)"
y_text = ARGC >= 5 ? ARG5 : ""
logs = ARGC >= 6 ? ARG6 : ""
here = ARG0[1:strlen(ARG0) - strlen("curves.gp")]
load here."style.gp"

set title title_text noenhanced
set xlabel x_text noenhanced
set ylabel y_text noenhanced
set key top right
if (logs eq "x" || logs eq "xy") {
    set logscale x
} else {
    set xrange [0:100]
}
if (logs eq "y" || logs eq "xy") {
    set logscale y
}
stats data_path using 1:2 nooutput
if (STATS_min_y == STATS_max_y) {
    set yrange [STATS_min_y - 1:STATS_max_y + 1]
}
plot for [i = 0:STATS_blocks - 1] data_path index i using 1:2 with steps linewidth 1.5 \
    linetype i + 1 title columnheader(1)
