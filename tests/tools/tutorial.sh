#!/bin/sh
# Tests pages of the manual exactly: files, commands, and output.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A block with a file's name behind its language is that file (a diff is applied to it). In a block of the
# console each line behind `$ ` is run, and the lines below must be in its output, in that order; `...` stands
# for lines left out. Numbers may differ, for compilers and C libraries do: they are compared as one. A name
# behind `console` is that of a program without which the block is left out; `page` and `serve`
# are parts of aprof, `python:NAME` is a module of Python, and `c++:FILE` is a header. Blocks with `slow:` before the name
# run only if APROF_SLOW_EXAMPLES is set (`make check-listeners`). APROF_PAGES replaces the list of pages.
. "${0%/*}/../lib.sh"

need gcc
need valgrind
need gnuplot
need patch
need g++

export CPATH="$source/aprof:$source"
export PYTHONPATH="$source/aprof/python/pytest-aprof" PYTHONDONTWRITEBYTECODE=1

# blocks_of PAGE: writes the files block-N-KIND, and their list in `blocks`.
blocks_of()
{
    awk '
    /^```[a-z]/ { kind = substr($1, 4); name = $2; n++; file = sprintf("block-%02d-%s", n, kind); inside = 1
        print kind, file, name
        next }
    /^```$/ { inside = 0 }
    inside { print > file }' "$source/docs/$1.md" >blocks
}

# Normalises a line: each number becomes 0, and blanks become one blank.
plain()
{
    sed -E 's/[0-9][0-9.,]*/0/g; s/[-+]0%/0%/g; s/ +/ /g; s/^ //; s/ $//' "$1"
}

# follow: each line of `wanted` in `out`, in order.
follow()
{
    plain wanted >wanted.plain
    plain out >out.plain
    awk 'NR == FNR { line[++lines] = $0; next }
        $0 == "..." || $0 == "" { next }
        { while (++at <= lines && index(line[at], $0) == 0) ; if (at > lines) { print; exit 1 } }' \
        out.plain wanted.plain >missing || {
        fail "$last: not there, or not in this order: $(cat missing)"
        show out
    }
}

# run_block FILE: runs the commands of a block, and compares the output of each command.
run_block()
{
    last=
    while IFS= read -r line; do
        case $line in
        '$ '*)
            test -z "$last" || follow
            last=${line#'$ '}
            sh -c "$last" >out 2>&1 </dev/null || fail "$last: status $?"
            : >wanted
            ;;
        *) printf '%s\n' "$line" >>wanted ;;
        esac
    done <"$1"
    follow
}

# has_part NAME: whether the program or part exists on this machine.
has_part()
{
    case $1 in
    '') ;;
    page) has_page ;;
    serve) has_serve ;;
    slow:*) test "${APROF_SLOW_EXAMPLES-}" && has_part "${1#slow:}" ;;
    c++:*) echo "#include <${1#c++:}>" | g++ -E -x c++ - >out 2>&1 ;;
    python:*) python3 -c "import ${1#python:}" 2>out ;;
    *) command -v "$1" >out ;;
    esac
}

NO_COLOR=1
COLUMNS=
export NO_COLOR COLUMNS
PATH=$build/tools:$PATH
for page in ${APROF_PAGES:-first-report howto languages servers}; do
    mkdir "$scratch/$page"
    cd "$scratch/$page"
    blocks_of "$page"
    test "$(grep -c '^console' blocks)" -ge 1 || fail "$page has lost its commands"
    while read -r kind file name; do
        begin "$page, $(echo "$file" | tr - ' ')${name:+: $name}"
        case $kind in
        console)
            if has_part "$name"; then
                run_block "$file"
            else
                case_name=
                echo "left out: $name"
            fi
            ;;
        diff) patch -s -p0 "$name" "$file" >patched 2>&1 || fail "the diff of $name does not fit: $(cat patched)" ;;
        *) cp "$file" "$name" ;;
        esac
    done <blocks
done
finish
