/* Chooses the names of report files, and writes reports completely or not at all.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A report is written to NAME.tmp-PID; the complete file is renamed to NAME. If writing fails (a
 * full disk, a removed directory), the report is saved in the directory for temporary files, so
 * that no measurements are lost. Both directories are opened at the start, because the program may
 * call chroot. If the program gives up privileges (setuid), the report is written without these
 * privileges.
 *
 * If a report was not written to its path, a message says so even with -q. A process that could not
 * write a report to its path exits with the status of --error-exitcode (125 under `aprof run`).
 * Only the process that the user has started exits with this status, also if it calls exec after
 * the failure. A child keeps its own status, because its parent reads this status. A failure of
 * --dump-every does not count if a later report succeeds.
 *
 * A device or a FIFO is written to directly. Writing never blocks for long: a FIFO must have a
 * reader when the program ends, and this reader must continue to read.
 */
#include "aprof/valgrind_core.h"

#include "aprof/debug_unread.h"
#include "aprof/folder.h"
#include "aprof/machine.h"
#include "aprof/options.h"
#include "aprof/process.h"
#include "points/points_report.h"
#include "aprof/report_file.h"
#include "aprof/spans.h"
#include "aprof/symbols.h"

#define POLLOUT      4     /* value of Linux's POLLOUT, which Valgrind's headers lack */
#define FULL_WAIT_MS 10000 /* longest wait for the reader of a full pipe */

static HChar *name;         /* name of the report, without suffix */
static struct folder home;  /* folder for the report */
static struct folder spare; /* folder for the report if writing to `home` fails */
static Int process;         /* pid of the reported process, also in a copy of the process */
static struct process_identity identity;
static Int reserved = -1; /* file of the report, opened in advance; -1: not opened */
/* whether this is the process that the user has started, perhaps after exec */
static Bool is_first;
static Bool is_displaced; /* whether a report of this process could not be written to its path */
static Bool is_passed_on; /* value that is_displaced will have in the next program, after exec */

/*------------------------------------------------------------*/
/*--- Names                                                ---*/
/*------------------------------------------------------------*/

/* Returns NAME with appended texts; the caller frees the result. */
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

/* Returns the folder where the run was started; NULL if this folder no longer existed. */
static const HChar *start_folder(void)
{
    return clo_run_folder ? clo_run_folder : VG_(get_startup_wd)();
}

/* Returns the value of --aprof-out-file with %p and similar parts expanded. A relative name is
 * relative to the folder where the run was started, also after exec. */
static HChar *name_expand(void)
{
    HChar *slash, *expanded, *absolute;

    if (clo_run_folder == NULL)
        return VG_(expand_file_name)("--aprof-out-file", clo_out_file);
    slash = name_append("/", clo_out_file, "");
    expanded = VG_(expand_file_name)("--aprof-out-file", slash);
    absolute = expanded[1] == '/' ? name_append(expanded + 1, "", "")
                                  : name_append(clo_run_folder, expanded, "");
    VG_(free)(slash);
    VG_(free)(expanded);
    return absolute;
}

/* Returns whether the name has a %p; "%%p" does not count. */
static Bool names_processes(const HChar *pattern)
{
    for (; *pattern; pattern++) {
        if (*pattern != '%')
            continue;
        if (*++pattern == 'p')
            return True;
        if (*pattern == '\0')
            return False;
    }
    return False;
}

/* Returns the name of a process's report. Two processes must not write the same file. So all
 * processes except the first append their pid if the name has no %p. */
static HChar *name_of_process(void)
{
    HChar *expanded = name_expand(), *own;
    HChar suffix[32];

    if (is_first || names_processes(clo_out_file))
        return expanded;
    VG_(sprintf)(suffix, ".%d", process);
    own = name_append(expanded, suffix, "");
    VG_(free)(expanded);
    return own;
}

/* Returns the part of the path after the last slash. There is always a slash, because every
 * expanded name is absolute. VG_(strrchr) skips the first byte. */
static const HChar *name_base(const HChar *path)
{
    const HChar *base = path + VG_(strlen)(path);

    while (base[-1] != '/')
        base--;
    return base;
}

static SizeT folder_length(const HChar *path)
{
    return name_base(path) - path;
}

/* Returns the short form of the name: relative to the folder where the run was started, if the file
 * is in this folder. */
static const HChar *name_short(const HChar *path)
{
    const HChar *start = start_folder();
    SizeT length = start ? VG_(strlen)(start) : 0;

    if (length && VG_(strncmp)(path, start, length) == 0 && path[length] == '/')
        return path + length + 1;
    return path;
}

static struct folder folder_of(const HChar *path)
{
    HChar *only = name_append(path, "", "");
    struct folder folder;

    only[folder_length(path)] = '\0';
    folder = folder_open(only);
    VG_(free)(only);
    return folder;
}

/* Returns whether the path is a device or a pipe, which a file must not replace. /dev/stdout counts
 * as a device, even if it is a file. */
static Bool is_special(const HChar *path)
{
    enum file_kind kind = folder_kind_of(&home, name_base(path));

    return kind == FILE_SPECIAL || (kind != FILE_NONE && VG_(strncmp)(path, "/dev/", 5) == 0);
}

Bool report_file_is_special(void)
{
    return is_special(name);
}

void report_file_forked(void)
{
    HChar *parents = name;
    SizeT length = folder_length(parents);

    process = VG_(getpid)();
    process_set_pid(&identity, process);
    is_first = False;
    if (reserved >= 0)
        VG_(close)(reserved);
    reserved = -1;
    name = name_of_process();
    if (length != folder_length(name) || VG_(strncmp)(parents, name, length) != 0) {
        folder_close(&home);
        home = folder_of(name);
    }
    VG_(free)(parents);
}

__attribute__((noreturn)) static void refuse(UWord error)
{
    VG_(fmsg)("aprof: %s: cannot be created: %s\n", name, VG_(strerror)(error));
    VG_(exit)(VG_(clo_error_exitcode) ? VG_(clo_error_exitcode) : 1);
}

/* Rejects a name under which no report can be written. */
static void check_name(void)
{
    HChar *temporary;
    Int fd;

    if (name_base(name)[0] == '\0' || folder_kind_of(&home, name_base(name)) == FILE_FOLDER)
        refuse(VKI_EISDIR);
    if (is_special(name))
        return;
    temporary = name_temporary(name_base(name));
    fd = folder_create(&home, temporary);
    if (fd < 0)
        refuse(-fd);
    VG_(close)(fd);
    folder_remove(&home, temporary);
    VG_(free)(temporary);
}

void report_file_init(void)
{
    process = VG_(getpid)();
    process_identify(&identity, process);
    is_first = clo_run_process == 0 || clo_run_process == process;
    is_displaced = is_passed_on = clo_run_displaced;
    name = name_of_process();
    home = folder_of(name);
    spare = folder_open(VG_(tmpdir)());
    if (clo_run_process)
        return; /* the name is not checked: the parent process expects this program to run */
    check_name();
    if (start_folder())
        options_pass_on(process, start_folder(), False);
}

void report_file_exec(Bool is_lost)
{
    Bool displaced = is_displaced || is_lost;

    if (!is_first || displaced == is_passed_on || start_folder() == NULL)
        return;
    options_pass_on(process, start_folder(), displaced);
    is_passed_on = displaced;
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
        .unread_id = debug_unread_id(named->object->path),
    };
}

/* Returns the client's command as an array that ends with NULL; the caller frees the array. */
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

struct report_buffer {
    Int fd;
    UWord error; /* 0: no error so far */
    UInt used;
    HChar buffer[1 << 16];
    struct record_writer records;
};

/* Waits for the reader of a full pipe; returns false if the reader does not read in time. */
static Bool wait_for_reader(Int fd)
{
    struct vki_pollfd pipe = {fd, POLLOUT, 0};
    SysRes ready = VG_(poll)(&pipe, 1, FULL_WAIT_MS);

    return !sr_isError(ready) && sr_Res(ready) > 0;
}

static void output_flush(struct report_buffer *out)
{
    for (UInt done = 0; done < out->used && out->error == 0;) {
        Int n = VG_(write)(out->fd, out->buffer + done, out->used - done);

        if (n > 0)
            done += n;
        else if (n != -VKI_EAGAIN || !wait_for_reader(out->fd))
            out->error = n < 0 ? -n : VKI_EIO;
    }
    out->used = 0;
}

static void output_write(void *context, const char *bytes, size_t n)
{
    struct report_buffer *out = context;

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

/* Writes the report to a descriptor. Returns 0, or the first error; after an error, nothing more is
 * written. */
static UWord write_contents(struct engine *engine, Int fd, const HChar *end)
{
    struct report_buffer *out = VG_(calloc)("aprof.report.output", 1, sizeof *out);
    const HChar **command = command_words();
    const HChar **options = option_words();
    struct report_info info = {
        .creator = "aprof " APROF_VERSION,
        .tool = "valgrind " VALGRIND_VERSION,
        .arch = MACHINE_NAME,
        .command = command,
        .process = identity.words,
        .options = options,
        .size = clo_size,
        .cost_unit = clo_cost_instructions ? "instr" : "bb",
        .end_reason = end,
        .describe = describe,
        .identify = symbols_identify,
        .code = clo_edges || clo_lines ? spans_map(engine) : NULL,
    };
    UWord error;

    engine_unify(engine, symbols_identify);
    out->fd = fd;
    record_writer_start(&out->records, (struct record_sink){output_write, out});
    engine_report_write(engine, &info, &out->records);
    output_flush(out);
    error = out->error;
    VG_(free)(command);
    VG_(free)(options);
    VG_(free)(out);
    return error;
}

/* Writes directly to a device or a pipe. Returns 0, or the error. */
static UWord write_as_it_is(struct engine *engine, const HChar *base, const HChar *end)
{
    Int fd = folder_open_to_write(&home, base);
    UWord error;

    if (fd < 0)
        return -fd;
    error = write_contents(engine, fd, end);
    VG_(close)(fd);
    return error;
}

/* Writes the report completely; after an error, no file remains. */
static UWord write_whole(struct engine *engine, const struct folder *folder, const HChar *base,
                         const HChar *end)
{
    HChar *temporary = name_temporary(base);
    Int fd = folder_create(folder, temporary);
    UWord error = fd < 0 ? -fd : 0;

    if (error == 0) {
        error = write_contents(engine, fd, end);
        VG_(close)(fd);
        if (error == 0)
            error = folder_rename(folder, temporary, base);
        if (error)
            folder_remove(folder, temporary);
    }
    VG_(free)(temporary);
    return error;
}

struct report_outcome report_file_write_silently(struct engine *engine, const HChar *suffix,
                                                 const HChar *end)
{
    HChar *path = name_append(name, suffix, "");
    const HChar *base = name_base(path);
    struct report_outcome outcome = {0, 0};

    symbols_name_late();
    if (is_special(path))
        outcome.error = write_as_it_is(engine, base, end);
    else
        outcome.error = write_whole(engine, &home, base, end);
    if (outcome.error)
        outcome.spare_error = write_whole(engine, &spare, base, end);
    VG_(free)(path);
    return outcome;
}

void report_file_reserve(void)
{
    const HChar *base = name_base(name);
    Int fd;

    if (reserved >= 0)
        return;
    fd = is_special(name) ? folder_open_to_write(&home, base) : folder_create(&home, base);
    if (fd >= 0)
        reserved = VG_(safe_fd)(fd);
}

void report_file_release(void)
{
    if (reserved < 0)
        return;
    VG_(close)(reserved);
    reserved = -1;
    if (!is_special(name))
        folder_remove(&home, name_base(name));
}

/* Writes the report to the file that report_file_reserve has opened, because write may be the only
 * system call that the program's filters allow. */
static struct report_outcome write_reserved(struct engine *engine, const HChar *end)
{
    UWord error = write_contents(engine, reserved, end);

    reserved = -1;
    return (struct report_outcome){error, error};
}

static void announce_next(const HChar *path)
{
    VG_(umsg)("aprof: wrote %s; next: aprof report %s\n", name_short(path), name_short(path));
}

void report_file_announce(const HChar *suffix, struct report_outcome outcome)
{
    HChar *path = name_append(name, suffix, "");
    HChar *other = name_append(VG_(tmpdir)(), "/", name_base(path));

    if (outcome.error)
        VG_(umsg)("aprof: %s: cannot be written: %s\n", path, VG_(strerror)(outcome.error));
    if (outcome.error && outcome.spare_error)
        VG_(umsg)("aprof: %s: cannot be written either: %s\n", other,
                  VG_(strerror)(outcome.spare_error));
    else if (outcome.error)
        announce_next(other);
    else if (VG_(clo_verbosity) > 0)
        announce_next(path);
    VG_(free)(other);
    VG_(free)(path);
}

void report_file_write(struct engine *engine, const HChar *suffix, const HChar *end)
{
    Bool is_reserved = reserved >= 0 && suffix[0] == '\0';
    struct report_outcome outcome =
        is_reserved ? write_reserved(engine, end) : report_file_write_silently(engine, suffix, end);

    is_displaced = is_displaced || outcome.error;
    report_file_announce(suffix, outcome);
}

Bool report_file_is_ours(const HChar *suffix)
{
    const SizeT header_bytes = 1 << 16; /* enough for a header with nearly any command */
    HChar *path = name_append(name, suffix, "");
    HChar *header = VG_(calloc)("aprof.report.header", header_bytes, 1);
    Bool is_file = folder_kind_of(&home, name_base(path)) == FILE_REGULAR;
    Int fd = is_file ? folder_open_to_read(&home, name_base(path)) : -1;
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

void report_file_remove(const HChar *suffix, struct report_outcome outcome)
{
    HChar *path = name_append(name, suffix, "");

    folder_remove(outcome.error ? &spare : &home, name_base(path));
    VG_(free)(path);
}

/*------------------------------------------------------------*/
/*--- Exit status                                          ---*/
/*------------------------------------------------------------*/

/* At the end, the core reads the tool's number of errors, and applies --error-exitcode if the
 * number is not 0. In this tool, that number is the number of reports that could not be written. */
UInt __wrap_vgPlain_get_n_errs_found(void)
{
    return is_first && is_displaced;
}
