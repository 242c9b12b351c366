#!/bin/sh
# Measures which input an interpreter's own data add to functions of known growth: slope and offset.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: bias.sh -b BUILD
#
# Profiles bias.py (CPython before 3.12, with the hook), bias.js (Node), bias.lua, bias.pl and bias.rb, which call ten
# functions with lists of several lengths. If a function reads k elements, its input is offset + slope * k cells. Slope
# and offset come from the smallest and the largest input. The results are in docs/languages.md.
set -eu

# shellcheck source=bench/scripts/setup.sh
. "${0%/*}/setup.sh"

# table NAME LEAST MOST: of the report $work/NAME; the lists have LEAST to MOST elements.
table() {
    printf '%s\n%-10s %6s %8s %8s\n' "$1" function input slope offset
    aprof export --format=csv "$work/$1" | awk -F , -v low="$2" -v high="$3" '
        function log2(x) { return log(x) / log(2) }
        BEGIN {
            n = split("total largest equal insert backwards pairs triples memo search lookup", names, " ")
            for (i = 1; i <= n; i++) { small[names[i]] = low; large[names[i]] = high }
            small["equal"] = 2 * low; large["equal"] = 2 * high
            small["triples"] = low / 5; large["triples"] = high / 5
            small["search"] = log2(low) + 1; large["search"] = log2(high) + 1
            small["lookup"] = large["lookup"] = 1
        }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["metric"] == "trms" && ($at["routine"] in small) {
            f = $at["routine"]; input = $at["input_size"]
            if (!(f in least) || input < least[f]) least[f] = input
            if (input > most[f]) most[f] = input
        }
        END {
            for (i = 1; i <= n; i++) {
                f = names[i]; slope = large[f] > small[f] ? (most[f] - least[f]) / (large[f] - small[f]) : 0
                printf "%-10s %6d %8.1f %8.0f\n", f, most[f], slope, least[f] - slope * small[f]
            }
        }'
}

python=
for name in /usr/bin/python3.11 python3.11 python3.10 python3.9 python3.8; do
    ! $name -c '' 2>/dev/null || python=${python:-$name}
done
if [ "$python" ]; then
    aprof run -q --vgdb=no --python -o "$work/python" -- "$python" "$here/bias.py"
    table python 25 200
fi
if command -v node >/dev/null; then
    aprof run -q --vgdb=no -o "$work/node" -- node "$here/bias.js"
    rm -f "/tmp/perf-$(awk '$1 == "process" { print $2 }' "$work/node").map"
    table node 50 400
fi
while read -r interpreter script; do
    command -v "$interpreter" >/dev/null || continue
    aprof run -q --vgdb=no -o "$work/$interpreter" -- "$interpreter" "$here/$script" </dev/null
    table "$interpreter" 50 400
done <<INTERPRETERS
lua5.4 bias.lua
perl bias.pl
ruby bias.rb
INTERPRETERS
