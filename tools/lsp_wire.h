/* Messages of a language client: framing by Content-Length, and JSON (LSP 3.17, base protocol).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The client is not trusted. Headers, the length of a message, and the nesting of JSON are limited,
 * and memory grows only with the bytes that have arrived.
 */
#ifndef TOOLS_LSP_WIRE_H
#define TOOLS_LSP_WIRE_H

#include "lib/base/message.h"
#include "lib/base/vector.h"

#include <json-c/json.h>

#define LSP_MESSAGE_BYTES_MAX ((size_t)64 << 20)
#define LSP_HEADER_BYTES_MAX  ((size_t)4096)
#define LSP_DEPTH_MAX         64

typedef struct json_object lsp_json;

struct lsp_wire {
    VECTOR(char) bytes; /* received, but not yet processed */
    bool ended;
};

enum lsp_event {
    LSP_MESSAGE,  /* a JSON value, which the caller frees by json_object_put() */
    LSP_BAD_JSON, /* invalid JSON; the message was skipped */
    LSP_TICK,     /* no message arrived in time */
    LSP_END,      /* the client closed the stream */
    LSP_BROKEN    /* the headers are wrong, so the next message cannot be found */
};

/* Waits for the next message. If no byte arrives for `milliseconds`, returns LSP_TICK. */
enum lsp_event lsp_wire_read(struct lsp_wire *wire, int milliseconds, lsp_json **message,
                             struct failure *why);

/* Writes a message to standard output, and frees the message. Returns false if the client has
 * disconnected. */
bool lsp_wire_write(lsp_json *message);

#endif
