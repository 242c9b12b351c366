#!/bin/sh
# Measures hot calling contexts in third-party programs with large context trees.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: large.sh [-b BUILD] [-o RESULTS.tsv] [PROGRAM...]
#        large.sh -a RESULTS.tsv        print the tables of an earlier run again
#
# The programs come from Debian's source packages. Each program is built by clang, and by aprof-cc
# --aprof=contexts,inline, and runs natively, with the full tree (mode=cct), and with hot contexts (mode=hcct)
# for three values of phi. The runs are interleaved, BENCH_RUNS (3) times. Every output must equal the native
# output. `aprof contexts compare` compares each hot tree with the full tree of the same round.
#
# The work folder BUILD/bench/large.work keeps sources and programs, so that a second run only measures.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=.
results=
tables=
runs=${BENCH_RUNS:-3}
all="awk dash bash newlisp jim tcc sqlite3"
phis="1e-3 1e-4 1e-5"

fail()
{
    echo "aprof: bench large: $*" >&2
    exit 1
}

while getopts b:o:a: option; do
    case $option in
    b) build=$OPTARG ;;
    o) results=$OPTARG ;;
    a) tables=$OPTARG ;;
    *) sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || eval "set -- $all"
if [ -n "$tables" ]; then
    exec awk -f "$here/../tables_library.awk" -f "$here/large.awk" "$tables"
fi

build=$(cd "$build" && pwd)
results=${results:-$build/bench/large.tsv}
case $results in /*) ;; *) results=$PWD/$results ;; esac
PATH=$build/tools:$PATH
work=$build/bench/large.work
mkdir -p "$work/bin"
: >"$results"

# shellcheck source=bench/debian_source.sh
. "$here/../debian_source.sh"

command -v clang >/dev/null || fail 'clang is not installed'
[ -x "$build/tools/aprof-instrument" ] || fail 'this aprof was built without LLVM'

# Compilers without options, because some configure scripts divide the words of an option.
cat >"$work/bin/cc-native" <<'END'
#!/bin/sh
exec clang "$@"
END
cat >"$work/bin/cc-inline" <<END
#!/bin/sh
export APROF_CC_COMPILER=clang APROF_CONTEXTS=mode=off
exec '$build/tools/aprof-cc' --aprof=contexts,inline "\$@"
END
chmod +x "$work/bin/cc-native" "$work/bin/cc-inline"

# package_of PROGRAM: the Debian source package.
package_of()
{
    case $1 in
    awk) echo original-awk ;;
    jim) echo jimtcl ;;
    *) echo "$1" ;;
    esac
}

# make_program PROGRAM COMPILER: builds the program in its source folder, and prints the path of the program.
make_program()
{
    flags='-O2 -g1 -w'
    case $1 in
    awk) make CC="$2 $flags" YACC='bison -d -b awkgram' HOSTCC=gcc >&2 && echo a.out ;;
    dash) ./configure CC="$2" CFLAGS="$flags" >&2 && make >&2 && echo src/dash ;;
    bash) ./configure CC="$2" CFLAGS="$flags" --without-bash-malloc >&2 && make >&2 && echo bash ;;
    newlisp) make -f makefile_linuxLP64_utf8 CC="$2 $flags" >&2 && echo newlisp ;;
    jim) CC=$2 CFLAGS=$flags ./configure --disable-docs >&2 && make >&2 && echo jimsh ;;
    tcc) ./configure --cc="$2" --extra-cflags="$flags" >&2 && make tcc >&2 && echo tcc ;;
    sqlite3)
        ./configure CC="$2" CFLAGS="$flags" --disable-shared --disable-tcl >&2 && make sqlite3.c >&2 &&
            "$2" $flags -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I. test/speedtest1.c sqlite3.c \
                -o speedtest1 -lm >&2 && echo speedtest1
        ;;
    *) fail "$1: no such program" ;;
    esac
}

build_program()
{
    debian_source "$(package_of "$1")"
    for variant in native inline; do
        [ ! -x "$work/$1.$variant" ] || continue
        rm -rf "$work/$1.tree"
        cp -r "$work/$(package_of "$1")" "$work/$1.tree"
        built=$(cd "$work/$1.tree" && make_program "$1" "$work/bin/cc-$variant" 2>"$work/$1.log" </dev/null) ||
            fail "$1: cannot be built, see $work/$1.log"
        cp "$work/$1.tree/$built" "$work/$1.$variant"
        rm -rf "$work/$1.tree"
    done
}

# Work that descends through the interpreters' recursive functions: searches, and trees of calls.
write_inputs()
{
    cat >queens.awk <<'END'
function is_free(row, column, i) {
    for (i = 1; i < row; i++)
        if (at[i] == column || at[i] - column == row - i || column - at[i] == row - i)
            return 0
    return 1
}
function place(row, i, found) {
    if (row > n)
        return 1
    for (i = 1; i <= n; i++)
        if (is_free(row, i)) {
            at[row] = i
            found += place(row + 1)
        }
    return found
}
function moves(n, from, by, to) {
    return n == 0 ? 0 : moves(n - 1, from, to, by) + 1 + moves(n - 1, by, from, to)
}
BEGIN { n = 7; print place(1), moves(15, "a", "b", "c") }
END
    cat >fib.sh <<'END'
fib()
{
    if [ "$1" -le 1 ]; then
        r=1
    else
        fib $(($1 - 1))
        set -- "$1" "$r"
        fib $(($1 - 2))
        r=$((r + $2))
    fi
}
fib "$n"
i=0
while [ "$i" -lt "$loops" ]; do
    case $i in *7*) fib 3 ;; *) i=$((i + 0)) ;; esac
    i=$((i + 1))
done
echo "$r"
END
    cat >tak.lsp <<'END'
(define (tak x y z) (if (< y x) (tak (tak (- x 1) y z) (tak (- y 1) z x) (tak (- z 1) x y)) z))
(define (moves n a b c) (if (= n 0) 0 (+ (moves (- n 1) a c b) 1 (moves (- n 1) c b a))))
(println (tak 14 9 4) " " (moves 15 1 2 3))
(for (i 1 100000) (setq s (string i)))
(exit)
END
    cat >moves.tcl <<'END'
proc moves {n a b c} {
    if {$n == 0} { return 0 }
    expr {[moves [expr {$n - 1}] $a $c $b] + 1 + [moves [expr {$n - 1}] $c $b $a]}
}
puts [moves 13 a b c]
set sum 0
for {set i 0} {$i < 100000} {incr i} { set sum [expr {$sum + [string length $i]}] }
puts $sum
END
    # Nested expressions, blocks and calls for the compiler's recursive descent.
    awk 'function nested(depth, kind) {
            kind = depth == 0 ? 3 : int(rand() * 3)
            if (kind == 0)
                return "(" nested(depth - 1) "+x*" nested(depth - 1) ")"
            if (kind == 1)
                return "f(" nested(depth - 1) "," nested(depth - 1) ")"
            if (kind == 2)
                return "(x>" nested(depth - 1) "?" nested(depth - 1) ":x)"
            return int(rand() * 9) + 1
        }
        BEGIN {
            srand(1)
            print "static int f(int a, int b) { return a - b; }"
            for (i = 0; i < 400; i++)
                print "int g" i "(int x) { if (x > " i ") { while (x) { x -= " nested(8) "; } } return " nested(8) "; }"
        }' >nested.c
}

# Sets $arguments, and the variables of the environment.
work_of()
{
    n=17 loops=20000
    case $1 in
    awk) arguments='-f queens.awk' ;;
    dash) arguments=fib.sh n=19 loops=200000 ;;
    bash) arguments=fib.sh ;;
    newlisp) arguments=tak.lsp ;;
    jim) arguments=moves.tcl ;;
    tcc) arguments='-c -o nested.o nested.c' ;;
    sqlite3) arguments='--size 10 speed.db' ;;
    esac
    export n loops
}

# run PROGRAM VARIANT BINARY OPTIONS: one line of times; the file is kept as VARIANT.contexts.
run()
{
    rm -f aprof.contexts.* speed.db
    # shellcheck disable=SC2086
    APROF_CONTEXTS=$4 "$build/bench/measure" "$results.run" "$1	$2" "$work/$1.$3" $arguments \
        >output 2>messages </dev/null || fail "$1 $2: $(cat messages)"
    case $1 in
    sqlite3) ;; # the output has times
    *) cmp -s output expected || fail "$1 $2: the output differs" ;;
    esac
    sed 's/^/time	/' "$results.run" >>"$results"
    rm -f "$results.run"
    for file in aprof.contexts.*; do
        [ ! -f "$file" ] || mv "$file" "$2.contexts"
    done
}

# tree PROGRAM VARIANT: calls and contexts.
tree()
{
    awk -F '\t' -v name="$1	$2" -v OFS='\t' '
        $1 == "tree" { calls += $4; nodes += $5 }
        END { print "tree", name, calls, nodes }' "$2.contexts" >>"$results"
}

# compare PROGRAM PHI
compare()
{
    aprof contexts compare --format=csv --top=1 --phi="$2" cct.contexts "hcct-$2.contexts" >compared 2>messages ||
        [ $? = 1 ] || fail "$1 $2: $(cat messages)"
    sed -n "2,\$ { s/,/	/g; s/^/accuracy	$1	$2	/p }" compared >>"$results"
}

for program; do
    build_program "$program"
    mkdir -p "$work/run.$program"
    cd "$work/run.$program"
    write_inputs
    work_of "$program"
    rm -f speed.db
    # shellcheck disable=SC2086
    "$work/$program.native" $arguments >expected </dev/null
    left=$runs
    while [ "$left" -gt 0 ]; do
        run "$program" native native mode=off
        run "$program" cct inline mode=cct
        for phi in $phis; do
            run "$program" "hcct-$phi" inline "mode=hcct,phi=$phi"
        done
        left=$((left - 1))
    done
    for variant in cct $(printf 'hcct-%s ' $phis); do
        tree "$program" "$variant"
    done
    for phi in $phis; do
        compare "$program" "$phi"
    done
    rm -f ./*.contexts
done
awk -f "$here/../tables_library.awk" -f "$here/large.awk" "$results"
