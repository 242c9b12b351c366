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
# The second set of programs was added after all rules were chosen. A name is in the even list if the checksum
# that cksum(1) computes for the name is even, so the choice of the lists is free of any knowledge of results.
even="brotli xmlstarlet dc dot glpsol qpdf bsdtar php ruby flex openssl ptx objdump"
odd="gawk tidy markdown lp_solve pdftotext optipng sox indent xsltproc espeak-ng bison lz4 patch ctags mandoc"
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
    gawk) echo 250 ;;
    brotli) echo 700 ;;
    xmlstarlet) echo 700 ;;
    tidy) echo 100 ;;
    dc) echo 300 ;;
    markdown) echo 150 ;;
    dot) echo 10 ;;
    glpsol) echo 1 ;;
    lp_solve) echo 1 ;;
    qpdf) echo 15 ;;
    pdftotext) echo 4 ;;
    optipng) echo 15 ;;
    sox) echo 100 ;;
    bsdtar) echo 60 ;;
    indent) echo 100 ;;
    xsltproc) echo 250 ;;
    php) echo 800 ;;
    espeak-ng) echo 2 ;;
    ruby) echo 1000 ;;
    bison) echo 4 ;;
    flex) echo 8 ;;
    lz4) echo 600 ;;
    patch) echo 2500 ;;
    openssl) echo 3000 ;;
    ctags) echo 100 ;;
    ptx) echo 60 ;;
    mandoc) echo 100 ;;
    objdump) echo 100 ;;
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

# Writes a PDF with $1 pages of text.
pdf_of()
{
    text_of $(($1 * 20)) | awk -v pages="$1" '
        function put(text) { printf "%s", text; at += length(text) }
        function object(number, text) { offset[number] = at; put(number " 0 obj\n" text "\nendobj\n") }
        { page[int((NR - 1) / 20)] = page[int((NR - 1) / 20)] "(" $0 ") Tj T*\n" }
        END {
            put("%PDF-1.4\n")
            object(1, "<< /Type /Catalog /Pages 2 0 R >>")
            for (i = 0; i < pages; i++)
                kids = kids " " 4 + 2 * i " 0 R"
            object(2, "<< /Type /Pages /Count " pages " /Kids [" kids " ] >>")
            object(3, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
            for (i = 0; i < pages; i++) {
                text = "BT /F1 8 Tf 14 TL 40 750 Td\n" page[i] "ET\n"
                object(4 + 2 * i, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents " 5 + 2 * i \
                    " 0 R /Resources << /Font << /F1 3 0 R >> >> >>")
                object(5 + 2 * i, "<< /Length " length(text) " >>\nstream\n" text "endstream")
            }
            start = at
            printf "xref\n0 %d\n0000000000 65535 f \n", 4 + 2 * pages
            for (i = 1; i < 4 + 2 * pages; i++)
                printf "%010d 00000 n \n", offset[i]
            printf "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", 4 + 2 * pages, start
        }'
}

# Writes a linear program in CPLEX's format (glpsol) or lp_solve's: $2 products from resources that are shared.
linear_program_of()
{
    awk -v form="$1" -v n="$2" '
        function term(i, factor) { return " + " factor " x" i }
        BEGIN {
            printf form == "cplex" ? "Maximize\n obj:" : "max:"
            for (i = 1; i <= n; i++)
                printf "%s", term(i, 3 + i * 7919 % 17)
            print form == "cplex" ? "\nSubject To" : ";"
            for (j = 1; j <= n; j++) {
                printf " r%d:", j
                for (k = 0; k < 6; k++)
                    printf "%s", term((j * 31 + k * k * 17) % n + 1, 1 + (j + k * 13) % 7)
                print " <= " 100 + j * 104729 % 97 (form == "cplex" ? "" : ";")
            }
            if (form == "cplex")
                print "End"
        }'
}

c_functions_of()
{
    records_of "$1" '' 'int f%d(int a, int *b) { int s = %d; for (int i = 0; i < a; i++) { if (b[i] > %d) s += b[i] * 3; else s ^= a; } return s + (int)sizeof "%s"; }\n' ''
}

input_of()
{
    case $1 in
    sqlite3) "$build/bench/generate" sql "$2" ;;
    perl | sort | ripgrep | grep | bzip2 | xz | gzip | zstd | awk | sed | gawk | brotli | espeak-ng | lz4 | openssl | ptx) text_of "$2" ;;
    jq) records_of "$2" '[' '{"id":%d,"group":%d,"value":%d,"name":"%s"},\n' 'null]\n' ;;
    xmllint | xmlstarlet | xsltproc) records_of "$2" '<all>\n' '<item id="%d" group="%d"><value>%d</value><name>%s</name></item>\n' '</all>\n' ;;
    cc1 | indent | ctags) c_functions_of "$2" ;;
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
    tidy) records_of "$2" '<html><body>\n' '<div id=i%d class="c%d"><p>%d <b>%s<br></div>\n' '</body></html>\n' ;;
    markdown) text_of "$2" | awk '{ print (NR % 9 ? "" : "## ") $1 " *" $2 "* [" $3 "](http://a.b/" $4 ") `" $5 "`\n\n* " $6 }' ;;
    dot) text_of "$2" | awk 'BEGIN { print "digraph g {" }
        { print "n" NR " -> n" NR + 1 + NR * 7 % 5 "; n" NR " -> n" NR + 2 + NR * 31 % 11 "; n" NR " [label=" $1 "];" } END { print "}" }' ;;
    glpsol) linear_program_of cplex $(($2 * 25)) ;;
    lp_solve) linear_program_of lp_solve $(($2 * 15)) ;;
    qpdf | pdftotext) pdf_of "$2" ;;
    optipng) text_of "$2" | awk -v rows="$2" 'BEGIN { print "P2 300", rows, 255 }
        { for (i = 0; i < 300; i++) printf "%d ", (NR * i / 7 + length($(1 + i % 10)) * 9) % 256; print "" }' ;;
    sox) text_of "$2" | tr '\n' 'z' ;;
    bsdtar)
        rm -rf tree
        mkdir tree
        text_of $(($2 * 30)) | split -l 30 -a 4 - tree/f
        find tree -exec touch -d @1000000000 '{}' +
        ;;
    bison) text_of "$2" | awk '
        BEGIN { print "%token N S\n%%\nall: | all s0 ;" }
        { print "s" NR - 1 ": N \047" substr("+-*/%&|", NR % 7 + 1, 1) "\047 s" NR " | S s" NR " N | \047(\047 s" int(NR / 2) " \047)\047 | s" NR " ;" }
        END { print "s" NR ": N | S ;" }' ;;
    flex) text_of "$2" | awk 'BEGIN { print "%%" } { print $1 "[a-f]+" $2 " return " NR ";" } END { print "%%" }' ;;
    patch)
        text_of "$2" >old
        awk 'NR % 70 == 3 { print "inserted", NR } NR % 110 != 5' old >new
        diff -u old new || true
        ;;
    mandoc) records_of "$2" '.Dd January 1, 2020\n.Dt A 1\n.Os\n.Sh NAME\n.Nm a\n.Nd b\n.Sh DESCRIPTION\n' \
        '.Pp\nItem\n.Em %d\nof the group\n.Ar %d\nhas the value\n.Fl %d\nand the name\n.Sq %s .\n' '' ;;
    objdump) c_functions_of "$2" | gcc -O1 -x c -c -o code.o - ;;
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
    gawk)
        "$@" gawk '{ gsub(/[aeiou]+/, "<&>"); n[substr($0, 1, 3)]++; line[NR] = $0 }
            END { k = asort(line); for (i = 1; i <= k; i++) s += length(line[i]); print s, length(n) }' input
        ;;
    brotli) "$@" brotli -q 5 -c input ;;
    xmlstarlet) "$@" xmlstarlet sel -t -m '//item[value > 50000]' -v name -n input ;;
    tidy) "$@" tidy -q input ;;
    dc) "$@" dc -e "0sa1sb ${size}[lalb+lbsasb1-d0<x]dsxxlbp" ;;
    markdown) "$@" markdown input ;;
    dot) "$@" dot -Tplain input ;;
    glpsol) "$@" glpsol --lp input -o solution ;;
    lp_solve) "$@" lp_solve -S1 input ;;
    qpdf) "$@" qpdf --static-id --object-streams=generate input output.pdf ;;
    pdftotext) "$@" pdftotext input - ;;
    optipng) "$@" optipng -q -o1 -out output.png input ;;
    sox) "$@" sox -t u8 -r 8000 -c 1 ./input -t wav - rate 11025 lowpass 2000 ;;
    bsdtar) "$@" bsdtar -czf output.tgz tree ;;
    indent) "$@" indent -st input ;;
    xsltproc) "$@" xsltproc "$here/groups.xsl" input ;;
    php) "$@" php -n "$here/words.php" "$size" ;;
    espeak-ng) "$@" espeak-ng -q -x -f input ;;
    ruby) "$@" ruby --disable-gems "$here/words.rb" "$size" ;;
    bison) "$@" bison -o output.c input ;;
    flex) "$@" flex -o output.c input ;;
    lz4) "$@" lz4 -9 -c input ;;
    patch) "$@" patch -s -o output old input ;;
    openssl) "$@" openssl dgst -sha256 input ;;
    ctags) "$@" ctags --language-force=C -f - input ;;
    ptx) "$@" ptx input ;;
    mandoc) "$@" mandoc -T utf8 input ;;
    objdump) "$@" objdump -d code.o ;;
    esac
}
