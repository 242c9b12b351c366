#!/bin/sh
# Profiles Go programs many times on two and four processors, and compares each run with runs on one processor.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: go.sh -b BUILD [PROGRAM...]
#
#   book     the program of docs/languages.md
#   gofmt    Go's formatter on the files of the package go/ast and of nine other packages
#   compile  Go's compiler on the package strconv
#
# Half of the RUNS runs (environment variable, default 50) have Go's garbage collector, the other half have GOGC=off.
# Each program also runs three times on one processor. If a routine has the same number of calls in these three runs,
# the routine must have the same number of calls in each other run, and the same self cost, up to 2 %. A call may not
# cost more than 1.5 times the most expensive call of the three runs. If the report claims the same class of growth in
# the three runs, the class must be the same in each other run. The columns calls, self, max and class have the number of
# routines for which this was wrong: in all runs together, and in the worst run. The names of these routines follow the
# table. docs/languages.md has the results.
set -eu

# shellcheck source=bench/scripts/setup.sh
. "${0%/*}/setup.sh"
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- book gofmt compile
export HOME="$work"
manual=$here/../../docs/languages.md
cd "$work"

# sources PACKAGE: the files of a package of Go's library.
sources() {
    folder=$(go list -f '{{.Dir}}' "$1")
    go list -f '{{range .GoFiles}}{{.}} {{end}}' "$1" | tr ' ' '\n' | sed "/./!d; s|^|$folder/|"
}

# prepare PROGRAM: builds the program, and sets `command` and `routines`, a pattern of the routines to compare.
prepare() {
    routines='^(main|go/|text/|cmd/)'
    case $1 in
    book)
        awk '/^```go book.go/ { inside = 1; next } /^```/ { inside = 0 } inside' "$manual" >book.go
        go build -gcflags=-l -o book book.go
        command=./book
        ;;
    gofmt)
        go build -o gofmt cmd/gofmt
        command="./gofmt -l $(for package in go/ast go/build/constraint go/constant go/scanner go/token text/tabwriter \
            text/scanner text/template sort strconv; do sources "$package"; done | tr '\n' ' ')"
        ;;
    compile)
        go build -o compile cmd/compile
        archives=$(go env GOROOT)/pkg/$(go env GOOS)_$(go env GOARCH)
        command="./compile -I $archives -o strconv.a -p strconv -std -complete $(sources strconv | tr '\n' ' ')"
        ;;
    *)
        echo "go.sh: no program $1" >&2
        exit 2
        ;;
    esac
}

# one FILE PROCESSORS GOGC: profiles the program; writes routine, calls, self cost, most expensive call and class.
one() {
    # shellcheck disable=SC2086
    GOMAXPROCS=$2 GOGC=$3 aprof run -q --vgdb=no -o report -- $command >output
    aprof report --format=tsv report | awk -F '\t' -v OFS='\t' -v routines="$routines" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["routine"] ~ routines {
            print $at["routine"], $at["calls"], $at["self_cost"], $at["worst_cost"], $at["average_growth"]
        }' >"$1"
}

# compare GOGC REFERENCE REFERENCE REFERENCE RUN...: one line of the table, and the names of wrong routines in `wrong`.
compare() {
    collector=$1
    shift
    awk -F '\t' -v names=wrong -v collector="GOGC=$collector" '
        FNR == 1 { file++; for (kind = 1; kind <= 4; kind++) here[kind] = 0 }
        file <= 3 {
            runs[$1]++
            if (runs[$1] == 1) { calls[$1] = $2; self[$1] = $3; class[$1] = $5 }
            if (calls[$1] != $2) calls[$1] = "?"
            if (class[$1] != $5 || $5 !~ /^(1|log n|n|n log n|n\^[0-9.]+)$/) class[$1] = "?"
            if ($4 > cost[$1]) cost[$1] = $4
            next
        }
        runs[$1] != 3 { next }
        {
            if (calls[$1] != "?" && calls[$1] != $2) note(1, "calls", calls[$1], $2)
            if (calls[$1] != "?" && ($3 > 1.02 * self[$1] || self[$1] > 1.02 * $3)) note(2, "self", self[$1], $3)
            if ($4 > 1.5 * cost[$1]) note(3, "max", cost[$1], $4)
            if (class[$1] != "?" && class[$1] != $5) note(4, "class", class[$1], $5)
        }
        function note(kind, what, expected, found) {
            all[kind]++
            if (++here[kind] > most[kind]) most[kind] = here[kind]
            print what, collector, $1, "expected", expected, "found", found >>names
        }
        END {
            for (name in runs) { known += calls[name] != "?"; classes += class[name] != "?"; total++ }
            printf "%8d %6d %5d/%-4d %5d/%-4d %5d/%-4d %7d %5d/%-4d\n", total, known, all[1], most[1], all[2], most[2],
                all[3], most[3], classes, all[4], most[4]
        }' "$@"
}

runs=${RUNS:-50}
printf '%-8s %5s %5s %5s %8s %6s %10s %10s %10s %7s %10s\n' program GOGC procs runs routines known calls self max \
    classes class
: >wrong
for program; do
    prepare "$program"
    for collector in 100 off; do
        for i in 1 2 3; do one "reference$i" 1 "$collector"; done
        for processors in 2 4; do
            files=
            for i in $(seq $((runs / 2))); do
                one "run$i" $processors "$collector"
                files="$files run$i"
            done
            printf '%-8s %5s %5s %5s ' "$program" "$collector" $processors $((runs / 2))
            # shellcheck disable=SC2086
            compare "$collector" reference1 reference2 reference3 $files
        done
    done
done
sort wrong | uniq -c
