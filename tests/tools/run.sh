#!/bin/sh
# `aprof run`: the command line that Valgrind gets, statuses, and what is missing.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

# A stand-in for valgrind shows how it was called.
mkdir bin lib
cat >bin/valgrind <<'SCRIPT'
#!/bin/sh
echo "lib=$VALGRIND_LIB"
for argument; do echo "<$argument>"; done
exit 42
SCRIPT
chmod +x bin/valgrind
PATH=$scratch/bin:$PATH
APROF_VALGRIND_LIB=$scratch/lib
export APROF_VALGRIND_LIB

defaults='<--error-exitcode=125><--trace-children=yes><--wrapper-cost=1000000>'
run 42 aprof run --metrics=trms,rms --cost=instr -- /bin/echo --flag 'two words' --
same "$(tr -d '\n' <out)" \
    "lib=$scratch/lib<--tool=aprof><--fair-sched=try>$defaults<--metrics=trms,rms><--cost=instr></bin/echo><--flag><two words><-->" \
    'command line'
run 42 aprof run -q echo -- x
same "$(tr -d '\n' <out)" \
    "lib=$scratch/lib<--tool=aprof><--fair-sched=try>$defaults<-q><echo><--><x>" 'command line without --'

for words in '-o a.aprof' '--output a.aprof' '--output=a.aprof'; do
    # shellcheck disable=SC2086 # words
    run 42 aprof run -q $words echo -o x
    same "$(tr -d '\n' <out)" \
        "lib=$scratch/lib<--tool=aprof><--fair-sched=try>$defaults<-q><--aprof-out-file=a.aprof><echo><-o><x>" "$words"
done

run 2 aprof run
expect_error 'run: no program to run'
run 2 aprof run -o
expect_error 'run: no program to run'
run 2 aprof run -o a.aprof
expect_error 'run: no program to run'
run 2 aprof run -q --
expect_error 'run: no program to run'
run 127 aprof run -- ./missing
expect_error './missing: No such file or directory'
run 127 aprof run -- no-such-program-anywhere
expect_error 'no-such-program-anywhere: No such file or directory'
: >not-executable
run 126 aprof run -- ./not-executable
expect_error './not-executable: Permission denied'
mkdir empty
aprof=$(command -v aprof)
PATH=$scratch/empty run 127 "$aprof" run -- /bin/echo
expect_error 'valgrind: No such file or directory; install it'

finish
