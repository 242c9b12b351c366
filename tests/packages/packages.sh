#!/bin/sh
# Tests that third-party programs, built with aprof-cc, pass their own tests.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: packages.sh [-b BUILD] [-w WORK] [-c COMPILERS] [-p PROFILES] [PACKAGE...]
#
#     make packages
#     make packages PACKAGES='-c clang -p "trms contexts,inline" zlib fmtlib'
#
# Fetches the Debian source of each PACKAGE [all of them] and builds it with a compiler alone, where its
# tests must pass, else it is skipped; then with aprof-cc for each of COMPILERS [gcc clang] and each of
# PROFILES [trms trms,inline], with shared libraries where it makes some. A package passes if its tests pass,
# its programs have left reports, and the command reads the reports.
#
# One line each in WORK/results [BUILD/tests/packages/work]: existing results are not repeated, so that an
# interrupted run can continue; to repeat a package, remove its line. The folder of a failed package is kept,
# with all messages in its `log`. Last line: `N passed, N failed, N skipped`.
#
# Packages need cmake, libtool, libgtest-dev, libgmock-dev, libbenchmark-dev, libonig-dev, unicode-data, bison and flex.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
time_limit=${PACKAGES_TIMEOUT:-1500}

fail()
{
    echo "packages: $*" >&2
    exit 1
}

# shellcheck source-path=SCRIPTDIR source=../../bench/debian_source.sh
. "$here/../../bench/debian_source.sh"

# ---------------------------------------------------------------- The packages

# Each package is built in a copy of its source, with CC and CXX set.
packages='bzip2 zlib tinyxml2 jansson libyaml cjson expat snappy jq fmtlib xz-utils leveldb re2 libzstd libpng1.6
    pcre2 libuv1 libevent sed grep mawk memcached'

by_configure()
{
    ./configure -q "$@"
    make -s "$jobs"
    make -s "$jobs" check
}

by_cmake()
{
    cmake -S . -B made -DCMAKE_BUILD_TYPE=RelWithDebInfo "$@"
    cmake --build made "$jobs"
    cd made
    ctest --output-on-failure "$jobs"
}

build_bzip2()
{
    make -s "CC=$CC" check
    make -s clean
    make -s -f Makefile-libbz2_so "CC=$CC"
    ./bzip2-shared <words0 >packed
    ./bzip2-shared -d <packed | cmp - words0
}

build_zlib()
{
    ./configure
    make -s "$jobs"
    make -s test
}

build_cjson()
{
    by_cmake -DENABLE_CJSON_UTILS=On -DENABLE_CUSTOM_COMPILER_FLAGS=Off
}

build_tinyxml2()
{
    by_cmake -DBUILD_SHARED_LIBS=ON -Dtinyxml2_BUILD_TESTING=ON
}

build_jansson()
{
    autoreconf -fi
    by_configure
}

build_libyaml()
{
    [ -x configure ] || autoreconf -fi
    by_configure
}

build_expat()
{
    cd expat
    bash ./buildconf.sh
    by_configure --without-docbook
}

build_snappy()
{
    by_cmake -DBUILD_SHARED_LIBS=ON -DSNAPPY_USE_BUNDLED_GTEST=OFF -DSNAPPY_USE_BUNDLED_BENCHMARK_LIB=OFF
}

build_libpng1_6()
{
    by_configure
}

build_jq()
{
    autoreconf -fi
    by_configure --disable-docs --disable-maintainer-mode --disable-valgrind
}

build_fmtlib()
{
    by_cmake -DFMT_DOC=OFF -DBUILD_SHARED_LIBS=ON -DCMAKE_POSITION_INDEPENDENT_CODE=ON
}

build_xz_utils()
{
    by_configure --disable-doc --disable-nls
}

build_leveldb()
{
    by_cmake -DBUILD_SHARED_LIBS=ON -DLEVELDB_BUILD_BENCHMARKS=OFF
}

build_re2()
{
    make -s "$jobs" "CXX=$CXX" CXXFLAGS='-O2 -g -std=c++11 -pthread' REBUILD_TABLES=1 shared-test
}

# The package's own quick test of the library.
build_libzstd()
{
    make -s "$jobs" "CC=$CC" -C lib lib
    make -s "$jobs" "CC=$CC" -C tests fuzzer
    ./tests/fuzzer -i300 -s1
}

# Callouts that fork are omitted, because their output has no fixed order.
build_pcre2()
{
    by_configure --enable-pcre2-16 --enable-pcre2-32 --enable-jit --disable-pcre2grep-callout-fork
}

# All tests except tests that need a network.
build_libuv1()
{
    ./autogen.sh
    ./configure -q
    make -s "$jobs"
    TMPDIR=/tmp make -s check >tests.log || :
    cat tests.log
    [ "$(grep -c '^ok' tests.log)" -gt 400 ]
    if grep '^not ok' tests.log | grep -vE 'tcp_close_while_connecting|tcp_connect_timeout'; then
        return 1
    fi
}

# Tests only one way of waiting, because `make check` tests all ways. The test that repeats name queries until
# an answer is late is omitted, because no answer is late without a network.
build_libevent()
{
    sed -i '/"getaddrinfo_cancel_stress"/,+1d' test/regress_dns.c
    ./autogen.sh
    ./configure -q --disable-openssl --disable-samples
    make -s "$jobs"
    make -s "$jobs" check TESTS=
    ./test/regress --quiet
}

# gnulib's tests, except a test that uses all mappings of a process: the runtime of gcc's hooks then has no
# mapping for its tables, and ends the process.
check_gnulib()
{
    sed -i 's/ test-free.(EXEEXT)//' gnulib-tests/Makefile
    make -s "$jobs"
    make -s "$jobs" check
}

# Some tests of the package run Valgrind, whose current releases do not read the DWARF 5 of clang.
build_sed()
{
    ./configure -q --disable-nls CFLAGS='-O2 -gdwarf-4'
    check_gnulib
}

# A patch of Debian's declares a variable after a label, which clang 14 rejects.
build_grep()
{
    find . -name dfa.c -exec sed -i 's/^ *char const \*userevalwarn;/;&/' {} +
    export ACLOCAL=: AUTOCONF=: AUTOHEADER=: AUTOMAKE=: MAKEINFO=:
    ./configure -q --disable-nls
    check_gnulib
}

build_mawk()
{
    by_configure
}

build_memcached()
{
    [ -x configure ] || autoreconf -fi
    ./configure -q --disable-coverage --disable-docs
    make -s "$jobs"
    ./testapp
}

# ---------------------------------------------------------------- One build

# Removes the reports of a build. Servers that the tests have stopped may still be writing theirs.
remove_reports()
{
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        ! rm -rf "$1" 2>/dev/null || return 0
        sleep 1
    done
    rm -rf "$1"
}

# Prints errors in the reports of the programs that ran; of many reports, a sample is read.
reports_of()
{
    find "$1" -type f >"$1.list"
    reports=$(wc -l <"$1.list")
    [ "$reports" -gt 0 ] || problem='no reports'
    awk -v n="$reports" 'NR % (int(n / 100) + 1) == 0' "$1.list" | while read -r report; do
        case $(head -n 1 "$report") in
        *contexts*) "$build/tools/aprof" contexts report "$report" ;;
        *events*) "$build/tools/aprof" events report "$report" ;;
        *) "$build/tools/aprof" export --format=csv "$report" ;;
        esac >/dev/null 2>"$1.error" || head -n 1 "$1.error"
    done >"$1.bad"
    [ ! -s "$1.bad" ] || problem=$(head -n 1 "$1.bad")
    rm -f "$1.list" "$1.error" "$1.bad"
}

# Tests of missing permissions fail for root.
ordinary=
[ "$(id -u)" != 0 ] || ordinary='setpriv --reuid=nobody --regid=nogroup --clear-groups'

# build_one PACKAGE COMPILER PROFILE: `native` means only the compiler. Sets $problem, which is empty after
# success.
build_one()
{
    folder=$work/$1.$2.$(echo "$3" | tr , -) # -Wl,-rpath,FOLDER has no commas
    rm -rf "$folder" "$folder.reports"
    mkdir "$folder.reports"
    cp -a "$work/$1" "$folder"
    [ -z "$ordinary" ] || chown -R nobody: "$folder" "$folder.reports"
    CC=gcc CXX=g++ reports=0 problem=
    [ "$2" = gcc ] || CC=clang CXX=clang++
    APROF_CC_COMPILER=$CC
    if [ "$3" != native ]; then
        CC=$build/tools/aprof-cc CXX=$build/tools/aprof-c++
    fi
    APROF="out=$folder.reports/%p"
    APROF_CONTEXTS=$APROF APROF_EVENTS=$APROF APROF_CC_PROFILE=$3
    [ "$3" != native ] || APROF_CC_PROFILE=
    export CC CXX APROF APROF_CONTEXTS APROF_EVENTS APROF_CC_PROFILE APROF_CC_COMPILER
    before=$(date +%s)
    (
        cd "$folder"
        # shellcheck disable=SC2086
        HOME=$folder timeout -k 10 "$time_limit" $ordinary "$here/packages.sh" -1 "$1"
    ) >"$folder.log" 2>&1 </dev/null ||
        problem="status $?"
    seconds=$(($(date +%s) - before))
    [ "$problem" ] || [ "$3" = native ] || reports_of "$folder.reports"
    remove_reports "$folder.reports"
    if [ "$problem" ]; then
        mv "$folder.log" "$folder/log"
    else
        rm -rf "$folder" "$folder.log"
    fi
}

# once PACKAGE COMPILER PROFILE: its line in the results.
once()
{
    line=$(grep "^$1 $2 $3 " "$work/results" || :)
    if [ -z "$line" ]; then
        if [ "$3" != native ] && ! grep -q "^$1 gcc native passed" "$work/results"; then
            line="$1 $2 $3 skipped"
        else
            build_one "$1" "$2" "$3"
            line="$1 $2 $3 passed $reports reports, $seconds s"
            [ -z "$problem" ] || line="$1 $2 $3 failed $problem"
        fi
        echo "$line" >>"$work/results"
    fi
    echo "$line"
}

build=.
work=
compilers='gcc clang'
profiles='trms,hooks trms,inline'
jobs=-j${PACKAGES_JOBS:-2}
while getopts b:w:c:p:1: option; do
    case $option in
    b) build=$OPTARG ;;
    w) work=$OPTARG ;;
    c) compilers=$OPTARG ;;
    p) profiles=$OPTARG ;;
    1) # runs this script in the folder, so that the first failed command is the last
        "build_$(echo "$OPTARG" | tr .- __)"
        exit
        ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(cd "$build" && pwd)
work=${work:-$build/tests/packages/work}
mkdir -p "$work"
work=$(cd "$work" && pwd)
[ -x "$build/tools/aprof-cc" ] || fail "$build/tools/aprof-cc has not been built"
touch "$work/results"
# shellcheck disable=SC2086
[ $# != 0 ] || set -- $packages
for package; do
    debian_source "$package"
    once "$package" gcc native
    for profile in $profiles; do
        for compiler in $compilers; do
            case $compiler,$profile in
            gcc,contexts,inline | gcc,trms,inline) ;; # for clang alone
            *) once "$package" "$compiler" "$profile" ;;
            esac
        done
    done
done | tee "$work/latest"
awk '$3 != "native" { n[$4]++ }
    END { printf "%d passed, %d failed, %d skipped\n", n["passed"], n["failed"], n["skipped"]; exit n["failed"] > 0 }' \
    "$work/latest"
