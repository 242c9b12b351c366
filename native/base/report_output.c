/* Chooses the names of the runtimes' report files, and writes each file completely or not at all.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#define _GNU_SOURCE
#include "native/base/report_output.h"

#include "native/base/dump.h"
#include "native/base/environment.h"
#include "native/base/process.h"
#include "native/base/syscalls.h"
#include "native/base/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#define PATH_BYTES 4096
#define FILE_MODE  0600
#define PID_MARK   '\1' /* character that replaces %p in the expanded pattern */

/* The lowest descriptor that the runtime uses, because programs may expect small numbers for their
 * own descriptors. */
#define KEPT_FD_MIN 900

#define FULL_WAIT_MS 10000 /* longest wait for the reader of a full pipe */

/* The state of the report output; a process writes only one report at a time. */
static struct {
    /* absolute pattern, in which everything except PID_MARK is expanded */
    char pattern[PATH_BYTES];
    char start[PATH_BYTES]; /* the directory in which the program was started */
    char name[PATH_BYTES];  /* name of the latest report, or of the first report */
    char temporary[PATH_BYTES + 32];
    size_t plain;   /* length of `name` without the suffix for exec */
    bool fallback;  /* whether the chosen path is not writable */
    bool is_spare;  /* whether `name` is in the directory for temporary files */
    bool displaced; /* whether a report was not written to the chosen path */
    uint64_t kept_parts,
        parts;  /* number of parts to keep (0: no parts), and number of parts begun */
    int parent; /* process that owns `pattern`, if `pattern` has no PID_MARK */
    char pid[16], host[80], rank[80];
    const char *words[4];
    struct {
        int fd; /* descriptor of the report's folder; 0: the path is still valid */
        dev_t device;
        ino_t inode;
    } kept; /* the open folder of the report; used if its path becomes unreachable */
    int fd;
    int error; /* error of the first system call that failed */
    struct record_writer out;
} target;

/* ---------------------------------------------------------------- head */

const char *const *native_output_process_words(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID"};
    size_t n = 0, words = 0;
    native_text_append_decimal(target.pid, sizeof target.pid, &n, (uint64_t)native_pid());
    target.words[words++] = target.pid;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks && words == 1; i++) {
        const char *rank = native_getenv(ranks[i]);
        struct {
            char system[65], node[65], rest[4 * 65];
        } names;
        if (!rank || native_syscall(SYS_uname, &names) < 0)
            continue;
        n = 0;
        native_text_append(target.host, sizeof target.host, &n, "host=");
        native_text_append(target.host, sizeof target.host, &n, names.node);
        n = 0;
        native_text_append(target.rank, sizeof target.rank, &n, "rank=");
        native_text_append(target.rank, sizeof target.rank, &n, rank);
        target.words[words++] = target.host;
        target.words[words++] = target.rank;
    }
    target.words[words] = NULL;
    return target.words;
}

/* ---------------------------------------------------------------- folders */

/* Returns whether the runtime still owns the descriptor of the report's folder. The program may
 * have closed this descriptor and reused its number. */
static bool is_kept(void)
{
    struct stat folder;
    return target.kept.fd && native_syscall(SYS_fstat, target.kept.fd, &folder) == 0 &&
           folder.st_dev == target.kept.device && folder.st_ino == target.kept.inode;
}

static size_t last_slash(const char *path)
{
    size_t slash = 0;
    for (size_t i = 0; path[i]; i++)
        if (path[i] == '/')
            slash = i;
    return slash;
}

/* A path relative to the report's folder, for the *at system calls. */
struct place {
    int folder;
    const char *name;
};

static struct place place_of(const char *path)
{
    if (target.is_spare || !is_kept())
        return (struct place){AT_FDCWD, path};
    return (struct place){target.kept.fd, path + last_slash(path) + 1};
}

static long open_place(const char *path, int flags)
{
    struct place place = place_of(path);
    return native_syscall(SYS_openat, place.folder, place.name, flags, FILE_MODE);
}

static void unlink_place(const char *path)
{
    struct place place = place_of(path);
    native_syscall(SYS_unlinkat, place.folder, place.name, 0);
}

void native_output_keep_folder(void)
{
    static char path[PATH_BYTES];
    struct stat folder;
    size_t n = last_slash(target.name);
    if (!target.name[0] || target.is_spare || is_kept())
        return;
    memcpy(path, target.name, n + 1);
    path[n + 1] = 0;
    int low = (int)native_open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (low < 0)
        return;
    int high = (int)native_syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC, KEPT_FD_MIN);
    if (high >= 0)
        native_syscall(SYS_close, low);
    else
        high = low;
    target.kept.fd = native_syscall(SYS_fstat, high, &folder) == 0 ? high : 0;
    target.kept.device = folder.st_dev;
    target.kept.inode = folder.st_ino;
}

int native_output_kept_folder(void)
{
    return target.kept.fd;
}

/* ---------------------------------------------------------------- names */

struct path {
    char *at;
    size_t size, n;
};

static void path_add(struct path *path, const char *text)
{
    native_text_append(path->at, path->size, &path->n, text);
}

static struct path path_begin(char *at, size_t size)
{
    at[0] = 0;
    return (struct path){at, size, 0};
}

static void path_add_number(struct path *path, uint64_t number)
{
    native_text_append_decimal(path->at, path->size, &path->n, number);
}

/* Expands "{VAR}" after %q. Returns the position after the closing brace, or NULL if this brace is
 * missing. */
static const char *add_variable(struct path *path, const char *pattern)
{
    char name[256];
    size_t n = 0;
    if (*pattern != '{')
        return NULL;
    for (pattern++; *pattern && *pattern != '}' && n + 1 < sizeof name; pattern++)
        name[n++] = *pattern;
    name[n] = 0;
    const char *value = native_getenv(name);
    if (value)
        path_add(path, value);
    return *pattern == '}' ? pattern + 1 : NULL;
}

/* Expands a pattern. Returns NULL, or a description of the error. */
static const char *expand(struct path *path, const char *pattern)
{
    while (*pattern) {
        char one[2] = {*pattern++, 0};
        if (one[0] == '%') {
            char kind = *pattern ? *pattern++ : 0;
            if (kind == 'q') {
                pattern = add_variable(path, pattern);
                if (!pattern)
                    return "%q needs a variable: %q{NAME}";
                continue;
            }
            if (kind != 'p' && kind != '%')
                return "after % there must be p, q{NAME} or %";
            one[0] = kind == 'p' ? PID_MARK : '%';
        }
        path_add(path, one);
    }
    return path->n + 64 < path->size ? NULL : "is too long";
}

/* Makes the report's name in this process. A child does not overwrite its parent's file. */
static void name_make(void)
{
    target.is_spare = false;
    struct path name = path_begin(target.name, sizeof target.name);
    bool has_pid = false;
    for (const char *p = target.pattern; *p; p++) {
        char one[2] = {*p, 0};
        if (*p == PID_MARK)
            path_add_number(&name, (uint64_t)native_pid());
        else
            path_add(&name, one);
        has_pid |= *p == PID_MARK;
    }
    if (!has_pid && native_pid() != target.parent) {
        path_add(&name, ".");
        path_add_number(&name, (uint64_t)native_pid());
    }
}

/* Makes the name of the report in the directory for temporary files. */
static void name_make_fallback(void)
{
    const char *directory = native_getenv("TMPDIR");
    static char base[PATH_BYTES];
    struct path kept = path_begin(base, sizeof base);
    path_add(&kept, target.name + last_slash(target.name) + 1);
    target.is_spare = true;
    struct path name = path_begin(target.name, sizeof target.name);
    path_add(&name, directory && *directory == '/' ? directory : "/tmp");
    path_add(&name, "/");
    path_add(&name, base);
}

static bool is_there(const char *path)
{
    struct place place = place_of(path);
    return native_syscall(SYS_faccessat, place.folder, place.name, 0) == 0;
}

/* Before an exec, adds a suffix to the report's name, so that the new program's report gets another
 * name. */
static void name_add_exec(void)
{
    struct path name = {target.name, sizeof target.name, 0};
    while (target.name[name.n])
        name.n++;
    target.plain = name.n;
    for (uint64_t number = 1;; number++) {
        name.n = target.plain;
        path_add(&name, ".exec");
        path_add_number(&name, number);
        if (!is_there(target.name))
            return;
    }
}

static void name_add_part(uint64_t part)
{
    struct path name = {target.name, sizeof target.name, __builtin_strlen(target.name)};
    path_add(&name, ".part");
    path_add_number(&name, part);
}

void native_output_keep_parts(uint64_t kept)
{
    target.kept_parts = kept;
    target.parts = 0;
}

void native_output_begin_part(void)
{
    target.parts++;
}

/* ---------------------------------------------------------------- files */

static unsigned kind_of(const char *path)
{
    struct stat file;
    struct place place = place_of(path);
    long result = native_syscall(SYS_newfstatat, place.folder, place.name, &file, 0);
    return result < 0 ? 0 : file.st_mode & S_IFMT;
}

/* Returns whether the path is a device or a pipe, which a file must not replace. An existing path
 * in /dev counts as a device, even if /dev/stdout is redirected to a file. In the directory for
 * temporary files, no existing file is special, because another user may have made it. */
static bool is_special(const char *path)
{
    if (target.is_spare)
        return false;
    static const char devices[] = "/dev/";
    unsigned kind = kind_of(path);
    size_t n = 0;
    while (devices[n] && path[n] == devices[n])
        n++;
    if (!devices[n] && kind)
        return true;
    return kind && kind != S_IFREG && kind != S_IFDIR;
}

/* Creates or opens the file without blocking, because a pipe without a reader must not block the
 * end of the program. */
static int create(void)
{
    if (is_special(target.name)) {
        target.temporary[0] = 0;
        return (int)open_place(target.name,
                               O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    }
    if (kind_of(target.name) == S_IFDIR)
        return -EISDIR;
    struct path temporary = path_begin(target.temporary, sizeof target.temporary);
    path_add(&temporary, target.name);
    path_add(&temporary, ".tmp-");
    path_add_number(&temporary, (uint64_t)native_pid());
    unlink_place(target.temporary); /* removes a file that an earlier process with this pid left */
    return (int)open_place(target.temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW);
}

static void remove_temporary(void)
{
    if (target.temporary[0])
        unlink_place(target.temporary);
}

static int prove(void)
{
    if (is_special(target.name))
        return 0;
    int fd = create();
    if (fd < 0)
        return -fd;
    native_syscall(SYS_close, fd);
    remove_temporary();
    return 0;
}

void native_output_choose(const char *variable, const char *pattern)
{
    struct path path = path_begin(target.pattern, sizeof target.pattern);
    if (native_syscall(SYS_getcwd, target.start, sizeof target.start) < 0)
        target.start[0] = 0;
    if (*pattern != '/') {
        path_add(&path, target.start);
        path_add(&path, "/");
    }
    const char *wrong = expand(&path, pattern);
    if (wrong) {
        native_message(variable, wrong);
        path = path_begin(target.pattern, sizeof target.pattern);
        path_add(&path, target.start);
        path_add(&path, "/aprof.");
        path_add(&path, native_client.name);
        path_add(&path, ".\1");
    }
    target.parent = native_pid();
    target.fallback = false;
    name_make();
    int error = prove();
    if (!error)
        return;
    native_message(target.name, native_error_text(error));
    target.fallback = true;
    name_make_fallback();
    native_message("the report goes to", target.name);
}

/* Waits for the reader of a full pipe; returns false if the reader does not read in time. */
static bool wait_for_reader(void)
{
    struct pollfd pipe = {.fd = target.fd, .events = POLLOUT};
    return native_poll(&pipe, 1, FULL_WAIT_MS) > 0;
}

/* The record writer calls this function to write bytes of the report. */
static void write_bytes(void *context, const char *bytes, size_t n)
{
    (void)context;
    for (size_t done = 0; done < n && !target.error;) {
        long wrote = native_syscall(SYS_write, target.fd, bytes + done, n - done);
        if (wrote > 0)
            done += (size_t)wrote;
        else if (wrote != -EINTR && (wrote != -EAGAIN || !wait_for_reader()))
            target.error = wrote < 0 ? (int)-wrote : EIO;
    }
}

/* Returns 0 or an error number. */
static int write_once(void (*write)(struct record_writer *out, void *context), void *context)
{
    target.fd = create();
    if (target.fd < 0)
        return -target.fd;
    target.error = 0;
    record_writer_start(&target.out, (struct record_sink){write_bytes, NULL});
    write(&target.out, context);
    long closed = native_syscall(SYS_close, target.fd);
    if (!target.error && closed < 0 && closed != -EINTR)
        target.error = (int)-closed;
    if (!target.error && target.temporary[0]) {
        struct place from = place_of(target.temporary), to = place_of(target.name);
        target.error =
            (int)-native_syscall(SYS_renameat, from.folder, from.name, to.folder, to.name);
    }
    if (target.error)
        remove_temporary();
    return target.error;
}

static bool is_exec(const char *reason)
{
    return reason[0] == 'e' && reason[1] == 'x' && reason[2] == 'e';
}

static bool is_part(const char *reason)
{
    return target.kept_parts && native_is_still_running(reason);
}

uint64_t native_output_part(const char *reason)
{
    return target.kept_parts ? target.parts + !is_part(reason) : 0;
}

static void name_add_suffix(const char *reason)
{
    if (is_exec(reason))
        name_add_exec();
    else if (is_part(reason))
        name_add_part(target.parts);
}

/* Removes the part that the new part `name` replaces. */
static void remove_old_part(void)
{
    size_t end = __builtin_strlen(target.name);
    if (target.parts <= target.kept_parts)
        return;
    while (target.name[end] != '.')
        end--;
    target.name[end] = 0;
    name_add_part(target.parts - target.kept_parts);
    unlink_place(target.name);
}

static bool write_somewhere(void (*write)(struct record_writer *out, void *context), void *context,
                            const char *reason)
{
    name_make();
    if (!target.fallback) {
        name_add_suffix(reason);
        int error = write_once(write, context);
        if (!error)
            return true;
        native_message(target.name, native_error_text(error));
    }
    target.displaced = true;
    name_make();
    name_make_fallback();
    name_add_suffix(reason);
    int error = write_once(write, context);
    native_message(error ? target.name : "the report is in",
                   error ? native_error_text(error) : target.name);
    return !error;
}

bool native_output_write(void (*write)(struct record_writer *out, void *context), void *context,
                         const char *reason)
{
    struct native_write_signals signals;
    native_signals_write_begin(&signals);
    bool is_written = write_somewhere(write, context, reason);
    if (is_written && is_part(reason))
        remove_old_part();
    native_signals_write_end(&signals);
    return is_written;
}

bool native_output_is_displaced(void)
{
    return target.displaced;
}

bool native_output_is_special(void)
{
    return is_special(target.name);
}

void native_output_expect(const char *reason)
{
    name_make();
    if (target.fallback)
        name_make_fallback();
    if (is_exec(reason))
        name_add_exec();
}

void native_output_withdraw(void)
{
    static char plain[PATH_BYTES];
    memcpy(plain, target.name, target.plain);
    plain[target.plain] = 0;
    unlink_place(plain);
}

void native_output_remove(void)
{
    if (!is_special(target.name))
        unlink_place(target.name);
    name_make();
}
