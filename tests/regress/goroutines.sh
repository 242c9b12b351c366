#!/bin/sh
# Goroutines (values derived in goroutines.go).
# SPDX-License-Identifier: GPL-2.0-or-later

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

begin goroutines
require amd64
command -v go > /dev/null || skip "no go"

# Who calls what: CALLER CALLEE CALLS, summed over all contexts.
callers() {
    awk -F '\t' '
        $1 == "routine" { name[$2] = $6 }
        $1 == "context" {
            routine[$2] = name[$4]
            calls[($3 == "-" ? "-" : routine[$3]) " " name[$4]] += $5
        }
        END { for (edge in calls) print edge, calls[edge] }' "$1"
}

# Go preempts by a call that no code makes; it is in the way of exact expectations.
GODEBUG=asyncpreemptoff=1
export GODEBUG

case_begin "each on its own stack"
(cd "$work" && env GOCACHE="$work/cache" GOFLAGS=-mod=mod GO111MODULE=off \
    go build -o goroutines "$regress/goroutines.go")
for how in no yes; do
    profile "--concurrent=$how --contexts=full" ./goroutines
    expect_status 0
    callers "$work/out" > "$work/callers"
    check "fib under worker: $(grep ' main.fib ' "$work/callers")" \
        [ "$(grep ' main.fib ' "$work/callers" | sort | tr '\n' ' ')" = \
            "main.fib main.fib 23200 main.worker main.fib 50 " ]
    check "callers of worker: $(grep ' main.worker ' "$work/callers")" \
        grep -q '^main.main.func1 main.worker 50$' "$work/callers"
done
case_end

finish
