/* Messages of a language client; see lsp_wire.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/lsp_wire.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define READ_BYTES 65536

static const char header_end[] = "\r\n\r\n";

/* Reading -------------------------------------------------------------------------------------- */

/* The value of a header "Content-Length: 12"; false if it is not a number within the limit. */
static bool parse_length(const char *value, size_t bytes, size_t *length)
{
    size_t digits = 0;
    while (bytes > 0 && (*value == ' ' || *value == '\t'))
        value++, bytes--;
    while (bytes > 0 && (value[bytes - 1] == ' ' || value[bytes - 1] == '\t'))
        bytes--;
    for (*length = 0; digits < bytes && isdigit((unsigned char)value[digits]); digits++) {
        *length = 10 * *length + (size_t)(value[digits] - '0');
        if (*length > LSP_MESSAGE_BYTES_MAX)
            return false;
    }
    return digits > 0 && digits == bytes;
}

/* Finds the length of the message in the headers, which end with an empty line. */
static bool parse_headers(const char *at, const char *end, size_t *length, struct failure *why)
{
    static const char name[] = "Content-Length:";
    bool found = false;
    while (at < end) {
        const char *stop = memchr(at, '\r', (size_t)(end - at));
        size_t bytes = (size_t)((stop ? stop : end) - at);
        if (bytes >= sizeof name - 1 && strncasecmp(at, name, sizeof name - 1) == 0) {
            if (found || !parse_length(at + sizeof name - 1, bytes - (sizeof name - 1), length))
                return failure_set(why, "lsp: Content-Length is not a number up to %zu",
                                   LSP_MESSAGE_BYTES_MAX);
            found = true;
        }
        at += bytes + 2;
    }
    return found || failure_set(why, "lsp: a message has no Content-Length");
}

static char *find_header_end(const struct lsp_wire *wire)
{
    size_t bytes =
        wire->bytes.count < LSP_HEADER_BYTES_MAX ? wire->bytes.count : LSP_HEADER_BYTES_MAX;
    return bytes ? memmem(wire->bytes.at, bytes, header_end, sizeof header_end - 1) : NULL;
}

static enum lsp_event parse_body(const char *body, size_t bytes, lsp_json **message)
{
    struct json_tokener *tokener = json_tokener_new_ex(LSP_DEPTH_MAX);
    if (!tokener)
        return LSP_BAD_JSON;
    while (bytes > 0 && isspace((unsigned char)body[bytes - 1]))
        bytes--;
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    *message = json_tokener_parse_ex(tokener, body, (int)bytes);
    bool whole = json_tokener_get_error(tokener) == json_tokener_success &&
                 json_tokener_get_parse_end(tokener) == bytes;
    json_tokener_free(tokener);
    if (whole && *message)
        return LSP_MESSAGE;
    json_object_put(*message);
    return LSP_BAD_JSON;
}

/* Takes the first message from the received bytes. LSP_TICK: the message is not yet complete. */
static enum lsp_event take(struct lsp_wire *wire, lsp_json **message, struct failure *why)
{
    size_t length = 0, before;
    const char *end = find_header_end(wire);
    if (!end && wire->bytes.count < LSP_HEADER_BYTES_MAX)
        return LSP_TICK;
    if (!end) {
        failure_set(why, "lsp: the headers of a message are longer than %zu bytes",
                    LSP_HEADER_BYTES_MAX);
        return LSP_BROKEN;
    }
    if (!parse_headers(wire->bytes.at, end, &length, why))
        return LSP_BROKEN;
    before = (size_t)(end - wire->bytes.at) + sizeof header_end - 1;
    if (wire->bytes.count - before < length)
        return LSP_TICK;
    enum lsp_event event = parse_body(wire->bytes.at + before, length, message);
    wire->bytes.count -= before + length;
    memmove(wire->bytes.at, wire->bytes.at + before + length, wire->bytes.count);
    return event;
}

static void receive(struct lsp_wire *wire)
{
    vector_reserve(&wire->bytes, wire->bytes.count + READ_BYTES);
    ssize_t got = read(STDIN_FILENO, wire->bytes.at + wire->bytes.count, READ_BYTES);
    if (got > 0)
        wire->bytes.count += (size_t)got;
    else if (got == 0 || errno != EINTR)
        wire->ended = true;
}

enum lsp_event lsp_wire_read(struct lsp_wire *wire, int milliseconds, lsp_json **message,
                             struct failure *why)
{
    struct pollfd client = {.fd = STDIN_FILENO, .events = POLLIN};
    for (;;) {
        enum lsp_event event = take(wire, message, why);
        if (event != LSP_TICK)
            return event;
        if (wire->ended)
            return LSP_END;
        if (poll(&client, 1, milliseconds) == 0)
            return LSP_TICK;
        receive(wire);
    }
}

/* Writing -------------------------------------------------------------------------------------- */

bool lsp_wire_write(lsp_json *message)
{
    const char *text = json_object_to_json_string_ext(message, JSON_C_TO_STRING_PLAIN |
                                                                   JSON_C_TO_STRING_NOSLASHESCAPE);
    size_t bytes = text ? strlen(text) : 0;
    printf("Content-Length: %zu\r\n\r\n", bytes);
    fwrite(text, 1, bytes, stdout);
    json_object_put(message);
    return fflush(stdout) == 0 && !ferror(stdout);
}
