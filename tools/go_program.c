/* Recognises Go programs without symbols; see go_program.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Go's linker writes the section .go.buildinfo in any case, also with -ldflags=-s. Only programs
 * with symbols have a section of the type SHT_SYMTAB.
 */
#include "tools/go_program.h"

#include "lib/base/memory.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GO_SECTION ".go.buildinfo"
/* Larger tables of section names are rejected, because no program needs so many bytes for them. */
#define NAMES_MAX 1000000

static bool read_at(FILE *file, uint64_t offset, void *to, size_t bytes)
{
    return offset <= INT64_MAX && fseeko(file, (off_t)offset, SEEK_SET) == 0 &&
           fread(to, 1, bytes, file) == bytes;
}

/* Reads the table of section names, and adds a NUL. The caller frees the table. */
static char *read_names(FILE *file, const Elf64_Shdr *section)
{
    if (section->sh_size > NAMES_MAX)
        return NULL;
    char *names = memory_resize(NULL, section->sh_size + 1, 1);
    names[section->sh_size] = 0;
    if (read_at(file, section->sh_offset, names, section->sh_size))
        return names;
    free(names);
    return NULL;
}

static bool lacks_symbols(const Elf64_Shdr *sections, size_t count, const char *names,
                          size_t names_bytes)
{
    bool is_go = false;
    for (size_t i = 0; i < count; i++) {
        if (sections[i].sh_type == SHT_SYMTAB)
            return false;
        if (sections[i].sh_name < names_bytes)
            is_go |= strcmp(names + sections[i].sh_name, GO_SECTION) == 0;
    }
    return is_go;
}

static bool file_lacks_symbols(FILE *file)
{
    Elf64_Ehdr head;
    if (!read_at(file, 0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof(Elf64_Shdr) ||
        head.e_shstrndx >= head.e_shnum)
        return false;
    size_t bytes = head.e_shnum * sizeof(Elf64_Shdr);
    Elf64_Shdr *sections = memory_resize(NULL, head.e_shnum, sizeof *sections);
    char *names = read_at(file, head.e_shoff, sections, bytes)
                      ? read_names(file, &sections[head.e_shstrndx])
                      : NULL;
    bool lacks =
        names && lacks_symbols(sections, head.e_shnum, names, sections[head.e_shstrndx].sh_size);
    free(names);
    free(sections);
    return lacks;
}

bool go_program_lacks_symbols(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    bool lacks = file_lacks_symbols(file);
    fclose(file);
    return lacks;
}
