/* Names and lines of code that the program generates at run time; see jit_code.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The perf map and the jitdump are checked whenever code without a file is translated. Checking a
 * file takes one system call; reading an appended part takes another one. The files' descriptors
 * stay open, outside the program's range of descriptors.
 */
#include "aprof/jit_code.h"
#include "aprof/jit_dump.h"
#include "aprof/perf_map.h"

#define FILE_BYTES_MAX ((ULong)1 << 28)
#define PART_BYTES     JIT_DUMP_RECORD_MAX

/* A file to which a run-time system in the program appends. */
struct growing_file {
    HChar path[32];
    Int fd;     /* -1: not open */
    ULong read; /* number of bytes already read */
    /* state of the file that already existed at the start; inode 0: there was none */
    struct vg_stat left;
};

static struct perf_map map;
static struct jit_dump dump;
static struct growing_file map_file = {.fd = -1}, dump_file = {.fd = -1};

static void file_init(struct growing_file *file, const HChar *format)
{
    if (file->fd >= 0)
        VG_(close)(file->fd);
    file->fd = -1;
    file->read = 0;
    VG_(sprintf)(file->path, format, VG_(getpid)());
    if (sr_isError(VG_(stat)(file->path, &file->left)))
        VG_(memset)(&file->left, 0, sizeof file->left);
}

void jit_code_init(void)
{
    file_init(&map_file, "/tmp/perf-%d.map");
    file_init(&dump_file, "/tmp/jit-%d.dump");
    map.n_line = 0;
}

/* Returns whether the file has not changed since the start, and therefore belongs to an earlier
 * process with this pid. */
static Bool is_left_over(const struct growing_file *file, const struct vg_stat *now)
{
    return now->ino == file->left.ino && now->dev == file->left.dev &&
           now->mtime == file->left.mtime && now->mtime_nsec == file->left.mtime_nsec;
}

static void file_open(struct growing_file *file)
{
    struct vg_stat now;
    SysRes opened;

    if (sr_isError(VG_(stat)(file->path, &now)) || !VKI_S_ISREG(now.mode) ||
        now.uid != (UInt)VG_(geteuid)() || is_left_over(file, &now))
        return;
    opened = VG_(open)(file->path, VKI_O_RDONLY | VKI_O_NONBLOCK, 0);
    if (!sr_isError(opened))
        file->fd = VG_(safe_fd)(sr_Res(opened));
}

static SizeT map_add(const HChar *part, SizeT bytes)
{
    perf_map_add(&map, part, bytes);
    return bytes;
}

static SizeT dump_add(const HChar *part, SizeT bytes)
{
    if (dump_file.read == 0)
        dump.is_open = dump.is_invalid = False; /* the file is read from its beginning, perhaps as
                                                 * another process's dump */
    return jit_dump_add(&dump, (const UChar *)part, bytes);
}

/* Reads the part of the file that was appended since the last call. `add` returns how many bytes it
 * has consumed; 0: the next record is not complete yet. */
static void file_read(struct growing_file *file, SizeT (*add)(const HChar *part, SizeT bytes))
{
    static HChar part[PART_BYTES];
    struct vg_stat now;

    if (file->fd < 0)
        file_open(file);
    if (file->fd < 0 || VG_(fstat)(file->fd, &now) != 0 || !VKI_S_ISREG(now.mode))
        return;
    if ((ULong)now.size < file->read)
        file->read = 0; /* the file was truncated and rewritten */
    while (file->read < (ULong)now.size && file->read < FILE_BYTES_MAX) {
        SysRes got = VG_(pread)(file->fd, part, sizeof part, file->read);
        SizeT skip;

        if (sr_isError(got) || sr_Res(got) == 0)
            return;
        skip = add(part, sr_Res(got));
        if (skip == 0)
            return;
        file->read += skip;
    }
}

Bool jit_code_find(Addr address, struct jit_code *found)
{
    const struct perf_code *code;

    file_read(&map_file, map_add);
    code = perf_map_find(&map, address);
    if (code == NULL)
        return False;
    *found = (struct jit_code){code->name, code->entry};
    return True;
}

const HChar *jit_code_line(Addr address, UInt *line)
{
    file_read(&dump_file, dump_add);
    return jit_dump_line(&dump, address, line);
}
