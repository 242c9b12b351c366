/* Files that aprof-pathcc leaves next to a program: its bitcode, and the command to link it again.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "paths/link_record.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------- Build id */

struct image {
    const unsigned char *bytes;
    size_t size;
};

/* Searches one segment of notes for the build id. */
static char *find_in_notes(const struct image *image, uint64_t at, uint64_t size)
{
    while (size >= sizeof(Elf64_Nhdr) && at <= image->size && size <= image->size - at) {
        Elf64_Nhdr note;
        memcpy(&note, image->bytes + at, sizeof note);
        uint64_t name_room = (note.n_namesz + 3u) & ~3u, text_room = (note.n_descsz + 3u) & ~3u;
        uint64_t room = sizeof note + name_room + text_room;
        if (room > size)
            return NULL;
        const unsigned char *name = image->bytes + at + sizeof note, *id = name + name_room;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
            char *text = memory_get_zeroed(2 * note.n_descsz + 1, 1);
            for (uint32_t i = 0; i < note.n_descsz; i++)
                snprintf(text + 2 * i, 3, "%02x", id[i]);
            return text;
        }
        at += room;
        size -= room;
    }
    return NULL;
}

static char *find_build_id(const struct image *image)
{
    Elf64_Ehdr header;
    if (image->size < sizeof header)
        return NULL;
    memcpy(&header, image->bytes, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_phentsize != sizeof(Elf64_Phdr))
        return NULL;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        uint64_t at = header.e_phoff + i * sizeof segment;
        if (at > image->size || image->size - at < sizeof segment)
            return NULL;
        memcpy(&segment, image->bytes + at, sizeof segment);
        char *id = segment.p_type == PT_NOTE
                       ? find_in_notes(image, segment.p_offset, segment.p_filesz)
                       : NULL;
        if (id)
            return id;
    }
    return NULL;
}

static char *build_id_of(const char *program, struct failure *why)
{
    int file = open(program, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) {
        failure_set(why, "%s: %s", program, strerror(errno));
        if (file >= 0)
            close(file);
        return NULL;
    }
    struct image image = {.size = (size_t)status.st_size};
    void *bytes = image.size ? mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    char *id = NULL;
    if (bytes != MAP_FAILED) {
        image.bytes = bytes;
        id = find_build_id(&image);
        munmap(bytes, image.size);
    }
    if (!id)
        failure_set(why, "%s: not a program with a build id", program);
    return id;
}

/* ---------------------------------------------------------------- The record */

static char *path_of(const char *program)
{
    return memory_format("%s" LINK_RECORD_SUFFIX, program);
}

bool link_record_write(const char *program, const char *compiler, bool is_static,
                       char *const *arguments, struct failure *why)
{
    char folder[PATH_MAX];
    if (!getcwd(folder, sizeof folder))
        return failure_set(why, "current folder: %s", strerror(errno));
    char *build_id = build_id_of(program, why);
    if (!build_id)
        return false;
    struct record_output writer;
    record_output_start(&writer, "aprof-link", 1);
    record_output_put(&writer, "build", "s", build_id);
    record_output_put(&writer, "compiler", "s", compiler);
    record_output_put(&writer, "folder", "s", folder);
    record_output_put(&writer, "static", "u", (uint64_t)is_static);
    record_output_words(&writer, "arguments", arguments);
    char *path = path_of(program);
    bool fine = record_output_finish(&writer, path, why);
    free(path);
    free(build_id);
    return fine;
}

void link_record_remove(const char *program)
{
    char *path = path_of(program);
    unlink(path);
    free(path);
}

static bool take_record(struct link_record *record, const struct record_file *file)
{
    const char *value = file->fields.count == 2 ? file->fields.at[1] : "";
    const char *kept = arena_copy(&record->strings, value, strlen(value));
    if (record_is(file, "build", 1, false))
        record->build_id = kept;
    else if (record_is(file, "compiler", 1, false))
        record->compiler = kept;
    else if (record_is(file, "folder", 1, false))
        record->folder = kept;
    else if (record_is(file, "static", 1, false))
        record->is_static = strcmp(kept, "0") != 0;
    else if (!record_is(file, "arguments", 0, true))
        return false;
    for (size_t i = 1; record_is(file, "arguments", 0, true) && i < file->fields.count; i++) {
        const char *text = file->fields.at[i];
        vector_push(&record->arguments, arena_copy(&record->strings, text, strlen(text)));
    }
    return true;
}

static bool check_build(const struct link_record *record, const char *program, struct failure *why)
{
    char *build_id = build_id_of(program, why);
    bool same = build_id && strcmp(build_id, record->build_id) == 0;
    if (build_id && !same)
        failure_set(why,
                    "%s: is not the program that %s" LINK_RECORD_SUFFIX
                    " belongs to; build it again with aprof-pathcc",
                    program, program);
    free(build_id);
    return same;
}

bool link_record_read(struct link_record *record, const char *program, struct failure *why)
{
    struct record_file file;
    char *path = path_of(program);
    *record = (struct link_record){0};
    bool fine = access(program, F_OK) == 0;
    if (!fine)
        failure_set(why, "%s: %s", program, strerror(errno));
    else if (access(path, F_OK) != 0)
        fine =
            failure_set(why, "%s: was not built with aprof-pathcc (there is no %s)", program, path);
    if (fine && (fine = record_open(&file, path, "aprof-link", 1, why))) {
        while (fine && record_next(&file))
            if (!take_record(record, &file))
                fine = record_fail(&file, "unexpected record", why);
        record_close(&file);
    }
    if (fine && (!record->build_id || !record->compiler || !record->folder))
        fine = failure_set(why, "%s: records are missing", path);
    fine = fine && check_build(record, program, why);
    free(path);
    if (!fine)
        link_record_free(record);
    return fine;
}

void link_record_free(struct link_record *record)
{
    vector_free(&record->arguments);
    arena_free(&record->strings);
    *record = (struct link_record){0};
}
