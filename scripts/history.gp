# Draws a cost over the runs of a history, with the name of each run below the axis.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     gnuplot -c history.gp DATA OUTPUT [TITLE [YLABEL]]
#
# DATA has one line for each run, with three fields separated by TABs: the run's number, the run's
# name, and the cost. OUTPUT has the same meaning as in cost.gp.

if (ARGC < 2) {
    printerr "usage: gnuplot -c history.gp DATA OUTPUT [TITLE [YLABEL]]"
    exit status 2
}
data_path = ARG1
output_path = ARG2
title_text = ARGC >= 3 ? ARG3 : ""
y_text = ARGC >= 4 ? ARG4 : "cost"
here = ARG0[1:strlen(ARG0) - strlen("history.gp")]
load here."style.gp"

set title title_text noenhanced
set ylabel y_text noenhanced
set datafile separator "\t"
unset key
stats data_path using 1:3 nooutput
every_name = STATS_records > 24 ? ceil(STATS_records / 24.0) : 1
set xrange [STATS_min_x - 0.5:STATS_max_x + 0.5]
set yrange [0:STATS_max_y > 0 ? STATS_max_y * 1.08 : 1]
set xtics rotate by -40 noenhanced
plot data_path using 1:3:xticlabels(int($0) % every_name ? "" : strcol(2)) with linespoints \
    linewidth 1.5 pointtype 7 pointsize 0.5 linetype 1
