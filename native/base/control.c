/* Reads the control file; see control.h.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#define _GNU_SOURCE
#include "native/base/control.h"

#include "native/base/environment.h"
#include "native/base/report_output.h"
#include "native/base/syscalls.h"

#include <fcntl.h>
#include <sys/stat.h>

#define PATH_BYTES 4096

static struct {
    char path[PATH_BYTES]; /* absolute path; "": there is no file */
    void (*apply)(const char *text);
    struct stat latest; /* state of the file when it was last read */
} control;

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Reads the text of a regular file; returns false if the file cannot be read. */
static bool read_text(char *text, size_t size)
{
    long fd = native_open(control.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    long n = native_syscall(SYS_read, fd, text, size - 1);
    native_syscall(SYS_close, fd);
    text[n > 0 ? n : 0] = 0;
    return n >= 0;
}

void native_control_read(void)
{
    char text[NATIVE_OPTION_TEXT_BYTES];
    struct stat now;
    if (native_syscall(SYS_newfstatat, AT_FDCWD, control.path, &now, 0) < 0 ||
        !S_ISREG(now.st_mode) || is_same(&now, &control.latest))
        return;
    control.latest = now;
    if (read_text(text, sizeof text))
        control.apply(text);
}

bool native_control_is_chosen(void)
{
    return control.path[0];
}

void native_control_choose(const char *variable, const char *path, void (*apply)(const char *text))
{
    size_t n = 0;
    if (!*path)
        return;
    if (*path != '/') {
        if (native_syscall(SYS_getcwd, control.path, sizeof control.path) < 0)
            control.path[0] = 0;
        n = __builtin_strlen(control.path);
        native_text_append(control.path, sizeof control.path, &n, "/");
    }
    native_text_append(control.path, sizeof control.path, &n, path);
    if (n + 1 >= sizeof control.path) {
        native_message(variable, "the path of the control file is too long");
        control.path[0] = 0;
        return;
    }
    control.apply = apply;
    native_control_read();
}
