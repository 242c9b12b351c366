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

/* Whether the bracket at `at` is part of an operator's name, as in `operator<<` and
 * `operator()`. */
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

/* For each opening bracket, the offset of its closing bracket; 0 if no closing bracket exists.
 * Matching takes one pass. Until a bracket is closed, its entry holds the offset of the enclosing
 * open bracket, plus 1. */
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

/* Replaces the contents of the outermost brackets of one kind by "...". */
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

/* Cuts out the middle of a name, without splitting a character of UTF-8. */
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

/* Standard types ------------------------------------------------------------------------------- */

/* The default arguments of the standard library's templates. */
static const char *const default_arguments[] = {", std::allocator<", ", std::char_traits<",
                                                ", std::less<",      ", std::hash<",
                                                ", std::equal_to<",  ", std::default_delete<"};

static const char *const standard_names[][2] = {
    {"std::__cxx11::", "std::"},
    {"std::__1::", "std::"},
    {"std::basic_string<char>", "std::string"},
    {"std::basic_string_view<char>", "std::string_view"},
    {"std::basic_ostream<char>", "std::ostream"},
    {"std::basic_istream<char>", "std::istream"},
    {"> >", ">>"},
};

static void cut_out(char *from, size_t bytes)
{
    memmove(from, from + bytes, strlen(from + bytes) + 1);
}

/* The length of the default template argument at `at`, from the comma before it to its closing
 * bracket; 0 if there is no default argument. */
static size_t default_argument(const char *at)
{
    for (size_t i = 0; i < sizeof default_arguments / sizeof *default_arguments; i++) {
        size_t bytes = strlen(default_arguments[i]), depth = 1;
        if (strncmp(at, default_arguments[i], bytes) != 0)
            continue;
        for (; at[bytes] && depth > 0; bytes++)
            depth += (size_t)(at[bytes] == '<') - (size_t)(at[bytes] == '>');
        bytes += depth == 0 && at[bytes] == ' ';
        return depth == 0 ? bytes : 0;
    }
    return 0;
}

/* Replaces text in place, so `to` must not be longer than `from`. */
static void replace_all(char *text, const char *from, const char *to)
{
    for (char *at = text; (at = strstr(at, from));) {
        memcpy(at, to, strlen(to));
        cut_out(at + strlen(to), strlen(from) - strlen(to));
    }
}

/* Shortens the standard library's types to their usual spelling: `std::string` for a basic_string
 * of char with its traits. */
static void name_standard_types(char *name)
{
    for (char *at = name; (at = strchr(at, ','));) {
        size_t bytes = default_argument(at);
        if (bytes > 0)
            cut_out(at, bytes);
        else
            at++;
    }
    for (size_t i = 0; i < sizeof standard_names / sizeof *standard_names; i++)
        replace_all(name, standard_names[i][0], standard_names[i][1]);
}

/* Parts outside of brackets -------------------------------------------------------------------- */

/* The positions of the closing round and angle brackets of a name. */
struct brackets {
    size_t *round, *angle;
};

static struct brackets find_brackets(const char *name)
{
    return (struct brackets){match_brackets(name, '(', ')'), match_brackets(name, '<', '>')};
}

static void brackets_free(struct brackets *brackets)
{
    free(brackets->round);
    free(brackets->angle);
}

/* The position after the pair of brackets that begins at `i`; i + 1 if no pair begins there. */
static size_t step_over(const struct brackets *brackets, size_t i)
{
    size_t close = brackets->round[i] ? brackets->round[i] : brackets->angle[i];
    return close ? close + 1 : i + 1;
}

/* Removes the return type of a template function, as in `void f<int>(int)`. Conversion operators
 * (`operator unsigned long`) and descriptive names (`non-virtual thunk to`) have no return type. */
static void drop_returned(char *name)
{
    struct brackets brackets = find_brackets(name);
    size_t begin = 0;
    for (size_t i = 0; name[i] && !(name[i] == '(' && brackets.angle[i] == 0 && i > 0);) {
        bool is_thunk = strncmp(name + i, " to ", strlen(" to ")) == 0;
        begin = is_thunk ? 0 : begin;
        if (is_thunk || strncmp(name + i, "operator", strlen("operator")) == 0)
            break;
        begin = name[i] == ' ' ? i + 1 : begin;
        i = step_over(&brackets, i);
    }
    brackets_free(&brackets);
    if (strchr(name, '(') && begin > 0)
        cut_out(name, begin);
}

/* Rust's `<T as Trait>::f` and `<T>::f` become `T::f`. */
static void drop_trait(char *name)
{
    struct brackets brackets = find_brackets(name);
    size_t close = *name == '<' ? brackets.angle[0] : 0;
    if (close && strncmp(name + close, ">::", 3) == 0) {
        size_t as = close;
        for (size_t i = 1; i < close; i = step_over(&brackets, i)) {
            if (as == close && strncmp(name + i, " as ", 4) == 0)
                as = i;
        }
        cut_out(name + as, close + 1 - as);
        cut_out(name, 1);
    }
    brackets_free(&brackets);
}

/* Returns the longest part that follows a `::` and fits into `most` bytes, including three dots
 * before it; NULL if no part fits. */
static char *drop_scopes(const char *name, size_t most)
{
    struct brackets brackets = find_brackets(name);
    size_t length = strlen(name);
    char *rest = NULL;
    for (size_t i = 0; name[i] && !rest; i = step_over(&brackets, i)) {
        if (name[i] == ':' && name[i + 1] == ':' && length - (i + 2) + strlen(GAP) <= most)
            rest = memory_format(GAP "%s", name + i + 2);
    }
    brackets_free(&brackets);
    return rest;
}

/* Removes the suffix that compilers add to the names of copied functions. */
static void drop_clone(char *name)
{
    char *clone = strstr(name, " [clone ");
    if (clone)
        *clone = 0;
}

static void empty_all(char **name, char open, char close)
{
    char *next = empty_brackets(*name, open, close);
    free(*name);
    *name = next;
}

/* Inlined functions ---------------------------------------------------------------------------- */

#define INLINED_IN " (inlined in "

/* Minimum number of bytes for each of the two names in "insert (inlined in main)". */
#define PART_BYTES_LEAST 8

/* Shortens "insert (inlined in main)" by shortening its two names. `at` is the end of the inlined
 * function's name. */
static char *short_inlined(const char *name, const char *at, size_t most)
{
    const char *around = at + strlen(INLINED_IN);
    size_t fixed = strlen(INLINED_IN ")"), around_bytes = strlen(around);
    char *inlined = memory_format("%.*s", (int)(at - name), name);
    if (most < fixed + 2 * PART_BYTES_LEAST || around_bytes == 0) {
        char *alone = short_name(inlined, most);
        free(inlined);
        return alone;
    }
    char *routine = memory_format("%.*s", (int)around_bytes - 1, around);
    char *first = short_name(inlined, most - fixed - PART_BYTES_LEAST);
    char *second = short_name(routine, most - fixed - strlen(first));
    char *both = memory_format("%s" INLINED_IN "%s)", first, second);
    free(inlined);
    free(routine);
    free(first);
    free(second);
    return both;
}

char *short_name(const char *name, size_t most)
{
    const char *inlined = strstr(name, INLINED_IN);
    if (inlined && strlen(name) > most)
        return short_inlined(name, inlined, most);
    char *shorter = memory_copy_string(name);
    if (strlen(shorter) > most) {
        name_standard_types(shorter);
        drop_returned(shorter);
        drop_clone(shorter);
    }
    if (strlen(shorter) > most)
        empty_all(&shorter, '(', ')');
    if (strlen(shorter) > most)
        drop_trait(shorter);
    if (strlen(shorter) > most)
        empty_all(&shorter, '<', '>');
    if (strlen(shorter) <= most)
        return shorter;
    char *cut = drop_scopes(shorter, most);
    if (!cut) {
        replace_all(shorter, "<" GAP ">", "");
        replace_all(shorter, "(" GAP ")", "");
        cut = drop_scopes(shorter, most);
    }
    if (!cut)
        cut = strlen(shorter) <= most ? memory_copy_string(shorter) : cut_middle(shorter, most);
    free(shorter);
    return cut;
}

const char *short_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}
