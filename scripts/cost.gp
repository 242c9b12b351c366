# Draws one quantity of a routine against its input size, with fitted curves.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     gnuplot -c cost.gp DATA OUTPUT [TITLE [XLABEL [YLABEL [LOG [STYLE]]]]]
#
# DATA has one or more blocks, separated by two blank lines. Each block has a name in quotes and two
# columns. The first block is drawn as points (or, with the STYLE `impulses`, as bars), and all other
# blocks are drawn as lines:
#
#     "worst case"
#     10	55
#     20	210
#
#
#     "n^2"
#     10	52.5
#     20	210
#
# OUTPUT ends in .svg, .png or .pdf, or is `-`; LOG is x, y, xy or nothing.

if (ARGC < 2) {
    printerr "usage: gnuplot -c cost.gp DATA OUTPUT [TITLE [XLABEL [YLABEL [LOG [STYLE]]]]]"
    exit status 2
}
data_path = ARG1
output_path = ARG2
title_text = ARGC >= 3 ? ARG3 : "cost"
x_text = ARGC >= 4 ? ARG4 : "input size"
y_text = ARGC >= 5 ? ARG5 : "cost"
logs = ARGC >= 6 ? ARG6 : ""
bars = ARGC >= 7 ? ARG7 eq "impulses" : 0
here = ARG0[1:strlen(ARG0) - strlen("cost.gp")]
load here."style.gp"

set title title_text noenhanced
set xlabel x_text noenhanced
set ylabel y_text noenhanced
if (logs eq "x" || logs eq "xy") {
    set logscale x
} else {
    set xrange [0:*]
}
if (logs eq "y" || logs eq "xy") {
    set logscale y
} else {
    set yrange [0:*]
}
set offsets graph 0, graph 0.03, graph 0.03, 0

stats data_path using 1:2 nooutput
blocks = STATS_blocks
if (STATS_max_y <= 0) {
    set yrange [0:1]
}
if (blocks < 2) {
    set key off
}
if (bars) {
    plot data_path index 0 using 1:2 with impulses linewidth 2 title columnheader(1)
}
# If there are many points, markers are smaller, so that points do not hide each other, and the key is
# next to the picture.
stats data_path index 0 using 1:2 nooutput
mark_size = STATS_records > 200 ? 0.7 * sqrt(200.0 / STATS_records) : 0.7
mark_size = mark_size < 0.2 ? 0.2 : mark_size
if (!bars && blocks < 2) {
    plot data_path index 0 using 1:2 with points pointsize mark_size title columnheader(1)
}
if (!bars && blocks >= 2) {
    plot data_path index 0 using 1:2 with points pointsize mark_size title columnheader(1), \
         for [i = 1:blocks - 1] data_path index i using 1:2 with lines linewidth 1.5 \
             linetype i + 1 title columnheader(1)
}
