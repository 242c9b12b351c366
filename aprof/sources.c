/* The source position of a guest address; see sources.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Valgrind's core has read line numbers and inlined calls from the debug information. The core
 * describes inlined calls only as text, in stack traces. The core's XML output can be parsed even
 * if names and paths have special characters:
 *
 *     <ip>..</ip> <obj>/bin/shop</obj> <fn>insert</fn> <dir>/src</dir>
 *     <file>book.cc</file> <line>9</line>
 *
 * The first frame is for the innermost function. For each function into which the innermost
 * function is inlined, there is a further frame with the line of the call. The last frame is the
 * frame of the routine itself.
 *
 * Known limits: the core names inlined functions as in the source, without namespace, class or
 * parameters. The command `aprof` completes the names from the debug data when it reads a report.
 */
#include "aprof/sources.h"

#define FRAMES_MAX 64

/* A text; equal texts are stored once. */
struct kept_text {
    VgHashNode hash;
    UInt number;
    HChar *text;
};

struct inlined_node {
    VgHashNode hash;
    UInt number;
    struct source_inlined inlined;
};

struct texts {
    VgHashTable *table;
    XArray *list; /* array of const HChar *: the texts by number */
};

static struct texts files, names;
static VgHashTable *inlined_table;
static XArray *inlined; /* array of struct source_inlined by number */

static void tables_init(void)
{
    if (inlined)
        return;
    files.table = VG_(HT_construct)("aprof.sources.files");
    files.list = VG_(newXA)(VG_(malloc), "aprof.sources.files", VG_(free), sizeof(HChar *));
    names.table = VG_(HT_construct)("aprof.sources.names");
    names.list = VG_(newXA)(VG_(malloc), "aprof.sources.names", VG_(free), sizeof(HChar *));
    inlined_table = VG_(HT_construct)("aprof.sources.inlined");
    inlined =
        VG_(newXA)(VG_(malloc), "aprof.sources.inlined", VG_(free), sizeof(struct source_inlined));
}

/*------------------------------------------------------------*/
/*--- Texts                                                ---*/
/*------------------------------------------------------------*/

static Word text_compare(const void *a, const void *b)
{
    return VG_(strcmp)(((const struct kept_text *)a)->text, ((const struct kept_text *)b)->text);
}

static UWord text_hash(const HChar *text)
{
    UWord hash = 5381;

    while (*text)
        hash = hash * 33 + (UChar)*text++;
    return hash;
}

static const struct kept_text *text_get(struct texts *texts, const HChar *text)
{
    struct kept_text key = {.hash = {NULL, text_hash(text)}, .text = (HChar *)text}, *found;

    found = VG_(HT_gen_lookup)(texts->table, &key, text_compare);
    if (found)
        return found;
    found = VG_(malloc)("aprof.sources.text", sizeof *found);
    *found = key;
    found->number = VG_(sizeXA)(texts->list);
    found->text = VG_(strdup)("aprof.sources.text", text);
    VG_(HT_add_node)(texts->table, found);
    VG_(addToXA)(texts->list, &found->text);
    return found;
}

/* Returns whether the file's name contains the directory, as in DWARF 5. */
static Bool path_is_whole(const HChar *directory, const HChar *file)
{
    return directory == NULL || directory[0] == '\0' || file[0] == '/' ||
           VG_(strncmp)(file, directory, VG_(strlen)(directory)) == 0;
}

static const struct kept_text *file_get(const HChar *directory, const HChar *file)
{
    const struct kept_text *found;
    HChar *path;

    tables_init();
    if (path_is_whole(directory, file))
        return text_get(&files, file);
    path = VG_(malloc)("aprof.sources.path", VG_(strlen)(directory) + VG_(strlen)(file) + 2);
    VG_(sprintf)(path, "%s/%s", directory, file);
    found = text_get(&files, path);
    VG_(free)(path);
    return found;
}

static const struct kept_text *line_find(Addr address, UInt *line)
{
    const HChar *file, *directory;

    if (!VG_(get_filename_linenum)(VG_(current_DiEpoch)(), address, &file, &directory, line))
        return NULL;
    return file_get(directory, file);
}

const HChar *sources_line(Addr address, UInt *line)
{
    const struct kept_text *found = line_find(address, line);

    return found ? found->text : NULL;
}

const HChar *sources_file(const HChar *path)
{
    return file_get(NULL, path)->text;
}

struct source_place sources_place_of(const HChar *file, UInt line)
{
    return (struct source_place){CODE_UNKNOWN, file_get(NULL, file)->number, line};
}

/*------------------------------------------------------------*/
/*--- The core's words                                     ---*/
/*------------------------------------------------------------*/

/* A frame, with unescaped texts from the XML output; "" if a text is missing. */
struct frame {
    HChar function[1024], directory[2048], file[1024];
    UInt line;
};

/* Returns the character that an entity represents; the entity's '&' has already been read. */
static HChar unescape(const HChar **at)
{
    static const struct {
        const HChar *escape;
        HChar byte;
    } escapes[] = {{"lt;", '<'}, {"gt;", '>'}, {"amp;", '&'}};

    for (UInt i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
        SizeT length = VG_(strlen)(escapes[i].escape);

        if (VG_(strncmp)(*at, escapes[i].escape, length) != 0)
            continue;
        *at += length;
        return escapes[i].byte;
    }
    return '&';
}

/* Finds the text between `tag`, which has `length` bytes with its brackets, and the next tag. Tags
 * have a fixed order, so the search starts at `words`; if the tag is found, `words` is advanced
 * past the text. */
static void element_find(const HChar **words, const HChar *tag, SizeT length, HChar *text,
                         SizeT room)
{
    const HChar *at = *words;
    SizeT n = 0;

    while (*at && (*at != '<' || VG_(strncmp)(at, tag, length) != 0))
        at++;
    if (*at) {
        for (at += length; *at && *at != '<' && n + 1 < room;) {
            HChar byte = *at++;

            text[n++] = byte == '&' ? unescape(&at) : byte;
        }
        *words = at;
    }
    text[n] = '\0';
}

#define ELEMENT_FIND(words, tag, text)                                                             \
    element_find(&(words), tag, sizeof tag - 1, text, sizeof(text))

static void frame_parse(const HChar *words, struct frame *frame)
{
    HChar line[16];

    ELEMENT_FIND(words, "<fn>", frame->function);
    ELEMENT_FIND(words, "<dir>", frame->directory);
    ELEMENT_FIND(words, "<file>", frame->file);
    ELEMENT_FIND(words, "<line>", line);
    frame->line = VG_(strtoull10)(line, NULL);
}

static struct source_place frame_place(const struct frame *frame)
{
    struct source_place place = {CODE_UNKNOWN, CODE_UNKNOWN, frame->line};

    if (frame->file[0])
        place.file = file_get(frame->directory, frame->file)->number;
    return place;
}

/*------------------------------------------------------------*/
/*--- Inlined functions                                    ---*/
/*------------------------------------------------------------*/

static Word inlined_compare(const void *a, const void *b)
{
    const struct source_inlined *x = &((const struct inlined_node *)a)->inlined;
    const struct source_inlined *y = &((const struct inlined_node *)b)->inlined;

    return x->name != y->name || x->call.inlined != y->call.inlined ||
           x->call.file != y->call.file || x->call.line != y->call.line;
}

static UInt inlined_get(struct source_place call, const HChar *name)
{
    struct inlined_node key = {.inlined = {call, text_get(&names, name)->text}}, *found;

    key.hash.key = text_hash(name) ^ (UWord)call.line << 8 ^ (UWord)call.file << 20 ^ call.inlined;
    found = VG_(HT_gen_lookup)(inlined_table, &key, inlined_compare);
    if (found)
        return found->number;
    found = VG_(malloc)("aprof.sources.inlined", sizeof *found);
    *found = key;
    found->number = VG_(sizeXA)(inlined);
    VG_(HT_add_node)(inlined_table, found);
    VG_(addToXA)(inlined, &found->inlined);
    return found->number;
}

/* An inlined function, and the place of its call. In a stack trace, frame i has the function's
 * name, and frame i + 1 has the call. */
struct call_in_frame {
    const HChar *name;
    struct source_place call;
};

/* Reads the chain of inlined functions at `address`, up to the function that is inlined directly
 * into the routine. */
static UInt chain_read(Addr address, InlIPCursor *cursor, struct call_in_frame *calls)
{
    static struct frame frame;
    UInt n = 0;

    do {
        frame_parse(VG_(describe_IP)(VG_(current_DiEpoch)(), address, cursor), &frame);
        if (n > 0)
            calls[n - 1].call = frame_place(&frame);
        calls[n++].name = text_get(&names, frame.function)->text;
    } while (VG_(next_IIPC)(cursor) && n < FRAMES_MAX);
    return n - 1;
}

/* Returns the innermost function that is inlined at `address`, or CODE_UNKNOWN. */
static UInt inlined_find(Addr address)
{
    InlIPCursor *cursor = VG_(new_IIPC)(VG_(current_DiEpoch)(), address);
    struct call_in_frame calls[FRAMES_MAX];
    UInt number = CODE_UNKNOWN;
    Bool xml = VG_(clo_xml);

    if (cursor == NULL)
        return number;
    VG_(clo_xml) = True;
    for (UInt n = chain_read(address, cursor, calls); n > 0; n--) {
        calls[n - 1].call.inlined = number;
        number = inlined_get(calls[n - 1].call, calls[n - 1].name);
    }
    VG_(clo_xml) = xml;
    VG_(delete_IIPC)(cursor);
    return number;
}

struct source_place sources_place(Addr address)
{
    struct source_place place = {CODE_UNKNOWN, CODE_UNKNOWN, 0};
    const struct kept_text *file = line_find(address, &place.line);

    if (file == NULL)
        return (struct source_place){CODE_UNKNOWN, CODE_UNKNOWN, 0};
    place.file = file->number;
    place.inlined = inlined_find(address);
    return place;
}

void sources_list(struct source_map *map)
{
    tables_init();
    map->n_files = VG_(sizeXA)(files.list);
    map->n_inlined = VG_(sizeXA)(inlined);
    map->files = map->n_files ? VG_(indexXA)(files.list, 0) : NULL;
    map->inlined = map->n_inlined ? VG_(indexXA)(inlined, 0) : NULL;
}
