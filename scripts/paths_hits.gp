# Draws the hits of the busiest copy for each policy, relative to a single copy that counts everything.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     gnuplot -c paths_hits.gp DATA OUTPUT COPIES
#
# DATA begins with a line of names, `program POLICY...`. Each program and the average have a line with
# a name in quotes and, for each policy, the share in percent (`?`: not measured). The dashed line is
# the ideal share, 1 of COPIES. The pictures correspond to the figures of P3 and PBL relative to SBL
# in the paper (P3, section 5).

if (ARGC < 3) {
    printerr "usage: gnuplot -c paths_hits.gp DATA OUTPUT COPIES"
    exit status 2
}
data_path = ARG1
output_path = ARG2
copies = ARG3 + 0
here = ARG0[1:strlen(ARG0) - strlen("paths_hits.gp")]
load here."style.gp"

set datafile missing "?"
set title sprintf("busiest of %d copies", copies) noenhanced
set ylabel "hits, % of one copy that counts everything" noenhanced
set yrange [0:*]
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.8 noborder
set xtics rotate by -30 noenhanced
set key outside top right
set arrow from graph 0, first 100.0 / copies to graph 1, first 100.0 / copies nohead dashtype 2
plot for [i = 2:*] data_path using i:xtic(1) linetype i - 1 title columnheader(i)
