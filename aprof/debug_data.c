/* Chooses the debug data that Valgrind's core reads; see debug_data.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The core reads a file's debug data when it is notified of a mapping. The linker redirects this
 * notification to the __wrap_ function in this file, which sets the core's option variable for
 * inlined functions. (Later releases read debug data at the first look-up, and therefore read all
 * debug data.)
 *
 * Invariant: this file never opens a file that the program has mapped. Closing the file would
 * release the program's record locks (fcntl) on the file. So a mapped file is read through the
 * program's own descriptor, and the descriptor's offset does not move. For the executable and the
 * dynamic linker, there is no such descriptor, because the core maps them before the program runs.
 * The core itself opens and closes these two files.
 */
#include <elf.h>

#include "aprof/debug_data.h"
#include "aprof/options.h"

#if VG_WORDSIZE == 8
typedef Elf64_Ehdr elf_header;
typedef Elf64_Shdr elf_section;
#else
typedef Elf32_Ehdr elf_header;
typedef Elf32_Shdr elf_section;
#endif

/* maximum size of a part of a file, larger than any section table */
#define PART_BYTES_MAX ((SizeT)8 << 20)

/* true if --read-inline-info is not given; inlined functions are then read only if the object file
 * itself contains debug data */
static Bool reads_own;

/* The file of the latest executable mapping. The dynamic linker maps an object's data after its
 * code, and the core reads the debug data after both mappings. */
static struct {
    ULong device, inode;
    Bool has_debug_data;
} latest;

/* Returns a copy of a part of the file, with a 0 byte after it; NULL if the file lacks the part.
 * The caller frees the copy. */
static void *part_read(Int fd, ULong offset, SizeT bytes)
{
    UChar *part;
    SysRes got;

    if (bytes > PART_BYTES_MAX)
        return NULL;
    part = VG_(calloc)("aprof.debug_data.part", 1, bytes + 1);
    got = VG_(pread)(fd, part, bytes, offset);
    if (!sr_isError(got) && sr_Res(got) == bytes)
        return part;
    VG_(free)(part);
    return NULL;
}

static Bool has_debug_section(const elf_section *sections, UInt n, const HChar *names, SizeT bytes)
{
    for (UInt i = 0; i < n; i++) {
        const HChar *name = names + sections[i].sh_name;

        if (sections[i].sh_name < bytes &&
            (VG_(strcmp)(name, ".debug_info") == 0 || VG_(strcmp)(name, ".zdebug_info") == 0))
            return True;
    }
    return False;
}

/* Returns whether the file is an object with debug data. */
static Bool is_debuggable(Int fd)
{
    elf_header *header = part_read(fd, 0, sizeof *header);
    elf_section *sections = NULL;
    HChar *names = NULL;
    Bool found = False;

    if (header && VG_(memcmp)(header->e_ident, ELFMAG, SELFMAG) == 0 &&
        header->e_shentsize == sizeof *sections)
        sections = part_read(fd, header->e_shoff, header->e_shnum * sizeof *sections);
    if (sections && header->e_shstrndx < header->e_shnum) {
        const elf_section *table = &sections[header->e_shstrndx];

        names = part_read(fd, table->sh_offset, table->sh_size);
        found = names && has_debug_section(sections, header->e_shnum, names, table->sh_size);
    }
    VG_(free)(names);
    VG_(free)(sections);
    VG_(free)(header);
    return found;
}

static Bool is_debuggable_at_start(const NSegment *segment)
{
    const HChar *path = VG_(am_get_filename)(segment);
    Int fd = path ? VG_(fd_open)(path, VKI_O_RDONLY, 0) : -1;
    Bool found;

    if (fd < 0)
        return False;
    found = is_debuggable(fd);
    VG_(close)(fd);
    return found;
}

/* Returns whether a mapped file contains debug data. `fd` is the descriptor that the program has
 * mapped, or -1 if the core has mapped the file. Only regular files are read, because reading a
 * device may have effects. */
static Bool has_debug_data(Addr mapping, Int fd)
{
    const NSegment *segment = VG_(am_find_nsegment)(mapping);

    if (!segment || segment->kind != SkFileC || !VKI_S_ISREG(segment->mode))
        return False;
    if (segment->hasX) {
        latest.device = segment->dev;
        latest.inode = segment->ino;
        latest.has_debug_data = fd < 0 ? is_debuggable_at_start(segment) : is_debuggable(fd);
    }
    return latest.has_debug_data && latest.device == segment->dev && latest.inode == segment->ino;
}

ULong __wrap_vgPlain_di_notify_mmap(Addr mapping, Bool allow_any_file, Int fd)
{
    Bool reads = VG_(clo_read_inline_info);
    ULong handle;

    if (reads_own && !has_debug_data(mapping, fd))
        VG_(clo_read_inline_info) = False;
    handle = __real_vgPlain_di_notify_mmap(mapping, allow_any_file, fd);
    VG_(clo_read_inline_info) = reads;
    return handle;
}

static Bool is_given(const HChar *option)
{
    const XArray *arguments = VG_(args_for_valgrind);

    for (Word i = 0; i < VG_(sizeXA)(arguments); i++) {
        if (VG_(strncmp)(*(const HChar **)VG_(indexXA)(arguments, i), option,
                         VG_(strlen)(option)) == 0)
            return True;
    }
    return False;
}

void debug_data_init(void)
{
    if (is_given("--read-inline-info="))
        return;
    VG_(clo_read_inline_info) = reads_own = clo_edges || clo_lines;
}
