#!/bin/sh
# Takes pictures of the page of `aprof html`, and of a terminal, for README and the documentation.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     scripts/screens.sh FOLDER
#
# draws FOLDER/terminal.png, page.png, flame.png, code.png, history.png and serve.png, with the `aprof` that the shell
# finds. The pictures show the demo's program; sqlite3, which runs a script of the benchmarks; a small program with a
# fault, whose source is in the page; the commits that tests/web/commits.awk describes; and tests/web/busy.c while the
# program runs. Needs sqlite3, g++, script, chromium, pngquant, the tests' program seal, and GENERATE, the benchmarks'
# program bench/generate.
# `make screens` draws the pictures into the sources.
set -eu
test $# = 1 || { echo 'usage: screens.sh FOLDER' >&2; exit 2; }
out=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/aprof-screens.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

# shot NAME WIDTH HEIGHT PAGE#VIEW|ADDRESS
shot()
{
    rm -f "$1.png"
    case $4 in http:*) address=$4 ;; *) address=file://$work/$4 ;; esac
    chromium --headless --no-sandbox --disable-gpu --disable-lcd-text --hide-scrollbars --virtual-time-budget=5000 \
        --window-size="$2,$3" --screenshot="$work/$1.png" "$address" >/dev/null 2>&1
    pngquant --force --output "$out/$1.png" 48 "$work/$1.png"
}

# terminal NAME COLUMNS LINES COMMAND: the contents of a terminal of this size, colours included.
terminal()
{
    {
        echo '<meta charset="utf-8"><style>body { margin: 12px; background: #1b1f24; color: #d8dee4; font: 13px/18px monospace }'
        echo 'b { color: #fff } i { color: #848d97; font-style: normal } s { color: #ff7b72; text-decoration: none }</style><pre>'
        echo "<b>\$ $4</b>"
        script -qec "stty cols $2; $4" /dev/null </dev/null | head -n "$3" | tr -d '\r' |
            sed 's/&/\&amp;/g; s/</\&lt;/g
                s/\x1b\[1m\([^\x1b]*\)\x1b\[0m/<b>\1<\/b>/g; s/\x1b\[2m\([^\x1b]*\)\x1b\[0m/<i>\1<\/i>/g
                s/\x1b\[31m\([^\x1b]*\)\x1b\[0m/<s>\1<\/s>/g'
    } >"$1.html"
    shot "$1" $(($2 * 8 + 24)) $((($3 + 3) * 18)) "$1.html"
}

# shellcheck source=scripts/demo_program.sh
. "$source/scripts/demo_program.sh"
demo_program .
LC_ALL=C.UTF-8 aprof run -q --aprof-out-file="$work/bash.out" -- bash underscores.sh <lines.txt >/dev/null
aprof html -o bash.html bash.out
terminal terminal 120 20 'aprof report --top=8 bash.out'
shot page 1000 600 'bash.html#r=bash!utf8_mbsmbchar'

"$GENERATE" sql 2000 >script.sql
aprof run -q --aprof-out-file="$work/sqlite.out" -- sqlite3 :memory: '.read script.sql' >/dev/null
aprof html -o sqlite.html sqlite.out
shot flame 1000 560 'sqlite.html#view=flame&q=sqlite3Btree'

cp "$source/tests/regress/code.cpp" .
g++ -O2 -g -ffile-prefix-map="$work=/src" -I "$source" -o book "$work/code.cpp"
aprof run -q --aprof-out-file="$work/book.run" -- ./book
# The command runs in another folder, because the current folder must not appear in the picture.
sed -e '$d' -e "s|$work|/home/ann/shop|g" "$work/book.run" | seal >book.out
aprof html --embed-source --source-path="/src=$work" -o book.html book.out 2>/dev/null
shot code 1000 600 'book.html#object=mine&r=book!main!code.cpp&tab=code'

sed '$d' "$source/tests/tools/data/growth.aprof" >growth
for n in $(seq 20); do
    awk -v n="$n" -f "$source/tests/web/commits.awk" growth growth | seal >commit.aprof
    aprof history add --workload=growth --label="$(printf 'c%02d' "$n")" commit.aprof
done
aprof history html -o site 2>/dev/null
shot history 1000 600 'site/index.html'

gcc -O1 -fno-inline -g -o busy "$source/tests/web/busy.c"
aprof run -q --dump-every=1 --aprof-out-file=busy.aprof -- ./busy &
program=$!
until test -s busy.aprof; do sleep 0.2; done
aprof serve $program --database=none >address &
server=$!
until test -s address; do sleep 0.2; done
shot serve 1000 420 "$(cat address)"
kill $server $program
