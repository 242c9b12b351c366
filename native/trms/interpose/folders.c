/* Functions that read folders: the entries are external input of the routine that reads them.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * System calls inside the C library cannot be intercepted. readdir returns each entry; ftw, nftw
 * and fts report the found files one by one. glob can read folders with functions that its caller
 * passes; the wrapper passes functions that record entries. The parts of an entry that the library
 * reads (reads_entry) are input of the called library function.
 */
#define _GNU_SOURCE
#include "native/trms/interpose/interpose_calls.h"

#include <dirent.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

SYSTEM_CALL(ssize_t, getdents64, (int fd, void *to, size_t n), (fd, to, n), NOTHING,
            WRITES(to, result))
SYSTEM_CALL(ssize_t, getdirentries, (int fd, char *to, size_t n, off_t *base), (fd, to, n, base),
            NOTHING, WRITES(to, result))
SYSTEM_CALL(ssize_t, getdirentries64, (int fd, char *to, size_t n, off64_t *base),
            (fd, to, n, base), NOTHING, WRITES(to, result))
SYSTEM_CALL(DIR *, opendir, (const char *path), (path), READS_NAME(path), NOTHING)

/* ---------------------------------------------------------------- one entry */

#define NAME offsetof(struct dirent, d_name)

_Static_assert(offsetof(struct dirent64, d_name) == NAME, "entries look alike");

/* Records an entry: the kernel has written the entry, and readdir has read the entry's inode number
 * and the position of the next entry. glibc 2.41 no longer reads the inode number, but the number
 * is still counted. */
static void *entry_given(void *entry)
{
    const struct dirent *given = entry;
    int error = errno;
    if (given) {
        calls_write(given, given->d_reclen);
        calls_read(given, offsetof(struct dirent, d_type));
    }
    errno = error;
    return entry;
}

/* Records an entry that only the library reads, including its name. */
static void entry_read(const char *name)
{
    static NATIVE_TLS struct dirent entry;
    size_t bytes = NAME + interpose_smaller(interpose_string_bytes(name), sizeof entry.d_name);
    calls_write(&entry, bytes);
    calls_read(&entry, bytes);
}

/* Records the entries `.` and `..` of a folder, which ftw and similar functions skip. */
static void folder_read(void)
{
    entry_read(".");
    entry_read("..");
}

/* Records that the kernel has written a file's attributes, and that the library has read the file's
 * type. */
static void file_described(const struct stat *file)
{
    calls_write(file, sizeof *file);
    calls_read(&file->st_mode, sizeof file->st_mode);
}

/* ---------------------------------------------------------------- entry by entry */

INTERPOSE(struct dirent *, readdir, (DIR * folder))
{
    return entry_given(REAL(readdir)(folder));
}

INTERPOSE(struct dirent64 *, readdir64, (DIR * folder))
{
    return entry_given(REAL(readdir64)(folder));
}

/* Records an entry that the library has read completely and copied into the caller's buffer. */
static void entry_copied(const void *entry)
{
    const struct dirent *copied = entry;
    int error = errno;
    if (copied) {
        calls_write(copied, copied->d_reclen);
        calls_read(copied, copied->d_reclen);
    }
    errno = error;
}

#define COPIES_ENTRY(name, type)                                                                   \
    INTERPOSE(int, name, (DIR * folder, type * entry, type * *result))                             \
    {                                                                                              \
        int status = REAL(name)(folder, entry, result);                                            \
        if (!status)                                                                               \
            entry_copied(*result);                                                                 \
        return status;                                                                             \
    }

COPIES_ENTRY(readdir_r, struct dirent)
COPIES_ENTRY(readdir64_r, struct dirent64)

#define SCANS_FOLDER(name, type, first, place)                                                     \
    INTERPOSE(int, name,                                                                           \
              (first const char *path, type ***list, int (*choose)(const type *),                  \
               int (*compare)(const type **, const type **)))                                      \
    {                                                                                              \
        watch_thread_sync();                                                                       \
        int n = REAL(name)(place path, list, choose, compare), error = errno;                      \
        if (n >= 0 || error != EFAULT)                                                             \
            calls_read_name(path);                                                                 \
        for (int i = 0; i < n; i++)                                                                \
            entry_copied((*list)[i]);                                                              \
        errno = error;                                                                             \
        return n;                                                                                  \
    }

#define FOLDER_FD int fd,
#define FD        fd,
SCANS_FOLDER(scandir, struct dirent, , )
SCANS_FOLDER(scandir64, struct dirent64, , )
SCANS_FOLDER(scandirat, struct dirent, FOLDER_FD, FD)
SCANS_FOLDER(scandirat64, struct dirent64, FOLDER_FD, FD)

/* ---------------------------------------------------------------- walks through trees */

/* The program's function, which ftw or nftw calls for each file. */
struct walk {
    const char *root;
    __ftw_func_t plain;
    __nftw_func_t with_place;
};

/* The innermost walk of the thread. After a longjmp out of ftw or nftw, the variable is out of
 * date, but it is not read before the next call of these functions. */
static NATIVE_TLS const struct walk *walking;

static int visit(const char *path, const char *name, const struct stat *file, int kind,
                 struct FTW *place)
{
    const struct walk *walk = walking;
    int status, error = errno;
    if (name)
        entry_read(name);
    if (kind != FTW_NS && file)
        file_described(file);
    if (kind == FTW_D || kind == FTW_DP)
        folder_read();
    errno = error;
    status = place ? walk->with_place(path, file, kind, place) : walk->plain(path, file, kind);
    walking = walk;
    /* The call must not become a tail call (see sort.c). */
    __asm__("" : "+r"(status));
    return status;
}

static int visit_plainly(const char *path, const struct stat *file, int kind)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return visit(path, strcmp(path, walking->root) ? name : NULL, file, kind, NULL);
}

static int visit_place(const char *path, const struct stat *file, int kind, struct FTW *place)
{
    return visit(path, place->level ? path + place->base : NULL, file, kind, place);
}

/* On 64-bit machines, `struct stat64` is the same as `struct stat`. */
#define WALKS(name, parameters, arguments, function)                                               \
    INTERPOSE(int, name, parameters)                                                               \
    {                                                                                              \
        const struct walk walk = {.root = root, .function = (void *)call};                         \
        const struct walk *outer = walking;                                                        \
        watch_thread_sync();                                                                       \
        walking = &walk;                                                                           \
        int result = REAL(name) arguments, error = errno;                                          \
        walking = outer;                                                                           \
        if (result != -1 || error != EFAULT)                                                       \
            calls_read_name(root);                                                                 \
        errno = error;                                                                             \
        return result;                                                                             \
    }

WALKS(ftw, (const char *root, __ftw_func_t call, int n), (root, visit_plainly, n), plain)
WALKS(ftw64, (const char *root, __ftw64_func_t call, int n), (root, (void *)visit_plainly, n),
      plain)
WALKS(nftw, (const char *root, __nftw_func_t call, int n, int flags), (root, visit_place, n, flags),
      with_place)
WALKS(nftw64, (const char *root, __nftw64_func_t call, int n, int flags),
      (root, (void *)visit_place, n, flags), with_place)

/* The folder whose entries fts_children has already listed, for each level of the thread's walk.
 * fts_read returns these entries without reading the folder again. The table has no place for
 * folders at deeper levels, whose entries are counted twice. */
#define LISTED_MOST 64
static NATIVE_TLS const void *listed[LISTED_MOST];

static const void **place_of_folder(const FTSENT *folder)
{
    return folder->fts_level >= 0 && folder->fts_level < LISTED_MOST ? &listed[folder->fts_level]
                                                                     : NULL;
}

static bool is_listed(const FTSENT *node)
{
    const void **place = node->fts_level > 0 ? place_of_folder(node->fts_parent) : NULL;
    return place && *place == node->fts_parent;
}

static void node_read(const FTSENT *node)
{
    if (node->fts_level > 0)
        entry_read(node->fts_name);
    if (node->fts_info != FTS_NS && node->fts_info != FTS_NSOK)
        file_described(node->fts_statp);
}

/* Records a found file. fts_read returns a folder twice, before and after its entries; only the
 * first visit is recorded. */
static void *node_found(void *node)
{
    const FTSENT *found = node;
    int error = errno;
    if (!found)
        return NULL;
    const void **place = place_of_folder(found);
    if (place && *place == found)
        *place = NULL;
    if (found->fts_info != FTS_DP && !is_listed(found))
        node_read(found);
    if (found->fts_info == FTS_D)
        folder_read();
    errno = error;
    return node;
}

/* Records the entries of the folder that fts_read returned last, or the roots before the first
 * fts_read. After fts_children with FTS_NAMEONLY, fts_read reads the entries again. */
static void *nodes_listed(void *nodes, int option)
{
    const FTSENT *first = nodes;
    int error = errno;
    if (!first || first->fts_level <= 0 || is_listed(first))
        return nodes;
    const void **place = place_of_folder(first->fts_parent);
    for (const FTSENT *node = first; node; node = node->fts_link)
        node_read(node);
    if (place && option != FTS_NAMEONLY)
        *place = first->fts_parent;
    errno = error;
    return nodes;
}

INTERPOSE(FTSENT *, fts_read, (FTS * tree))
{
    watch_thread_sync();
    return node_found(REAL(fts_read)(tree));
}

INTERPOSE(FTSENT64 *, fts64_read, (FTS64 * tree))
{
    watch_thread_sync();
    return node_found(REAL(fts64_read)(tree));
}

INTERPOSE(FTSENT *, fts_children, (FTS * tree, int option))
{
    watch_thread_sync();
    return nodes_listed(REAL(fts_children)(tree, option), option);
}

INTERPOSE(FTSENT64 *, fts64_children, (FTS64 * tree, int option))
{
    watch_thread_sync();
    return nodes_listed(REAL(fts64_children)(tree, option), option);
}

/* ---------------------------------------------------------------- glob */

static void *folder_open(const char *path)
{
    DIR *folder = REAL(opendir)(path);
    int error = errno;
    calls_read_name(path);
    errno = error;
    return folder;
}

static void *folder_next(void *folder)
{
    struct dirent *entry = REAL(readdir)(folder);
    int error = errno;
    if (entry) {
        calls_write(entry, entry->d_reclen);
        calls_read(entry, NAME + interpose_string_bytes(entry->d_name));
    }
    errno = error;
    return entry;
}

static void folder_close(void *folder)
{
    closedir(folder);
}

static int file_of_name(const char *path, struct stat *to)
{
    int result = stat(path, to), error = errno;
    if (result == 0)
        file_described(to);
    errno = error;
    return result;
}

static int link_of_name(const char *path, struct stat *to)
{
    int result = lstat(path, to), error = errno;
    if (result == 0)
        file_described(to);
    errno = error;
    return result;
}

/* If a caller passes its own functions, the wrapper passes them to glob unchanged, because their
 * accesses are the program's own. */
#define GLOBS(name, type)                                                                          \
    INTERPOSE(int, name,                                                                           \
              (const char *pattern, int flags, int (*failed)(const char *, int), type *found))     \
    {                                                                                              \
        watch_thread_sync();                                                                       \
        if (flags & GLOB_ALTDIRFUNC)                                                               \
            return REAL(name)(pattern, flags, failed, found);                                      \
        type theirs = *found;                                                                      \
        found->gl_opendir = folder_open;                                                           \
        found->gl_readdir = (void *)folder_next;                                                   \
        found->gl_closedir = folder_close;                                                         \
        found->gl_stat = (void *)file_of_name;                                                     \
        found->gl_lstat = (void *)link_of_name;                                                    \
        int result = REAL(name)(pattern, flags | GLOB_ALTDIRFUNC, failed, found), error = errno;   \
        found->gl_opendir = theirs.gl_opendir;                                                     \
        found->gl_readdir = theirs.gl_readdir;                                                     \
        found->gl_closedir = theirs.gl_closedir;                                                   \
        found->gl_stat = theirs.gl_stat;                                                           \
        found->gl_lstat = theirs.gl_lstat;                                                         \
        found->gl_flags &= ~GLOB_ALTDIRFUNC;                                                       \
        calls_read_name(pattern);                                                                  \
        errno = error;                                                                             \
        return result;                                                                             \
    }

GLOBS(glob, glob_t)
GLOBS(glob64, glob64_t)
