#!/bin/sh
# The calling-context profiler in programs whose contexts are known: every call, whatever happens.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

aprof-cc --aprof=contexts -O2 -w -o lives "$here/contexts_lives.c"
aprof-cc --aprof=contexts -O2 -w -fPIC -shared -o liblives.so "$here/contexts_library.c"

# shellcheck source=tests/native/contexts_lives.sh
. "$here/contexts_lives.sh"

binary=./lives
export APROF_CONTEXTS
for mode in hcct cct; do
    APROF_CONTEXTS=mode=$mode
    lives
done
life 0 exit coroutines <<END
coroutine 2
coroutine;leaf 500
coroutine;twig 500
coroutine;twig;leaf 1000
main 1
main;run_coroutines 1
main;run_coroutines;leaf 1000
END

lives_elsewhere

begin 'deeper than any table: all activations are one context when recursion is folded'
APROF_CONTEXTS=mode=hcct,recursion=1
life 0 exit deep <<END
main 1
main;on_large_stack 1
run_deep 1
run_deep;leaf 1
run_deep;recurse 1200001
END

begin 'exceptions'
aprof-c++ --aprof=contexts -O2 -w -o throws "$here/contexts_throws.cpp"
exceptions

# The hooks of -finstrument-functions, given by hand: no tail calls, but nothing else differs.
# shellcheck disable=SC2086
gcc -O2 -w -finstrument-functions -o by_hand "$here/contexts_lives.c" -Wl,--whole-archive \
    "$build/libaprof_contexts.a" -Wl,--no-whole-archive -pthread -ldl
binary=./by_hand
APROF_CONTEXTS=mode=cct
lives

recursion_from_two_places
one_tree

# Bursts: when they come is a matter of time, but the stack is right where they begin, and shares are
# of the order that they are (0.77, 0.08 and 0.15).
near()
{
    report_of lives aprof.contexts.* | awk -v path="$1" -v least="$2" -v most="$3" '
        { sum += $NF; if ($1 == path) count = $NF }
        END { exit !(count >= least * sum && count <= most * sum) }' || {
        fail "bursts: $1 is not $2 to $3 of all calls"
        report_of lives aprof.contexts.*
    }
}
for burst in 4ms/400us adaptive,burst=4ms/400us; do
    APROF_CONTEXTS=mode=hcct,burst=$burst
    rm -f aprof.contexts.*
    run 0 ./lives phases
    same "$(report_of lives aprof.contexts.* |
        grep -v '^main \|^main;run_phases\( \|;work \|;twofold \|;twofold;work \)')" "" \
        "$burst: contexts that are none"
    near 'main;run_phases;twofold;work' 0.005 0.9
done
near 'main;run_phases;twofold' 0.0025 0.45

# Which of the three is said depends on how long the program and its hooks take here.
begin 'bursts that look at nearly everything are of no use, and say so; once, at the end'
rm -f aprof.contexts.*
APROF_CONTEXTS=burst=1ms/900us,dump-every=20ms run 0 ./lives phases
same "$(grep -c 'contexts: bursts: \(they looked at half of all calls\|calls are too frequent\|the run is too short\)' err)" 1 'the message'

begin 'an interval comes with the total, and the true one lies in it'
APROF_CONTEXTS=mode=cct
rm -f aprof.contexts.*
run 0 ./lives phases
truth=$(awk -F '\t' '$1 == "tree" { print $3 }' aprof.contexts.*)
rm -f aprof.contexts.*
APROF_CONTEXTS=burst=2ms/200us run 0 ./lives phases
run 0 aprof contexts report aprof.contexts.*
grep '^bursts:' out | tr -d '\n' >bound
if grep -q 'estimate: it is' bound; then
    awk -v truth="$truth" '{ exit !($10 <= truth && truth <= $12) }' bound ||
        fail "bursts: $truth is not what the report says: $(cat bound)"
else
    grep -q 'rough estimate\|exact' bound || fail "bursts: no bound: $(cat bound)"
fi

begin 'the thread that opens bursts is not in the way of what needs a process of one thread, and is who it is'
aprof-cc --aprof=contexts -O1 -w -o identities "$here/identities.c"
chmod 777 .
APROF_CONTEXTS=burst=2ms/200us
for how in user uid; do
    rm -f aprof.contexts.*
    status=0
    timeout 60 ./identities $how >out 2>err || status=$?
    { [ $status = 0 ] || [ $status = 77 ]; } || fail "$how: status $status: $(cat err)"
    same "$(cat aprof.contexts.* | grep -c '^complete')" 1 "$how: files"
done

begin 'time: sleeping is not counted, the rest is, where it is spent'
APROF_CONTEXTS=mode=cct,weight=time
time_is_counted

begin 'mistakes are said once, and the program runs as ever'
APROF_CONTEXTS=mode=empty,burst=often,phi=2 run 0 ./lives constructors
same "$(grep -c '^aprof: APROF_CONTEXTS' err)" 3 'unknown options'
APROF_CONTEXTS=mode=off
rm -f aprof.contexts.*
run 0 ./lives constructors
same "$(echo aprof.contexts.*)" 'aprof.contexts.*' 'mode=off'

finish
