#!/bin/sh
# Takes pictures of the page of `aprof html`, and of a terminal, for README and the documentation.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     scripts/screens.sh FOLDER
#
# draws FOLDER/terminal.png, page.png, flame.png, code.png, history.png, serve.png, top.png and editor.png, with the
# `aprof` that the shell finds. The pictures show the demo's program; sqlite3, which runs a script of the benchmarks; a small program with a
# fault, whose source is in the page; the commits that tests/web/commits.awk describes; and tests/web/busy.c while the
# program runs; and Neovim with the program and the settings of docs/howto.md. Needs sqlite3, g++, script, tmux, nvim,
# chromium, pngquant, the tests' program seal, and GENERATE, the benchmarks' program bench/generate.
# `make screens` draws the pictures into the sources.
set -eu
test $# = 1 || { echo 'usage: screens.sh FOLDER' >&2; exit 2; }
out=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/aprof-screens.XXXXXX")
trap 'tmux -L "aprof-screens-$$" kill-server 2>/dev/null || :; rm -rf "$work"' EXIT
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

# tmux_run ARGUMENT...: tmux with a server of this script.
tmux_run() { tmux -L "aprof-screens-$$" -f /dev/null "$@"; }

# tmux_shot NAME COLUMNS LINES: the terminal of tmux.
tmux_shot()
{
    {
        echo '<meta charset="utf-8"><style>body { margin: 12px; background: #1b1f24; font: 13px/15px monospace }</style><pre>'
        tmux_run capture-pane -e -N -p | head -n "$3" | awk -f "$source/scripts/screen.awk"
    } >"$1.html"
    shot "$1" $(($2 * 8 - $2 / 5 + 24)) $((($3 + 3) * 15)) "$1.html"
}

# tmux_wait TEXT: until the terminal of tmux has this text.
tmux_wait() { until tmux_run capture-pane -p | grep -q "$1"; do sleep 0.2; done; }

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
tmux_run new-session -d -x 100 -y 14 "aprof top $program"
tmux_wait '%'
tmux_shot top 100 14
tmux_run kill-server
kill $server $program

# example FILE: an example of the manual.
example() { awk -v name="$1" '/^```$/ { inside = 0 } inside; /^```/ && $2 == name { inside = 1 }' "$source/docs/howto.md" >"$1"; }
mkdir editor
cd editor
example sorting.c
example init.lua
gcc -g -O1 -fno-inline -o sorting sorting.c
aprof run -q --aprof-out-file=sorting.aprof -- ./sorting >/dev/null
echo 'insertion_sort  n log n' >.aprof-bounds
cat >>init.lua <<'END'
vim.cmd("highlight Pmenu ctermbg=236 ctermfg=252 | highlight SignColumn ctermbg=NONE | set laststatus=0 noruler")
vim.diagnostic.config({ virtual_text = { format = function(found) return found.message:match("[^:]*:[^:]*") end } })
END
tmux_run new-session -d -x 120 -y 38 \
    "HOME=$PWD XDG_STATE_HOME=$PWD TERM=screen-256color nvim -n -i NONE -u init.lua sorting.c"
tmux_wait 'broken from .* calls'
tmux_run send-keys 19gg w ':lua vim.lsp.buf.hover()' Enter
tmux_wait 'aprof report'
cd "$work"
tmux_shot editor 120 35
tmux_run kill-server
