#!/bin/sh
# Runs the evaluations of the papers on third-party programs, and stores the measurements as small text files.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: evaluate.sh [-b BUILD] [-o RESULTS] [-l LOAD] PART...
#
#   -b    the build folder [.]
#   -o    where the results go [BUILD/bench/evaluate.results]
#   -l    measure again what was measured beside a load above this; also EVALUATE_LOAD [no limit]
#   PART  mariadb, or another part_PART.sh beside this script
#
# A part consists of cells: RESULTS/PART/NAME.txt. An existing cell is not measured again, so that an
# interrupted run can continue. To measure a cell again, remove its file. A cell begins with lines `# KEY:
# VALUE`: date, commit, machine, and the load (mean number of runnable processes during the last minute)
# before and after. The following lines have the format of the part, which tables.awk reads. A cell that
# cannot be measured on this machine is omitted with a message. Reports of whole programs stay in
# BUILD/bench/evaluate.work.
#
# `make evaluate-keep` copies the results into the sources, and makes docs/evaluation.md and its pictures from
# the results. Exit status: 0; 1 if a cell failed; 2 usage.
set -eu
export LC_ALL=C OMP_WAIT_POLICY=passive OMP_NUM_THREADS=4 PYTHONHASHSEED=0 PERL_HASH_SEED=0

here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
build=.
results=
limit=${EVALUATE_LOAD:-}
failed=0

usage()
{
    sed -n '/^# Usage/,/^#$/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

fail()
{
    echo "evaluate: $*" >&2
    exit 1
}

while getopts b:o:l: option; do
    case $option in
    b) build=$OPTARG ;;
    o) results=$OPTARG ;;
    l) limit=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage
build=$(cd "$build" && pwd)
results=${results:-$build/bench/evaluate.results}
work=$build/bench/evaluate.work
mkdir -p "$results" "$work"
results=$(cd "$results" && pwd)
PATH=$build/tools:$build/tests/tools:$PATH
APROF_SCRIPTS=$source/scripts
export PATH APROF_SCRIPTS
generate=$build/bench/generate
{ [ -x "$build/tools/aprof" ] && [ -x "$generate" ]; } || fail "$build: no aprof or bench/generate there"

# shellcheck source=bench/evaluate/cells.sh
. "$here/cells.sh"

for part; do
    [ -f "$here/part_$part.sh" ] || usage
    mkdir -p "$results/$part" "$work/$part"
    set +e
    (
        set -e
        cd "$work/$part"
        # shellcheck source=/dev/null
        . "$here/part_$part.sh"
        exit $failed
    )
    part_status=$?
    set -e
    [ $part_status = 0 ] || failed=1
done
exit $failed
