#!/bin/sh
# Indirect functions (IFUNC, target_clones) run with every profiler compiled in.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The dynamic linker calls the resolvers before any other code runs, so resolvers are not measured.
. "${0%/*}/../lib.sh"

unset APROF_CC_COMPILER
has_clang=
! test -x "$build/tools/aprof-instrument" || ! command -v clang >/dev/null || has_clang=yes
has_plugin=
! test -f "$build/tools/aprof-gcc-resolvers.so" || has_plugin=yes
test "$has_clang$has_plugin" || skip 'built with neither LLVM nor the headers of gcc plugins'

# A resolver that reads, writes, and calls what is called later, too.
cat >body.c <<'END'
static int first(int x) { return x + 1; }
static int second(int x) { return x + 2; }
static int settings[200] = {1};
__attribute__((noinline)) static int sum(int *at)
{
    int total = 0;
    for (int i = 0; i < 200; i++)
        total += at[i] ? i * at[i] : 0;
    return total;
}
static int (*choose(void))(int)
{
    volatile int n = 3;
    settings[n] = 1;
    return sum(settings) > 5000 ? second : first;
}
int chosen(int) __attribute__((ifunc("choose")));
int twice(int x) { return chosen(chosen(x)) + sum(settings); }
END
cat >main.c <<'END'
#include <stdio.h>
int chosen(int), twice(int);
int main(void) { printf("%d %d\n", chosen(1), twice(2)); }
END
cat >clones.c <<'END'
#include <stdio.h>
__attribute__((target_clones("avx2", "default"))) int add(int *at, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += at[i];
    return total;
}
int main(void)
{
    int at[100];
    for (int i = 0; i < 100; i++)
        at[i] = i;
    printf("%d\n", add(at, 100));
}
END

# runs COMPILER PROFILE
runs()
{
    APROF_CC_COMPILER=$1 APROF_CC_PROFILE=$2
    export APROF_CC_COMPILER APROF_CC_PROFILE
    for level in -O0 -O2; do
        begin "$1 $2 $level: an executable with a resolver"
        run 0 aprof-cc $level -o program main.c body.c
        run 0 ./program
        expect '2 7'
        begin "$1 $2 $level: a library that is bound at once"
        run 0 aprof-cc $level -fPIC -shared -Wl,-z,now -o libbody.so body.c
        run 0 aprof-cc $level -Wl,-z,now -o user main.c ./libbody.so
        run 0 ./user
        expect '2 7'
    done
}

for profile in trms,hooks trms,inline trms,inline,sample contexts,hooks contexts,inline events,hooks \
    events,inline events,memory; do
    ! test "$has_clang" || runs clang $profile
    case $profile in
    *inline*) ;;
    *) ! test "$has_plugin" || runs gcc $profile ;;
    esac
done

for profile in trms,hooks contexts,hooks events,hooks events,memory; do
    for level in -O0 -O2; do
        test "$has_plugin" || continue
        begin "gcc $profile $level: target_clones"
        APROF_CC_COMPILER=gcc run 0 aprof-cc --aprof=$profile $level -o clones clones.c
        run 0 ./clones
        expect 4950
    done
done

if test "$has_plugin"; then
    begin 'what a resolver chooses is measured, the resolver and what it calls are not'
    APROF_CC_COMPILER=gcc run 0 aprof-cc --aprof=trms,hooks -O1 -g -o program main.c body.c
    rm -f aprof.out.*
    run 0 ./program
    measured aprof.out.* 'routine=first calls=3' 'routine=twice calls=1'
    ! grep -q '	choose\|	sum' aprof.out.* || fail 'a resolver is in the report'
fi
finish
