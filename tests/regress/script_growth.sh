#!/bin/sh
# Functions of known growth, in scripts of seven languages: class, leader, and what three runs say of a larger one.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: script_growth.sh [python | node | java | erlang | lua | perl | ruby]...
#
# Without arguments only Python before 3.12 is tested. `make check-scripts` tests all languages, which takes minutes.
# The programs are in script_growth/; growth.py describes them.
. "${0%/*}/../lib.sh"
require amd64
export APROF_VALGRIND_LIB="$build/.in_place"
cp "$here"/script_growth/* .

# The value of a column of report SIZE for the routine of this name, perhaps with parameters.
column_of()
{
    awk -F '\t' -v column="$1" -v name="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        index($at["routine"] "(", name "(") == 1 { print $at[column] }' "$2.tsv"
}

# cost_per_call SIZE NAME
cost_per_call()
{
    echo $(($(column_of total_cost "$1" "$2") / $(column_of calls "$1" "$2")))
}

# The exponent of the cost as the runs grow, from `scale`; n^1.00 is 100.
percent_of()
{
    awk -F '\t' -v name="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        index($at["routine"] "(", name "(") == 1 { sub(/^n\^/, "", $at["growth"]); print int(100 * $at["growth"]) }' scaled
}

# expect_power NAME LEAST MOST
expect_power()
{
    power=$(percent_of "$1")
    check "scale: the cost of $1 grows with the power $power / 100" test "${power:-0}" -ge "$2" -a "${power:-0}" -le "$3"
}

# profile_sizes "OPTIONS" COMMAND...: with the sizes 30, 60 and 120 as the last argument.
profile_sizes()
{
    options=$1
    shift
    for size in 30 60 120; do
        run 0 timeout 600 aprof run -q --vgdb=no $options --size=$size -o $size.aprof -- "$@" $size
        rm -f "/tmp/perf-$(awk '$1 == "process" { print $2 }' $size.aprof).map"
        same "$(cat out)" $size 'output'
    done
    for size in 30 120; do
        aprof report --top=0 --format=tsv $size.aprof >$size.tsv
    done
    run 0 aprof scale --format=tsv --top=0 30.aprof 60.aprof 120.aprof
    mv out scaled
}

# expect_growth LEADER INSERT PAIRS LOOKUP MEMO [PAIRS-LOOP MEMO-LOOP]: the functions that have the inner loops of pairs
# and memo, if these are other functions.
#
# SIZE calls of insert on up to SIZE elements, and calls of pairs on parts of SIZE elements: SIZE^2. SIZE calls of
# lookup: SIZE. Calls of memo on parts of some SIZE elements: SIZE log SIZE, which is SIZE^1.2 in this range.
expect_growth()
{
    leader=$1
    shift
    same "$(column_of average_growth 120 "$1")" n 'growth of insert'
    same "$(column_of average_growth 120 "$2")" 'n^2' 'growth of pairs'
    same "$(column_of average_growth 120 "$4")" 'n log n' 'growth of memo'
    # The input of a lookup does not grow, so no class is claimed: its cost is the same in a larger table.
    small=$(cost_per_call 30 "$3")
    large=$(cost_per_call 120 "$3")
    check "lookup: $small per call, then $large" test $((10 * small)) -le $((11 * large)) -a $((10 * large)) -le $((11 * small))
    largest=$(for name; do
        echo "$(column_of total_cost 120 "$name") $name"
    done | sort -rn | sed -n '1s/.* //p')
    same "$largest" "$leader" 'leader'
    expect_power "${5-$2}" 190 210
    expect_power "$1" 170 210
    expect_power "${6-$4}" 105 140
    expect_power "$3" 85 110
}

test $# -gt 0 || set -- python
tested=no
for language; do
    case $language in
    python)
        python=
        for name in /usr/bin/python3.11 python3.11 python3.10 python3.9 python3.8; do
            ! $name -c '' 2>/dev/null || python=${python:-$name}
        done
        test "$python" || continue
        begin "Python before 3.12: $($python --version)"
        profile_sizes --python "$python" growth.py
        expect_growth pairs insert pairs lookup memo
        run 0 aprof report --top=1 120.aprof
        expect 'pairs is the most expensive routine'
        ;;
    node)
        command -v node >/dev/null || continue
        begin "JavaScript: node $(node --version)"
        profile_sizes '' node growth.js
        expect_growth pairs insert pairs lookup memo
        run 0 aprof report --top=1 120.aprof
        expect 'pairs is the most expensive routine'
        ;;
    java)
        command -v javac >/dev/null && javac Growth.java || continue
        begin "Java: $(java -version 2>&1 | head -n 1)"
        profile_sizes '' java Growth
        expect_growth Growth.pairs Growth.insert Growth.pairs Growth.lookup Growth.memo
        ;;
    erlang)
        command -v erlc >/dev/null && erlc growth.erl 2>/dev/null || continue
        begin "Erlang: $(erl -noshell -eval 'io:put_chars(erlang:system_info(otp_release)), halt().')"
        profile_sizes '' erl -noshell -run growth main
        # pairs works on fewer elements than memo, in both cases as many as the scheduler lets pass without a switch.
        expect_growth growth:memo/1 growth:insert/2 growth:pairs/1 growth:lookup/2 growth:memo/1 \
            growth:before/3 growth:largest/2
        ;;
    lua)
        command -v lua5.4 >/dev/null || continue
        begin 'Lua 5.4'
        profile_sizes '' lua5.4 growth.lua
        expect_growth pairs insert pairs lookup memo
        ;;
    perl)
        begin "Perl $(perl -e 'print $^V')"
        profile_sizes '' perl growth.pl
        expect_growth pairs insert pairs lookup memo
        ;;
    ruby)
        command -v ruby >/dev/null || continue
        begin "Ruby: $(ruby --version)"
        profile_sizes '' ruby growth.rb
        expect_growth pairs insert pairs lookup memo
        ;;
    *) fail "no language $language" ;;
    esac
    tested=yes
done
test $tested = yes || skip "not installed: $*"
finish
