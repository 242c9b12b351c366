/* Report files: their names, and writing them so that there is a whole file or none.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A report is written to NAME.tmp-PID, which gets its name when it is complete. If that fails (a
 * full disk, a directory that is gone) the report is written to the directory for temporary files
 * instead: a long run must not be lost.
 */
#include "aprof/valgrind_core.h"

#include "aprof/options.h"
#include "aprof/process.h"
#include "points/points_report.h"
#include "aprof/report_file.h"
#include "aprof/symbols.h"

#define FILE_MODE 0600

#define KIND_REGULAR   0100000
#define KIND_DIRECTORY 0040000

static HChar *name; /* of the report, without suffix */
static Int process; /* whose report it is: the id, also in a copy of the process */

/*------------------------------------------------------------*/
/*--- Names                                                ---*/
/*------------------------------------------------------------*/

static HChar *name_expand(void)
{
    return VG_(expand_file_name)("--aprof-out-file", clo_out_file);
}

/* NAME and what is appended; the caller frees it. */
static HChar *name_append(const HChar *base, const HChar *a, const HChar *b)
{
    HChar *joined =
        VG_(malloc)("aprof.report.name", VG_(strlen)(base) + VG_(strlen)(a) + VG_(strlen)(b) + 1);

    VG_(sprintf)(joined, "%s%s%s", base, a, b);
    return joined;
}

static HChar *name_temporary(const HChar *base)
{
    HChar suffix[32];

    VG_(sprintf)(suffix, ".tmp-%d", process);
    return name_append(base, suffix, "");
}

/* As the user would type it: without the directory that the program was started in. */
static const HChar *name_short(const HChar *path)
{
    const HChar *start = VG_(get_startup_wd)();
    SizeT length = start ? VG_(strlen)(start) : 0;

    if (length && VG_(strncmp)(path, start, length) == 0 && path[length] == '/')
        return path + length + 1;
    return path;
}

/* The kind of file that the name belongs to already; 0: none. */
static UInt kind_of(const HChar *path)
{
    const UInt kind = 0170000;
    struct vg_stat file;

    return sr_isError(VG_(stat)(path, &file)) ? 0 : file.mode & kind;
}

/* A device or a pipe is written to; it must not be replaced by a file. Nor must /dev/stdout, even
 * if that is a file at the moment. */
static Bool is_special(const HChar *path)
{
    UInt kind = kind_of(path);

    if (kind != 0 && VG_(strncmp)(path, "/dev/", 5) == 0)
        return True;
    return kind != 0 && kind != KIND_REGULAR && kind != KIND_DIRECTORY;
}

/* Two processes must not write one file: without %p in the name, the child's pid is appended. */
void report_file_forked(void)
{
    HChar *expanded = name_expand();

    process = VG_(getpid)();
    if (VG_(strcmp)(expanded, name) == 0) {
        HChar suffix[32];

        VG_(sprintf)(suffix, ".%d", process);
        name = name_append(expanded, suffix, "");
    } else {
        name = expanded;
    }
}

__attribute__((noreturn)) static void refuse(UWord error)
{
    VG_(fmsg)("aprof: %s: cannot be created: %s\n", name, VG_(strerror)(error));
    VG_(exit)(1);
}

void report_file_init(void)
{
    HChar *temporary;
    SysRes created;

    process = VG_(getpid)();
    name = name_expand();
    if (kind_of(name) == KIND_DIRECTORY)
        refuse(VKI_EISDIR);
    if (is_special(name))
        return;
    temporary = name_temporary(name);
    created = VG_(open)(temporary, VKI_O_CREAT | VKI_O_EXCL | VKI_O_WRONLY, FILE_MODE);
    if (sr_isError(created))
        refuse(sr_Err(created));
    VG_(close)(sr_Res(created));
    VG_(unlink)(temporary);
    VG_(free)(temporary);
}

/*------------------------------------------------------------*/
/*--- Contents                                             ---*/
/*------------------------------------------------------------*/

static void describe(const struct routine *routine, struct routine_info *info)
{
    const struct named_routine *named = symbols_get(routine->id);

    *info = (struct routine_info){
        .object = named->object->path,
        .offset = named->offset,
        .size = named->size,
        .name = named->name,
        .file = named->file,
        .line = named->line,
    };
}

/* The client's command, ending with NULL; the caller frees the array. */
static const HChar **command_words(void)
{
    Word n = VG_(sizeXA)(VG_(args_for_client));
    const HChar **words = VG_(calloc)("aprof.report.command", n + 2, sizeof *words);

    words[0] = VG_(args_the_exename);
    for (Word i = 0; i < n; i++)
        words[i + 1] = *(const HChar **)VG_(indexXA)(VG_(args_for_client), i);
    return words;
}

static const HChar **option_words(void)
{
    UInt n = options_given_count();
    const HChar **words = VG_(calloc)("aprof.report.options", n + 1, sizeof *words);

    for (UInt i = 0; i < n; i++)
        words[i] = options_given(i);
    return words;
}

/*------------------------------------------------------------*/
/*--- Writing                                              ---*/
/*------------------------------------------------------------*/

struct output {
    Int fd;
    UWord error; /* 0: all well so far */
    UInt used;
    HChar buffer[1 << 16];
};

static void output_flush(struct output *out)
{
    for (UInt done = 0; done < out->used && out->error == 0;) {
        Int n = VG_(write)(out->fd, out->buffer + done, out->used - done);

        if (n > 0)
            done += n;
        else
            out->error = n < 0 ? -n : VKI_EIO;
    }
    out->used = 0;
}

static void output_write(void *context, const char *bytes, size_t n)
{
    struct output *out = context;

    while (n) {
        SizeT room = sizeof out->buffer - out->used;
        SizeT part = n < room ? n : room;

        VG_(memcpy)(out->buffer + out->used, bytes, part);
        out->used += part;
        bytes += part;
        n -= part;
        if (out->used == sizeof out->buffer)
            output_flush(out);
    }
}

/* 0, or the error that has prevented it. */
static UWord write_contents(struct engine *engine, Int fd, const HChar *end)
{
    struct output *out = VG_(calloc)("aprof.report.output", 1, sizeof *out);
    struct report_sink sink = {output_write, out};
    const HChar **command = command_words();
    const HChar **options = option_words();
    struct process_identity identity;
    struct report_info info = {
        .creator = "aprof " APROF_VERSION,
        .tool = "valgrind " VALGRIND_VERSION,
        .arch = sizeof(void *) == 8 ? "amd64" : "x86",
        .command = command,
        .process = identity.words,
        .options = options,
        .cost = clo_cost_instructions ? "instr" : "bb",
        .end = end,
        .describe = describe,
    };
    UWord error;

    process_identify(&identity, process);
    out->fd = fd;
    engine_report_write(engine, &info, &sink);
    output_flush(out);
    error = out->error;
    VG_(free)(command);
    VG_(free)(options);
    VG_(free)(out);
    return error;
}

/* 0, or the error that has prevented it; then nothing is left behind. */
static UWord write_file(struct engine *engine, const HChar *path, const HChar *end)
{
    Bool special = is_special(path);
    HChar *temporary = special ? name_append(path, "", "") : name_temporary(path);
    SysRes created = VG_(open)(temporary, VKI_O_CREAT | VKI_O_TRUNC | VKI_O_WRONLY, FILE_MODE);
    UWord error = sr_isError(created) ? sr_Err(created) : 0;

    if (error == 0) {
        error = write_contents(engine, sr_Res(created), end);
        VG_(close)(sr_Res(created));
        if (error == 0 && !special && VG_(rename)(temporary, path) != 0)
            error = VKI_EIO;
        if (error && !special)
            VG_(unlink)(temporary);
    }
    VG_(free)(temporary);
    return error;
}

static void tell_next(const HChar *path)
{
    if (VG_(clo_verbosity) > 0)
        VG_(umsg)("aprof: wrote %s; next: aprof report %s\n", name_short(path), name_short(path));
}

static Bool write_elsewhere(struct engine *engine, const HChar *path, const HChar *end)
{
    HChar *other = name_append(VG_(tmpdir)(), "/", VG_(basename)(path));
    UWord error = write_file(engine, other, end);

    if (error)
        VG_(umsg)("aprof: %s: cannot be written either: %s\n", other, VG_(strerror)(error));
    else
        tell_next(other);
    VG_(free)(other);
    return error == 0;
}

Bool report_file_write_silently(struct engine *engine, const HChar *suffix, const HChar *end)
{
    HChar *path = name_append(name, suffix, "");
    UWord error = write_file(engine, path, end);

    VG_(free)(path);
    return error == 0;
}

void report_file_tell(const HChar *suffix)
{
    HChar *path = name_append(name, suffix, "");

    tell_next(path);
    VG_(free)(path);
}

Bool report_file_write(struct engine *engine, const HChar *suffix, const HChar *end)
{
    HChar *path = name_append(name, suffix, "");
    UWord error = write_file(engine, path, end);
    Bool written = error == 0;

    if (written) {
        tell_next(path);
    } else {
        VG_(umsg)("aprof: %s: cannot be written: %s\n", path, VG_(strerror)(error));
        written = write_elsewhere(engine, path, end);
    }
    VG_(free)(path);
    return written;
}

Bool report_file_is_ours(const HChar *suffix)
{
    const SizeT header_bytes = 1 << 16; /* a command is long, but hardly longer */
    HChar *path = name_append(name, suffix, "");
    HChar *header = VG_(calloc)("aprof.report.header", header_bytes, 1);
    Int fd = kind_of(path) == KIND_REGULAR ? VG_(fd_open)(path, VKI_O_RDONLY, 0) : -1;
    HChar wanted[32];
    const HChar *found = NULL;

    VG_(sprintf)(wanted, "\nprocess\t%d", process);
    if (fd >= 0) {
        if (VG_(read)(fd, header, header_bytes - 1) > 0)
            found = VG_(strstr)(header, wanted);
        VG_(close)(fd);
    }
    if (found)
        found += VG_(strlen)(wanted);
    Bool ours = found && (*found == '\n' || *found == '\t');

    VG_(free)(header);
    VG_(free)(path);
    return ours;
}

void report_file_remove(const HChar *suffix)
{
    HChar *path = name_append(name, suffix, "");

    VG_(unlink)(path);
    VG_(free)(path);
}
