#!/bin/sh
# Tests which profiler aprof-cc chooses and prints, and that it accepts the compilers' options.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

unset APROF_CC_COMPILER APROF_CC_PROFILE
command -v clang >/dev/null || skip 'no clang'
test -x "$build/tools/aprof-instrument" || skip 'built without LLVM'

cat >main.c <<'END'
__attribute__((noinline)) static int sum(const int *at, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += at[i];
    return total;
}
int cells[100];
int main(void) { return sum(cells, 50); }
END
echo nop >nothing.s

# chosen PROFILE WORDS...: checks the output of --version.
chosen()
{
    expected=$1
    shift
    run 0 env "$@" --version
    same "$(sed -n 's/^aprof-cc .*--aprof=\([^ ]*\), compiled by .*/\1/p' out)" "$expected" "$*"
}

begin 'inline code wherever the compiler can have it; hooks if asked for'
for kind in trms contexts events; do
    chosen $kind,inline aprof-cc --aprof=$kind
    chosen $kind,inline APROF_CC_COMPILER=clang aprof-cc --aprof=$kind
    chosen $kind,inline APROF_CC_PROFILE=$kind aprof-c++
    chosen $kind,hooks aprof-cc --aprof=$kind,hooks
    chosen $kind,hooks APROF_CC_COMPILER=clang aprof-cc --aprof=$kind,hooks
    chosen $kind,hooks APROF_CC_COMPILER=gcc aprof-cc --aprof=$kind
    chosen $kind,hooks aprof-cc --aprof=$kind -fopenmp
    chosen $kind,hooks aprof-cc --aprof=$kind -flto
    chosen $kind,inline aprof-cc --aprof=$kind -flto=thin
    chosen $kind,inline aprof-cc --aprof=$kind -flto=full
done
chosen trms,inline aprof-cc

begin 'a link says that hooks of clang leave out reads of constant tables'
for profile in trms,hooks events,memory; do
    run 0 env APROF_CC_COMPILER=clang aprof-cc --aprof=$profile -c main.c
    expect_no_message
    run 0 env APROF_CC_COMPILER=clang aprof-cc --aprof=$profile -o noted main.o
    expect_error "aprof-cc: $profile: clang adds no hooks to reads of constant tables, so they are not measured"
    run 0 env APROF_CC_COMPILER=clang aprof-cc --aprof=$profile -w -o noted main.c
    expect_no_message
    run 0 env APROF_CC_COMPILER=gcc aprof-cc --aprof=$profile -o noted main.c
    expect_no_message
done
run 0 aprof-cc --aprof=trms,inline -o noted main.c
expect_no_message
run 0 env APROF_CC_COMPILER=clang aprof-cc --aprof=trms,hooks -shared -fPIC -o libnoted.so main.c
expect_no_message

begin 'the compiler speaks first in --version'
run 0 aprof-cc --version
case $(head -n 1 out) in
*clang*) ;;
*) fail "$(head -n 1 out)" ;;
esac

begin '--help is short, and names every profiler'
run 0 aprof-cc --help
test "$(wc -l <out)" -lt 50 || fail "$(wc -l <out) lines"
for profile in trms,inline trms,hooks contexts,inline contexts,hooks events,inline events,hooks events,memory paths; do
    expect "  $profile "
done

begin 'a report says which it is'
for compiler in clang gcc; do
    for kind in trms contexts events; do
        rm -f aprof.*.*
        run 0 env APROF_CC_COMPILER=$compiler aprof-cc --aprof=$kind -O1 -o program main.c
        run 0 ./program
        code=hooks
        test $compiler = gcc || code=inline
        same "$(awk -F '\t' '$1 == "options" { print $NF }' aprof.*.*)" code=$code "$compiler $kind"
    done
done

begin '-Werror: words that a step has no use for are no error'
for profile in trms,inline trms,hooks contexts,inline contexts,hooks events,inline events,hooks events,memory; do
    APROF_CC_COMPILER=clang APROF_CC_PROFILE=$profile
    export APROF_CC_COMPILER APROF_CC_PROFILE
    run 0 aprof-cc -Werror -O1 -fPIC -shared -o library.so main.c
    run 0 aprof-cc -Werror -c -o nothing.o nothing.s
    run 0 aprof-cc -Werror -O1 -o program main.c nothing.o
    run 0 aprof-cc -Werror -O1 -c -o main.o main.c
    run 0 aprof-cc -Werror -shared -o library.so nothing.o
done
unset APROF_CC_COMPILER APROF_CC_PROFILE

begin '-save-temps keeps what is made between two steps'
for compiler in clang gcc; do
    APROF_CC_COMPILER=$compiler
    export APROF_CC_COMPILER
    made=main.s
    test $compiler = gcc || made=main.inst.s
    mkdir -p empty
    for how in '-o program' '-c'; do
        rm -f main.[!c]* main.inst.*
        TMPDIR=$PWD/empty run 0 aprof-cc -save-temps -O1 $how main.c
        test -s main.i || fail "$compiler $how: no main.i"
        test -s $made || fail "$compiler $how: no $made"
    done
    mkdir -p other
    TMPDIR=$PWD/empty run 0 aprof-cc -save-temps=obj -O1 -c -o other/main.o main.c
    test -s other/main.i || fail "$compiler: no other/main.i"
    rmdir empty || fail "$compiler: a folder is left"
done
unset APROF_CC_COMPILER

# clang computes no locations of variables if debug information has no variables.
begin 'locations of variables'
for flags in '' -g1 '-g -gline-tables-only' -g '-g1 -g'; do
    APROF_CC_COMPILER=clang run 0 aprof-cc -v -O1 $flags -c main.c
    case $flags in
    *-g) ! grep -q 'debug-variable-locations=false' err || fail "$flags: no locations of variables" ;;
    *) expect_message 'debug-variable-locations=false' ;;
    esac
done

begin '-flto=thin'
if command -v ld.lld >/dev/null; then
    rm -f aprof.out.*
    run 0 aprof-cc -O1 -flto=thin -fuse-ld=lld -o program main.c
    run 0 ./program
    measured aprof.out.* 'routine=sum trms=50x1'
fi

begin 'the interface of sanitizers that __has_feature(thread_sanitizer) promises'
cat >feature.c <<'END'
#if !__has_feature(thread_sanitizer)
#error not said to be there
#endif
#include <sanitizer/common_interface_defs.h>
#include <stdio.h>
#include <string.h>
__attribute__((noinline)) static long loads(const char *at)
{
    return __sanitizer_unaligned_load16(at) + (long)__sanitizer_unaligned_load32(at + 8) +
           (long)__sanitizer_unaligned_load64(at + 16);
}
__attribute__((noinline)) static void stores(char *at)
{
    __sanitizer_unaligned_store16(at, 1);
    __sanitizer_unaligned_store32(at + 8, 2);
    __sanitizer_unaligned_store64(at + 16, 3);
}
int main(void)
{
    static char bytes[32];
    char text[8] = "x";
    __sanitizer_print_stack_trace();
    __sanitizer_set_death_callback(0);
    __sanitizer_annotate_contiguous_container(bytes, bytes + 32, bytes + 32, bytes + 16);
    __sanitizer_symbolize_pc(main, "%f", text, sizeof text);
    stores(bytes);
    printf("%ld %d\n", loads(bytes), (int)strlen(text));
    return 0;
}
END
for profile in trms,inline trms,hooks events,memory; do
    APROF_CC_COMPILER=clang run 0 aprof-cc --aprof=$profile -O1 -o feature feature.c
    rm -f aprof.out.*
    run 0 ./feature
    same "$(cat out)" '6 0' "$profile"
    test $profile = events,memory || measured aprof.out.* 'routine=loads trms=4x1'
    APROF_CC_COMPILER=clang run 0 aprof-cc --aprof=$profile -O1 -fPIC -shared -Wl,-z,defs -o feature.so feature.c
done

begin 'the whole of the headers of this clang, except what a program may define'
for header in common_interface_defs tsan_interface; do
    echo "#include <sanitizer/$header.h>" >header.c
    clang -E -P header.c | tr '\n' ' ' | tr ';' '\n' | grep -o '__\(sanitizer\|tsan\)_[a-z0-9_]* *(' | tr -d ' ('
done | grep -v '__tsan_\(on\|default\)_' | LC_ALL=C sort -u >promised
nm -g --defined-only "$build/libaprof_trms.a" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort -u >there
test "$(wc -l <promised)" -gt 40 || fail 'no names'
same "$(LC_ALL=C comm -23 promised there)" '' 'names without a definition'
finish
