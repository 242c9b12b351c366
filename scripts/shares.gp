# Draws the costs of routines, and their stacked shares, against the size of a run.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     gnuplot -c shares.gp DATA OUTPUT [TITLE [XLABEL [YLABEL [LAST [COSTLABEL]]]]]
#
# DATA has one block for each routine, the lowest layer first: the routine's name in quotes, then lines with a size, the
# layer's lower and upper edge in percent, and the cost. A line at LAST separates measured sizes from the predicted size. OUTPUT
# has the same meaning as in cost.gp. Costs, on logarithmic axes, are above the shares.

if (ARGC < 2) {
    printerr "usage: gnuplot -c shares.gp DATA OUTPUT [TITLE [XLABEL [YLABEL [LAST [COSTLABEL]]]]]"
    exit status 2
}
data_path = ARG1
output_path = ARG2
title_text = ARGC >= 3 ? ARG3 : "costs and shares"
x_text = ARGC >= 4 ? ARG4 : "size"
y_text = ARGC >= 5 ? ARG5 : "share (%)"
cost_text = ARGC >= 7 ? ARG7 : "cost"
here = ARG0[1:strlen(ARG0) - strlen("shares.gp")]
load here."style.gp"
set linetype 8 linecolor rgb "#bbbbbb" pointtype 7
set linetype cycle 8
set style fill solid 0.85 noborder
set logscale x
stats data_path using 1 nooutput
set xrange [STATS_min:STATS_max]
blocks = STATS_blocks
if (ARGC >= 6) {
    set arrow from first real(ARG6), graph 0 to first real(ARG6), graph 1 nohead front dashtype 2 linecolor rgb "#000000"
}
array names[blocks]
do for [i = 1:blocks] {
    stats data_path index i - 1 every ::0::0 using (names[i] = strcol(1), 0) nooutput
}
kind(i) = names[i] eq "others" ? 8 : i

if (output_path eq "-") {
    set terminal dumb size 79,44 noenhanced
} else {
    set lmargin at screen 0.13
    set rmargin at screen 0.66
}
set multiplot layout 2, 1 title title_text noenhanced
set ylabel cost_text noenhanced
set format y "%.0e"
set logscale y
unset key
plot for [i = 1:blocks] data_path index i - 1 every ::1 using 1:4 with linespoints linetype kind(i) \
    linewidth 2 title names[i]

unset logscale y
set xlabel x_text noenhanced
set ylabel y_text noenhanced
set format y "%.10g"
set yrange [0:100]
set key outside right top invert
if (ARGC >= 6) {
    set label "predicted" at first real(ARG6), graph 1.02 left front offset 0.5, 0
}
plot for [i = 1:blocks] data_path index i - 1 every ::1 using 1:2:3 with filledcurves \
    title names[i] linetype kind(i)
unset multiplot
