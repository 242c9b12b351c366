/* Short names; see short_name.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/base/short_name.h"
#include "lib/base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define GAP "..."

#define OPERATOR_BYTES_MAX 3 /* "<=>" */

static bool ends_with_operator(const char *name, size_t length)
{
    static const char word[] = "operator";
    size_t bytes = strlen(word);
    return length >= bytes && memcmp(name + length - bytes, word, bytes) == 0;
}

/* Is the bracket at `at` part of an operator's name, as in `operator<<` and `operator()`? */
static bool in_operator(const char *name, const char *at)
{
    size_t before = (size_t)(at - name);
    if (*at == ')')
        return before > 0 && at[-1] == '(' && ends_with_operator(name, before - 1);
    for (size_t skipped = 0; skipped < OPERATOR_BYTES_MAX; skipped++, before--) {
        if (ends_with_operator(name, before))
            return true;
        if (*at == '(' || before == 0 || !strchr("<>=-", name[before - 1]))
            return false;
    }
    return false;
}

/* For each opening bracket, the offset of its closing bracket; 0 if there is none. One pass: a
 * bracket that is still open holds the offset of the open bracket around it, plus 1. */
static size_t *match_brackets(const char *name, char open, char close)
{
    size_t length = strlen(name), innermost = 0;
    size_t *closing = memory_get_zeroed(length + 1, sizeof *closing);
    for (size_t i = 0; i < length; i++) {
        if ((name[i] != open && name[i] != close) || in_operator(name, name + i))
            continue;
        if (name[i] == open) {
            closing[i] = innermost;
            innermost = i + 1;
        } else if (innermost) {
            size_t opened = innermost - 1;
            innermost = closing[opened];
            closing[opened] = i;
        }
    }
    while (innermost) {
        size_t unclosed = innermost - 1;
        innermost = closing[unclosed];
        closing[unclosed] = 0;
    }
    return closing;
}

/* The name with "..." instead of the contents of the outermost brackets of this kind. */
static char *empty_brackets(const char *name, char open, char close)
{
    char *result = memory_get_zeroed(strlen(name) * (1 + strlen(GAP)) + 1, 1), *to = result;
    size_t *closing = match_brackets(name, open, close);
    for (size_t i = 0; name[i]; i++) {
        *to++ = name[i];
        if (closing[i] <= i + 1)
            continue;
        memcpy(to, GAP, strlen(GAP));
        to += strlen(GAP);
        i = closing[i] - 1;
    }
    free(closing);
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
