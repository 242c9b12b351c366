#!/bin/sh
# Call edges of compiled programs: callers, callees, lines and sums.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The tests include threads, handlers, jumps and libraries. The edges must equal the edges of the Valgrind
# tool, and all sub-commands with edges must read the edges.
# shellcheck disable=SC2154,SC2086
. "${0%/*}/../lib.sh"

grep -q 'define HAVE_LIBDW 1' "$build/aprof-config.h" || skip 'built without libdw'

flags='-O1 -fno-inline -fno-optimize-sibling-calls'

# edges REPORT: prints caller, callee, line and calls of the edges between the program's own routines.
edges()
{
    aprof export --format=callgrind "$1" | awk '
        /^fn=/ { caller = substr($0, 4) }
        /^cfn=/ { callee = substr($0, 5) }
        /^calls=/ { sub(/calls=/, "", $1); calls = $1; getline; print caller, callee, $1, calls }
    ' | sort
}

# wanted REPORT NAME...: prints the edges between routines with these names.
wanted()
{
    edges "$1" >edges.all
    shift
    awk -v names="$*" '
        BEGIN { n = split(names, list, " "); for (i = 1; i <= n; i++) is_wanted[list[i]] = 1 }
        is_wanted[$1] && is_wanted[$2]' edges.all
}

# sums REPORT: checks that the costs of all edges to a routine, and of activations without a caller, are the
# routine's cost.
sums()
{
    awk -F '\t' '
        $1 == "edge" { cost[$3] += $8; calls[$3] += $7 }
        $1 == "profile" { total[$2] += $5; all[$2] += $4 }
        END {
            for (routine in cost)
                if (cost[routine] > total[routine] || calls[routine] > all[routine])
                    print "routine", routine, cost[routine], total[routine], calls[routine], all[routine]
            if (!length(cost))
                print "no edges"
        }' "$1" >differences
    test ! -s differences || fail "$case_name: sums: $(cat differences)"
}

cat >calls.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static int cells[100];
static jmp_buf out;

int leaf(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += cells[i];
    return sum;
}

int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b + leaf(1);
}

int down(int n)
{
    return n ? down(n - 1) + leaf(n) : leaf(2);
}

void leave(int n)
{
    if (n == 0)
        longjmp(out, 1);
    leave(n - 1);
}

static int (*volatile chosen)(int);

int main(void)
{
    for (int i = 0; i < 10; i++)
        cells[leaf(i)] += down(i);
    chosen = leaf;
    chosen(5);
    chosen = down;
    chosen(3);
    qsort(cells, 4, sizeof *cells, compare);
    if (!setjmp(out))
        leave(6);
    return leaf(7) < 0;
}
END
names='main leaf down compare leave'

need_compilers
for compiler in $compilers; do
    begin "$compiler: the calls and lines of the Valgrind tool"
    use_compiler $compiler
    build $compiler "$flags" calls calls.c
    APROF=out=report run 0 ./calls
    sums report
    test "$(grep -c '^edge	' report)" -ge 10 || fail "$(grep '^edge' report)"
    wanted report $names | grep -v ' compare ' >compiled
    $plain -g -w $flags -o plain calls.c
    run 0 aprof run -q --aprof-out-file=valgrind.report -- ./plain
    wanted valgrind.report $names | grep -v ' compare ' >valgrind
    same_files compiled valgrind "$compiler: edges"
    check "$compiler: both ways" grep -q '^main down ' compiled

    begin "$compiler: who is called back by the C library is called from no line of its caller"
    same "$(wanted report main compare | awk '$2 == "compare" { print $1, $3, ($4 > 0) }')" 'main 0 1' 'compare'

    begin "$compiler: edges=no"
    APROF='out=without edges=no' run 0 ./calls
    same "$(grep -c '^edge' without)" 0 'edges'
    check 'version 1' grep -q '^aprof	1$' without
    grep '^trms\|^rms\|^profile' without >points.without
    grep '^trms\|^rms\|^profile' report >points.with
    same_files points.without points.with "$compiler: points"
done

# find is called from insert, which is inlined into main.
cat >book.cpp <<'END'
namespace shop {
class book {
  public:
    __attribute__((always_inline)) void insert(int key)
    {
        int at = find(key);
        orders[at % 1000] = key;
        n++;
    }
    __attribute__((noinline)) int find(int key) const
    {
        for (int i = 0; i < n; i++)
            if (orders[i] == key)
                return i;
        return n;
    }

  private:
    volatile int orders[1000];
    volatile int n;
};
} // namespace shop

static shop::book book;

int main()
{
    for (int i = 0; i < 500; i++)
        book.insert(i);
    return 0;
}
END
for compiler in $compilers; do
    begin "$compiler: what is inlined where a call is made"
    build $compiler -O2 book book.cpp
    APROF=out=book.report run 0 ./book
    for name in insert 'shop::book::insert(int)'; do
        run 1 aprof report book.report "$name"
        expect_error "$name: no such routine: it was inlined into main (book.cpp:29); compile with -fno-inline"
    done
    run 1 aprof report book.report 'shop::shelf::insert(int)'
    expect_error 'no such routine in book.report'
    run 0 aprof report book.report 'shop::book::find(int) const'
    expect 'main'
    expect 'book.cpp:6 '
    run 0 aprof annotate book.report book.cpp
    expect '> 500 calls of shop::book::find(int) const'
    expect 'record no self cost of lines'
    check 'the file has what its routines cost' grep -Eq 'book.cpp: (9[0-9]|100)\.[0-9]% of the cost \(self cost' out
    check 'its lines are not said to cost nothing' grep -Eq '^ +6 +int at' out
    run 0 aprof annotate book.report main
    check 'a routine has its own part' grep -Eq 'book.cpp: [1-8]?[0-9]\.[0-9]% of the cost \(self cost' out
    run 0 aprof annotate book.report shop::book::insert
    check 'what is inlined has none' grep -Eq 'book.cpp$' out
    aprof export --format=pprof book.report >pprof
    if command -v gzip >/dev/null; then
        gzip -dcf pprof >unzipped || mv pprof unzipped
        check 'class and namespace' grep -aq 'shop::book::insert(int)' unzipped
    fi
done

begin 'threads: their edges are added up'
build ${compilers##* } "-O1 -fno-inline -I$source" threads "$source/tests/regress/threads.c"
for options in '' 'separate-threads=yes'; do
    APROF="out=threads.report $options" run 0 ./threads
    sums threads.report
    grep '^edge' threads.report >edges.$(test "$options" && echo apart || echo together)
done
cut -f 2-7 edges.together >one
cut -f 2-7 edges.apart >other
same_files one other 'edges of threads'

# Tables of each execution context, and tables for all contexts, grow at 64, 128, ... edges.
begin 'many edges: none is lost where a table grows'
{
    echo 'volatile int cell; int leaf(int n) { return cell + n; }'
    echo 'int main(void) { int sum = 0;'
    seq 1100 | sed 's/.*/    sum += leaf(&);/'
    echo '    return sum == 0; }'
} >many.c
for compiler in $compilers; do
    use_compiler $compiler
    build $compiler "$flags" many many.c
    APROF=out=many.report run 0 ./many
    same "$(wanted many.report main leaf | awk '{ n++; calls += $4 } END { print n, calls }')" '1100 1100' "$compiler: edges, calls"
done

begin 'a forked child counts its own edges'
cat >forks.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
volatile int cells[9];
int leaf(int n) { return cells[n]; }
int twice(int n) { return leaf(n) + leaf(n + 1); }
int main(void)
{
    twice(1);
    if (fork() == 0)
        return twice(2);
    wait(0);
    return twice(3);
}
END
build ${compilers##* } '-O1 -fno-inline' forks forks.c
APROF=out=forked.%p run 0 ./forks
calls=
for each in forked.*; do
    sums $each
    calls="$calls $(wanted $each twice leaf | awk '{ n += $4 } END { print n }')"
done
same "$(echo $calls | tr ' ' '\n' | sort -n | tr '\n' ' ')" '2 4 ' 'calls of leaf'

begin 'stripped code: addresses'
cp calls bare
strip bare
APROF=out=bare.report run 0 ./bare
sums bare.report
run 0 aprof report --top=0 bare.report
check 'edges have addresses' grep -q '^edge	[0-9]*	[0-9]*	-	-	[1-9]' bare.report

begin 'edges are read, added, compared, shown and exported'
run 0 aprof merge -o twice.report report report
same "$(awk -F '\t' '$1 == "edge" { n += $7 } END { print n }' twice.report)" \
    "$(awk -F '\t' '$1 == "edge" { n += 2 * $7 } END { print n }' report)" 'calls, added up'
run 0 aprof report report down
expect 'called by'
expect 'calls.c:2'
APROF=out=again.report run 0 ./calls
run 0 aprof diff report again.report
run 0 aprof flamegraph -o flame.svg report
check 'frames' grep -q 'down' flame.svg
run 0 aprof export --format=pprof -o pprof report
run 0 aprof export --format=speedscope -o speedscope report
if has_page; then
    run 0 aprof html --output=page.html report
    check 'the page has no edges' grep -q 'calls\.c' page.html
fi
finish
