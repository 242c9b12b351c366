# How unevenly calls are distributed over contexts (Figure 1 of the paper on hot calling contexts).
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh

# skewness FILE: the percentage of all calls in the hottest 1, 5, 10 and 20 percent of the contexts.
skewness()
{
    awk -F '\t' '$1 == "context" { print $7 }' "$1" | sort -rn | awk '
        { sum += $1; upto[NR] = sum }
        END {
            for (i = split("1 5 10 20", share, " "); i > 0; i--) {
                k = int(NR * share[i] / 100)
                out = sprintf("\t%.2f", k && sum ? 100 * upto[k] / sum : 0) out
            }
            print substr(out, 2)
        }'
}
