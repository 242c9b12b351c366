#!/bin/sh
# aprof-pathcc is a drop-in compiler: separate objects, archives, response files, configure's tests.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need_papers
need aprof-pathcc 'built without LLVM'
need ar

mkdir tree
cd tree
cat >main.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int square(int);
int triple(int);
int from_assembly(void);
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3, sum = 0;
    for (int i = 0; i < n; i++)
        sum += i % 2 ? square(i) : triple(i);
    printf("%d\n", sum + from_assembly());
    return 0;
}
END
echo 'int square(int n) { return n > 3 ? n * n : 0; }' >square.c
echo 'int triple(int n) { return n > 3 ? n * 3 : 1; }' >triple.c
echo 'int unused(int n) { return n ? 5 : 6; }' >unused.c
cat >assembly.S <<'END'
.globl from_assembly
from_assembly:
    movl $7, %eax
    ret
.section .note.GNU-stack
END

for file in main.c square.c triple.c unused.c assembly.S; do
    run 0 aprof-pathcc -O1 -c $file
done
run 0 ar rcs libparts.a triple.o unused.o

# From objects, an archive of bitcode, assembly; by a response file; with the archive whole.
check_program()
{
    run 0 "./$1" 10
    expect 218
    profile_paths 0 "$1" 10 --policy=pbl --copies=2
    run 0 aprof paths report --format=csv
    expect "square,"
    expect "triple,"
}
run 0 aprof-pathcc -o one main.o square.o assembly.o -L. -lparts
check_program one
echo '-o two main.o square.o "assembly.o" libparts.a' >words
run 0 aprof-pathcc @words
check_program two
run 0 aprof-pathcc -o three main.o square.o assembly.o -Wl,--whole-archive libparts.a \
    -Wl,--no-whole-archive
check_program three
run 0 aprof-pathcc -O1 -o four main.c square.c triple.c assembly.o
check_program four

begin 'aprof-cc does the same for the profile paths'
run 0 aprof-cc --aprof=paths -O1 -o five main.c square.c triple.c assembly.o
check_program five
APROF_CC_PROFILE=paths run 0 aprof-c++ -x c++ -O1 -c -o square.cxx.o square.c
same "$(od -An -tx1 -N4 square.cxx.o)" ' 42 43 c0 de' 'bitcode'

begin 'a program moved with its two files, planned from elsewhere'
mkdir moved
mv one one.aprof.* moved
run 0 aprof paths plan moved/one -o plan
run 0 aprof paths run -o plan -- 10
expect 218
run 0 aprof paths merge -o plan
run 0 aprof paths report plan

begin 'what links no program leaves no files; what a configure script asks works'
run 0 aprof-pathcc -shared -fPIC -o libsquare.so square.c
test ! -e libsquare.so.aprof.bc || fail 'bitcode beside a shared library'
run 0 aprof-pathcc --version
expect clang
run 0 aprof-pathcc -E main.c
run 0 aprof-pathcc -print-search-dirs
run 1 aprof-pathcc -o missing missing.c
run 0 aprof-pathcc -o assembled assembly.o -nostartfiles -Wl,-e,from_assembly
test ! -e assembled.aprof.bc || fail 'bitcode beside a program without any'
ls >out
expect_not 'opt.bc'
expect_not 'resolution'

finish
