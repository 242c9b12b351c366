/* Names of code that the program generates at run time; see jit_code.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The perf map is checked whenever code that belongs to no file is translated. The check of the
 * perf map takes one system call, and a read of the appended part. The map's descriptor stays open,
 * outside the program's range of descriptors.
 */
#include "aprof/jit_code.h"
#include "aprof/perf_map.h"

#define MAP_BYTES_MAX ((ULong)1 << 28)
#define PART_BYTES    (1 << 16)

static struct perf_map map;
static struct {
    HChar path[32];
    Int fd;              /* -1: not open */
    ULong read;          /* number of bytes already read into `map` */
    struct vg_stat left; /* state of the map that existed at the start; inode 0: no map existed */
} file;

void jit_code_init(void)
{
    if (file.fd > 0)
        VG_(close)(file.fd);
    file.fd = -1;
    file.read = 0;
    map.n_line = 0;
    VG_(sprintf)(file.path, "/tmp/perf-%d.map", VG_(getpid)());
    if (sr_isError(VG_(stat)(file.path, &file.left)))
        VG_(memset)(&file.left, 0, sizeof file.left);
}

/* Returns whether the map is unchanged since the start, and therefore belongs to an earlier process
 * with this pid. */
static Bool is_left_over(const struct vg_stat *now)
{
    return now->ino == file.left.ino && now->dev == file.left.dev &&
           now->mtime == file.left.mtime && now->mtime_nsec == file.left.mtime_nsec;
}

static void file_open(void)
{
    struct vg_stat now;
    SysRes opened;

    if (sr_isError(VG_(stat)(file.path, &now)) || !VKI_S_ISREG(now.mode) ||
        now.uid != (UInt)VG_(geteuid)() || is_left_over(&now))
        return;
    opened = VG_(open)(file.path, VKI_O_RDONLY | VKI_O_NONBLOCK, 0);
    if (!sr_isError(opened))
        file.fd = VG_(safe_fd)(sr_Res(opened));
}

/* Reads the part of the map that was appended since the last call. */
static void file_read(void)
{
    static HChar part[PART_BYTES];
    struct vg_stat now;

    if (VG_(fstat)(file.fd, &now) != 0 || !VKI_S_ISREG(now.mode))
        return;
    if ((ULong)now.size < file.read)
        file.read = 0; /* the file was truncated and rewritten */
    while (file.read < (ULong)now.size && file.read < MAP_BYTES_MAX) {
        SysRes got = VG_(pread)(file.fd, part, sizeof part, file.read);

        if (sr_isError(got) || sr_Res(got) == 0)
            return;
        perf_map_add(&map, part, sr_Res(got));
        file.read += sr_Res(got);
    }
}

Bool jit_code_find(Addr address, struct jit_code *found)
{
    const struct perf_code *code;

    if (file.fd < 0)
        file_open();
    if (file.fd >= 0)
        file_read();
    code = perf_map_find(&map, address);
    if (code == NULL)
        return False;
    *found = (struct jit_code){code->name, code->entry == address};
    return True;
}
