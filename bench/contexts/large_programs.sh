# Third-party programs with large trees of calling contexts: sources, builds and inputs.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# Sourced by scripts that have the folders $here, $build and $work, a list $variants, and a function fail. The
# variants are `native` (clang), `inline` (aprof-cc --aprof=contexts,inline) and `points` (aprof-cc
# --aprof=trms,inline). A work is a program, or PROGRAM:SIZE with another size of its input: the depth of a recursion,
# or the number of functions that tcc compiles.

# shellcheck source=bench/debian_source.sh
. "$here/../debian_source.sh"

command -v clang >/dev/null || fail 'clang is not installed'
[ -x "$build/tools/aprof-instrument" ] || fail 'this aprof was built without LLVM'

# Compilers without options, because some configure scripts divide the words of an option.
mkdir -p "$work/bin"
cat >"$work/bin/cc-native" <<'END'
#!/bin/sh
exec clang "$@"
END
cat >"$work/bin/cc-inline" <<END
#!/bin/sh
export APROF_CC_COMPILER=clang APROF_CONTEXTS=mode=off
exec '$build/tools/aprof-cc' --aprof=contexts,inline "\$@"
END
cat >"$work/bin/cc-points" <<END
#!/bin/sh
export APROF_CC_COMPILER=clang
exec '$build/tools/aprof-cc' --aprof=trms,inline "\$@"
END
chmod +x "$work"/bin/cc-*

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
    sparse) make CC="$2" CFLAGS="$flags" HAVE_LLVM=no HAVE_SQLITE=no HAVE_GTK=no HAVE_LIBXML=no sparse >&2 && echo sparse ;;
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
    for variant in $variants; do
        [ ! -x "$work/$1.$variant" ] || continue
        rm -rf "$work/$1.tree"
        cp -r "$work/$(package_of "$1")" "$work/$1.tree"
        built=$(cd "$work/$1.tree" && make_program "$1" "$work/bin/cc-$variant" 2>"$work/$1.log" </dev/null) ||
            fail "$1: cannot be built, see $work/$1.log"
        cp "$work/$1.tree/$built" "$work/$1.$variant"
        rm -rf "$work/$1.tree"
    done
}

# Work that descends through the interpreters' recursive functions: searches, and trees of calls. The variable `size`
# is the size of the work.
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
BEGIN { n = 7; print place(1), moves(ENVIRON["size"], "a", "b", "c") }
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
fib "$size"
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
(println (tak 14 9 4) " " (moves (int (env "size")) 1 2 3))
(for (i 1 100000) (setq s (string i)))
(exit)
END
    cat >moves.tcl <<'END'
proc moves {n a b c} {
    if {$n == 0} { return 0 }
    expr {[moves [expr {$n - 1}] $a $c $b] + 1 + [moves [expr {$n - 1}] $c $b $a]}
}
puts [moves $env(size) a b c]
set sum 0
for {set i 0} {$i < 100000} {incr i} { set sum [expr {$sum + [string length $i]}] }
puts $sum
END
    # Nested expressions, blocks and calls for the compilers' recursive descent.
    awk -v functions="$size" 'function nested(depth, kind) {
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
            for (i = 0; i < functions; i++)
                print "int g" i "(int x) { if (x > " i ") { while (x) { x -= " nested(8) "; } } return " nested(8) "; }"
        }' >nested.c
}

# set_work PROGRAM[:SIZE]: sets $program and $arguments, and the variables of the environment.
set_work()
{
    program=${1%%:*} size=17 loops=20000
    case $program in
    awk) arguments='-f queens.awk' size=15 ;;
    dash) arguments=fib.sh size=19 loops=200000 ;;
    bash) arguments=fib.sh ;;
    newlisp) arguments=tak.lsp size=15 ;;
    jim) arguments=moves.tcl size=13 ;;
    sparse) arguments='-Wno-decl nested.c' size=400 ;;
    tcc) arguments='-c -o nested.o nested.c' size=400 ;;
    sqlite3) size=10 ;;
    esac
    case $1 in *:*) size=${1#*:} ;; esac
    [ "$program" != sqlite3 ] || arguments="--size $size speed.db"
    export size loops
}
