# The common style of all pictures; the other scripts set `output_path` and load this file.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The suffix of the name selects gnuplot's terminal: .svg, .png, .pdf, or `-` for text. The colours are those
# of Okabe and Ito, which colour-blind people can distinguish.

ending = strlen(output_path) >= 4 ? output_path[strlen(output_path) - 3:] : ""
set terminal dumb noenhanced
if (ending eq ".png") {
    set terminal pngcairo size 960,600 font "sans,11" noenhanced
}
if (ending eq ".pdf") {
    set terminal pdfcairo size 16cm,10cm font "sans,10" noenhanced
}
if (ending eq ".svg") {
    set terminal svg size 800,500 font "sans,12" background "white" noenhanced
}
if (output_path ne "-") {
    set output output_path
}

set border 3 linecolor rgb "#555555"
set tics nomirror
set grid linetype 1 linewidth 0.5 linecolor rgb "#dddddd"
set format x "%.10g"
set format y "%.10g"
set key noenhanced above Left reverse
set linetype 1 linecolor rgb "#0072b2" pointtype 7
set linetype 2 linecolor rgb "#d55e00" pointtype 5
set linetype 3 linecolor rgb "#009e73" pointtype 9
set linetype 4 linecolor rgb "#cc79a7" pointtype 11
set linetype 5 linecolor rgb "#e69f00" pointtype 13
set linetype 6 linecolor rgb "#56b4e9" pointtype 7
set linetype 7 linecolor rgb "#000000" pointtype 5
set linetype cycle 7
