/* Writes JSON; see json.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/base/json.h"
#include "lib/base/control.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct json json_start(FILE *stream)
{
    return (struct json){.stream = stream, .depth = -1};
}

struct json json_open_document(FILE *stream, const char *schema)
{
    struct json json = json_start(stream);
    json_open(&json, NULL, '{');
    json_text(&json, "schema", schema);
    return json;
}

/* Text: bytes that are not UTF-8 become U+FFFD ------------------------------------------------- */

size_t json_utf8_length(const unsigned char *at)
{
    size_t length = at[0] < 0x80                     ? 1
                    : at[0] >= 0xc2 && at[0] <= 0xdf ? 2
                    : (at[0] & 0xf0) == 0xe0         ? 3
                    : at[0] >= 0xf0 && at[0] <= 0xf4 ? 4
                                                     : 0;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    bool overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    bool surrogate = at[0] == 0xed && at[1] > 0x9f;
    bool beyond = at[0] == 0xf4 && at[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : length;
}

/* The code point of a character of up to three bytes. */
static unsigned code_point(const unsigned char *at, size_t length)
{
    if (length == 1)
        return at[0];
    if (length == 2)
        return (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu);
    return (at[0] & 0xfu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
}

static void write_string(FILE *to, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    putc('"', to);
    while (*at) {
        bool passes;
        size_t length = control_character((const char *)at, &passes);
        if (*at == '"' || *at == '\\')
            fprintf(to, "\\%c", *at);
        else if (passes)
            fwrite(at, 1, length, to);
        else
            fprintf(to, "\\u%04x", json_utf8_length(at) ? code_point(at, length) : 0xfffd);
        at += length;
    }
    putc('"', to);
}

/* Structure ------------------------------------------------------------------------------------ */

static void new_line(struct json *json)
{
    putc('\n', json->stream);
    for (int i = 0; i <= json->depth; i++)
        fputs("  ", json->stream);
}

/* Writes the comma, the line break and the key that precede a value. */
static void before_value(struct json *json, const char *key)
{
    if (json->depth >= 0) {
        bool compact = json->compact[json->depth];
        if (json->filled[json->depth])
            fputs(compact ? ", " : ",", json->stream);
        json->filled[json->depth] = true;
        if (!compact)
            new_line(json);
    }
    if (key) {
        write_string(json->stream, key);
        fputs(": ", json->stream);
    }
}

static void open_level(struct json *json, const char *key, char bracket, bool compact)
{
    before_value(json, key);
    putc(bracket, json->stream);
    json->depth++;
    assert(json->depth < JSON_DEPTH_MAX);
    json->closing[json->depth] = bracket == '{' ? '}' : ']';
    json->filled[json->depth] = false;
    json->compact[json->depth] = compact;
}

void json_open(struct json *json, const char *key, char bracket)
{
    open_level(json, key, bracket, false);
}

void json_open_compact(struct json *json, const char *key, char bracket)
{
    open_level(json, key, bracket, true);
}

void json_close(struct json *json)
{
    int level = json->depth--;
    if (json->filled[level] && !json->compact[level])
        new_line(json);
    putc(json->closing[level], json->stream);
    if (json->depth < 0)
        putc('\n', json->stream);
}

void json_text(struct json *json, const char *key, const char *text)
{
    before_value(json, key);
    write_string(json->stream, text);
}

void json_texts(struct json *json, const char *key, const string_list *texts)
{
    json_open_compact(json, key, '[');
    for (size_t i = 0; i < texts->count; i++)
        json_text(json, NULL, texts->at[i]);
    json_close(json);
}

void json_number(struct json *json, const char *key, u128 number)
{
    char digits[WIDE_DIGITS];
    before_value(json, key);
    fputs(u128_format(number, digits), json->stream);
}

void json_real(struct json *json, const char *key, double number)
{
    before_value(json, key);
    if (isfinite(number))
        fprintf(json->stream, "%.10g", number);
    else
        fputs("null", json->stream);
}

static bool is_number(const char *words)
{
    char *end;
    const char *digits = words + (*words == '-');
    return *digits >= '0' && *digits <= '9' && isfinite(strtod(words, &end)) && !*end;
}

void json_number_words(struct json *json, const char *key, const char *words)
{
    bool empty = !*words || strcmp(words, "-") == 0;
    if (!empty && !is_number(words)) {
        json_text(json, key, words);
        return;
    }
    before_value(json, key);
    fputs(empty ? "null" : words, json->stream);
}

void json_bool(struct json *json, const char *key, bool value)
{
    before_value(json, key);
    fputs(value ? "true" : "false", json->stream);
}
