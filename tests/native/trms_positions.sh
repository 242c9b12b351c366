#!/bin/sh
# Tests functions of the C library that read files and folders: external input must equal the Valgrind tool's, for all sizes.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

need_compilers
cat >moves.c <<'END'
#define _GNU_SOURCE
#define _FORTIFY_SOURCE 2 /* functions that check lengths, where these are no constants */
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#define ROUTINE __attribute__((noinline)) static
static const char *path;
static volatile int result, length = 500;

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

/* Lists of arguments, for functions that take a `va_list`. */
#define BY_LIST(name, type, call)                                                                                      \
    static int name##_of(FILE *f, type *format, ...)                                                                   \
    {                                                                                                                  \
        va_list list;                                                                                                  \
        va_start(list, format);                                                                                        \
        int n = call;                                                                                                  \
        va_end(list);                                                                                                  \
        return n;                                                                                                      \
    }
BY_LIST(vfscanf, const char, vfscanf(f, format, list))
BY_LIST(vscanf, const char, vscanf(format, list))
BY_LIST(vfwscanf, const wchar_t, vfwscanf(f, format, list))
BY_LIST(vwscanf, const wchar_t, vwscanf(format, list))
UNTIL_END(vfscanf, char c, FILE *f = opened(), (vfscanf_of(f, "%c", &c) == 1 ? c : -1), -1, fclose(f))
UNTIL_END(vscanf, char c, again(), (vscanf_of(stdin, "%c", &c) == 1 ? c : -1), -1, )
UNTIL_END(vfwscanf, wchar_t c, FILE *f = opened(), (vfwscanf_of(f, L"%lc", &c) == 1 ? c : -1), -1, fclose(f))
UNTIL_END(vwscanf, wchar_t c, again(), (vwscanf_of(stdin, L"%lc", &c) == 1 ? c : -1), -1, )
/* All of a short file at once, up to its end. */
UNTIL_END(word, char word[32], FILE *f = opened(), fscanf(f, "%31s", word), EOF, fclose(f))
UNTIL_END(wide_word, wchar_t word[32], FILE *f = opened(), fwscanf(f, L"%31ls", word), EOF, fclose(f))
UNTIL_END(ungetwc, , FILE *f = opened(), (ungetwc(fgetwc(f), f), fgetwc(f)), WEOF, fclose(f))
UNTIL_END(setbuf, , FILE *f = opened(); setbuf(f, NULL), fgetc(f), EOF, fclose(f))
UNTIL_END(setbuffer, char space[100], FILE *f = opened(); setbuffer(f, space, 100), fgetc(f), EOF, fclose(f))
UNTIL_END(setlinebuf, , FILE *f = opened(); setlinebuf(f), fgetc(f), EOF, fclose(f))
UNTIL_END(mapped, , FILE *f = fopen(path, "rm"), fgetc(f), EOF, fclose(f))
UNTIL_END(fopen64, , FILE *f = fopen64(path, "r"), fgetc(f), EOF, fclose(f))
UNTIL_END(freopen, , FILE *f = freopen(path, "r", opened()), fgetc(f), EOF, fclose(f))
UNTIL_END(freopen64, , FILE *f = freopen64(path, "r", opened()), fgetc(f), EOF, fclose(f))
UNTIL_END(fflush, , FILE *f = opened(); fgetc(f); fflush(f), fgetc(f), EOF, fclose(f))
UNTIL_END(ftell, , FILE *f = opened(), (ftell(f) > 0 ? fgetc(f) : fgetc(f)), EOF, fclose(f))
UNTIL_END(words, int word[10], FILE *f = opened(), (fread(word, sizeof word, 1, f) ? word[0] : -1), -1, fclose(f))
UNTIL_END(checked_fread, BLOCK, FILE *f = opened(), (fread(block, 1, length, f) ? block[0] : -1), -1, fclose(f))
UNTIL_END(checked_fread_unlocked, BLOCK, FILE *f = opened(), (fread_unlocked(block, 1, length, f) ? block[0] : -1), -1, fclose(f))
UNTIL_END(checked_fgets, BLOCK, FILE *f = opened(), (fgets(block, length, f) ? block[0] : -1), -1, fclose(f))
UNTIL_END(checked_fgets_unlocked, BLOCK, FILE *f = opened(), (fgets_unlocked(block, length, f) ? block[0] : -1), -1, fclose(f))
UNTIL_END(checked_fgetws, wchar_t block[600], FILE *f = opened(), (fgetws(block, length, f) ? block[0] : -1), -1, fclose(f))
UNTIL_END(checked_fgetws_unlocked, wchar_t block[600], FILE *f = opened(), (fgetws_unlocked(block, length, f) ? block[0] : -1), -1, fclose(f))

/* Less than the one block that is asked for. */
ROUTINE void by_block(void)
{
    static char all[30000];
    FILE *f = opened();
    if (fread(all, sizeof all, 1, f)) abort();
    for (int i = 0; all[i]; i++)
        result += all[i];
    fclose(f);
}
UNTIL_END(fmemopen, char space[600] = "text", FILE *f = fmemopen(space, 600, "r"), fgetc(f), EOF, fclose(f))
UNTIL_END(tmpfile64, BLOCK, FILE *g = opened(); FILE *f = tmpfile64(); for (size_t n; (n = fread(block, 1, 600, g));)
          fwrite(block, 1, n, f); rewind(f), fgetc(f), EOF, fclose(f); fclose(g))

static ssize_t cookie_read(void *cookie, char *to, size_t n) { return read(*(int *)cookie, to, n); }
UNTIL_END(fopencookie, int fd = open(path, O_RDONLY); cookie_io_functions_t own = {.read = cookie_read},
          FILE *f = fopencookie(&fd, "r", own), fgetc(f), EOF, fclose(f); close(fd))
ROUTINE void by_fsetpos64(void)
{
    FILE *f = opened();
    fpos64_t start;
    fgetpos64(f, &start);
    fseek(f, 0, SEEK_END);
    fsetpos64(f, &start);
    take(f);
}
/* Each second byte is written in between. */
ROUTINE void by_update(void)
{
    FILE *from = opened(), *f = tmpfile();
    for (int c = fgetc(from); c != EOF; c = fgetc(from))
        fputc(c, f);
    fclose(from);
    rewind(f);
    for (int c = fgetc(f); c != EOF; c = fgetc(f)) {
        fseek(f, 0, SEEK_CUR);
        fputc(c, f);
        fseek(f, 0, SEEK_CUR);
    }
    fclose(f);
}

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
ROUTINE void by_scandir64(void)
{
    struct dirent64 **list;
    int n = scandir64("folder", &list, NULL, alphasort64);
    for (int i = 0; i < n; i++)
        result += list[i]->d_name[0];
}
ROUTINE void by_scandirat(void)
{
    struct dirent **list;
    int n = scandirat(AT_FDCWD, "folder", &list, NULL, versionsort);
    for (int i = 0; i < n; i++)
        result += list[i]->d_name[0];
}
ROUTINE void by_scandirat64(void)
{
    struct dirent64 **list;
    int n = scandirat64(AT_FDCWD, "folder", &list, NULL, versionsort64);
    for (int i = 0; i < n; i++)
        result += list[i]->d_name[0];
}
ROUTINE void by_readdir_r(void)
{
    DIR *folder = fdopendir(open("folder", O_RDONLY));
    struct dirent entry, *next;
    while (!readdir_r(folder, &entry, &next) && next)
        result += entry.d_name[0];
    closedir(folder);
}
ROUTINE void by_readdir64_r(void)
{
    DIR *folder = opendir("folder");
    struct dirent64 entry, *next;
    while (!readdir64_r(folder, &entry, &next) && next)
        result += entry.d_name[0];
    closedir(folder);
}
static void take_entries(DIR *folder)
{
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        result += entry->d_name[0];
}
ROUTINE void by_rewinddir(void)
{
    DIR *folder = opendir("folder");
    take_entries(folder);
    rewinddir(folder);
    take_entries(folder);
    closedir(folder);
}
ROUTINE void by_seekdir(void)
{
    DIR *folder = opendir("folder");
    readdir(folder);
    long place = telldir(folder);
    take_entries(folder);
    seekdir(folder, place);
    take_entries(folder);
    closedir(folder);
}
ROUTINE void by_getdents64(void)
{
    char space[2000];
    int fd = open("folder", O_RDONLY);
    for (ssize_t n; (n = getdents64(fd, space, sizeof space)) > 0;)
        for (ssize_t i = 0; i < n; i += ((struct dirent64 *)(space + i))->d_reclen)
            result += ((struct dirent64 *)(space + i))->d_name[0];
    close(fd);
}
ROUTINE void by_getdirentries(void)
{
    char space[2000];
    off_t base = 0;
    int fd = open("folder", O_RDONLY);
    for (ssize_t n; (n = getdirentries(fd, space, sizeof space, &base)) > 0;)
        for (ssize_t i = 0; i < n; i += ((struct dirent *)(space + i))->d_reclen)
            result += ((struct dirent *)(space + i))->d_name[0];
    close(fd);
}
ROUTINE void by_getdirentries64(void)
{
    char space[2000];
    off64_t base = 0;
    int fd = open("folder", O_RDONLY);
    for (ssize_t n; (n = getdirentries64(fd, space, sizeof space, &base)) > 0;)
        for (ssize_t i = 0; i < n; i += ((struct dirent64 *)(space + i))->d_reclen)
            result += ((struct dirent64 *)(space + i))->d_name[0];
    close(fd);
}
static int visited64(const char *name, const struct stat64 *file, int kind) { result += (int)file->st_size; return 0 * kind * name[0]; }
static int placed64(const char *name, const struct stat64 *file, int kind, struct FTW *place)
{
    return visited64(name, file, kind) * place->level;
}
ROUTINE void by_ftw64(void) { ftw64("folder", visited64, 8); }
ROUTINE void by_nftw64(void) { nftw64("folder", placed64, 8, 0); }
ROUTINE void by_fts64(void)
{
    char *const roots[] = {"folder", NULL};
    FTS64 *tree = fts64_open(roots, FTS_PHYSICAL, NULL);
    for (FTSENT64 *entry = fts64_read(tree); entry; entry = fts64_read(tree))
        result += (int)entry->fts_statp->st_size;
    fts64_close(tree);
}
ROUTINE void by_fts_children(void)
{
    char *const roots[] = {"folder", NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL, NULL);
    fts_read(tree);
    for (FTSENT *entry = fts_children(tree, 0); entry; entry = entry->fts_link)
        result += (int)entry->fts_statp->st_size;
    fts_close(tree);
}
ROUTINE void by_fts64_children(void)
{
    char *const roots[] = {"folder", NULL};
    FTS64 *tree = fts64_open(roots, FTS_PHYSICAL, NULL);
    fts64_read(tree);
    for (FTSENT64 *entry = fts64_children(tree, 0); entry; entry = entry->fts_link)
        result += (int)entry->fts_statp->st_size;
    fts64_close(tree);
}
ROUTINE void by_glob64(void)
{
    glob64_t found;
    if (!glob64("folder/*-[1-5]", 0, NULL, &found))
        result += (int)found.gl_pathc + found.gl_pathv[0][0];
    if (found.gl_pathc != 5) abort();
    globfree64(&found);
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
        by_word, by_wide_word, by_vfscanf, by_vscanf, by_vfwscanf, by_vwscanf, by_ungetwc, by_setbuf, by_setbuffer, by_setlinebuf, by_mapped,
        by_fopen64, by_freopen, by_freopen64, by_fflush, by_ftell, by_words, by_block,
        by_checked_fread, by_checked_fread_unlocked, by_checked_fgets, by_checked_fgets_unlocked, by_checked_fgetws,
        by_checked_fgetws_unlocked, by_fmemopen, by_tmpfile64,
        by_fopencookie, by_fsetpos64, by_update, by_scandir64, by_scandirat, by_scandirat64, by_readdir_r,
        by_readdir64_r, by_rewinddir, by_seekdir, by_getdents64, by_getdirentries, by_getdirentries64, by_ftw64,
        by_nftw64, by_fts64, by_fts_children, by_fts64_children, by_glob64,
    };
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++)
        ways[i]();
    return 0;
}
END
mkdir folder
for i in 1 2 3 4 5 6 7 8 9; do : >"folder/a-file-with-a-name-$i"; done

# At most 22 entries are read, in two rounds.
number_cells=0
case $(getconf GNU_LIBC_VERSION) in
*' 2.3'[0-6]) ;;
*) number_cells=44 ;;
esac

# externals REPORT: prints the external input of each routine.
externals()
{
    awk -F '\t' '
        $1 == "routine" { name[$2] = $6 }
        $1 == "profile" { of = name[$2] }
        $1 == "trms" && of ~ /^by_/ { external[of] += $10 }
        END { for (of in external) print of, external[of] }' "$1" | sort
}

gcc -O1 -g -w -o plain moves.c || exit 1
for bytes in 1 5 400 3000 4095 4096 4097 20000; do
    head -c $bytes /dev/zero | tr '\0' x >file
    run 0 aprof run -q --output=valgrind -- ./plain file
    externals valgrind >externals.$bytes
done

for compiler in $compilers; do
    build "$compiler" -O1 moves moves.c
    for bytes in 1 5 400 3000 4095 4096 4097 20000; do
        begin "$compiler: a file of $bytes bytes"
        head -c $bytes /dev/zero | tr '\0' x >file
        APROF=out=compiled run 0 ./moves file
        externals compiled >externals
        same "$(wc -l <externals)" "$(grep -o 'by_[a-z0-9_]*,' moves.c | wc -l)" 'routines'
        # The tool also sees what the C library reads of fstat's result, at most 16 cells, and, where a stream has no
        # buffer, of its own buffer of a byte. The compiled-in runtime sees whole entries of a folder that scandir
        # gives, of which the library reads only parts. It sees readdir read the number of each entry, 2 cells, as
        # glibc does on Debian 12 and not on 13.
        awk -v cells=$(((bytes + 3) / 4)) -v number_cells="$number_cells" '
            FNR == NR { expected[$1] = $2; next }
            $1 == "by_scandir" { if ($2 < 54 || $2 > 2 * expected[$1]) print $1 ": " $2 ", " expected[$1]; next }
            $1 == "by_fmemopen" { if ($2 != 0) print $1 ": " $2; next }
            { of_file = $1 !~ /(dir|dents|dirent|ftw|fts|glob)/ }
            { less = $1 ~ /(read|rewind|seek|scan)dir|dents|dirent/ ? 8 : 16 }
            { more = of_file ? 1 : $1 ~ /(read|rewind|seek)dir/ ? 16 + number_cells : 16 }
            $2 > expected[$1] + more || $2 < .99 * expected[$1] - less || (of_file && $2 < cells - 1) {
                print $1 ": " $2 " instead of " expected[$1]
            }' externals.$bytes externals >differences
        same "$(cat differences)" '' 'external input'
    done
done
finish
