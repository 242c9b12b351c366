# Draws a cost side by side against three measures of the same inputs.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     gnuplot -c variants.gp DATA OUTPUT [TITLE [XLABEL [YLABEL [LOG]]]]
#
# DATA has the format of cost.gp, with three blocks, one for each picture from left to right. OUTPUT
# and LOG have the same meaning as in cost.gp.

if (ARGC < 2) {
    printerr "usage: gnuplot -c variants.gp DATA OUTPUT [TITLE [XLABEL [YLABEL [LOG]]]]"
    exit status 2
}
data_path = ARG1
output_path = ARG2
title_text = ARGC >= 3 ? ARG3 : "cost"
x_text = ARGC >= 4 ? ARG4 : "input size"
y_text = ARGC >= 5 ? ARG5 : "cost"
logs = ARGC >= 6 ? ARG6 : ""
here = ARG0[1:strlen(ARG0) - strlen("variants.gp")]
load here."style.gp"

set key off
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
set offsets 0, graph 0.03, graph 0.03, 0
# At most five labels fit below a picture, and long labels fit only at an angle.
nice(most) = (least = most / 4.0, p = 10.0 ** floor(log10(least)), f = least / p, (f <= 1 ? 1 : f <= 2 ? 2 : f <= 5 ? 5 : 10) * p)
array names[3] = ["", "", ""]
do for [i = 0:2] {
    stats data_path index i every ::0::0 using (names[i + 1] = strcol(1), 0) nooutput
}
set multiplot layout 1,3 title title_text noenhanced
do for [i = 0:2] {
    set title word("(a) (b) (c)", i + 1)." ".names[i + 1] noenhanced
    set xlabel x_text noenhanced
    set ylabel (i == 0 ? y_text : "") noenhanced
    stats data_path index i every ::1 using 1 name "sizes" nooutput
    if (!(logs eq "x" || logs eq "xy") && sizes_max > 0) {
        set xtics nice(sizes_max)
    }
    if (sizes_max >= 100000) {
        set xtics rotate by -45
    } else {
        set xtics norotate
    }
    plot data_path index i every ::1 using 1:2 with points pointsize 0.5 linetype i + 1
}
unset multiplot
