#!/bin/sh
# Ways by which the C library reads files and folders: external input as under the Valgrind tool, for all sizes.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

need_compilers
cat >moves.c <<'END'
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
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
/* The standard input, from the start of the file. */
static void again(void) { if (!freopen(path, "r", stdin)) abort(); }

#define UNTIL_END(name, first, open, next, end, close)                                                                 \
    ROUTINE void by_##name(void)                                                                                       \
    {                                                                                                                  \
        first;                                                                                                         \
        open;                                                                                                          \
        for (long c = next; c != (long)end; c = next)                                                                  \
            result += (int)c;                                                                                          \
        close;                                                                                                         \
    }
#define FROM_FILE(name, next, end) UNTIL_END(name, , FILE *f = opened(), next, end, fclose(f))
#define FROM_INPUT(name, next, end) UNTIL_END(name, , again(), next, end, )
#define BLOCK char block[600]
#define LINE  char *line = NULL; size_t room = 0

FROM_FILE(getc, getc(f), EOF)
FROM_FILE(getc_unlocked, getc_unlocked(f), EOF)
FROM_FILE(fgetc_unlocked, fgetc_unlocked(f), EOF)
FROM_INPUT(getchar, getchar(), EOF)
FROM_INPUT(getchar_unlocked, getchar_unlocked(), EOF)
FROM_FILE(getwc, getwc(f), WEOF)
FROM_FILE(fgetwc_unlocked, fgetwc_unlocked(f), WEOF)
FROM_FILE(getwc_unlocked, getwc_unlocked(f), WEOF)
FROM_INPUT(getwchar_unlocked, getwchar_unlocked(), WEOF)
UNTIL_END(ungetc, , FILE *f = opened(), (ungetc(fgetc(f), f), fgetc(f)), EOF, fclose(f))
UNTIL_END(fread, BLOCK, FILE *f = opened(), (fread(block, 1, 600, f) ? block[0] : -1), -1, fclose(f))
UNTIL_END(fread_unlocked, BLOCK, FILE *f = opened(), (fread_unlocked(block, 1, 600, f) ? block[0] : -1), -1, fclose(f))
UNTIL_END(fgets, BLOCK, FILE *f = opened(), (fgets(block, 600, f) ? block[0] : -1), -1, fclose(f))
UNTIL_END(fgets_unlocked, BLOCK, FILE *f = opened(), (fgets_unlocked(block, 600, f) ? block[0] : -1), -1, fclose(f))
UNTIL_END(fgetws_unlocked, wchar_t block[100], FILE *f = opened(), (fgetws_unlocked(block, 100, f) ? block[0] : -1), -1, fclose(f))
UNTIL_END(getline, LINE, FILE *f = opened(), (getline(&line, &room, f) > 0 ? line[0] : -1), -1, fclose(f))
UNTIL_END(getdelim, LINE, FILE *f = opened(), (getdelim(&line, &room, 'z', f) > 0 ? line[0] : -1), -1, fclose(f))
UNTIL_END(fscanf, char c, FILE *f = opened(), (fscanf(f, "%c", &c) == 1 ? c : -1), -1, fclose(f))
UNTIL_END(scanf, char c, again(), (scanf("%c", &c) == 1 ? c : -1), -1, )
UNTIL_END(fdopen, int fd = open(path, O_RDONLY), FILE *f = fdopen(fd, "r"), fgetc(f), EOF, fclose(f))
UNTIL_END(small_buffer, char space[64], FILE *f = opened(); setvbuf(f, space, _IOFBF, 64), fgetc(f), EOF, fclose(f))
UNTIL_END(no_buffer, , FILE *f = opened(); setvbuf(f, NULL, _IONBF, 0), fgetc(f), EOF, fclose(f))
UNTIL_END(popen, , FILE *f = popen("cat file", "r"), fgetc(f), EOF, pclose(f))
UNTIL_END(tmpfile, BLOCK, FILE *g = opened(); FILE *f = tmpfile(); for (size_t n; (n = fread(block, 1, 600, g));)
          fwrite(block, 1, n, f); rewind(f), fgetc(f), EOF, fclose(f); fclose(g))

ROUTINE void by_scandir(void)
{
    struct dirent **list;
    int n = scandir("folder", &list, NULL, alphasort);
    for (int i = 0; i < n; i++)
        result += list[i]->d_name[0];
}
ROUTINE void by_readdir(void)
{
    DIR *folder = opendir("folder");
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        result += entry->d_name[0];
    closedir(folder);
}
ROUTINE void by_readdir64(void)
{
    DIR *folder = opendir("folder");
    for (struct dirent64 *entry = readdir64(folder); entry; entry = readdir64(folder))
        result += entry->d_name[0];
    closedir(folder);
}
static int visited(const char *name, const struct stat *file, int kind) { result += (int)file->st_size; return 0 * kind * name[0]; }
static int placed(const char *name, const struct stat *file, int kind, struct FTW *place)
{
    return visited(name, file, kind) * place->level;
}
ROUTINE void by_ftw(void) { ftw("folder", visited, 8); }
ROUTINE void by_nftw(void) { nftw("folder", placed, 8, 0); }
ROUTINE void by_nftw_deep(void) { nftw("folder", placed, 8, FTW_DEPTH | FTW_PHYS); }
ROUTINE void by_fts(void)
{
    char *const roots[] = {"folder", NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL, NULL);
    for (FTSENT *entry = fts_read(tree); entry; entry = fts_read(tree))
        result += (int)entry->fts_statp->st_size;
    fts_close(tree);
}
ROUTINE void by_glob(void)
{
    glob_t found;
    if (!glob("folder/*-[1-5]", 0, NULL, &found) && !(found.gl_flags & GLOB_ALTDIRFUNC))
        result += (int)found.gl_pathc + found.gl_pathv[0][0];
    if (found.gl_pathc != 5) abort();
    globfree(&found);
}

int main(int argc, char **argv)
{
    path = argv[argc - 1];
    static void (*const ways[])(void) = {
        by_nothing, by_rewind, by_fseek, by_fseeko, by_fseeko64, by_fsetpos, by_skip, by_getw, by_fgetwc, by_fgetws,
        by_getwchar, by_fwscanf, by_wscanf, by_getc, by_getc_unlocked, by_fgetc_unlocked, by_getchar,
        by_getchar_unlocked, by_getwc, by_fgetwc_unlocked, by_getwc_unlocked, by_getwchar_unlocked, by_ungetc,
        by_fread, by_fread_unlocked, by_fgets, by_fgets_unlocked, by_fgetws_unlocked, by_getline, by_getdelim,
        by_fscanf, by_scanf, by_fdopen, by_small_buffer, by_no_buffer, by_popen, by_tmpfile, by_scandir, by_readdir,
        by_readdir64, by_ftw, by_nftw, by_nftw_deep, by_fts, by_glob,
    };
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++)
        ways[i]();
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
        test "$(wc -l <compiled.externals)" = 45 || fail 'routines are missing'
        # The tool also sees what the C library reads of fstat's result, at most 16 cells, and, where a stream has no
        # buffer, of its own buffer of a byte. The compiled-in runtime sees whole entries of a folder that scandir
        # gives, of which the library reads only parts.
        awk -v cells=$((bytes / 4)) '
            FNR == NR { expected[$1] = $2; next }
            $1 == "by_scandir" { if ($2 < 54 || $2 > 2 * expected[$1]) print $1 ": " $2 ", " expected[$1]; next }
            { of_file = $1 !~ /(readdir|ftw|fts|glob)/ }
            $2 > expected[$1] + (of_file ? 1 : 16) || $2 < .99 * expected[$1] - 16 || (of_file && $2 < cells - 1) {
                print $1 ": " $2 " instead of " expected[$1]
            }' valgrind.externals compiled.externals >differences
        same "$(cat differences)" '' 'external input'
    done
done
finish
