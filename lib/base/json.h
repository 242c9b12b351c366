/* Writes JSON that is valid whatever bytes the names contain.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     struct json json = json_start(stream);
 *     json_open(&json, NULL, '{');
 *     json_number(&json, "calls", 3);
 *     json_close(&json);
 *
 * A member of an object has a key; an element of an array has the key NULL.
 */
#ifndef LIB_BASE_JSON_H
#define LIB_BASE_JSON_H

#include "ground/wide.h"
#include "lib/base/vector.h"

#include <stdio.h>

#define JSON_DEPTH_MAX 16

struct json {
    FILE *stream;
    int depth;
    char closing[JSON_DEPTH_MAX];
    bool filled[JSON_DEPTH_MAX];  /* for each level of nesting, whether a value was written */
    bool compact[JSON_DEPTH_MAX]; /* whether each level is on one line */
};

struct json json_start(FILE *stream);

/* Opens a document with the member "schema", the name of a file in docs/schemas/. The caller closes
 * the document. */
struct json json_open_document(FILE *stream, const char *schema);
void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_open_compact(struct json *json, const char *key,
                       char bracket); /* opens an object or array that is written on one line */
void json_close(struct json *json);   /* closes the innermost object or array; closing the outermost
                                     * one also ends the line */
void json_text(struct json *json, const char *key, const char *text);

/* Writes an array of texts on one line. */
void json_texts(struct json *json, const char *key, const string_list *texts);
void json_number(struct json *json, const char *key, u128 number);
void json_real(struct json *json, const char *key,
               double number); /* writes null if the number is not finite */

/* Writes a number that is already formatted; other text becomes a string, and an empty text or "-"
 * becomes null. */
void json_number_words(struct json *json, const char *key, const char *words);
void json_bool(struct json *json, const char *key, bool value);

/* The length of the UTF-8 sequence at `at`; 0 if it is not valid. */
size_t json_utf8_length(const unsigned char *at);

#endif
