/* Memory that cannot fail, and arenas for strings that live as long as a report.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * If memory runs out, these functions end the program with a message and status 1, because a
 * short-lived command has nothing to save. No other function of lib/ ends the program.
 */
#ifndef LIB_BASE_MEMORY_H
#define LIB_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

void *memory_resize(void *old, size_t count, size_t item_bytes); /* `old` may be NULL */
void *memory_get_zeroed(size_t count, size_t item_bytes);
char *memory_copy_string(const char *text);
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns whether `bytes` bytes of address space are free; call it before using libraries that
 * crash if memory runs out.
 */
bool memory_has_room(size_t bytes);

/* Joins words: {"a", "b", "c"} and ':' give "a:b:c". The caller frees the text. */
char *memory_join(const char *const *words, size_t count, char separator);

struct arena_block;

/* Opens a stream to a string. The caller frees the string after closing the stream. */
FILE *memory_stream(char **text, size_t *bytes);

/* An arena frees all its strings at once. A zeroed `struct arena` is an empty arena. */
struct arena {
    struct arena_block *newest;
    size_t left_bytes;
};

/* Copies `bytes` bytes of text and adds a 0. */
char *arena_copy(struct arena *arena, const char *text, size_t bytes);
void arena_free(struct arena *arena);

#endif
