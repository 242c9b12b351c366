/* Memory that cannot fail; see memory.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/base/memory.h"
#include "lib/base/message.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Size of an arena's block: enough for hundreds of names, and small enough for a report of three
 * routines. */
#define ARENA_BLOCK_BYTES 16384

struct arena_block {
    struct arena_block *older;
    size_t used;
    char text[];
};

static void *checked(void *memory)
{
    if (!memory) {
        message_error("out of memory");
        exit(STATUS_FAILED);
    }
    return memory;
}

bool memory_has_room(size_t bytes)
{
    void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room != MAP_FAILED && munmap(room, bytes) == 0;
}

void *memory_resize(void *old, size_t count, size_t item_bytes)
{
    if (item_bytes && count > SIZE_MAX / item_bytes)
        return checked(NULL);
    size_t bytes = count * item_bytes;
    return checked(realloc(old, bytes ? bytes : 1));
}

void *memory_get_zeroed(size_t count, size_t item_bytes)
{
    return checked(calloc(count ? count : 1, item_bytes));
}

char *memory_copy_string(const char *text)
{
    return checked(strdup(text));
}

char *memory_format(const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    return checked(length < 0 ? NULL : text);
}

char *memory_join(const char *const *words, size_t count, char separator)
{
    size_t bytes = 1;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(words[i]) + 1;
    char *text = memory_get_zeroed(bytes, 1), *to = text;
    for (size_t i = 0; i < count; i++) {
        if (i)
            *to++ = separator;
        to = stpcpy(to, words[i]);
    }
    return text;
}

char *arena_copy(struct arena *arena, const char *text, size_t bytes)
{
    if (!arena->newest || arena->left_bytes < bytes + 1) {
        size_t room = bytes + 1 > ARENA_BLOCK_BYTES ? bytes + 1 : ARENA_BLOCK_BYTES;
        struct arena_block *block = memory_resize(NULL, 1, sizeof *block + room);
        block->older = arena->newest;
        block->used = 0;
        arena->newest = block;
        arena->left_bytes = room;
    }
    char *copy = arena->newest->text + arena->newest->used;
    if (bytes)
        memcpy(copy, text, bytes);
    copy[bytes] = 0;
    arena->newest->used += bytes + 1;
    arena->left_bytes -= bytes + 1;
    return copy;
}

void arena_free(struct arena *arena)
{
    while (arena->newest) {
        struct arena_block *older = arena->newest->older;
        free(arena->newest);
        arena->newest = older;
    }
    arena->left_bytes = 0;
}

FILE *memory_stream(char **text, size_t *bytes)
{
    return checked(open_memstream(text, bytes));
}
