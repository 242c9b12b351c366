# Compares the growth of hot calling contexts in two reports of points.sh.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: awk -F '\t' -v label=LABEL -f points_growths.awk EXACT HOT
#
# Each input line has a context's number, its growth class and its trend. Prints one line:
#
#     growth LABEL CLASS TREND HOT-CLASS HOT-TREND SAME-CLASS OTHER-CLASS TREND-%
#
# CLASS: contexts with a growth class in EXACT; TREND: further contexts with a trend. HOT-CLASS and HOT-TREND: the
# same in HOT. SAME-CLASS: contexts with the same class in both; OTHER-CLASS: contexts with different classes.
# TREND-%: mean difference of the exponents of trends, over the contexts with trends in both, in percent of 1.
function is_class(growth)
{
    return growth ~ /^(1|log n|sqrt n|n|n log n|n\^.*|2\^n)$/
}
{
    reading += FNR == 1
    class[reading, $1] = is_class($2) ? $2 : ""
    trend[reading, $1] = $3
    classes[reading] += is_class($2)
    trends[reading] += !is_class($2) && $3 != ""
}
reading == 2 {
    if (class[1, $1] != "" && class[2, $1] != "") {
        same += class[1, $1] == class[2, $1]
        other += class[1, $1] != class[2, $1]
    }
    if (trend[1, $1] != "" && $3 != "") {
        difference += $3 > trend[1, $1] ? $3 - trend[1, $1] : trend[1, $1] - $3
        compared++
    }
}
END {
    printf "growth\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.2f\n", label, classes[1], trends[1], classes[2], trends[2], same, other,
        compared ? 100 * difference / compared : 0
}
