# Functions for all parts of an evaluation: cells, reports reduced to one routine, and curves over all routines.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034
#
# Sourced by evaluate.sh, which has $here, $source, $results, $work, and in a part $part.

load()
{
    cut -d ' ' -f 1 /proc/loadavg
}

machine()
{
    printf '%s, %s processors, %s, Valgrind %s' \
        "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" "$(getconf _NPROCESSORS_ONLN)" \
        "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)" \
        "$(valgrind --version | sed 's/^valgrind-//')"
}

commit()
{
    git -C "$source" rev-parse --short HEAD 2>/dev/null || echo unknown
}

# is_measured CELL: true if the cell exists, and was measured with at most the allowed load.
is_measured()
{
    [ -e "$1" ] || return 1
    [ -n "$limit" ] || return 0
    awk -v limit="$limit" '/^# load: / && ($3 > limit || $5 > limit) { busy = 1 } END { exit busy }' "$1"
}

# A cell ends at its first failed command. In a condition, the shell ignores failed commands, so `set +e`
# surrounds the cell.
#
# cell NAME COMMAND...: the output of the command becomes the cell, unless the cell exists.
cell()
{
    cell_name=$1
    shift
    ! is_measured "$results/$part/$cell_name.txt" || return 0
    echo "evaluate: $part: $cell_name" >&2
    cell_load=$(load)
    rm -rf "${work:?}/$part/$cell_name"
    mkdir -p "$work/$part/$cell_name"
    set +e
    (set -e && cd "$work/$part/$cell_name" && "$@") >"$work/$part/$cell_name.body"
    cell_status=$?
    set -e
    if [ $cell_status != 0 ]; then
        echo "evaluate: $part: $cell_name failed, see $work/$part/$cell_name" >&2
        failed=1
        return 0
    fi
    {
        echo "# date: $(date +%Y-%m-%d)"
        echo "# commit: $(commit)"
        echo "# machine: $(machine)"
        echo "# load: $cell_load before, $(load) after"
        cat "$work/$part/$cell_name.body"
    } >"$results/$part/$cell_name.new"
    mv "$results/$part/$cell_name.new" "$results/$part/$cell_name.txt"
}

# has COMMAND...: true if all commands exist; prints the name of the first missing command.
has()
{
    for command; do
        command -v "$command" >/dev/null && continue
        echo "evaluate: $part: left out, there is no $command (scripts/install-deps.sh evaluate)" >&2
        return 1
    done
}

# keep_routine REPORT SYMBOL NAME: stores a report of only this routine next to the cells, for pictures.
keep_routine()
{
    awk -v symbol="$2" -f "$here/keep_routine.awk" "$1" >"$3.cut" || return 1
    seal <"$3.cut" >"$results/$part/$3.aprof"
    aprof report "$results/$part/$3.aprof" >/dev/null
}

# facts REPORT SYMBOL NAME: the values of a routine by the two metrics, as lines
#     fact NAME METRIC CALLS SIZES GREATEST-INPUT WORST-COST GROWTH GROWTH-OF-WORST THREAD% EXTERNAL%
facts()
{
    for metric in rms trms; do
        aprof report --routine="$2" --metric=$metric --format=tsv "$1" |
            awk -F '\t' -v OFS='\t' -v name="$3" -v metric=$metric '
                NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
                $at["routine"] { print "fact", name, metric, $at["calls"], $at["points"], $at["max_input"],
                    $at["worst_cost"], $at["average_growth"], $at["worst_growth"],
                    $at["thread_induced_share"], $at["external_share"]; exit }'
    done
}

# crowd REPORT NAME: the most frequent input size of the report's only routine, and the costs of calls with
# this size, as lines
#     crowd NAME METRIC CALLS INPUT LEAST-COST GREATEST-COST
crowd()
{
    awk -F '\t' -v OFS='\t' -v name="$2" '
        ($1 == "rms" || $1 == "trms") && $3 > calls[$1] {
            calls[$1] = $3
            line[$1] = $2 OFS $5 OFS $6
        }
        END {
            for (i = split("rms trms", metric, " "); i > 0; i--)
                print "crowd", name, metric[i], calls[metric[i]], line[metric[i]]
        }' "$1"
}

# totals REPORT NAME: the first reads of the whole run, and the induced parts of these reads, as a line
#     totals NAME ROUTINES ACTIVATIONS READS THREAD EXTERNAL
totals()
{
    awk -F '\t' -v OFS='\t' -v name="$2" '
        $1 == "totals" { activations = $3; reads = $4; thread = $5; external = $6 }
        $1 == "routine" { routines++ }
        END { print "totals", name, routines, activations, reads, thread, external }' "$1"
}

# curves REPORT NAME: writes the values of figures 9, 15, 16, 18 and 19 for one report (curves.awk).
curves()
{
    for metric in trms rms; do
        aprof report --top=0 --metric=$metric --format=tsv "$1" >"curves.$metric"
    done
    awk -v name="$2" -f "$here/curves.awk" curves.trms curves.rms
}

# bench_lines PROGRAM OPTION...: the lines of bench.sh, interleaved runs on small inputs (bench/tables.awk explains them).
bench_lines()
{
    name=$1
    shift
    "$here/../bench.sh" -b "$build/bench" -s -r "${BENCH_RUNS:-3}" -p "$name" -o raw "$@" >tables 2>messages || {
        cat messages >&2
        return 1
    }
    [ -s raw ] || { cat messages >&2; return 1; } # the program is not installed
    cat raw
}
