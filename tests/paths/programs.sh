#!/bin/sh
# Tests that every policy counts difficult programs exactly, by comparison with other ways to count.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need_papers
need aprof-pathcc 'built without LLVM'

# every_policy STATUS PROGRAM: `edges` also ends with the program's own status.
every_policy()
{
    aprof paths edges -- "./$2" 20 >/dev/null || test $? = "$1" || fail "$2: edges"
    profile_paths "$1" "$2" 30 --policy=sbl
    profile_paths "$1" "$2" 30 --policy=pbl --copies=2
    profile_paths "$1" "$2" 30 --policy=p3 --copies=4
    profile_paths "$1" "$2" 30 --policy=hits --copies=1 --edges=aprof.paths.edges
    profile_paths "$1" "$2" 30 --policy=hits --copies=3 --edges=aprof.paths.edges
    profile_paths "$1" "$2" 30 --policy=sbl --slicing --interval=1 --copies=2
    profile_paths "$1" "$2" 30 --policy=hits --slicing --interval=7 --copies=3 --edges=aprof.paths.edges
}

for level in -O0 -O1; do
    for program in dispatch exceptions many_paths; do
        compile_paths $level $program
        every_policy 0 $program
    done
done
compile_paths -O2 exceptions
profile_paths 0 exceptions 30 --policy=p3 --copies=4

begin 'left in the middle: exit status by exit(), longjmp, and a child, an exec and SIGKILL'
compile_paths -O1 leaving
expected=0
./leaving 30 >/dev/null || expected=$?
every_policy "$expected" leaving
compile_paths -O1 processes
every_policy 137 processes

begin 'several processes count in several files'
# The processes are the parent, its child, and the program again.
run 0 aprof paths report
expect '         3'

begin 'cuts: a small limit ends paths early, and everything still agrees'
profile_paths 0 dispatch 30 --policy=p3 --copies=2 --path-limit=6
run 0 aprof paths plan --path-limit=6 dispatch
same "$(awk '/^cut: / { sum += $3 } END { print sum }' out)" "$(sed -n 's/.* \([0-9]*\) edges cut$/\1/p' out)" \
    'edges cut, by procedure'
expect 'cut: '

begin 'threads count exactly when asked to, also in static programs'
compile_paths '-O1 -pthread' threads
profile_paths 0 threads 20 --policy=sbl --threads
run 0 aprof-pathcc -O1 -static -pthread -o threads "$here/programs/threads.c"
profile_paths 0 threads 20 --policy=sbl --threads

finish
