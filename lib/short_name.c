/* Short names; see short_name.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/short_name.h"
#include "lib/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define GAP "..."

static bool ends_with_operator(const char *name, size_t length)
{
    static const char word[] = "operator";
    size_t bytes = strlen(word);
    return length >= bytes && memcmp(name + length - bytes, word, bytes) == 0;
}

/* Is the bracket at `at` one of an operator's name, as in `operator<<` and `operator()`? */
static bool in_operator(const char *name, const char *at)
{
    size_t before = (size_t)(at - name);
    if (*at == ')' && before > 0 && at[-1] == '(')
        return ends_with_operator(name, before - 1);
    while ((*at == '<' || *at == '>') && before > 0 && strchr("<>=-", name[before - 1]))
        before--;
    return *at != ')' && ends_with_operator(name, before);
}

/* The end of what the bracket opens; NULL when nothing closes it. */
static const char *find_close(const char *name, const char *open, char close)
{
    size_t depth = 0;
    for (const char *c = open; *c; c++) {
        if ((*c == *open || *c == close) && in_operator(name, c))
            continue;
        depth += *c == *open;
        if (*c == close && --depth == 0)
            return c;
    }
    return NULL;
}

/* The name with "..." for what stands in the outermost brackets of this sort. */
static char *empty_brackets(const char *name, char open, char close)
{
    char *result = memory_get_zeroed(strlen(name) * (1 + strlen(GAP)) + 1, 1), *to = result;
    for (const char *c = name; *c; c++) {
        const char *end = *c == open && !in_operator(name, c) ? find_close(name, c, close) : NULL;
        *to++ = *c;
        if (!end || end == c + 1)
            continue;
        memcpy(to, GAP, strlen(GAP));
        to += strlen(GAP);
        c = end - 1;
    }
    return result;
}

static bool inside_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Keeps the beginning and the end; no character of UTF-8 is cut in two. */
static char *cut_middle(const char *name, size_t most)
{
    size_t length = strlen(name), kept = most - strlen(GAP);
    size_t head = kept / 2, tail = kept - head;
    while (head > 0 && inside_character(name[head]))
        head--;
    while (tail > 0 && inside_character(name[length - tail]))
        tail--;
    return memory_format("%.*s" GAP "%s", (int)head, name, name + length - tail);
}

char *short_name(const char *name, size_t most)
{
    static const char brackets[][2] = {{'(', ')'}, {'<', '>'}};
    char *shorter = memory_copy_string(name);
    for (size_t i = 0; i < sizeof brackets / sizeof *brackets && strlen(shorter) > most; i++) {
        char *next = empty_brackets(shorter, brackets[i][0], brackets[i][1]);
        free(shorter);
        shorter = next;
    }
    if (strlen(shorter) <= most)
        return shorter;
    char *cut = cut_middle(shorter, most);
    free(shorter);
    return cut;
}

const char *short_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}
