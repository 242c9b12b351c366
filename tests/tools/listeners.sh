#!/bin/sh
# Test frameworks under `aprof test`: each test case is a region, between main and what the test calls.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# code.h: `unique` looks up each of n numbers among those before it, so it grows by n^2 and its callee `find` by n. In each
# framework, one test case with sizes uses it, one passes, one fails and one throws. A framework that is not installed is
# left out. Catch2 version 2 takes half a minute to compile: it is tested by `make check-listeners`.
. "${0%/*}/../lib.sh"
require
export APROF_VALGRIND_LIB="$build/.in_place"

cat >code.h <<'END'
#include <stdexcept>
#include <vector>
__attribute__((noinline)) std::vector<int> make(int n)
{
    std::vector<int> v(n);
    for (int i = 0; i < n; i++)
        v[i] = i * 7919 % 1009;
    return v;
}
__attribute__((noinline)) int find(const int *v, int x, int n)
{
    int i = 0;
    while (i < n && v[i] != x)
        i++;
    return i;
}
__attribute__((noinline)) int unique(std::vector<int> v)
{
    int kept = 0, *at = v.data();
    for (int i = 0, n = v.size(); i < n; i++)
        if (find(at, at[i], kept) == kept)
            at[kept++] = at[i];
    return kept;
}
__attribute__((noinline)) int small() { return find(make(7).data(), -1, 7); }
END

# framework NAME HEADER FLAGS: compiles NAME.cc, which comes from standard input; false if it is not installed.
framework()
{
    begin "$1"
    cat >"$1.cc"
    echo "#include <$2>" | $CXX -E -x c++ - >probe 2>&1 || {
        case_name=
        echo "left out: $1 is not installed"
        return 1
    }
    # shellcheck disable=SC2086
    $CXX -O0 "-I$source" "-I$source/aprof" -Wall -o "$1" "$1.cc" ${3-} >compiler.log 2>&1 || {
        fail "$1.cc does not compile"
        show compiler.log
        return 1
    }
}

# row NAME GROWTH BOUND VERDICT: columns of the table.
row()
{
    grep -qE "^$1  +$2  +[0-9]+  +[0-9]+  *${3-} *${4-}\$" out || fail "$last: no row $* in $(cat out)"
}

# callers_of ROUTINE REPORT
callers_of()
{
    awk -F'\t' -v callee="$1" '$1 == "routine" { name[$2] = $6 }
        $1 == "edge" && name[$3] == callee { print name[$2] }' "$2" | sort -u | tr '\n' ' '
}

# separate REPORT CASE...: checks that no test case was called by another test case.
separate()
{
    report=$1
    shift
    for case; do
        callers=" $(callers_of "$case" "$report")"
        check "callers of $case" [ "$callers" != ' ' ]
        for other; do
            check "callers of $case:$callers" [ "${callers#* "$other" }" = "$callers" ]
        done
    done
}

framework gtest gtest/gtest.h '-lgtest -lgtest_main -pthread' <<'END' && {
#include <aprof/gtest.h>
#include "code.h"
class Sizes : public testing::TestWithParam<int> {};
TEST_P(Sizes, Unique) { EXPECT_EQ(unique(make(GetParam())), GetParam()); }
INSTANTIATE_TEST_SUITE_P(Many, Sizes, testing::Values(8, 12, 18, 27, 40, 60, 90, 135, 202, 303, 454));
class Words : public testing::TestWithParam<const char *> {};
TEST_P(Words, Length) { EXPECT_EQ(small(), 7); }
INSTANTIATE_TEST_SUITE_P(All, Words, testing::Values("a", "b"));
TEST(Small, Passes) { EXPECT_EQ(small(), 7); APROF_EXPECT_GROWTH("unique", "n log n"); }
TEST(Small, Fails) { ASSERT_EQ(small(), 8); }
TEST(Small, Throws) { small(); throw std::runtime_error("no"); }
END
    run 3 aprof test --keep=. -- ./gtest
    row 'Many/Sizes\.Unique' 'n\^2'
    row 'unique\(std::vector<.*>\)' 'n\^2' 'n log n' FAILED
    row 'Small\.Passes' 'too few sizes'
    row 'Small\.Throws' 'too few sizes'
    row 'All/Words\.Length/1' 'too few sizes'
    expect './gtest: exit status 1'
    grep -q '^find(.*): 9[0-9.]*% of the cost, called [0-9]* times by unique(.*; one call grows by n$' out || fail "no cause: $(cat out)"
    measured gtest.aprof 'routine=Many/Sizes.Unique object=[regions] calls=11 input_min=8 input_max=454' \
        'routine=Small.Fails object=[regions] calls=1'
    separate gtest.aprof Many/Sizes.Unique Small.Passes Small.Fails Small.Throws
    run 0 ./gtest --gtest_filter='Small.Passes'

    begin 'gtest, compiled by aprof-c++'
    if command -v aprof-c++ >/dev/null && APROF_CC_COMPILER=$CXX aprof-c++ -O0 "-I$source" "-I$source/aprof" -o compiled gtest.cc \
        -lgtest -lgtest_main -pthread 2>compiler.log; then
        run 3 aprof test --keep=. -- ./compiled
        row 'Small\.Passes' 'too few sizes'
        row 'unique\(std::vector<.*>\)' 'n\^2' 'n log n' FAILED
        measured compiled.aprof 'routine=Many/Sizes.Unique object=[regions] calls=11 input_min=8 input_max=454' \
            'routine=Small.Fails object=[regions] calls=1' 'routine=Small.Throws object=[regions] calls=1'
        # The main of GoogleTest's library has no hooks, so the test cases have no caller.
        for case in Many/Sizes.Unique Small.Passes Small.Fails Small.Throws; do
            same "$(callers_of $case compiled.aprof)" '' "callers of $case"
        done
    fi
}

framework doctest doctest/doctest.h <<'END' && {
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <aprof/doctest.h>
#include "code.h"
TEST_CASE("unique: all") {
    for (int n = 8; n < 500; n += n / 2) {
        std::vector<int> v = make(n);
        APROF_REGION_SIZED("unique values", n);
        CHECK(unique(v) == n);
    }
    APROF_EXPECT_GROWTH("unique values", "n");
}
TEST_CASE("subcases") { SUBCASE("a") { CHECK(small() == 7); } SUBCASE("b") { CHECK(small() == 7); } }
TEST_CASE("fails") { REQUIRE(small() == 8); }
TEST_CASE("throws") { small(); throw std::runtime_error("no"); }
END
    run 3 aprof test --keep=. -- ./doctest
    row 'unique values' 'n\^2' 'n' FAILED
    row 'unique: all' 'too few sizes'
    row throws 'too few sizes'
    measured doctest.aprof 'routine=subcases object=[regions] calls=2' 'routine=fails object=[regions] calls=1'
    separate doctest.aprof 'unique: all' subcases fails throws
}

framework benchmark benchmark/benchmark.h '-lbenchmark -lbenchmark_main -pthread' <<'END' && {
#include <aprof/benchmark.h>
#include "code.h"
static void unique_values(benchmark::State &state)
{
    std::vector<int> v = make(state.range(0));
    for (auto _ : state) {
        APROF_ITERATION;
        benchmark::DoNotOptimize(unique(v));
    }
}
BENCHMARK(unique_values)->Apply(aprof::sizes<8, 500>);
struct Fixed : benchmark::Fixture {};
BENCHMARK_F(Fixed, Small)(benchmark::State &state) { for (auto _ : state) small(); }
template <class T> void typed(benchmark::State &state) { for (auto _ : state) make(state.range(0) * state.range(1)); }
BENCHMARK_TEMPLATE(typed, int)->ArgsProduct({{8, 16}, {1, 4}});
static void captured(benchmark::State &state, int) { for (auto _ : state) small(); }
BENCHMARK_CAPTURE(captured, ten, 10);
END
    echo 'unique_values iteration  n log n' >bounds
    run 1 aprof test --bounds=bounds --keep=. -- ./benchmark
    # The region of a whole run also contains the library's preparation, which differs between systems.
    row 'unique_values iteration' 'n\^2' 'n log n' FAILED
    row 'typed<int>:4' 'too few sizes'
    row 'captured/ten' 'too few sizes'
    row 'Fixed/Small' 'too few sizes'
    measured benchmark.aprof 'routine=unique_values object=[regions] calls=11 input_min=8 input_max=454' \
        'routine=typed<int>:1 object=[regions] calls=2 input_max=16'
}

# Version 3 is a library; version 2 is compiled with the tests.
catch2_flags='-include catch2/catch_all.hpp -lCatch2Main -lCatch2'
catch2_header=catch2/catch_all.hpp
test -z "${APROF_CATCH2_V2-}" || catch2_header=catch2/catch.hpp catch2_flags='-DCATCH_CONFIG_MAIN -DCATCH_CONFIG_FAST_COMPILE'
framework catch2 "$catch2_header" "$catch2_flags" <<'END' && {
#include <aprof/catch2.h>
#include "code.h"
TEST_CASE("unique-all") {
    int n = GENERATE(8, 12, 18, 27, 40, 60, 90, 135, 202, 303, 454);
    std::vector<int> v = make(n);
    APROF_REGION_SIZED("unique values", n);
    CHECK(unique(v) == n);
    APROF_EXPECT_GROWTH("unique values", "n");
}
TEST_CASE("sections") { SECTION("a") { CHECK(small() == 7); } SECTION("b") { CHECK(small() == 7); } }
TEST_CASE("fails") { REQUIRE(small() == 8); }
TEST_CASE("throws") { small(); throw std::runtime_error("no"); }
END
    run 3 aprof test --keep=. -- ./catch2
    row 'unique values' 'n\^2' 'n' FAILED
    row 'unique-all' 'too few sizes'
    row throws 'too few sizes'
    measured catch2.aprof 'routine=unique-all object=[regions] calls=11' 'routine=sections object=[regions] calls=2' \
        'routine=fails object=[regions] calls=1'
    separate catch2.aprof 'unique-all' sections fails throws
}
finish
