# Draws the ratio of a cost to several growth functions: the curve of the correct function is horizontal.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     gnuplot -c ratio.gp DATA OUTPUT [TITLE [XLABEL [YLABEL [LOG]]]]
#
# DATA has the format of cost.gp, with one block for each growth function: the function's name in
# quotes, then two columns, the input size and the ratio relative to the ratio at the largest size.
# OUTPUT and LOG have the same meaning as in cost.gp; the axis of ratios is always logarithmic.

if (ARGC < 2) {
    printerr "usage: gnuplot -c ratio.gp DATA OUTPUT [TITLE [XLABEL [YLABEL [LOG]]]]"
    exit status 2
}
data_path = ARG1
output_path = ARG2
title_text = ARGC >= 3 ? ARG3 : "ratio"
x_text = ARGC >= 4 ? ARG4 : "input size"
y_text = ARGC >= 5 ? ARG5 : "ratio"
logs = ARGC >= 6 ? ARG6 : ""
here = ARG0[1:strlen(ARG0) - strlen("ratio.gp")]
load here."style.gp"

set title title_text noenhanced
set xlabel x_text noenhanced
set ylabel y_text noenhanced
set key top right
if (logs eq "x" || logs eq "xy") {
    set logscale x
}
set logscale y
stats data_path using 1:2 nooutput
plot for [i = 0:STATS_blocks - 1] data_path index i using 1:2 with linespoints pointsize 0.4 \
    linetype i + 1 title columnheader(1)
