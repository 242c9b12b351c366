/* Folders that stay accessible when the program changes its root, and access to their files.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * After chroot, paths have another meaning, so all functions start from a descriptor that was
 * opened before the chroot. The functions make system calls directly, because Valgrind's core
 * offers only calls that take a path.
 */
#include "aprof/folder.h"

#define FILE_MODE 0600

/* Constants of Linux on x86 that Valgrind's headers lack. */
#define O_DIRECTORY 0200000
#define O_NOFOLLOW  0400000
#define O_PATH      010000000

static Int value_of(SysRes result)
{
    return sr_isError(result) ? -(Int)sr_Err(result) : (Int)sr_Res(result);
}

static Int open_at(const struct folder *folder, const HChar *name, UWord flags)
{
    if (folder->error)
        return -(Int)folder->error;
    return value_of(
        VG_(do_syscall)(__NR_openat, folder->fd, (UWord)name, flags, FILE_MODE, 0, 0, 0, 0));
}

struct folder folder_open(const HChar *path)
{
    SysRes opened = VG_(open)(path, O_PATH | O_DIRECTORY, 0);

    if (sr_isError(opened))
        return (struct folder){-1, sr_Err(opened)};
    return (struct folder){VG_(safe_fd)(sr_Res(opened)), 0};
}

void folder_close(struct folder *folder)
{
    if (folder->error == 0)
        VG_(close)(folder->fd);
    *folder = (struct folder){-1, VKI_EBADF};
}

enum file_kind folder_kind_of(const struct folder *folder, const HChar *name)
{
    const UInt kind = 0170000, regular = 0100000, directory = 0040000;
    Int fd = open_at(folder, name, O_PATH);
    struct vg_stat file;
    Bool known;

    if (fd < 0)
        return FILE_NONE;
    known = VG_(fstat)(fd, &file) == 0;
    VG_(close)(fd);
    if (!known)
        return FILE_NONE;
    if ((file.mode & kind) == directory)
        return FILE_FOLDER;
    return (file.mode & kind) == regular ? FILE_REGULAR : FILE_SPECIAL;
}

Int folder_create(const struct folder *folder, const HChar *name)
{
    const UWord flags = VKI_O_CREAT | VKI_O_EXCL | VKI_O_WRONLY | O_NOFOLLOW;
    Int fd = open_at(folder, name, flags);

    if (fd != -VKI_EEXIST)
        return fd;
    folder_remove(folder, name);
    return open_at(folder, name, flags);
}

Int folder_open_to_write(const struct folder *folder, const HChar *name)
{
    return open_at(folder, name, VKI_O_WRONLY | VKI_O_TRUNC | VKI_O_NONBLOCK);
}

Int folder_open_to_read(const struct folder *folder, const HChar *name)
{
    return open_at(folder, name, VKI_O_RDONLY | VKI_O_NONBLOCK);
}

UWord folder_rename(const struct folder *folder, const HChar *from, const HChar *to)
{
    return -value_of(
        VG_(do_syscall)(__NR_renameat, folder->fd, (UWord)from, folder->fd, (UWord)to, 0, 0, 0, 0));
}

void folder_remove(const struct folder *folder, const HChar *name)
{
    if (folder->error == 0)
        VG_(do_syscall)(__NR_unlinkat, folder->fd, (UWord)name, 0, 0, 0, 0, 0, 0);
}
