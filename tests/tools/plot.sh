#!/bin/sh
# Tests `aprof plot`: the contents of pictures, and a message for every failure.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need gnuplot

TMPDIR=$scratch # where nothing may be left
export TMPDIR
basic=$data/basic.aprof

# work in lists.c has three points, drawn as three symbols.
run 0 aprof plot lists.c:work "$basic" -o work.svg
for text in '>work<' '>input size (trms, 4-byte cells)<' '>worst-case cost (basic blocks)<'; do
    grep -qF "$text" work.svg || fail "work.svg: no $text"
done
same "$(grep -c "<use xlink:href='#gpPt6' transform" work.svg)" 3 'points drawn'
run 0 aprof plot lists.c:work "$basic" -o again.svg
cmp work.svg again.svg || fail 'the picture differs between runs'
run 0 aprof plot main "$basic" -o main.png
same "$(head -c 8 main.png | od -An -c | tr -d ' ')" '211PNG\r\n032\n' 'the start of a PNG'

begin "the file's name comes from the routine's; odd characters reach the title, not the file's name"
run 0 aprof plot 'list::add(int, int)' "$basic"
same "$(cat out)" list_add_int_int.svg 'the name of the file'
grep -qF '>list::add(int, int)<' list_add_int_int.svg || fail 'no title'
run 0 aprof plot libother.so+0x2724a "$basic"
test -s libother.so+0x2724a.svg || fail 'no picture of a routine without a name'
# shellcheck disable=SC2016
sed -e '$d' -e 's/_ZN4list3addEd/{a_b}"`id`"@x'"'y'/" "$basic" | seal >odd
# shellcheck disable=SC2016
run 0 aprof plot '{a_b}"`id`"@x'"'y'" odd -o odd.svg
# shellcheck disable=SC2016
grep -qF '{a_b}' odd.svg || fail 'a name with special characters is not drawn as it is'
run 0 aprof plot worker "$data/threads.aprof" -o worker.svg
same "$(grep -c "<use xlink:href='#gpPt6' transform" worker.svg)" 3 'points of merged threads'

# Tests the texts of each kind of picture, and the number of points, bars or curves. gnuplot's svg has a <use>
# for each symbol of a point, and names its curves in <title> elements.
growth=$data/growth.aprof
symbols()
{
    grep -c "<use xlink:href='#gpPt[0-9]*' transform" "$1"
}
picture()
{
    kind=$1
    shift
    run 0 aprof plot --kind="$kind" -o "$kind.svg" "$@"
    same "$(cat err)" '' "messages of gnuplot for $kind"
}
says()
{
    grep -qF ">$2<" "$1.svg" || fail "$1.svg does not say $2"
}
picture worst heap_sort "$growth"
says worst 'worst-case cost (basic blocks)'
says worst 'fit: 2.04 n log n + 32.6'
same "$(symbols worst.svg)" 27 'worst: 26 points and one in the key'
picture average heap_sort "$growth"
says average 'average cost (basic blocks)'
picture best heap_sort "$growth"
says best 'best-case cost (basic blocks)'
picture workload heap_sort "$growth"
says workload 'heap_sort: workload'
says workload 'activations'
picture total heap_sort "$growth"
says total 'total cost of each size (basic blocks)'
picture variance set_flag "$growth"
says variance 'variance of the cost (basic blocks)'
picture amortized heap_sort "$growth"
says amortized 'mean cost up to each size (basic blocks)'
picture ratio heap_sort "$growth"
for class in 'sqrt n' n 'n log n' 'n^1.5' 'n^2'; do
    says ratio "$class"
done
picture variants checksum "$growth"
says variants '(a) rms'
says variants '(b) trms, external input only'
says variants '(c) trms'
same "$(symbols variants.svg)" 53 'one size by rms, 26 by each of the others'
run 0 aprof plot find_cached "$growth" -o branches.svg
grep -qF '>fit: ' branches.svg && fail 'a curve of two branches, of which none is claimed'

picture induced "$basic"
says induced 'mycrate::foo'
says induced 'thread-induced'
run 0 aprof plot --kind=induced "$growth" "$basic" -o both.svg
for report in growth app; do
    grep -q ", $report<\|, $report$" both.svg || fail "the bars of $report are missing"
done
picture richness "$growth" "$basic"
says richness growth
says richness app
picture volume "$growth" "$basic"
says volume '1 - rms / trms (%)'
picture induced-summary "$growth" "$basic"
says induced-summary 'Induced first accesses'
says induced-summary app
picture thread-induced "$growth" "$basic"
picture external "$growth" "$basic"
says external 'external part of induced input (%)'

begin 'no curve without a claim; logarithmic axes where the largest is far from the median'
# points_of COST N...: makes a routine with one call of each size, with the cost COST (an expression of n).
points_of()
{
    cost=$1
    shift
    printf '%s\n' "$@" | awk '{
        OFS = "\t"; n = $1; c[NR] = sprintf("%.0f", '"$cost"'); size[NR] = n; all += c[NR] }
        END {
            print "aprof", 1; print "creator", "aprof 0.1.0"; print "tool", "valgrind 3.19.0"; print "arch", "amd64"
            print "command", "./app"; print "process", 1; print "options", "-"; print "metrics", "trms"; print "resolution", 4
            print "cost", "bb"; print "threads", "merged"; print "end", "exit"; print "totals", all, NR, 9, 0, 0
            print "object", 0, "/app"; print "routine", 0, 0, "0x1000", 64, "work", "-", 0; print "profile", 0, 0, NR, all, all
            for (i = 1; i <= NR; i++)
                print "trms", size[i], 1, c[i], c[i], c[i], sprintf("%.0f", c[i] * c[i]), c[i], 0, 0
        }' | seal
}
# shellcheck disable=SC2046 # numbers
points_of '1000 + (n * 7919) % 1000 * 9' $(seq 10 10 400) >scattered.aprof
run 0 aprof plot work scattered.aprof -o scattered.svg
grep -q '>fit: ' scattered.svg && fail 'a curve without a claim'
# shellcheck disable=SC2046
points_of '8 * n' $(seq 10 10 400) 90000 >far.aprof
run 0 aprof plot work far.aprof -o far.svg
grep -qF '>100000<' far.svg || fail 'no logarithmic axis'
grep -qF '>1000<' far.svg || fail 'no powers of ten'
run 0 aprof plot --log=none work far.aprof -o linear.svg
grep -qF '>20000<' linear.svg || fail 'no linear axis'

begin 'axes, groups, other formats; a script by itself'
run 0 aprof plot heap_sort "$growth" --log=xy -o log.svg
grep -qF '>100000<' log.svg || fail 'no logarithmic axis'
run 0 aprof plot heap_sort "$growth" --group=5 -o group.svg
same "$(symbols group.svg)" 6 'five groups and one in the key'
run 0 aprof plot heap_sort "$growth" -o worst.pdf
same "$(head -c 5 worst.pdf)" '%PDF-' 'the start of a PDF'
run 0 aprof plot heap_sort "$growth" -o -
expect 'input size (trms, 4-byte cells)'
printf '"a"\n1\t10\n2\t20\n\n\n"b"\n1\t11\n2\t19\n' >points
run 0 gnuplot -c "$APROF_SCRIPTS/cost.gp" points alone.svg 'A title'
grep -qF '>A title<' alone.svg || fail 'cost.gp by itself'

# Names of C++ are shortened by defaults of the standard library first; reports of one program are
# distinguished by file.
types='std::basic_string<char, std::char_traits<char>, std::allocator<char>>'
sed -e '$d' -e "s/_ZN4list3addEii/table<$types>::insert($types, $types const\&)/" "$basic" |
    seal >long.aprof
run 0 aprof plot "table<$types>::insert($types, $types const&)" long.aprof -o long.svg
grep -qF 'table&lt;std::string>::insert(std::string, std::string const&amp;)' long.svg ||
    fail 'the defaults of the standard library are not what was cut'
run 0 aprof plot --kind=richness "$basic" long.aprof "$growth" -o labels.svg
for label in 'app (basic.aprof)' 'app (long.aprof)' growth; do
    grep -qF ">$label<" labels.svg || fail "no curve is called $label"
done
run 0 aprof plot --kind=induced-summary "$basic" long.aprof -o labels.svg
grep -qF '>app (long.aprof)<' labels.svg || fail 'bars of one name'

begin 'a growth function that is far off is left out of the ratios, and what gnuplot says stays inside'
mkdir fake
cat >fake/gnuplot <<'END'
#!/bin/sh
cp "$3" data
echo 'warning: something about line 0' >&2
test ! -e broken || exit 1
test ! -e half || { printf '<svg><g fi' >"$4" && exit; }
PATH=${PATH#*:} exec gnuplot "$@"
END
chmod +x fake/gnuplot
sed '$d' "$growth" | awk -F '\t' -v OFS='\t' '
    $1 == "profile" { cubic = $2 == 1 }
    cubic && NF > 8 { for (i = 4; i < 8; i++) $i = sprintf("%.0f", $i * $2 * (i < 7 ? 1 : $2)) }
    { print }' | seal >cubic.aprof
for report in "$growth" cubic.aprof; do
    PATH=$scratch/fake:$PATH run 0 aprof plot --kind=ratio bubble_sort "$report" -o ratio.svg
    same "$(cat err)" '' 'a message of gnuplot'
    awk -F '\t' 'NF == 2 && ($2 > 1e6 || $2 < 1e-6) { exit 1 }' data ||
        fail "$report: ratios that tell nothing"
    grep -q '^"n^2 log n"' data || fail "$report: no ratios"
done
touch broken
PATH=$scratch/fake:$PATH run 1 aprof plot main "$basic" -o broken.svg
expect_error 'gnuplot: failed to draw the plot: warning: something about line 0'

begin 'a full disk, which gnuplot does not notice, is told, and half a picture is removed'
rm broken
touch half
PATH=$scratch/fake:$PATH run 1 aprof plot main "$basic" -o half.svg
expect_error 'half.svg: gnuplot could not write all of the picture'
test ! -e half.svg || fail 'half a picture is left'
rm half
if test -w /dev/full; then
    status=0
    aprof plot lists.c:work "$basic" -o - >/dev/full 2>err || status=$?
    same "$status" 1 'status with a full disk'
    expect_error '(standard output): cannot write: No space left on device'
fi

begin 'what cannot be drawn is told'

run 1 aprof plot --kind=richness "$data/threads.aprof"
expect_error 'has no rms points'
run 1 aprof plot --kind=induced "$data/none.aprof"
expect_error 'nothing to draw'
run 2 aprof plot --kind=bogus main "$basic"
expect_error '--kind must be one of worst, '
mkdir empty
run 1 sh -c 'cd empty && aprof plot --kind=induced'
expect_error 'no report: the current folder has no aprof.out.* or *.aprof'
run 1 aprof plot work "$basic"
expect_error '2 routines have this name; choose one: /src/lists.c:work, /src/trees.c:work'
run 1 aprof plot bogus "$basic"
expect_error 'bogus: no such routine'
run 1 aprof plot main "$data/none.aprof"
expect_error 'main: no such routine'
run 1 aprof plot --metric=rms worker "$data/threads.aprof"
expect_error 'has no rms points'
altered "$basic" '/^trms	9	/d' >pointless
run 1 aprof plot mycrate::foo pointless
expect_error 'no points to draw'
run 1 aprof plot main "$basic" -o missing/main.svg
expect_error 'missing/main.svg: cannot write'
run 2 aprof plot main "$basic" -o main.txt
expect_error 'end in .svg, .png or .pdf'
run 2 aprof plot main "$basic" more
expect_error 'expected a routine and a report'
run 1 sh -c 'cd empty && aprof plot main'
expect_error 'no report: the current folder has no aprof.out.* or *.aprof'
mkdir newest && cd newest
cp "$basic" aprof.out.8
run 0 aprof plot main
expect main.svg
expect_error 'plot: reads aprof.out.8, the newest report in the current folder'
run 0 aprof plot --kind=richness
cd ..
same "$(find . -name 'aprof-plot.*' | wc -l)" 0 'temporary files left'

begin 'without gnuplot there is a message that says so, and all else works'
mkdir bin
ln -s "$(command -v aprof)" bin/aprof
run 1 env PATH="$scratch/bin" aprof plot main "$basic" -o none.svg
expect_error 'gnuplot: not found'
run 0 env PATH="$scratch/bin" aprof report "$basic"
! has_page || run 0 env PATH="$scratch/bin" aprof html -o none.html "$basic"
run 0 env PATH="$scratch/bin" aprof gate --base="$basic" "$basic"

# An inlined function has no calls to plot; the message names the routine around it.
run 1 aprof plot Book::insert "$data/code.aprof"
expect_error 'Book::insert: no such routine: it was inlined into main'

finish
