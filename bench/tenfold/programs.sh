# The programs that `make tenfold` predicts, with their inputs for each size, and their least sizes.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Sourced by tenfold.sh, which has $here, $build and $work. `unit_of PROGRAM` prints a quarter of N;
# `input_of PROGRAM SIZE` makes its input in the current folder; `run_of PROGRAM SIZE COMMAND...`
# runs COMMAND with the program and its arguments. At 10 N, which is forty units, a program takes some tenths
# of a second without a profiler. Sizes are lines, rows, records or digits, in proportion to the size of the
# input.

# The rules were chosen on the first list of programs and are judged on the second list.
chosen_on="sqlite3 lua-words perl grep bzip2 jq awk git-log sed tsort tcl make kdtree alignment"
judged_on="lua-objects sort xz gzip xmllint cc1 bc git-diff python m4 as rapidjson zstd tree_sort smith_waterman"
# The programs of `make growth-coverage`: C, C++, Rust and Fortran, as built by Debian. The rules for trends
# were chosen on the first list, without the second list.
coverage_chosen_on="sqlite3 perl jq grep xz sort xmllint lua-objects"
coverage_judged_on="re2c gperf troff ripgrep fd lapack-solve lapack-eigen"
known="known-slots known-buckets known-append known-insertion known-pairs known-resort known-copy known-none"

unit_of()
{
    case $1 in
    sqlite3) echo 150 ;;
    lua-words) echo 1200 ;;
    lua-objects) echo 500 ;;
    perl) echo 250 ;;
    sort) echo 3000 ;;
    grep) echo 100 ;;
    bzip2) echo 500 ;;
    xz) echo 300 ;;
    gzip) echo 1200 ;;
    zstd) echo 2000 ;;
    jq) echo 800 ;;
    xmllint) echo 500 ;;
    awk) echo 900 ;;
    cc1) echo 4 ;;
    bc) echo 20 ;;
    git-log) echo 200 ;;
    git-diff) echo 1500 ;;
    python) echo 2500 ;;
    m4) echo 300 ;;
    sed) echo 150 ;;
    tsort) echo 1600 ;;
    tcl) echo 500 ;;
    make) echo 200 ;;
    as) echo 800 ;;
    rapidjson) echo 1000 ;;
    kdtree) echo 6 ;;
    alignment) echo 3 ;;
    tree_sort) echo 8 ;;
    smith_waterman) echo 1 ;;
    known-*) echo 1200 ;;
    re2c) echo 15 ;;
    ripgrep) echo 3000 ;;
    lapack-*) echo 12 ;;
    gperf) echo 60 ;;
    troff) echo 40 ;;
    fd) echo 60 ;;
    esac
}

text_of()
{
    "$build/bench/generate" text "$1"
}

# Writes $1 records of a group, a number and a word, in three awk formats: head, record, tail.
records_of()
{
    text_of "$1" | awk -v head="$2" -v record="$3" -v tail="$4" '
        BEGIN { printf head }
        { printf record, NR, (NR * 7919) % 97, (NR * 104729) % 100003, $1 $2 }
        END { printf tail }'
}

input_of()
{
    case $1 in
    sqlite3) "$build/bench/generate" sql "$2" ;;
    perl | sort | ripgrep | grep | bzip2 | xz | gzip | zstd | awk | sed) text_of "$2" ;;
    jq) records_of "$2" '[' '{"id":%d,"group":%d,"value":%d,"name":"%s"},\n' 'null]\n' ;;
    xmllint) records_of "$2" '<all>\n' '<item id="%d" group="%d"><value>%d</value><name>%s</name></item>\n' '</all>\n' ;;
    cc1) records_of "$2" '' 'int f%d(int a, int *b) { int s = %d; for (int i = 0; i < a; i++) { if (b[i] > %d) s += b[i] * 3; else s ^= a; } return s + (int)sizeof "%s"; }\n' '' ;;
    as) records_of "$2" '.text\n' 'f%d:\n movl $%d, %%%%eax\n addl $%d, %%%%eax\n jmp f%%1$d\n.globl %s\n' '' | sed 's/jmp f.*$/ret/' ;;
    m4) records_of "$2" '' "define(\`w%d', \`%d')define(\`v%d', \`%s w1')v1 ifelse(w1, 5, a, b) len(w1)\n" '' ;;
    make) records_of "$2" 'all:\n' 'all: t%d\nt%d: u%d\n\t@:\nv%s:\n' '' | awk '/^t/ { n++; print "t" n ": ;"; next } /^\t/ { next } { print }' ;;
    tsort) records_of "$2" '' '%d a%d%.0s%.0s\n' '' | awk '{ print $1, $1 + 1; print $1, int($1 / 3) "x" }' ;;
    re2c)
        text_of "$2" | awk 'BEGIN { print "/*!re2c" }
            { printf "\"%s%d\" [a-f]+ \"%s\" { return %d; }\n", $1, NR, $2, NR } END { print "* { return 0; } */" }'
        ;;
    gperf) text_of "$2" | awk 'BEGIN { print "%%" } { print $1 NR } END { print "%%" }' ;;
    troff) records_of "$2" '.de P\n.sp\n.ti 3\n..\n' 'Item %d of group %d has the value %d and the name %s.\n.P\n' '' ;;
    fd)
        rm -rf tree
        text_of "$2" | awk '{ d = "tree/" NR % 13 "/" NR % 7; print d "/" $1 NR }' >names
        sed 's|/[^/]*$||' names | sort -u | xargs mkdir -p
        xargs touch <names
        ;;
    git-diff)
        text_of "$2" >old
        awk 'NR % 7 == 3 { print "inserted", NR } NR % 11 != 5' old
        ;;
    git-log)
        rm -rf repo
        git init -q -b main repo
        text_of "$2" | awk '{
            print "commit refs/heads/main\ncommitter A <a@b.c>", 1000000000 + NR, "+0000\ndata", length($0)
            print $0 "\nM 100644 inline f" NR % 13 "\ndata", length($1 NR) + 1 "\n" $1 NR "\n" }' |
            git -C repo fast-import --quiet
        ;;
    esac
}

run_of()
{
    program=$1 size=$2
    shift 2
    case $program in
    sqlite3) "$@" sqlite3 :memory: '.read input' ;;
    lua-words) "$@" lua5.4 "$here/words.lua" "$size" ;;
    lua-objects) "$@" lua5.4 "$here/objects.lua" "$size" ;;
    perl) "$@" perl "$here/../programs/words.pl" input ;;
    sort) "$@" sort --parallel=1 -k 3 input ;;
    grep) "$@" grep -c -E '([a-z]{4}).* \1' input ;;
    bzip2) "$@" bzip2 -c input ;;
    xz) "$@" xz -T 1 -2 -c input ;;
    gzip) "$@" gzip -c input ;;
    zstd) "$@" zstd --single-thread -q -c input ;;
    jq) "$@" jq -c 'map(select(. != null)) | group_by(.group) | map({g: .[0].group, n: length, s: (map(.value) | add)})' input ;;
    xmllint) "$@" xmllint --format input ;;
    awk) "$@" mawk '{ for (i = 1; i <= NF; i++) count[$i]++ } END { for (w in count) sum += count[w] * length(w); print sum }' input ;;
    cc1) "$@" "$(gcc -print-prog-name=cc1)" -quiet -O1 -x c input -o /dev/null ;;
    bc) echo "scale=$size; 4*a(1); e(1); sqrt(2)" | "$@" bc -l ;;
    git-log) "$@" git -C repo log --stat --format=%h%s ;;
    git-diff) "$@" git diff --no-index old input ;;
    python) "$@" /usr/bin/python3 -S -E "$here/words.py" "$size" ;;
    m4) "$@" m4 input ;;
    sed) "$@" sed -E 's/([a-z])([a-z]+) ([a-z]+)/\3 \2\1/g; /^a/d; s/[aeiou]/<&>/g' input ;;
    tsort) "$@" tsort input ;;
    tcl) "$@" tclsh "$here/words.tcl" "$size" ;;
    make) "$@" make -s -f input ;;
    as) "$@" as -o /dev/null input ;;
    rapidjson) "$@" "$work/json_format" "$size" ;;
    kdtree | alignment | tree_sort | smith_waterman) "$@" "$build/bench/programs/$program" "$size" 2 ;;
    re2c) "$@" re2c -o output.c input ;;
    ripgrep) "$@" rg -j 1 --no-config -c -e '[a-z]+e [a-z]{3,5}(in|th)[a-z]*' input ;;
    lapack-*) "$@" "$work/lapack" "${program#lapack-}" "$size" ;;
    gperf) "$@" gperf input ;;
    troff) "$@" troff -Tascii input ;;
    fd) "$@" fdfind -j 1 'e.*[3-5]$' tree ;;
    known-*) "$@" "$build/bench/tenfold/known" "${program#known-}" "$size" ;;
    esac
}
