# Draws shares of the cost against the size of a run, one layer upon the other.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     gnuplot -c shares.gp DATA OUTPUT [TITLE [XLABEL [YLABEL [LAST]]]]
#
# DATA has a block per layer, the lowest first: its name in quotes, then lines of a size and the layer's lower
# and upper edge in percent. A line at LAST separates measured sizes from the predicted one. OUTPUT is as for cost.gp.

if (ARGC < 2) {
    printerr "usage: gnuplot -c shares.gp DATA OUTPUT [TITLE [XLABEL [YLABEL [LAST]]]]"
    exit status 2
}
data_path = ARG1
output_path = ARG2
title_text = ARGC >= 3 ? ARG3 : "shares"
x_text = ARGC >= 4 ? ARG4 : "size"
y_text = ARGC >= 5 ? ARG5 : "share (%)"
here = ARG0[1:strlen(ARG0) - strlen("shares.gp")]
load here."style.gp"

set title title_text noenhanced offset 0, 0.7
set xlabel x_text noenhanced
set ylabel y_text noenhanced
set key outside right top invert
set style fill solid 0.85 noborder
set logscale x
stats data_path using 1 nooutput
set xrange [STATS_min:STATS_max]
set yrange [0:100]
set linetype 8 linecolor rgb "#bbbbbb"
set linetype cycle 8
blocks = STATS_blocks
if (ARGC >= 6) {
    set arrow from first real(ARG6), graph 0 to first real(ARG6), graph 1 nohead front dashtype 2 linecolor rgb "#000000"
    set label "predicted" at first real(ARG6), graph 1.02 left front offset 0.5, 0
}
array names[blocks]
do for [i = 1:blocks] {
    stats data_path index i - 1 every ::0::0 using (names[i] = strcol(1), 0) nooutput
}
plot for [i = 1:blocks] data_path index i - 1 every ::1 using 1:2:3 with filledcurves \
    title names[i] linetype (names[i] eq "others" ? 8 : i)
