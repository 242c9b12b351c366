#!/bin/sh
# Tests names of routines from objects: position independent, stripped, or with debug files.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

for tool in gcc nm objcopy strip readelf; do
    need $tool
done
printf 'int main(void) { return 0; }\n' >probe.c
gcc -g -Wl,--build-id probe.c -o probe 2>/dev/null || skip 'gcc cannot make a build id'
grep -q 'define HAVE_LIBDW 1' "$build/aprof-config.h" || skip 'built without libdw'

mkdir objects
cat >objects/program.c <<'END'
static __attribute__((noinline)) int hidden_work(int n)
{
    return n * 3;
}

__attribute__((noinline, visibility("default"))) int _ZN4list3addEii(int n)
{
    return hidden_work(n) + 1;
}

int main(int argc, char **argv)
{
    (void)argv;
    return _ZN4list3addEii(argc) == 0;
}
END
(cd objects && gcc -g -O0 -pie -fPIE -rdynamic -Wl,--build-id=0x0123456789abcdef program.c -o program)
object=$scratch/objects/program

address()
{
    printf '0x%s' "$(nm "$object.full" | sed -n "s/^0*\([0-9a-f]*\) . $1\$/\1/p")"
}

# file BUILD-ID: makes the profile of a run of the program; call sites are at byte 8 of their callers.
cp "$object" "$object.full"
file()
{
    {
        printf 'aprof-contexts\t1\ncreator\ta test\ncommand\t./program\nprocess\t1\noptions\n'
        printf 'technique\tcct\nsummary\t-\nweight\tcalls\nphi\t-\nepsilon\t-\nburst\toff\nend\texit\n'
        printf 'object\t0\t%s\t%s\n' "$object" "$1"
        printf 'routine\t0\t0\t%s\t0\t-\t-\t0\n' "$(address main)" "$(address _ZN4list3addEii)" |
            sed 's/^routine	0/routine	id/' | awk -F'\t' -v OFS='\t' '{ $2 = NR - 1; print }'
        printf 'routine\t2\t0\t%s\t0\t-\t-\t0\n' "$(address hidden_work)"
        printf 'tree\t1\t10\t10\t4\t3\ncontext\t0\t-\t-\t-\t0x0\t0\t0\t0\n'
        printf 'context\t1\t0\t0\t-\t0x0\t1\t0\t1\n'
        printf 'context\t2\t1\t1\t0\t0x%x\t4\t0\t1\n' $(($(address main) + 8))
        printf 'context\t3\t2\t2\t0\t0x%x\t5\t0\t1\n' $(($(address _ZN4list3addEii) + 8))
        printf 'tree\t2\t0\t0\t1\t0\ncontext\t0\t-\t-\t-\t0x0\t0\t0\t0\n'
    } | seal
}
file 0123456789abcdef >run.contexts

begin 'names, demangled, with source files and lines, those of call sites too'
run 0 aprof contexts report --format=tsv run.contexts
same "$(cut -f7,9,10 out | sed -n 2p)" "hidden_work < list::add(int, int) < main	$scratch/objects/program.c	2" 'a routine'
same "$(wc -c <err)" 0 'messages'
run 0 aprof contexts report --sites run.contexts
expect 'hidden_work < list::add(int, int) (program.c:7) < main (program.c:12)'

begin 'stripped: what the dynamic symbols name; the others are addresses'
strip -o "$object" "$object.full"
run 0 aprof contexts export run.contexts
expect 'program;main;list::add(int, int) 4'
expect "program;main;list::add(int, int);program+$(address hidden_work) 5"

begin 'a debug link to a file beside it, and a debug file by build id'
(cd objects && objcopy --only-keep-debug program.full program.debug &&
    objcopy --add-gnu-debuglink=program.debug program)
run 0 aprof contexts export run.contexts
expect 'program;main;list::add(int, int);hidden_work 5'
mkdir -p debug/.build-id/01
mv objects/program.debug debug/.build-id/01/23456789abcdef.debug
run 0 aprof contexts export --debug-path="$scratch/debug" run.contexts
expect 'program;main;list::add(int, int);hidden_work 5'
run 0 aprof contexts export run.contexts
expect_not hidden_work

begin 'the names stay in what the tools write'
run 0 aprof contexts merge --debug-path="$scratch/debug" -o sum run.contexts
expect_not hidden_work
run 0 aprof contexts export sum
expect 'hidden_work 5'

begin 'another build names nothing, and a file that is gone is found by its build id'
file fedcba9876543210 >other.contexts
run 0 aprof contexts export other.contexts
expect_error "$object: is not the build that was profiled: its routines have no names"
expect "program;program+$(address main) 1"
rm "$object"
run 0 aprof contexts export run.contexts
expect_error "$object: cannot be read: its routines have no names"
run 0 aprof contexts export --debug-path="/nowhere:$scratch/debug" run.contexts
expect 'program;main;list::add(int, int);hidden_work 5'

finish
