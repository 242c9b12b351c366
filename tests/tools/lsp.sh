#!/bin/sh
# `aprof lsp`: the answers to an editor, stale lines, new reports, and hostile messages.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

aprof lsp <&- >out 2>err || :
! grep -q 'without json-c' err || skip 'built without json-c'

# The sources that the reports name, below another folder: line N of FILE says "FILE N". The program is not on this
# machine, so its time is that of the report.
mkdir src
for file in book.cc book.h shop.cc sort.c; do
    awk -v file=$file 'BEGIN { for (i = 1; i <= 60; i++) print "\t" file " " i }' >src/$file
done
touch -d '2026-01-01' src/*
moved=--source-path=/src=$PWD/src

# The client: each answer is a line of the file `answers`, without its header.
number=0
message()
{
    printf 'Content-Length: %d\r\n\r\n%s' ${#1} "$1" >&3
}

notify()
{
    message "{\"jsonrpc\":\"2.0\",\"method\":\"$1\",\"params\":$2}"
}

# ask METHOD PARAMS: the answer is in the file `answer`.
ask()
{
    number=$((number + 1))
    message "{\"jsonrpc\":\"2.0\",\"id\":$number,\"method\":\"$1\",\"params\":$2}"
    last="$1 $2"
    await "\"id\":$number,"
}

# await TEXT: waits for a message with the text, up to 20 seconds.
await()
{
    turn=0
    while test $turn -lt 1000; do
        turn=$((turn + 1))
        sed 's/Content-Length: [0-9]*\r$//' stream | tr -d '\r' | grep . >answers || :
        if tail -n "+$((seen + 1))" answers | grep -F -e "$1" >answer; then
            seen=$(wc -l <answers)
            return
        fi
        sleep 0.02
    done
    fail "$last: no answer with $1"
    : >answer
}

# start OPTION...: starts a server for this folder.
start()
{
    rm -f to_server
    mkfifo to_server
    aprof lsp "$@" <to_server >stream 2>err &
    server=$!
    exec 3>to_server
    seen=0
    ask initialize "{\"processId\":null,\"rootUri\":\"file://$PWD\",\"capabilities\":$capabilities}"
    notify initialized '{}'
}
capabilities='{}'

# stop STATUS: ends the client, and checks the server's exit status.
stop()
{
    exec 3>&-
    status=0
    wait "$server" || status=$?
    last='end of the server'
    expect_status "$1"
}

has()
{
    grep -qF -e "$1" answer || {
        fail "$last: no '$1' in:"
        show answer
    }
}

has_not()
{
    ! grep -qF -e "$1" answer || {
        fail "$last: should not have '$1'"
        show answer
    }
}

# open FILE: opens the file with its text.
open()
{
    notify textDocument/didOpen "{\"textDocument\":{\"uri\":\"file://$PWD/src/$1\",\"languageId\":\"c\",\"version\":1,
        \"text\":\"$(awk '{ gsub("\t", "\\t"); printf "%s\\n", $0 }' "src/$1")\"}}"
}

about()
{
    echo "\"textDocument\":{\"uri\":\"file://$PWD/src/$1\"}"
}

lenses()
{
    ask textDocument/codeLens "{$(about "$1")}"
}

hints()
{
    ask textDocument/inlayHint "{$(about "$1"),\"range\":{\"start\":{\"line\":0,\"character\":0},\"end\":{\"line\":99,\"character\":0}}}"
}

hover()
{
    ask textDocument/hover "{$(about "$1"),\"position\":{\"line\":$2,\"character\":$3}}"
}

# lens LINE WORDS: the lens at a line, from 0.
lens()
{
    has "{\"range\":{\"start\":{\"line\":$1,\"character\":0},\"end\":{\"line\":$1,\"character\":$3}},\"command\":{\"title\":\"$2\",\"command\":\"\"}}"
}

begin 'lenses have the growth, self cost and calls of aprof report'
cp "$data/growth.aprof" growth.aprof
start "$moved"
has '"codeLensProvider":{}'
has '"change":2'
open sort.c
lenses sort.c
aprof report --format=tsv growth.aprof | awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["file"] == "/src/sort.c" {
        printf "%d\t%s, %.1f%% self, %d calls\n", $at["line"] - 1, $at["average_growth"], $at["self_share"], $at["calls"] }' >wanted
grep -q 'n^2' wanted || fail 'no quadratic routine in the report'
tab=$(printf '\t')
while IFS=$tab read -r line words; do
    lens "$line" "$words" "$(printf 'sort.c%d' $((line + 1)) | wc -c | awk '{ print $1 + 2 }')"
done <wanted
same "$(grep -o '"range"' answer | wc -l)" "$(wc -l <wanted)" 'number of lenses'
stop 1

begin 'hints have the shares of aprof annotate'
rm growth.aprof
cp "$data/code.aprof" code.aprof
start "$moved"
open book.cc
open book.h
hints book.cc
has '"position":{"line":4,"character":10},"label":"15.0%","tooltip":"150 instructions in this line, 0 in the calls from this line, of 1000"'
has '"position":{"line":5,"character":10},"label":"40.0%"'
has '"position":{"line":11,"character":11},"label":"calls 22.0%"'
has '"position":{"line":43,"character":11},"label":"2.0%, calls 12.0%"'
same "$(grep -o '"label"' answer | wc -l)" 7 'number of hints'
ask textDocument/inlayHint "{$(about book.cc),\"range\":{\"start\":{\"line\":5,\"character\":0},\"end\":{\"line\":6,\"character\":0}}}"
same "$(grep -o '"label"' answer | wc -l)" 2 'hints of a range'
hints book.h
has '"line":8,"character":9},"label":"4.0%'
hints shop.cc
has '"result":null'

begin 'a hover has growth, callers, callees, a sparkline and commands'
hover book.cc 39 3
has 'Book::find(int)\n\ntoo few sizes, 18.0% self, 30.0% total, 4 calls\n\n'
has 'Growth: 2 input sizes, from 10 to 20, are too few.'
has '▅······················█ up to 95 instructions per call, for inputs from 10 to 20'
has 'Called by:\n\n- main: 100.0%, 4 calls\n\nCalls:\n\n- compare: 40.0%, 8 calls\n\n'
has "aprof report ./code.aprof 'Book::find(int)'\\naprof plot 'Book::find(int)' ./code.aprof"
hover book.cc 43 3
has 'Book::find(int)'
hover book.cc 50 3
has '"result":null'

begin 'positions are UTF-16, in changes and in requests'
notify textDocument/didChange "{$(about book.cc),\"contentChanges\":[
    {\"text\":\"\\ud83d\\ude00 \\u00e9 x compare\\r\\nmain\\rinsert y\"},
    {\"range\":{\"start\":{\"line\":0,\"character\":5},\"end\":{\"line\":0,\"character\":6}},\"text\":\"find \"}]}"
for place in '0 4:null' '0 5:Book::find(int)' '0 9:Book::find(int)' '0 11:compare\n\n' '0 99:compare\n\n' '1 2:main\n\n' \
    '2 1:insert has no calls of its own; it is inlined into:\n\n- main: 6' '2 8:null' '7 0:null'; do
    line=${place%% *} column=${place#* }
    hover book.cc "$line" "${column%%:*}"
    has "${place#*:}"
done
stop 1

begin 'a hover has the latest change in the history'
if aprof history add --workload=shop --label=v1 code.aprof 2>err; then
    aprof history add --workload=shop --label=v2 "$data/code-changed.aprof"
    change=$(aprof history show --format=tsv compare | awk -F '\t' 'END { print $4 }')
    start --report=code.aprof "$moved"
    open book.h
    hover book.h 8 3
    has "History: self cost $change over 2 commits; latest change in cost at v2."
    stop 1
    rm aprof.history
else
    expect_error SQLite
fi

begin 'Markdown is written for clients that support it'
capabilities='{"textDocument":{"hover":{"contentFormat":["markdown","plaintext"]}}}'
start "$moved"
open book.cc
hover book.cc 39 3
has '"kind":"markdown","value":"**Book::find(int)**\n\n'
has '```\naprof report'
stop 1
capabilities='{}'

begin 'lines move with the text, and changed lines are stale'
start "$moved"
open book.cc
notify textDocument/didChange "{$(about book.cc),\"contentChanges\":[
    {\"range\":{\"start\":{\"line\":39,\"character\":0},\"end\":{\"line\":39,\"character\":1}},\"text\":\"one\\ntwo\\n\"}]}"
hints book.cc
has '"line":4,"character":10},"label":"15.0%"'
has '"label":"6.0% (stale)"'
has '"line":45,"character":11},"label":"2.0%, calls 12.0%"'
lenses book.cc
has 'stale: the source has changed'
lens_count=$(grep -o '"title"' answer | wc -l)
same "$lens_count" 1 'lenses of a changed line'
notify textDocument/didChange "{$(about book.cc),\"contentChanges\":[{\"text\":\"$(awk '
    FNR == 1 { printf "}\\n}\\n" } # several equal lines, which no line of the file corresponds to
    FNR == 6 { printf "\\tchanged\\n"; next }
    FNR == 20 { next }
    FNR == 44 { printf "\\tadded\\n" }
    { sub("\t", "\\t"); printf "%s\\n", $0 }' src/book.cc)\"}]}"
hints book.cc
has '"line":6,"character":10},"label":"15.0%"'
has '"line":7,"character":8},"label":"40.0% (stale)"'
has '"line":8,"character":10},"label":"4.0%"'
has '"line":13,"character":11},"label":"calls 22.0%"'
has '"line":40,"character":11},"label":"6.0%"'
has '"line":45,"character":11},"label":"2.0%, calls 12.0%"'
hover book.cc 40 3
has '4 calls\n\n'
hover book.cc 44 3 # an added line
has '"result":null'
notify textDocument/didClose "{$(about book.cc)}"
lenses book.cc
has '"result":null'
open book.cc
lenses book.cc
lens 39 'too few sizes, 18.0% self, 4 calls' 11

begin 'the profiled text is kept when the file is saved'
notify textDocument/didChange "{$(about book.cc),\"contentChanges\":[
    {\"range\":{\"start\":{\"line\":20,\"character\":0},\"end\":{\"line\":20,\"character\":0}},\"text\":\"one\\n\"}]}"
sed -i '20a one' src/book.cc
notify textDocument/didSave "{$(about book.cc)}"
lenses book.cc
lens 40 'too few sizes, 18.0% self, 4 calls' 11
stop 1

begin 'all lines are stale if the file is newer than the report'
touch -d '2020-01-01' code.aprof
start "$moved"
open book.cc
open book.h
lenses book.cc
lens 39 'too few sizes, 18.0% self, 4 calls (stale: the source has changed)' 11
hints book.cc
has '"label":"15.0% (stale)"'
hover book.cc 39 3
has '4 calls (stale: the source has changed)'

begin 'a new report is read when it appears, and a damaged report is not'
lenses book.h
has 'too few sizes, 12.0% self, 8 calls'
cp "$data/code-changed.aprof" new.aprof
touch -d '2026-02-01' new.aprof
lenses book.h
has_not '12.0% self'
has 'self'
head -n 5 "$data/code.aprof" >damaged.aprof
lenses book.h
has_not '12.0% self'
grep -q '"method":"window/logMessage".*damaged.aprof' answers || fail 'no message about the damaged report'
lenses book.h
same "$(grep -c window/logMessage answers)" 1 'messages about one damaged report'
rm new.aprof damaged.aprof
touch code.aprof
stop 1

begin 'a report of the command line is read, even if there is a newer one'
start --report=code.aprof "$moved"
cp "$data/code-changed.aprof" new.aprof
open book.h
lenses book.h
has '12.0% self'
rm new.aprof
stop 1

begin 'the client is told to ask again'
capabilities='{"workspace":{"codeLens":{"refreshSupport":true},"inlayHint":{"refreshSupport":true}}}'
start "$moved"
await '"method":"workspace/inlayHint/refresh"'
grep -q '"method":"workspace/codeLens/refresh"' answers || fail 'no refresh of lenses'
message '{"jsonrpc":"2.0","id":"aprof-1","result":null}'
ask no/method '{}'
has '"error":{"code":-32601,'
stop 1
capabilities='{}'

begin 'broken bounds are diagnostics, and are removed when they are kept'
echo 'compare calls 7' >.aprof-bounds
echo 'missing n' >>.aprof-bounds
start "$moved"
await publishDiagnostics
grep -q "\"uri\":\"file://$PWD/src/book.h\",\"diagnostics\":\[{\"range\":{\"start\":{\"line\":8,.*\"severity\":2,\"source\":\"aprof\",\"code\":\"broken-bound\",\"message\":\"compare: bound calls 7 broken: measured 8" answers || {
    fail 'no diagnostic'
    show answers
}
grep -q "\"uri\":\"file://$PWD/.aprof-bounds\",\"diagnostics\":\[{\"range\":{\"start\":{\"line\":1,.*bound-without-routine" answers || fail 'no diagnostic of the bound'
seen=$(wc -l <answers)
echo 'compare calls 8' >.aprof-bounds
await "\"uri\":\"file://$PWD/src/book.h\",\"diagnostics\":[]"
stop 1
rm .aprof-bounds
start --base=code.aprof --report="$data/code-changed.aprof" "$moved"
await publishDiagnostics
has '"code":"worse-routine"'
stop 1

begin 'the life of a server follows the protocol'
start
ask initialize '{}'
has '"error":{"code":-32600,'
ask shutdown null
has '"result":null'
ask textDocument/hover '{}'
has '"error":{"code":-32600,'
notify exit null
stop 0
start
notify exit null
stop 1
start
ask shutdown null
stop 0
rm -f to_server
mkfifo to_server
aprof lsp <to_server >stream 2>err &
server=$!
exec 3>to_server
seen=0
notify textDocument/didOpen '{}'
ask textDocument/hover '{}'
has '"error":{"code":-32002,'
stop 1

begin 'hostile messages are refused, and the server continues'
start "$moved"
open book.cc
message '{"jsonrpc":'
await '"id":null,"error":{"code":-32700,'
message "$(awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }')"
await '"error":{"code":-32700,'
message "$(printf '{"jsonrpc":"2.0","id":1,"method":"\377"}')"
await '"error":{"code":-32700,'
message '{} {}'
await '"error":{"code":-32700,'
for wrong in '[]' '{}' '"text"' '{"method":1}' '{"id":1}' '{"id":[1],"method":"shutdown"}'; do
    message "$wrong"
    await '"error":{"code":-32600,'
done
for wrong in null '[]' '{}' '{"textDocument":[]}' "{$(about book.cc),\"position\":{\"line\":-1,\"character\":0}}" \
    "{$(about book.cc),\"position\":{\"line\":1e300,\"character\":0}}" \
    "{$(about book.cc),\"position\":{\"line\":9999999999,\"character\":0}}"; do
    ask textDocument/hover "$wrong"
    has '"error":{"code":-32602,'
done
for wrong in null '[]' '{"textDocument":{"uri":1}}'; do
    ask textDocument/codeLens "$wrong"
    has '"result":null'
done
ask textDocument/hover "{\"textDocument\":{\"uri\":\"file:///%00%zz%\"},\"position\":{\"line\":1,\"character\":0}}"
has '"result":null'
for wrong in null '{}' "{$(about book.cc)}" "{$(about book.cc),\"contentChanges\":[1,{},{\"text\":1},{\"range\":1,\"text\":\"\"}]}" \
    "{$(about book.cc),\"contentChanges\":[{\"text\":\"end\",\"range\":{\"start\":{\"line\":2147483647,\"character\":9},\"end\":{\"line\":0,\"character\":2147483647}}}]}"; do
    notify textDocument/didChange "$wrong"
    notify textDocument/didOpen "$wrong"
    notify '$/cancelRequest' "$wrong"
done
lenses book.cc
lens 39 'too few sizes, 18.0% self, 4 calls' 11
message "{\"jsonrpc\":\"2.0\",\"id\":\"text\",\"method\":\"shutdown\"}    $(printf '\n')"
await '"id":"text","result":null'
stop 0

begin 'a message whose end cannot be found ends the server'
for header in 'Content-Length: -1' 'Content-Length: 99999999999999999999' 'Content-Length: 67108865' 'Content-Type: x' \
    'Content-Length: 1 1' "$(awk 'BEGIN { for (i = 0; i < 5000; i++) printf "x" }')"; do
    printf '%s\r\n\r\n{}' "$header" >wrong
    status=0
    last="header $header"
    aprof lsp <wrong >out 2>err || status=$?
    expect_status 1
    expect_error 'aprof: lsp: '
done
printf 'Content-Type: x\r\ncontent-length:2\r\n\r\n{}Content-Length: 50\r\n\r\n{' >wrong
status=0
aprof lsp <wrong >out 2>err || status=$?
expect_status 1
expect_no_message
expect '"error":{"code":-32600,'
awk -v RS='Content-Length: ' 'NR > 1 { split($0, part, "\r\n\r\n"); if (part[1] != length(part[2])) bad = 1 } END { exit bad || NR < 2 }' out ||
    fail 'a Content-Length is wrong'

finish
