#!/bin/sh
# `aprof test`: test cases with sizes and bounds, in every format; programs that fail, end or are compiled in.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cases.c: `linear` reads n cells for n = 16, 24, 36 ... 406 (9 sizes), `square` has n such calls of `look`, each for n
# cells. `look` therefore grows by n and has 99% of the cost of `square`. The argument chooses how the program ends.
. "${0%/*}/../lib.sh"
require
export APROF_VALGRIND_LIB="$build/.in_place" TMPDIR="$PWD/temporary"
mkdir temporary

cat >cases.c <<'END'
#include <aprof.h>
#include <stdlib.h>
#include <unistd.h>

static int cells[4096];
static volatile int sink;

__attribute__((noinline)) static void look(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += ((volatile int *)cells)[i];
    sink = sum;
}

__attribute__((noinline)) static void linear(int n)
{
    APROF_REGION_SIZED("linear", n);
    look(n);
}

__attribute__((noinline)) static void square(int n)
{
    APROF_REGION_SIZED("square", n);
    for (int i = 0; i < n; i++)
        look(n);
}

int main(int argc, char **argv)
{
    int how = argc > 1 ? atoi(argv[1]) : 0;
    for (int n = 16; n < 500; n += n / 2) {
        linear(n);
        square(n);
    }
    APROF_REGION_BEGIN("plain");
    look(7);
    APROF_REGION_END();
    APROF_EXPECT_GROWTH("linear", "n");
#ifdef WRONG
    APROF_EXPECT_GROWTH("square", "n log n");
#endif
#ifdef MISTYPED
    APROF_EXPECT_GROWTH("square", "n lgo");
#endif
#ifdef ABSENT
    APROF_EXPECT_GROWTH("absent", "n");
#endif
    (void)!write(1, "the tests' own output\n", 22);
    if (how < 0)
        abort();
    return how;
}
END
for variant in KEPT WRONG MISTYPED ABSENT; do
    compile "$variant" "-O1 -D$variant" ./cases.c
done

begin 'kept bounds: one table, status 0'
run 0 aprof test --keep=kept -- ./KEPT
same "$(head -n 3 out | tr '\n' ';')" "the tests' own output;test: passed;3 test cases; bounds: 0 failed, 1 passed, 0 unknown;" 'head'
grep -q '^linear *n  *[0-9]*  *406  n      passed$' out || fail "no row of linear: $(cat out)"
grep -q '^square *n^2  *[0-9]*  *406 *$' out || fail "no row of square: $(cat out)"
grep -q '^plain *too few sizes  *[0-9]*  *7 *$' out || fail "no row of plain: $(cat out)"
expect_not 'expect'

begin 'a broken bound: where it is declared, and which callee has the cost'
run 1 aprof test -- ./WRONG
expect 'test: failed'
grep -q '^square .* n log n  FAILED$' out || fail "no row of square: $(cat out)"
expect 'square: bound n log n broken from n = '
expect '; declared at cases.c:'
grep -q '^look: 9[0-9.]*% of the cost, called' out || fail "no cause: $(cat out)"
expect 'times by square at cases.c:26; one call grows by n'

begin 'a cause behind a function with several callers'
cat >hub.c <<'END'
#include <aprof.h>
static volatile int cells[600], sink;
__attribute__((noipa)) static void inner(int n) { for (int i = 0; i < n; i++) sink += cells[i]; }
__attribute__((noipa)) static void work(int n) { for (int i = 0; i < n; i++) inner(n); }
__attribute__((noipa)) static void other(int n) { for (int i = 0; i < n * n; i++) sink += cells[i % 600]; }
__attribute__((noipa)) static void hub(void (*call)(int), int n) { call(n); }
__attribute__((noipa)) static void test(int n) { APROF_REGION_SIZED("hidden", n); hub(work, n); }
int main(void)
{
    for (int n = 16; n < 500; n += n / 2)
        test(n);
    for (int i = 0; i < 3; i++)
        hub(other, 900);
    APROF_EXPECT_GROWTH("hidden", "n");
    return 0;
}
END
compile hub -O1 ./hub.c
run 1 aprof test -- ./hub
grep -q '^inner: 9[0-9.]*% of the cost, called [0-9]* times by work at hub.c:4' out || fail "no cause: $(cat out)"

begin 'bounds of a file, for regions and routines'
printf '%s\n' '# comment' 'square  n' 'plain  n' 'look  calls 100000' 'look  n' >bounds
run 1 aprof test --bounds=bounds -- ./KEPT
expect 'bounds: 1 failed, 3 passed, 1 unknown'
grep -q '^look  *n .* calls 100000  passed$' out || fail "no row of look: $(cat out)"

begin 'an unknown bound fails if strict'
echo 'plain  n' >unknown
run 1 aprof test --bounds=unknown --strict -- ./KEPT
expect 'plain: bound n unknown: measured all calls have one input size, 7'

begin 'a bound without a routine fails, unless it may'
run 1 aprof test -- ./ABSENT
grep -q '^absent  *n  *FAILED$' out || fail "no row of absent: $(cat out)"
run 0 aprof test --allow-missing -- ./ABSENT

begin 'errors in bounds: status 2'
run 2 aprof test -- ./MISTYPED
expect_error "APROF_EXPECT_GROWTH: square  n lgo: expected a routine and a bound; the reports are in $TMPDIR/aprof-test-"
same "$(find "$TMPDIR" -name 'aprof.out.*' | wc -l)" 1 'reports after an error'
echo 'square  n lgo' >mistyped
run 2 aprof test --bounds=mistyped -- ./KEPT
expect_error 'mistyped:1: expected PATTERN BOUND'
expect_not "the tests' own output"
run 2 aprof test -- ./missing
run 2 aprof test
expect_error 'a program'
run 2 aprof test -- /bin/true
expect_error 'no test case and no bound'
rm -r "$TMPDIR"/aprof-test-*

begin 'tests that fail: status 3, and nothing measured is lost'
run 3 aprof test -- ./WRONG 9
expect './WRONG: exit status 9'
grep -q '^square .* FAILED$' out || fail "no row of square: $(cat out)"
run 3 aprof test -- ./KEPT -1
expect './KEPT: ended by signal 6'
expect '1 passed'

begin 'formats for machines, without the output of the tests'
run 1 aprof test --format=junit -- ./WRONG
expect_not "the tests' own output"
expect_message "the tests' own output"
cp out junit.xml
same "$(grep -c '<testcase ' junit.xml)" 4 'cases for JUnit'
same "$(grep -c '<failure ' junit.xml)" 1 'failures for JUnit'
expect '<testcase classname="aprof.test.WRONG" name="square">'
run 3 aprof test --format=json -o test.json -- ./WRONG 9
valid_json test.json
expect "the tests' own output"
if command -v python3 >/dev/null; then
    run 0 python3 -c 'import json, xml.dom.minidom
xml.dom.minidom.parse("junit.xml")
t = json.load(open("test.json"))
rows = {r["name"]: r for r in t["rows"]}
assert t["exit_status"] == 9 and not t["passed"]
assert rows["square"]["verdict"] == "failed" and rows["square"]["growth"] == "n^2"
assert rows["square"]["causes"][0].startswith("look: 9")
assert rows["linear"]["input_max"] == 406 and "verdict" not in rows["plain"]'
fi
run 1 aprof test --format=markdown -- ./WRONG
expect '### aprof test: failed'
expect '| square | n^2 |'

begin 'the kept report has the declared sizes'
run 0 aprof report kept/KEPT.aprof square
expect 'Growth: n^2'
measured kept/KEPT.aprof 'routine=linear object=[regions] calls=9 input_min=16 input_max=406'

begin 'options of the tool; several programs, one of which fails'
printf '#!/bin/sh\n./KEPT && ./WRONG\n' >both
chmod +x both
run 1 aprof test --run=--cost=instr --keep=both.d -- ./both
grep -q '^cost	instr' both.d/KEPT.aprof || fail 'the option did not reach the tool'
expect '6 test cases; bounds: 1 failed, 2 passed, 0 unknown'
test -s both.d/KEPT.aprof || fail 'no report of KEPT'
test -s both.d/WRONG.aprof || fail 'no report of WRONG'

begin 'a program with a compiled-in profiler measures itself, and has the same test cases'
if command -v aprof-cc >/dev/null && APROF_CC_COMPILER=$CC aprof-cc -O1 "-I$source/aprof" -o compiled cases.c 2>/dev/null; then
    echo 'look  n' >look
    run 0 aprof test --bounds=look --keep=compiled.d -- ./compiled
    grep -q '^look  *n .* passed$' out || fail "no row of look: $(cat out)"
    grep -q '^tool	compiled' compiled.d/compiled.aprof || fail 'the Valgrind tool was used'
    expect '3 test cases; bounds: 0 failed, 2 passed, 0 unknown'
    grep -q '^linear *n  *[0-9]*  *406  n      passed$' out || fail "no row of linear: $(cat out)"
    grep -q '^square *n^2  *[0-9]*  *406 *$' out || fail "no row of square: $(cat out)"
    measured compiled.d/compiled.aprof 'routine=linear object=[regions] calls=9 input_min=16 input_max=406'
    strip -o stripped compiled
    run 0 aprof test --bounds=look --allow-missing --keep=compiled.d -- ./stripped
    grep -q '^tool	compiled' compiled.d/stripped.aprof || fail 'stripped: the Valgrind tool was used'
fi

begin 'no folder is left behind'
same "$(ls "$TMPDIR")" '' 'folders'
finish
