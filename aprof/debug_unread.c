/* Finds objects with debug data that Valgrind's core cannot read; see debug_unread.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The core passes the sections of each object to two readers, one for lines and one for inlined
 * functions. The linker redirects the calls of both readers to the __wrap_ functions in this file.
 * The __wrap_ functions first check the encoding of the debug data. For this check, they read the
 * headers of the units in .debug_info, and all of .debug_abbrev, which lists the forms of all
 * attributes. If the readers do not support a unit's kind or an attribute's form, the object is
 * passed to neither reader.
 *
 * Example: clang 14 -g gives DW_AT_name the form DW_FORM_strx1 (0x25). The core skips no bytes for
 * DW_FORM_strx1, and then reads the name's bytes as the next attribute.
 *
 * The types and functions are from Valgrind 3.18 and 3.19 (m_debuginfo/priv_image.h); configure
 * builds this file only for these releases.
 */
#include <elf.h>

#include "aprof/debug_unread.h"

struct debug_image; /* a file that the core has opened; compressed debug data are unpacked */

/* A section. */
struct debug_slice {
    struct debug_image *image;
    ULong offset, bytes;
};

Bool vgModuleLocal_img_valid(const struct debug_image *image, ULong offset, SizeT bytes);
void vgModuleLocal_img_get(void *to, struct debug_image *image, ULong offset, SizeT bytes);

#define LINE_SECTIONS                                                                              \
    struct debug_slice info, struct debug_slice types, struct debug_slice abbreviations,           \
        struct debug_slice line, struct debug_slice str, struct debug_slice str_other,             \
        struct debug_slice line_str
#define INLINED_SECTIONS                                                                           \
    struct debug_slice info, struct debug_slice types, struct debug_slice abbreviations,           \
        struct debug_slice line, struct debug_slice str, struct debug_slice ranges,                \
        struct debug_slice rnglists, struct debug_slice loclists, struct debug_slice loc,          \
        struct debug_slice info_other, struct debug_slice abbreviations_other,                     \
        struct debug_slice line_other, struct debug_slice str_other, struct debug_slice line_str

void __real_vgModuleLocal_read_debuginfo_dwarf3(DebugInfo *of, LINE_SECTIONS);
void __wrap_vgModuleLocal_read_debuginfo_dwarf3(DebugInfo *of, LINE_SECTIONS);
void __real_vgModuleLocal_new_dwarf3_reader(DebugInfo *of, INLINED_SECTIONS);
void __wrap_vgModuleLocal_new_dwarf3_reader(DebugInfo *of, INLINED_SECTIONS);

/* ---------------------------------------------------------------- Bytes */

#define BUFFER_BYTES 1024

/* A position in a section. Bytes after the section's end are read as zeros. */
struct debug_cursor {
    struct debug_slice rest;
    UInt used, held;
    UChar buffer[BUFFER_BYTES];
};

static Bool is_valid(struct debug_slice slice)
{
    return slice.image && vgModuleLocal_img_valid(slice.image, slice.offset, slice.bytes);
}

static Bool cursor_has_more(const struct debug_cursor *c)
{
    return c->used < c->held || c->rest.bytes > 0;
}

static void cursor_fill(struct debug_cursor *c)
{
    c->held = c->rest.bytes < BUFFER_BYTES ? c->rest.bytes : BUFFER_BYTES;
    c->used = 0;
    vgModuleLocal_img_get(c->buffer, c->rest.image, c->rest.offset, c->held);
    c->rest.offset += c->held;
    c->rest.bytes -= c->held;
}

static UChar cursor_byte(struct debug_cursor *c)
{
    if (c->used == c->held && c->rest.bytes > 0)
        cursor_fill(c);
    return c->used < c->held ? c->buffer[c->used++] : 0;
}

/* Returns the low 64 bits of a LEB128 number. */
static ULong cursor_number(struct debug_cursor *c)
{
    ULong number = 0;
    UInt shift = 0;
    UChar byte;

    /* nearly all numbers have one byte */
    if (c->used < c->held && c->buffer[c->used] < 0x80)
        return c->buffer[c->used++];
    do {
        byte = cursor_byte(c);
        if (shift < 64)
            number |= (ULong)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return number;
}

/* ---------------------------------------------------------------- What the readers know */

#define FORM_ADDR           0x01
#define FORM_BLOCK2         0x03
#define FORM_FLAG_PRESENT   0x19
#define FORM_DATA16         0x1e
#define FORM_IMPLICIT_CONST 0x21
#define FORM_GNU_REF_ALT    0x1f20
#define FORM_GNU_STRP_ALT   0x1f21

/* Returns whether the readers support a form. The readers do not support forms that read an index
 * (strx, addrx, rnglistx, loclistx) or a supplementary file. */
static Bool form_is_known(ULong form)
{
    return form == FORM_ADDR || (form >= FORM_BLOCK2 && form <= FORM_FLAG_PRESENT) ||
           (form >= FORM_DATA16 && form <= FORM_IMPLICIT_CONST) || form == FORM_GNU_REF_ALT ||
           form == FORM_GNU_STRP_ALT;
}

/* Reads the attributes of one abbreviation, up to a pair of zeros. */
static Bool attributes_are_known(struct debug_cursor *c)
{
    ULong name, form;

    do {
        name = cursor_number(c);
        form = cursor_number(c);
        if (form == FORM_IMPLICIT_CONST)
            cursor_number(c);
        if (form && !form_is_known(form))
            return False;
    } while (name || form);
    return True;
}

static Bool forms_are_known(struct debug_slice abbreviations)
{
    struct debug_cursor *c;
    Bool known = True;

    if (!is_valid(abbreviations))
        return True;
    c = VG_(calloc)("aprof.debug_unread.cursor", 1, sizeof *c);
    c->rest = abbreviations;
    while (known && cursor_has_more(c)) {
        if (cursor_number(c) == 0)
            continue; /* the number 0 ends a table of abbreviations */
        cursor_number(c);
        cursor_byte(c); /* skips the abbreviation's flag for children */
        known = attributes_are_known(c);
    }
    VG_(free)(c);
    return known;
}

#define UNIT_COMPILE 1
#define UNIT_PARTIAL 3

/* Returns the size of the unit at the section's beginning, and whether the readers support the
 * unit's kind. */
static ULong unit_bytes(struct debug_slice info, Bool *known)
{
    struct {
        UInt bytes;
        UShort version;
        UChar kind;
    } __attribute__((packed)) head;
    struct {
        UInt escape;
        ULong bytes;
        UShort version;
        UChar kind;
    } __attribute__((packed)) wide;

    vgModuleLocal_img_get(&wide, info.image, info.offset, sizeof wide);
    VG_(memcpy)(&head, &wide, sizeof head);
    if (head.bytes == ~0u) {
        *known = wide.version < 5 || wide.kind == UNIT_COMPILE || wide.kind == UNIT_PARTIAL;
        return wide.bytes > info.bytes ? info.bytes : 12 + wide.bytes;
    }
    *known = head.version < 5 || head.kind == UNIT_COMPILE || head.kind == UNIT_PARTIAL;
    return 4 + (ULong)head.bytes;
}

#define UNIT_LEAST 15 /* number of bytes that unit_bytes() reads */

static Bool units_are_known(struct debug_slice info)
{
    Bool known = True;

    if (!is_valid(info))
        return True;
    while (known && info.bytes >= UNIT_LEAST) {
        ULong bytes = unit_bytes(info, &known);

        if (bytes > info.bytes)
            break;
        info.offset += bytes;
        info.bytes -= bytes;
    }
    return known;
}

/* ---------------------------------------------------------------- Build id */

#if VG_WORDSIZE == 8
typedef Elf64_Ehdr elf_header;
typedef Elf64_Shdr elf_section;
#else
typedef Elf32_Ehdr elf_header;
typedef Elf32_Shdr elf_section;
#endif

#define ID_BYTES_MAX 64

static Bool image_get(struct debug_image *image, ULong offset, void *to, SizeT bytes)
{
    if (!vgModuleLocal_img_valid(image, offset, bytes))
        return False;
    vgModuleLocal_img_get(to, image, offset, bytes);
    return True;
}

/* If the section begins with a build-id note, stores the build id and returns True. The note has
 * the name "GNU", and linkers put it in a section of its own. */
static Bool id_of_section(struct debug_image *image, const elf_section *section, HChar *id)
{
    struct {
        UInt name_bytes, bytes, type;
        HChar name[4];
    } note;
    UChar bits[ID_BYTES_MAX];

    if (section->sh_type != SHT_NOTE || section->sh_size < sizeof note ||
        !image_get(image, section->sh_offset, &note, sizeof note))
        return False;
    if (note.type != NT_GNU_BUILD_ID || VG_(memcmp)(note.name, "GNU", 4) != 0 ||
        note.bytes > sizeof bits ||
        !image_get(image, section->sh_offset + sizeof note, bits, note.bytes))
        return False;
    for (UInt i = 0; i < note.bytes; i++)
        VG_(sprintf)(id + 2 * i, "%02x", bits[i]);
    return True;
}

/* The build id, or "" if there is none. */
static void id_of_image(struct debug_image *image, HChar id[2 * ID_BYTES_MAX + 1])
{
    elf_header header;
    elf_section section;

    id[0] = '\0';
    if (!image_get(image, 0, &header, sizeof header) || header.e_shentsize != sizeof section)
        return;
    for (UInt i = 0; i < header.e_shnum; i++) {
        if (!image_get(image, header.e_shoff + i * sizeof section, &section, sizeof section) ||
            id_of_section(image, &section, id))
            return;
    }
}

/* ---------------------------------------------------------------- Objects */

struct unread_object {
    HChar *path, *id;
};

static XArray *unread; /* array of struct unread_object */

static struct unread_object *unread_find(const HChar *path)
{
    for (Word i = 0; path && unread && i < VG_(sizeXA)(unread); i++) {
        struct unread_object *object = VG_(indexXA)(unread, i);

        if (VG_(strcmp)(object->path, path) == 0)
            return object;
    }
    return NULL;
}

static void unread_add(const DebugInfo *of, struct debug_image *image)
{
    const HChar *path = VG_(DebugInfo_get_filename)(of);
    struct unread_object object;
    HChar id[2 * ID_BYTES_MAX + 1];

    if (unread_find(path))
        return;
    if (unread == NULL)
        unread = VG_(newXA)(VG_(malloc), "aprof.debug_unread", VG_(free), sizeof object);
    id_of_image(image, id);
    object.path = VG_(strdup)("aprof.debug_unread.path", path);
    object.id = VG_(strdup)("aprof.debug_unread.id", id);
    VG_(addToXA)(unread, &object);
}

const HChar *debug_unread_id(const HChar *path)
{
    const struct unread_object *object = unread_find(path);

    return object ? object->id : NULL;
}

/* ---------------------------------------------------------------- The core's calls */

static const DebugInfo *kept; /* latest object whose lines were hidden from the core */

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(DebugInfo *of, LINE_SECTIONS)
{
    kept = NULL;
    if (units_are_known(info) && forms_are_known(abbreviations)) {
        __real_vgModuleLocal_read_debuginfo_dwarf3(of, info, types, abbreviations, line, str,
                                                   str_other, line_str);
        return;
    }
    kept = of;
    unread_add(of, info.image);
}

void __wrap_vgModuleLocal_new_dwarf3_reader(DebugInfo *of, INLINED_SECTIONS)
{
    if (kept == of)
        return;
    __real_vgModuleLocal_new_dwarf3_reader(of, info, types, abbreviations, line, str, ranges,
                                           rnglists, loclists, loc, info_other, abbreviations_other,
                                           line_other, str_other, line_str);
}
