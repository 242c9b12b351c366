# Prints the geometric means of Table 1 of the paper on trms next to the means of bench/tables.awk.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: bench.sh -a RESULTS | awk -v quantity=cpu|peak -f paper.awk
BEGIN {
    title = (quantity == "cpu" ? "CPU time" : "Peak memory") " as a ratio to native"
    tools = split("none memcheck callgrind helgrind aprof-rms aprof-trms", tool, " ")
    split(quantity == "cpu" ? "23.6 94.1 64.8 179.4 101.5 140.8" : "1.4 2.0 1.5 4.5 2.8 3.3", value, " ")
    for (i = 1; i <= tools; i++)
        paper[tool[i]] = value[i]
}

index($0, title) == 1 { inside = 1; next }
inside == 1 && NF { for (i = 1; i <= NF; i++) name[i] = $i; inside = 2; next }
inside == 2 && /^geometric mean/ {
    for (i = 3; i <= NF; i++)
        ours[name[i - 2]] = $i
    inside = 3
}

END {
    print "| geometric mean, x native | paper | here | paper, x none | here, x none | here / paper |"
    print "|---|---|---|---|---|---|"
    for (i = 1; i <= tools; i++) {
        t = tool[i]
        if (ours[t] > 0 && ours["none"] > 0)
            printf "| %s | %.1f | %.1f | %.2f | %.2f | %.2f |\n", t, paper[t], ours[t], paper[t] / paper["none"],
                ours[t] / ours["none"], ours[t] / ours["none"] / (paper[t] / paper["none"])
    }
}
