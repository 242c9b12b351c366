# Draws shares of induced input as stacked bars: external below, thread-induced above.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     gnuplot -c induced.gp DATA OUTPUT [TITLE [XLABEL [YLABEL]]]
#
# DATA has three columns: a name in quotes, external percent, thread-induced percent. If
# there are at most 30 bars, the names are below the bars. OUTPUT has the same meaning as in cost.gp.

if (ARGC < 2) {
    printerr "usage: gnuplot -c induced.gp DATA OUTPUT [TITLE [XLABEL [YLABEL]]]"
    exit status 2
}
data_path = ARG1
output_path = ARG2
title_text = ARGC >= 3 ? ARG3 : "induced input"
x_text = ARGC >= 4 ? ARG4 : "routines"
y_text = ARGC >= 5 ? ARG5 : "input (%)"
here = ARG0[1:strlen(ARG0) - strlen("induced.gp")]
load here."style.gp"

set title title_text noenhanced
set xlabel x_text noenhanced
set ylabel y_text noenhanced
set yrange [0:100]
set key outside top right
set style data histograms
set style histogram rowstacked
set style fill solid noborder
set boxwidth 0.9
set xtics rotate by -45 noenhanced
stats data_path using 2 nooutput
if (STATS_records <= 30) {
    plot data_path using 2:xticlabels(1) title "external" linetype 6, \
         data_path using 3 title "thread-induced" linetype 2
} else {
    unset xtics
    plot data_path using 2 title "external" linetype 6, \
         data_path using 3 title "thread-induced" linetype 2
}
