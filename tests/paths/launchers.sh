#!/bin/sh
# Tests copies as ranks of OpenMPI and as jobs of GNU parallel: the profile equals the profile without a launcher.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need_papers
need aprof-pathcc 'built without LLVM'

cat >echo.c <<'END'
#include <ctype.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    int letters = 0, c;
    while ((c = getchar()) != EOF)
        letters += isalpha(c) ? 1 : c == '\n' ? 0 : 2;
    printf("%d %zu %s\n", letters, argc > 1 ? strlen(argv[1]) : 0, argc > 1 ? argv[1] : "");
    return 0;
}
END
run 0 aprof-pathcc -O0 -o echo echo.c
run 0 aprof paths plan ./echo --policy=p3 --copies=3

# try_launcher NAME OPTION...: checks that standard input and difficult arguments reach every copy.
try_launcher()
{
    name=$1
    shift
    printf 'some words, 123\n' | aprof paths run "$@" -- "a 'b' \$c; *" >out 2>err ||
        fail "$name: $(cat err)"
    expect "21 11 a 'b' \$c; *"
    run 0 aprof paths merge
    run 0 aprof paths report --format=csv
    cp out "$name.csv"
}

try_launcher none
tried=0
if command -v mpirun >/dev/null; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
    try_launcher mpirun --launcher=mpirun
    cmp none.csv mpirun.csv || fail 'mpirun: another profile'
    tried=1
fi
if command -v parallel >/dev/null; then
    try_launcher parallel --launcher=parallel
    cmp none.csv parallel.csv || fail 'parallel: another profile'
    tried=1
fi

begin 'a rank of Slurm'
# Slurm needs a cluster; it sets one variable for a rank.
printf 'some words, 123\n' | aprof paths run -- "a 'b' \$c; *" >/dev/null || fail 'run'
for rank in 0 1 2; do
    rm "aprof.paths.end-000$((rank + 1))"
    SLURM_PROCID=$rank aprof paths run --copy=rank -- "a 'b' \$c; *" >/dev/null ||
        fail "rank $rank"
done
run 0 aprof paths merge
run 0 aprof paths report --format=csv
cmp out none.csv || fail 'ranks of Slurm: another profile'
run 1 env SLURM_PROCID=3 aprof paths run --copy=rank
expect_error 'not a copy of this plan'

begin 'each copy in a folder of its own: programs that write files do not disturb each other'
cat >append.c <<'END'
#include <stdio.h>
int main(void)
{
    FILE *file = fopen("log", "a+");
    int lines = 0, c;
    if (!file)
        return 1;
    while ((c = getc(file)) != EOF)
        lines += c == '\n';
    fprintf(file, "line\n");
    printf("%d\n", lines);
    return 0;
}
END
mkdir work
run 0 aprof-pathcc -O1 -o append append.c
run 0 aprof paths plan ./append --policy=pbl --copies=3 -o plan
cd work
printf 'first\n' >log
run 0 aprof paths run --separate -o ../plan
expect 1
run 0 aprof paths merge -o ../plan
same "$(wc -l <log)" 1 'lines of the original'

test "$tried" = 1 || echo 'neither mpirun nor parallel is installed'
finish
