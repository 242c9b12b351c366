# Functions that build third-party programs from Debian's source packages, for measurements.
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
    # Removes default arguments of friends that are only declared, which g++ accepts and the standard forbids.
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

# The command with liblzma, as configured by xz's own configure, without files for other processors and files
# that make tables.
fetch_xz()
{
    debian_source xz-utils
    xz=$work/xz-utils
    [ -f "$xz/config.h" ] || (cd "$xz" && ./configure -q --disable-nls --disable-doc --disable-assembler) >"$work/xz.log" 2>&1 ||
        fail "xz cannot be configured, see $work/xz.log"
    flags="-std=gnu99 -DHAVE_CONFIG_H -DTUKLIB_SYMBOL_PREFIX=lzma_ -I$xz -I$xz/lib -I$xz/src/common -I$xz/src/liblzma/api"
    for folder in common check lz rangecoder lzma delta simple; do
        flags="$flags -I$xz/src/liblzma/$folder"
    done
    files=$(echo "$xz"/src/xz/*.c "$xz"/src/common/tuklib_*.c "$xz"/src/liblzma/*/*.c | tr ' ' '\n' |
        grep -v -e '_tablegen\.c$' -e '_small\.c$')
}

# A program in C++, with its underlying library in C.
fetch_pbzip2()
{
    fetch_bzip2
    debian_source pbzip2
    # Inserts a blank into "..."PRIuMAX, which clang requires in C++11.
    flags="-I$work/bzip2 -DUSE_STACKSIZE_CUSTOMIZATION -Wno-reserved-user-defined-literal"
    files="-x c++ $work/pbzip2/pbzip2.cpp $work/pbzip2/BZ2StreamScanner.cpp $work/pbzip2/ErrorContext.cpp -x c
        $(echo "$files" | sed 's,[^ ]*/bzip2\.c,,') -x none -lstdc++"
}

# Makes a random genome, and reads of the genome with errors.
fetch_minimap2()
{
    debian_source minimap2
    minimap2=$work/minimap2
    # Replaces the library that Debian puts between the program and the processor's own header.
    mkdir -p "$minimap2/simde/x86"
    echo '#include <smmintrin.h>' | tee "$minimap2/simde/x86/sse2.h" >"$minimap2/simde/x86/sse4.1.h"
    flags="-DHAVE_KALLOC -msse4.1 -I$minimap2"
    files=
    for file in main kthread kalloc misc bseq sketch sdust options index lchain align hit seed map format pe esterr \
        splitidx ksw2_ll_sse ksw2_extz2_sse ksw2_extd2_sse ksw2_exts2_sse; do
        files="$files $minimap2/$file.c"
    done
    awk -v genome="$work/genome.fa" -v reads="$work/reads.fa" 'BEGIN {
        srand(1); n = 400000
        print ">genome" >genome
        for (i = 0; i < n; i++) {
            base[i] = substr("ACGT", 1 + int(4 * rand()), 1)
            printf "%s%s", base[i], i % 100 == 99 ? "\n" : "" >genome
        }
        for (r = 0; r < 400; r++) {
            print ">read" r >reads
            start = int((n - 2000) * rand())
            for (i = start; i < start + 2000; i++)
                printf "%s", rand() < 0.06 ? substr("ACGT", 1 + int(4 * rand()), int(2 * rand())) : base[i] >reads
            print "" >reads
        }
    }'
}

fetch_lz4()
{
    debian_source lz4
    flags=-I$work/lz4/lib
    files="$(echo "$work"/lz4/lib/*.c "$work"/lz4/programs/*.c)"
}

fetch_zopfli()
{
    debian_source zopfli
    files=$(echo "$work"/zopfli/src/zopfli/*.c)
}

fetch_mujs()
{
    debian_source mujs
    flags=-I$work/mujs
    files="$work/mujs/one.c $work/mujs/main.c"
}

# Writes a text with the given number of lines.
text()
{
    "$build/bench/generate" text "$1" >"$work/text"
}

queens_in_javascript()
{
    cat >"$work/queens.js" <<'END'
function place(row, n, columns, up, down) {
    var count = 0;
    if (row == n) return 1;
    for (var c = 0; c < n; c++)
        if (!columns[c] && !up[row + c] && !down[row - c + n]) {
            columns[c] = up[row + c] = down[row - c + n] = true;
            count += place(row + 1, n, columns, up, down);
            columns[c] = up[row + c] = down[row - c + n] = false;
        }
    return count;
}
print(place(0, 7, [], [], []));
END
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
    xz) fetch_xz && text 20000 && arguments="-c -1 --block-size=128KiB -T+THREADS $work/text" ;;
    pbzip2) fetch_pbzip2 && text 40000 && arguments="-c -k -b1 -pTHREADS $work/text" ;;
    minimap2) fetch_minimap2 && arguments="-c -tTHREADS $work/genome.fa $work/reads.fa" ;;
    zstd) fetch_zstd && text 40000 && arguments="-q -c -9 --zstd=wlog=18 -TTHREADS $work/text" ;;
    lz4) fetch_lz4 && text 20000 && arguments="-q -c -9 $work/text" ;;
    zopfli) fetch_zopfli && text 1000 && arguments="-c --i5 $work/text" ;;
    mujs) fetch_mujs && queens_in_javascript && arguments="$work/queens.js" ;;
    *) return 1 ;;
    esac
}
