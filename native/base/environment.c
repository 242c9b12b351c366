/* Reads a runtime's options from an environment variable, and writes messages without stdio.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/base/environment.h"

#include "native/base/report_output.h"
#include "native/base/process.h"
#include "native/base/syscalls.h"

#include <errno.h>

#define MESSAGE_BYTES 1024

/* ---------------------------------------------------------------- messages */

void native_message(const char *what, const char *why)
{
    char text[MESSAGE_BYTES];
    size_t n = 0;
    text[0] = 0;
    native_text_append(text, sizeof text - 1, &n, "aprof: ");
    native_text_append(text, sizeof text - 1, &n, what);
    if (why) {
        native_text_append(text, sizeof text - 1, &n, ": ");
        native_text_append(text, sizeof text - 1, &n, why);
    }
    text[n++] = '\n';
    native_syscall(SYS_write, 2, text, n);
}

static const struct {
    int error;
    const char *text;
} error_texts[] = {
    {EACCES, "Permission denied"},
    {EAGAIN, "Resource temporarily unavailable"},
    {EDQUOT, "Disk quota exceeded"},
    {EEXIST, "File exists"},
    {EFBIG, "File too large"},
    {EINVAL, "Invalid argument"},
    {EIO, "Input/output error"},
    {EISDIR, "Is a directory"},
    {ELOOP, "Too many levels of symbolic links"},
    {EMFILE, "Too many open files"},
    {ENAMETOOLONG, "File name too long"},
    {ENFILE, "Too many open files in system"},
    {ENOENT, "No such file or directory"},
    {ENOMEM, "Cannot allocate memory"},
    {ENOSPC, "No space left on device"},
    {ENOTDIR, "Not a directory"},
    {ENXIO, "No such device or address"},
    {EPERM, "Operation not permitted"},
    {EROFS, "Read-only file system"},
};

const char *native_error_text(int error)
{
    for (size_t i = 0; i < sizeof error_texts / sizeof *error_texts; i++)
        if (error_texts[i].error == error)
            return error_texts[i].text;
    return "System call failed";
}

/* ---------------------------------------------------------------- values */

static bool at_end(const char *text, const char *end)
{
    return end ? text >= end : !*text;
}

/* Reads digits and moves `*text` past the digits. Returns false if there are no digits or too many
 * digits. */
static bool read_digits(const char **text, const char *end, uint64_t *value)
{
    const char *p = *text;
    uint64_t sum = 0;
    for (; !at_end(p, end) && *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(sum, (uint64_t)10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(*p - '0'), &sum))
            return false;
    bool found = p != *text;
    *text = p;
    *value = sum;
    return found;
}

struct unit {
    const char *name;
    uint64_t factor;
};

static const struct unit byte_units[] = {
    {"", 1}, {"K", 1024}, {"M", 1024 * 1024}, {"G", 1024 * 1024 * 1024}, {NULL, 0},
};

static const struct unit time_units[] = {
    {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {NULL, 0},
};

/* Returns whether the text up to `end` equals `name`. */
static bool is_word(const char *text, const char *end, const char *name)
{
    for (; *name; name++, text++)
        if (at_end(text, end) || *text != *name)
            return false;
    return at_end(text, end);
}

static bool read_with_unit(const char *text, const char *end, const struct unit *units,
                           uint64_t *value)
{
    uint64_t number;
    if (!read_digits(&text, end, &number))
        return false;
    for (; units->name; units++)
        if (is_word(text, end, units->name))
            return !__builtin_mul_overflow(number, units->factor, value);
    return false;
}

bool native_parse_number(const char *text, const char *end, uint64_t *value)
{
    return read_digits(&text, end, value) && at_end(text, end);
}

bool native_parse_bytes(const char *text, const char *end, uint64_t *value)
{
    return read_with_unit(text, end, byte_units, value);
}

bool native_parse_duration(const char *text, const char *end, uint64_t *nanoseconds)
{
    return read_with_unit(text, end, time_units, nanoseconds);
}

/* Parses a fraction such as 0.0001 or 1e-4; the exponent must not be positive. */
static bool parse_fraction(const char *text, const char *end, double *value)
{
    uint64_t whole = 0, exponent = 0;
    bool some = read_digits(&text, end, &whole);
    double result = (double)whole, scale = 1;
    if (!at_end(text, end) && *text == '.') {
        for (text++; !at_end(text, end) && *text >= '0' && *text <= '9'; text++, some = true) {
            scale *= 10;
            result = result * 10 + (*text - '0');
        }
    }
    if (some && !at_end(text, end) && (*text == 'e' || *text == 'E')) {
        text++;
        bool negative = !at_end(text, end) && *text == '-';
        text += negative;
        if (!read_digits(&text, end, &exponent) || exponent > 300 || (!negative && exponent))
            return false;
    }
    while (exponent--)
        scale *= 10;
    result /= scale;
    if (!some || !at_end(text, end) || !(result >= 0 && result <= 1))
        return false;
    *value = result;
    return true;
}

/* ---------------------------------------------------------------- one option */

static const char *set_choice(const struct native_option *option, uint32_t *at, const char *value)
{
    /* the array is static, because one thread reads the options before any other thread starts */
    static char expected[256];
    size_t n = 0;
    for (uint32_t i = 0; option->names[i]; i++)
        if (is_word(value, NULL, option->names[i])) {
            *at = i;
            return NULL;
        }
    expected[0] = 0;
    native_text_append(expected, sizeof expected, &n, "must be ");
    for (uint32_t i = 0; option->names[i]; i++) {
        const char *between = i == 0 ? "" : option->names[i + 1] ? ", " : " or ";
        native_text_append(expected, sizeof expected, &n, between);
        native_text_append(expected, sizeof expected, &n, option->names[i]);
    }
    return expected;
}

static const char *set_text(char *at, const char *value)
{
    size_t n = 0;
    while (value[n])
        n++;
    if (n >= NATIVE_OPTION_TEXT_BYTES)
        return "is too long";
    memcpy(at, value, n + 1);
    return NULL;
}

static const char *set_option(const struct native_option *option, void *config, const char *value)
{
    void *at = (char *)config + option->offset;
    switch (option->kind) {
    case NATIVE_CHOICE:
        return set_choice(option, at, value);
    case NATIVE_NUMBER:
        return native_parse_number(value, NULL, at) ? NULL : "must be a number";
    case NATIVE_BYTES:
        return native_parse_bytes(value, NULL, at) ? NULL : "must be a size: 65536, 64K, 2M";
    case NATIVE_DURATION:
        return native_parse_duration(value, NULL, at) ? NULL : "must be a time: 500us, 20ms, 1s";
    case NATIVE_FRACTION:
        return parse_fraction(value, NULL, at) ? NULL : "must be from 0 to 1: 0.001, 1e-4";
    case NATIVE_TEXT:
        return set_text(at, value);
    case NATIVE_CUSTOM:
        return option->set(config, value);
    }
    return NULL;
}

/* ---------------------------------------------------------------- the list */

static void complain(const char *variable, const char *word, const char *why)
{
    char what[MESSAGE_BYTES];
    size_t n = 0;
    what[0] = 0;
    native_text_append(what, sizeof what, &n, variable);
    native_text_append(what, sizeof what, &n, ": ");
    native_text_append(what, sizeof what, &n, word);
    native_message(what, why);
}

static const char *known_keys(const struct native_option *table)
{
    static char known[512]; /* static, as `expected` */
    size_t n = 0;
    known[0] = 0;
    native_text_append(known, sizeof known, &n, "unknown option; known are ");
    for (const struct native_option *option = table; option->key; option++) {
        const char *between = option == table ? "" : option[1].key ? ", " : " and ";
        native_text_append(known, sizeof known, &n, between);
        native_text_append(known, sizeof known, &n, option->key);
    }
    return known;
}

static void set_word(const char *variable, char *word, const struct native_option *table,
                     void *config)
{
    const struct native_option *all = table;
    char *equals = word;
    while (*equals && *equals != '=')
        equals++;
    for (; table->key; table++)
        if (is_word(word, equals, table->key)) {
            const char *why =
                *equals ? set_option(table, config, equals + 1) : "needs a value: key=value";
            if (why)
                complain(variable, word, why);
            return;
        }
    complain(variable, word, known_keys(all));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Returns whether the text continues the previous option's value. A text without `=` continues this
 * value. */
static bool goes_on_with_value(const char *text)
{
    const char *p = text;
    while (*p && !is_blank(*p) && *p != ',' && *p != '=')
        p++;
    return *p != '=' && p != text;
}

/* Returns the end of the option that begins at `text`. */
static const char *option_end(const char *text)
{
    bool has_value = false;
    for (; *text && !is_blank(*text); text++) {
        has_value |= *text == '=';
        if (*text == ',' && !(has_value && goes_on_with_value(text + 1)))
            break;
    }
    return text;
}

const char *native_options_next(const char *text, size_t *bytes)
{
    while (is_blank(*text) || *text == ',')
        text++;
    *bytes = (size_t)(option_end(text) - text);
    return *text ? text : NULL;
}

void native_options_parse(const char *variable, const char *text, const struct native_option *table,
                          void *config)
{
    char word[NATIVE_OPTION_TEXT_BYTES + 64]; /* array with space for the longest key */
    size_t n;
    for (; (text = native_options_next(text, &n)); text += n) {
        if (n >= sizeof word) {
            complain(variable, "an option", "is too long");
            continue;
        }
        memcpy(word, text, n);
        word[n] = 0;
        set_word(variable, word, table, config);
    }
}

void native_options_read(const char *variable, const struct native_option *table, void *config)
{
    const char *text = native_getenv(variable);
    if (text)
        native_options_parse(variable, text, table, config);
}
