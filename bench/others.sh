# Programs of others to measure, made of Debian's source packages.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
#
# Sourced by scripts that have the folders $here (beside this one), $build and $work, and a function fail.

# shellcheck source=bench/debian_source.sh
. "$here/../debian_source.sh"

fetch_lua()
{
    debian_source lua5.4
    printf '#define DEB_HOST_MULTIARCH ""\n' >"$work/lua5.4/src/lua5.4-deb-multiarch.h"
    files=$(echo "$work"/lua5.4/src/*.c | tr ' ' '\n' | grep -v '/luac\.c')
}

fetch_minisat()
{
    debian_source minisat2
    # Default arguments of friends that are only declared: g++ takes them, the standard does not.
    sed -i 's/friend Lit mkLit(Var var, bool sign = false);/friend Lit mkLit(Var var, bool sign);/
        s/^inline  *Lit  *mkLit *(Var var, bool sign) /inline Lit mkLit(Var var, bool sign = false) /' \
        "$work/minisat2/minisat/core/SolverTypes.h"
    flags="-std=c++98 -x c++ -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -I$work/minisat2"
    files="$work/minisat2/minisat/core/Main.cc $work/minisat2/minisat/core/Solver.cc
        $work/minisat2/minisat/utils/Options.cc $work/minisat2/minisat/utils/System.cc"
    awk -v n=170 'BEGIN {
        srand(n); m = int(n * 4.26); print "p cnf", n, m
        for (i = 0; i < m; i++) {
            for (j = 0; j < 3; j++)
                printf "%s%d ", rand() < 0.5 ? "-" : "", 1 + int(rand() * n)
            print 0
        }
    }' >"$work/random.cnf"
}

fetch_bzip2()
{
    debian_source bzip2
    files=
    for file in bzip2 blocksort huffman crctable randtable compress decompress bzlib; do
        files="$files $work/bzip2/$file.c"
    done
}

fetch_minigzip()
{
    debian_source zlib
    flags=-I$work/zlib
    files="$(echo "$work"/zlib/*.c) $work/zlib/test/minigzip.c"
}

# Compression alone, with threads: the files that its own Makefile calls zstd-compress.
fetch_zstd()
{
    debian_source libzstd
    zstd=$work/libzstd
    flags="-DZSTD_NOBENCH -DZSTD_NODICT -DZSTD_NODECOMPRESS -DZSTD_NOTRACE -DZSTD_MULTITHREAD
        -DZSTD_LEGACY_SUPPORT=0 -I$zstd/lib -I$zstd/lib/common -I$zstd/programs"
    files="$(echo "$zstd"/lib/common/*.c "$zstd"/lib/compress/*.c)"
    for file in zstdcli util timefn fileio fileio_asyncio; do
        files="$files $zstd/programs/$file.c"
    done
}

# A text of that many lines.
text()
{
    "$build/bench/generate" text "$1" >"$work/text"
}

# other_program NAME: its $files, the $flags that they need, and $arguments to run it with, where THREADS
# is the number of threads if it can have several. False: none of these.
other_program()
{
    flags=
    case $1 in
    bzip2) fetch_bzip2 && text 40000 && arguments="-c $work/text" ;;
    minigzip) fetch_minigzip && text 40000 && arguments="-c $work/text" ;;
    minisat) fetch_minisat && arguments="-verb=0 $work/random.cnf" ;;
    lua) fetch_lua && arguments="$here/../programs/queens.lua 12" ;;
    zstd) fetch_zstd && text 40000 && arguments="-q -c -9 --zstd=wlog=18 -TTHREADS $work/text" ;;
    *) return 1 ;;
    esac
}
