#!/bin/sh
# Tests that aprof-cc is a drop-in compiler: every way to compile and link gives a profiled program.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need_papers

test -f "$build/libaprof_events.a" || fail 'no libaprof_events.a'
APROF_CC_PROFILE=events,hooks
export APROF_CC_PROFILE

# calls REPORT ROUTINES...: prints how often `methods` counted routines whose file is the program's or a
# library's.
profiled()
{
    rm -f aprof.events.*
    run "$1" "$2"
    set -- aprof.events.*
    test -f "$1" || {
        fail "$last: no report"
        return 0
    }
    same "$(tail -1 "$1" | cut -f1)" complete "$last: the report's end"
    count=$(awk -F '\t' '$1 == "method" { sum += $NF } END { print sum + 0 }' "$1")
}

cat >main.c <<'END'
#include <stdio.h>
int helper(int);
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += helper(i);
    printf("%d\n", sum);
    return 3;
}
END
cat >helper.c <<'END'
int helper(int i)
{
    return i * 2;
}
END
cat >main.cpp <<'END'
#include <cstdio>
#include <stdexcept>
struct shape { virtual ~shape() {} virtual int area() const = 0; };
struct square : shape { int side; square(int s) : side(s) {} int area() const override { if (side > 8) throw std::runtime_error("big"); return side * side; } };
int main()
{
    int sum = 0;
    for (int i = 0; i < 10; i++)
        try { square s(i); const shape &t = s; sum += t.area(); } catch (const std::exception &) { sum++; }
    std::printf("%d\n", sum);
    return 3;
}
END

# The linker's inputs besides libraries, if the compiler must add none.
start_files()
{
    case $word in -nostdlib) for file in Scrt1.o crti.o crtbeginS.o; do gcc -print-file-name=$file; done ;; esac
}
end_files()
{
    case $word in -nostdlib) for file in crtendS.o crtn.o; do gcc -print-file-name=$file; done ;; esac
}

# A program may define internal names of the profilers, and the program's functions are called.
cat >names.c <<'END'
#include <stdio.h>
#define OWN(name) __attribute__((noinline)) int name(int n) { return n + 1; }
OWN(host_alloc) OWN(host_free) OWN(native_finish) OWN(native_message) OWN(record_put_text)
OWN(analysis_find) OWN(counts_get) OWN(context_tree_new) OWN(fraction_parse) OWN(trms_sync)
int native_gate = 3;
int main(void)
{
    int n = host_alloc(0) + host_free(1) + native_finish(2) + native_message(3) + record_put_text(4) +
            analysis_find(5) + counts_get(6) + context_tree_new(7) + fraction_parse(8) + trms_sync(9);
    printf("%d\n", n);
    return native_gate;
}
END

compilers=gcc
for clang in clang clang-14; do
    if command -v $clang >/dev/null; then
        compilers="$compilers $clang"
        break
    fi
done

for compiler in $compilers; do
    APROF_CC_COMPILER=$compiler
    export APROF_CC_COMPILER

    # Compiles in one step, in several steps, with libraries in any order, from response files, and from
    # standard input.
    run 0 aprof-cc -O0 -o once main.c helper.c
    profiled 3 ./once
    same "$count" 11 "$compiler: at once"
    run 0 aprof-cc -O0 -c main.c
    run 0 aprof-cc -O0 -c helper.c
    run 0 aprof-cc -o steps main.o helper.o -lm
    profiled 3 ./steps
    same "$count" 11 "$compiler: in steps"
    echo '-O0 -o response "main.c" helper.o' >words
    run 0 aprof-cc @words
    profiled 3 ./response
    same "$count" 11 "$compiler: response file"
    aprof-cc -O0 -x c -o piped - -x none helper.o <main.c || fail "$compiler: standard input"
    profiled 3 ./piped
    same "$count" 11 "$compiler: standard input"
    run 0 aprof-cc -O0 -pipe -MMD -MF deps -DX=1 -I . -o flags main.c helper.c -Wl,--as-needed
    profiled 3 ./flags
    same "$count" 11 "$compiler: many flags"
    grep -q 'helper.c\|main.c' deps || fail "$compiler: no dependencies"
    run 0 aprof-cc -O2 -flto -o lto main.c helper.c
    profiled 3 ./lto
    test "$count" -ge 1 || fail "$compiler: -flto: nothing was profiled"
    run 0 aprof-cc -O0 -no-pie -o fixed main.c helper.c
    profiled 3 ./fixed
    same "$count" 11 "$compiler: -no-pie"
    ar rcs libhelper.a helper.o
    run 0 aprof-cc -O0 -o archived main.c -L. -lhelper
    profiled 3 ./archived
    same "$count" 11 "$compiler: archive"

    # Plain objects and instrumented ones.
    $compiler -O0 -c -o plain.o helper.c
    run 0 aprof-cc -O0 -o mixed main.c plain.o
    profiled 3 ./mixed
    same "$count" 1 "$compiler: a plain object"

    # Links libraries, also if undefined symbols are not allowed.
    run 0 aprof-cc -O0 -shared -fPIC -Wl,-z,defs -o libhelp.so helper.c
    run 0 aprof-cc -O0 -o shared main.c -L. -lhelp -Wl,-rpath,"$scratch"
    profiled 3 ./shared
    same "$count" 11 "$compiler: shared library"

    run 0 aprof-c++ -O0 -o cpp main.cpp
    profiled 3 ./cpp
    test "$count" -ge 30 || fail "$compiler: C++: $count"

    # Tests which options are accepted and which are refused.
    run 0 aprof-cc -E main.c
    expect 'int helper(int);'
    run 0 aprof-cc -M main.c
    expect 'main.o'
    run 0 aprof-cc -S -o main.s main.c
    grep -q __cyg_profile_func main.s || fail "$compiler: -S has no hooks"
    run 0 aprof-cc --version
    run 0 aprof-cc -r -o together.o main.o helper.o
    run 0 aprof-cc -o relinked together.o
    profiled 3 ./relinked
    same "$count" 11 "$compiler: -r"
    run 2 aprof-cc -m32 -c main.c
    expect_error '64-bit'
    for word in --target=riscv64-linux-gnu '-target riscv64-linux-gnu' --target=aarch64-linux-android; do
        # shellcheck disable=SC2086
        run 2 aprof-cc $word -c main.c
        expect_error "${word#-target }: only programs for x86-64 and arm64"
    done
    for word in --target=aarch64-linux-gnu '-target aarch64-linux-gnu'; do
        for profile in contexts,hooks events,hooks trms,hooks; do
            # shellcheck disable=SC2086
            run 2 aprof-cc --aprof=$profile $word -c main.c
            expect_error "$profile: not for arm64"
        done
    done
    run 2 aprof-cc -static main.c helper.c
    expect_error 'needs dynamic linking'
    for word in -nostdlib -nodefaultlibs -nolibc; do
        run 2 aprof-cc $word -o bare main.c helper.c
        expect_error "aprof-cc: $word: a compiled-in profiler needs the C library"
        run 0 aprof-cc $word -c main.c
        run 0 aprof-cc $word -shared -fPIC -o bare.so helper.c
        run 0 aprof-cc -O0 $word -o own $(start_files) main.c helper.c -lc -lgcc $(end_files)
        profiled 3 ./own
        same "$count" 11 "$compiler: $word with a library of its own"
    done
    for profile in trms,hooks events,memory; do
        for word in address leak undefined,address thread memory; do
            run 2 aprof-cc --aprof=$profile -fsanitize=$word -c main.c
            expect_error "aprof-cc: -fsanitize=$word: this sanitizer"
        done
        for word in -fprofile-generate -fprofile-arcs --coverage -fprofile-instr-generate=x; do
            run 2 aprof-cc --aprof=$profile $word -c main.c
            expect_error "aprof-cc: $word: the profiler would measure accesses to the counters"
        done
        run 0 aprof-cc --aprof=$profile -fsanitize=undefined -fno-sanitize=address -c main.c
    done
    run 0 aprof-cc --coverage -c main.c
    run 0 aprof-cc -c main.c
    printf 'int main(void) { return x; }\n' >bad.c
    run 1 aprof-cc bad.c
    test ! -f a.out || fail "$compiler: a.out of a program with an error"

    # The compiler must accept the flags of every profile, and link no sanitizer.
    for profile in trms,hooks contexts,hooks events,hooks events,memory; do
        run 0 aprof-cc --aprof=$profile -O1 -c -o flags.o main.c
        nm flags.o | grep -q ' U __\(tsan\|cyg\|patch\|sanitizer\)\|aprof' ||
            readelf -S flags.o | grep -q patchable || fail "$compiler: $profile leaves no hooks"
    done
    for profile in trms,hooks contexts,hooks events,hooks events,memory; do
        run 0 aprof-cc --aprof=$profile -O1 -w -o names names.c
        rm -f aprof.*
        run 3 ./names
        same "$(cat out) $(cat err)" '55 ' "$compiler: $profile: a program with its names"
        test "$(tail -q -n 1 aprof.* | cut -f 1)" = complete || fail "$compiler: $profile: no report"
    done
    run 0 aprof-cc --aprof=events,memory -O1 -o memory main.c helper.c
    rm -f aprof.events.*
    run 3 ./memory
    ! readelf -d memory | grep -q tsan || fail "$compiler: linked with libtsan"
done
unset APROF_CC_COMPILER

run 2 aprof-cc --aprof=everything main.c
expect_error 'everything: no such profile'

begin 'what would be inlined is seen, if asked for, by either compiler and every way'
cat >hidden.c <<'END'
#include <stdio.h>
static int hidden(const int *at, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += at[i];
    return sum;
}
int main(int argc, char **argv)
{
    int cells[10];
    for (int i = 0; i < 10; i++)
        cells[i] = argc + i;
    printf("%d\n", hidden(cells, 5) - hidden(cells + 5, 5));
    return 0;
}
END
for how in gcc/trms,hooks clang/trms,hooks clang/trms,inline; do
    command -v "${how%/*}" >/dev/null || continue
    test "$how" != clang/trms,inline || test -x "$build/tools/aprof-instrument" || continue
    APROF_CC_COMPILER=${how%/*} APROF_CC_PROFILE=${how#*/}
    export APROF_CC_COMPILER APROF_CC_PROFILE
    for see in '' --aprof-inline=see; do
        rm -f aprof.out.*
        run 0 aprof-cc $see -O2 -o hidden hidden.c
        run 0 ./hidden
        expect -25
        run 0 aprof report --format=tsv --top=0 aprof.out.*
        same "$(grep -c '	hidden' out)" "$([ "$see" ] && echo 1 || echo 0)" "$how $see"
    done
    run 0 env APROF_CC_INLINE=see aprof-cc -O2 -c -o hidden.o hidden.c
    nm hidden.o >out
    expect ' t hidden'
done
unset APROF_CC_COMPILER
APROF_CC_PROFILE=events,hooks
run 2 aprof-cc --aprof-inline=all hidden.c
expect_error 'aprof-cc: --aprof-inline=all: unknown value; use see'
run 127 env APROF_CC_COMPILER=no-such-compiler aprof-cc -c main.c

begin 'a build as packages have it: tests of the compiler, then make'
command -v make >/dev/null || skip 'make is not installed'
cat >configure <<'END'
#!/bin/sh
set -e
echo 'int main(void) { return 0; }' >conftest.c
$CC -o conftest conftest.c && ./conftest
echo '#include <no_such_header.h>' >conftest.c
! $CC -E conftest.c >/dev/null 2>&1
printf 'char pow();\nint main(void) { return pow(); }\n' >conftest.c
$CC -o conftest conftest.c -lm 2>/dev/null
printf 'all: app\napp: main.o helper.o\n\t$(CC) $(LDFLAGS) -o $@ main.o helper.o\n' >Makefile
END
run 0 env CC=aprof-cc sh configure
run 0 make CC=aprof-cc
profiled 3 ./app
same "$count" 11 'configure and make'
finish
