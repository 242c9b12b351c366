#!/bin/sh
# What is read of a stream after it was moved is external input, as the Valgrind tool says, whatever the file's size.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

need_compilers
cat >moves.c <<'END'
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#define ROUTINE __attribute__((noinline)) static
static const char *path;
static volatile int result;

ROUTINE void take(FILE *from)
{
    int sum = 0;
    for (int byte = fgetc(from); byte != EOF; byte = fgetc(from))
        sum += byte;
    result = sum;
    fclose(from);
}
ROUTINE FILE *opened(void) { FILE *file = fopen(path, "r"); if (!file) abort(); return file; }

ROUTINE void by_nothing(void) { take(opened()); }
ROUTINE void by_rewind(void) { FILE *f = opened(); fseek(f, 0, SEEK_END); rewind(f); take(f); }
ROUTINE void by_fseek(void) { FILE *f = opened(); fseek(f, 0, SEEK_END); fseek(f, 0, SEEK_SET); take(f); }
ROUTINE void by_fseeko(void) { FILE *f = opened(); fseeko(f, 0, SEEK_END); fseeko(f, 0, SEEK_SET); take(f); }
ROUTINE void by_fseeko64(void) { FILE *f = opened(); fseeko64(f, 0, SEEK_END); fseeko64(f, 0, SEEK_SET); take(f); }
ROUTINE void by_fsetpos(void)
{
    FILE *f = opened();
    fpos_t start;
    fgetpos(f, &start);
    fseek(f, 0, SEEK_END);
    fsetpos(f, &start);
    take(f);
}
ROUTINE void by_skip(void) { FILE *f = opened(); fseek(f, 1, SEEK_SET); take(f); }
ROUTINE void by_getw(void)
{
    FILE *f = opened();
    while (result = getw(f), !feof(f))
        ;
    fclose(f);
}
ROUTINE void by_fgetwc(void)
{
    FILE *f = opened();
    for (wint_t c = fgetwc(f); c != WEOF; c = fgetwc(f))
        result += (int)c;
    fclose(f);
}
ROUTINE void by_fgetws(void)
{
    FILE *f = opened();
    wchar_t line[100];
    while (fgetws(line, 100, f))
        result += (int)line[0];
    fclose(f);
}
ROUTINE void by_getwchar(void)
{
    if (!freopen(path, "r", stdin)) abort();
    for (wint_t c = getwchar(); c != WEOF; c = getwchar())
        result += (int)c;
}
ROUTINE void by_fwscanf(void)
{
    FILE *f = opened();
    wchar_t c;
    while (fwscanf(f, L"%lc", &c) == 1)
        result += (int)c;
    fclose(f);
}
ROUTINE void by_wscanf(void)
{
    wchar_t c;
    if (!freopen(path, "r", stdin)) abort();
    while (wscanf(L"%lc", &c) == 1)
        result += (int)c;
}
ROUTINE void by_scandir(void)
{
    struct dirent **list;
    int n = scandir("folder", &list, NULL, alphasort);
    for (int i = 0; i < n; i++)
        result += list[i]->d_name[0];
}

int main(int argc, char **argv)
{
    path = argv[argc - 1];
    by_nothing(), by_rewind(), by_fseek(), by_fseeko(), by_fseeko64(), by_fsetpos(), by_skip(), by_getw(), by_fgetwc(), by_fgetws(), by_getwchar(), by_fwscanf(), by_wscanf(),
    by_scandir();
    return 0;
}
END
mkdir folder
for i in 1 2 3 4 5 6 7 8 9; do : >"folder/a-file-with-a-name-$i"; done

# externals REPORT: the external input of each routine.
externals()
{
    awk -F '\t' '
        $1 == "routine" { name[$2] = $6 }
        $1 == "profile" { of = name[$2] }
        $1 == "trms" && of ~ /^by_/ { external[of] += $10 }
        END { for (of in external) print of, external[of] }' "$1" | sort
}

for compiler in $compilers; do
    build "$compiler" -O1 moves moves.c
    for bytes in 1 5 400 3000 4095 4096 4097 20000; do
        begin "$compiler: a file of $bytes bytes"
        head -c $bytes /dev/zero | tr '\0' x >file
        APROF=out=compiled run 0 ./moves file
        run 0 aprof run -q --output=valgrind -- ./moves file
        externals compiled >compiled.externals
        externals valgrind >valgrind.externals
        test "$(wc -l <compiled.externals)" = 14 || fail 'routines are missing'
        # The tool also sees what the C library reads of fstat's result, at most 16 cells. The compiled-in runtime
        # sees whole entries of a folder, of which the library reads only parts.
        awk -v cells=$((bytes / 4)) '
            FNR == NR { expected[$1] = $2; next }
            $1 == "by_scandir" { if ($2 < 54 || $2 > 2 * expected[$1]) print $1 ": " $2 ", " expected[$1]; next }
            $2 > expected[$1] + 1 || $2 < expected[$1] - 16 || $2 < cells - 1 {
                print $1 ": " $2 " instead of " expected[$1]
            }' valgrind.externals compiled.externals >differences
        same "$(cat differences)" '' 'external input'
    done
done
finish
