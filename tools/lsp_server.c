/* The protocol of the language server: LSP 3.17 over standard input and output; see lsp.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Requests are answered one after another, in the order in which they arrive. Cancellations are
 * ignored: each cancelled request is answered nevertheless, as the protocol allows. While the
 * server waits for messages of the client, it checks the files of the workspace at intervals.
 */
#include "aprof-config.h"

#include "tools/lsp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DOCUMENTS_MAX      1000
#define CHECK_MILLISECONDS 1000

enum error {
    PARSE_ERROR = -32700,
    INVALID_REQUEST = -32600,
    METHOD_NOT_FOUND = -32601,
    INVALID_PARAMS = -32602,
    NOT_INITIALIZED = -32002,
};

/* Values of messages --------------------------------------------------------------------------- */

/* The member of an object; NULL if `object` is not an object or has no member of this name. */
static lsp_json *member(lsp_json *object, const char *key)
{
    lsp_json *found = NULL;
    if (json_object_is_type(object, json_type_object))
        json_object_object_get_ex(object, key, &found);
    return found;
}

static const char *text_of(lsp_json *value)
{
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

static bool is_true(lsp_json *value)
{
    return json_object_is_type(value, json_type_boolean) && json_object_get_boolean(value);
}

/* Reads the number of a line or column, which has at most 31 bits. */
static bool read_number(lsp_json *value, uint32_t *number)
{
    int64_t wide = json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : -1;
    *number = (uint32_t)wide;
    return wide >= 0 && wide <= INT32_MAX;
}

static bool read_position(lsp_json *value, struct lsp_position *position)
{
    return read_number(member(value, "line"), &position->line) &&
           read_number(member(value, "character"), &position->column);
}

static bool read_range(lsp_json *value, struct lsp_position *from, struct lsp_position *to)
{
    return read_position(member(value, "start"), from) && read_position(member(value, "end"), to);
}

/* Addresses ------------------------------------------------------------------------------------ */

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The path of "file:///a%20b"; NULL for other addresses. The caller frees it. */
static char *path_of(const char *uri)
{
    static const char scheme[] = "file://", host[] = "localhost";
    if (strncmp(uri, scheme, sizeof scheme - 1) != 0)
        return NULL;
    uri += sizeof scheme - 1;
    if (strncmp(uri, host, sizeof host - 1) == 0)
        uri += sizeof host - 1;
    if (*uri != '/')
        return NULL;
    char *path = memory_copy_string(uri), *to = path;
    for (const char *at = uri; *at; at++) {
        int high = *at == '%' ? digit(at[1]) : -1, low = high >= 0 ? digit(at[2]) : -1;
        *to++ = low >= 0 ? (char)(high * 16 + low) : *at;
        at += low >= 0 ? 2 : 0;
    }
    *to = 0;
    return path;
}

char *lsp_uri_of(const char *path)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    char *uri = memory_get_zeroed(3 * strlen(path) + sizeof "file://", 1), *to = uri;
    to += sprintf(to, "file://");
    for (; *path; path++) {
        if (strchr(plain, *path))
            *to++ = *path;
        else
            to += sprintf(to, "%%%02X", (unsigned char)*path);
    }
    return uri;
}

/* Sending -------------------------------------------------------------------------------------- */

static lsp_json *envelope(void)
{
    lsp_json *message = json_object_new_object();
    json_object_object_add(message, "jsonrpc", json_object_new_string("2.0"));
    return message;
}

/* An answer without a result has the member "result": null. */
static bool answer(lsp_json *id, lsp_json *result)
{
    lsp_json *message = envelope();
    json_object_object_add(message, "id", json_object_get(id));
    json_object_object_add(message, "result", result);
    return lsp_wire_write(message);
}

static bool refuse(lsp_json *id, enum error code, const char *why)
{
    lsp_json *message = envelope(), *error = json_object_new_object();
    json_object_object_add(error, "code", json_object_new_int(code));
    json_object_object_add(error, "message", json_object_new_string(why));
    json_object_object_add(message, "id", json_object_get(id));
    json_object_object_add(message, "error", error);
    return lsp_wire_write(message);
}

bool lsp_notify(const char *method, lsp_json *params)
{
    lsp_json *message = envelope();
    json_object_object_add(message, "method", json_object_new_string(method));
    json_object_object_add(message, "params", params);
    return lsp_wire_write(message);
}

/* Shows a message in the log of the editor. */
static bool log_message(const char *text)
{
    enum { WARNING = 2 };
    lsp_json *params = json_object_new_object();
    json_object_object_add(params, "type", json_object_new_int(WARNING));
    json_object_object_add(params, "message", lsp_name(text));
    return lsp_notify("window/logMessage", params);
}

static bool request(struct lsp_server *server, const char *method)
{
    lsp_json *message = envelope();
    char *id = memory_format("aprof-%u", ++server->requests);
    json_object_object_add(message, "id", json_object_new_string(id));
    json_object_object_add(message, "method", json_object_new_string(method));
    free(id);
    return lsp_wire_write(message);
}

/* Documents ------------------------------------------------------------------------------------ */

static struct lsp_document *find_document(struct lsp_server *server, const char *uri)
{
    for (size_t i = 0; uri && i < server->documents.count; i++) {
        if (strcmp(server->documents.at[i].uri, uri) == 0)
            return &server->documents.at[i];
    }
    return NULL;
}

struct lsp_document *lsp_document_of_path(struct lsp_server *server, const char *path)
{
    for (size_t i = 0; i < server->documents.count; i++) {
        struct lsp_document *document = &server->documents.at[i];
        if (document->path && strcmp(document->path, path) == 0)
            return document;
    }
    return NULL;
}

/* The open document that the parameters name. */
static struct lsp_document *document_of(struct lsp_server *server, lsp_json *params)
{
    return find_document(server, text_of(member(member(params, "textDocument"), "uri")));
}

static void free_document(struct lsp_document *document)
{
    free(document->uri);
    free(document->path);
    free(document->real);
    lsp_text_free(&document->text);
    lsp_text_free(&document->profiled);
}

static void did_close(struct lsp_server *server, lsp_json *params)
{
    struct lsp_document *document = document_of(server, params);
    if (!document)
        return;
    free_document(document);
    *document = server->documents.at[--server->documents.count];
}

static void did_open(struct lsp_server *server, lsp_json *params)
{
    lsp_json *item = member(params, "textDocument"), *text = member(item, "text");
    const char *uri = text_of(member(item, "uri"));
    if (!uri || !text_of(text))
        return;
    did_close(server, params);
    if (server->documents.count >= DOCUMENTS_MAX)
        return;
    struct lsp_document document = {.uri = memory_copy_string(uri), .path = path_of(uri)};
    document.real = document.path ? realpath(document.path, NULL) : NULL;
    lsp_text_set(&document.text, text_of(text), (size_t)json_object_get_string_len(text));
    vector_push(&server->documents, document);
}

/* Applies a change: a range and its new text, or the whole text. */
static void change(struct lsp_document *document, lsp_json *item)
{
    lsp_json *text = member(item, "text"), *range = member(item, "range");
    struct lsp_position from, to;
    if (!text_of(text))
        return;
    size_t bytes = (size_t)json_object_get_string_len(text);
    if (!range)
        lsp_text_set(&document->text, text_of(text), bytes);
    else if (read_range(range, &from, &to) &&
             document->text.bytes.count + bytes <= LSP_MESSAGE_BYTES_MAX)
        lsp_text_replace(&document->text, from, to, text_of(text), bytes);
}

static void did_change(struct lsp_server *server, lsp_json *params)
{
    struct lsp_document *document = document_of(server, params);
    lsp_json *changes = member(params, "contentChanges");
    if (!document || !json_object_is_type(changes, json_type_array))
        return;
    for (size_t i = 0; i < json_object_array_length(changes); i++)
        change(document, json_object_array_get_idx(changes, i));
}

/* Requests ------------------------------------------------------------------------------------- */

/* Makes the workspace's folder the current folder, because reports and bounds are there. */
static void enter_workspace(lsp_json *params)
{
    lsp_json *folders = member(params, "workspaceFolders");
    lsp_json *first =
        json_object_is_type(folders, json_type_array) && json_object_array_length(folders) > 0
            ? json_object_array_get_idx(folders, 0)
            : NULL;
    const char *uri = text_of(member(first, "uri"));
    uri = uri ? uri : text_of(member(params, "rootUri"));
    char *path = uri ? path_of(uri) : NULL;
    if (path && chdir(path) != 0)
        message_error("lsp: %s: cannot enter the folder of the workspace", path);
    free(path);
}

static bool has_text(lsp_json *list, const char *wanted)
{
    for (size_t i = 0;
         json_object_is_type(list, json_type_array) && i < json_object_array_length(list); i++) {
        const char *text = text_of(json_object_array_get_idx(list, i));
        if (text && strcmp(text, wanted) == 0)
            return true;
    }
    return false;
}

static lsp_json *capabilities(void)
{
    enum { INCREMENTAL = 2 };
    lsp_json *made = json_object_new_object(), *sync = json_object_new_object();
    json_object_object_add(sync, "openClose", json_object_new_boolean(true));
    json_object_object_add(sync, "change", json_object_new_int(INCREMENTAL));
    json_object_object_add(sync, "save", json_object_new_boolean(true));
    json_object_object_add(made, "positionEncoding", json_object_new_string("utf-16"));
    json_object_object_add(made, "textDocumentSync", sync);
    json_object_object_add(made, "codeLensProvider", json_object_new_object());
    json_object_object_add(made, "inlayHintProvider", json_object_new_boolean(true));
    json_object_object_add(made, "hoverProvider", json_object_new_boolean(true));
    return made;
}

static bool initialize(struct lsp_server *server, lsp_json *id, lsp_json *params)
{
    lsp_json *client = member(params, "capabilities"), *workspace = member(client, "workspace");
    lsp_json *hover = member(member(client, "textDocument"), "hover");
    lsp_json *result = json_object_new_object(), *info = json_object_new_object();
    if (server->is_initialized)
        return refuse(id, INVALID_REQUEST, "the server is already initialized");
    enter_workspace(params);
    server->is_initialized = true;
    server->has_markdown = has_text(member(hover, "contentFormat"), "markdown");
    server->can_refresh_lenses = is_true(member(member(workspace, "codeLens"), "refreshSupport"));
    server->can_refresh_hints = is_true(member(member(workspace, "inlayHint"), "refreshSupport"));
    json_object_object_add(info, "name", json_object_new_string("aprof"));
    json_object_object_add(info, "version", json_object_new_string(PACKAGE_VERSION));
    json_object_object_add(result, "capabilities", capabilities());
    json_object_object_add(result, "serverInfo", info);
    return answer(id, result);
}

static bool shut_down(struct lsp_server *server, lsp_json *id, lsp_json *params)
{
    (void)params;
    server->is_shut_down = true;
    return answer(id, NULL);
}

/* Whether there are a document and a report, so that a request about the document can be
 * answered. */
static bool is_ready(const struct lsp_server *server, const struct lsp_document *document)
{
    return document && server->report.loaded;
}

static bool code_lens(struct lsp_server *server, lsp_json *id, lsp_json *params)
{
    struct lsp_document *document = document_of(server, params);
    return answer(id, is_ready(server, document) ? lsp_code_lenses(server, document) : NULL);
}

static bool inlay_hint(struct lsp_server *server, lsp_json *id, lsp_json *params)
{
    struct lsp_document *document = document_of(server, params);
    struct lsp_position from, to;
    if (!read_range(member(params, "range"), &from, &to))
        return refuse(id, INVALID_PARAMS, "a hint needs a range");
    return answer(id, is_ready(server, document)
                          ? lsp_inlay_hints(server, document, from.line, to.line)
                          : NULL);
}

static bool hover(struct lsp_server *server, lsp_json *id, lsp_json *params)
{
    struct lsp_document *document = document_of(server, params);
    struct lsp_position at;
    if (!read_position(member(params, "position"), &at))
        return refuse(id, INVALID_PARAMS, "a hover needs a position");
    return answer(id, is_ready(server, document) ? lsp_hover(server, document, at) : NULL);
}

static const struct {
    const char *method;
    bool (*run)(struct lsp_server *server, lsp_json *id, lsp_json *params);
} requests[] = {
    {"initialize", initialize},           {"shutdown", shut_down},
    {"textDocument/codeLens", code_lens}, {"textDocument/inlayHint", inlay_hint},
    {"textDocument/hover", hover},
};

/* Notifications without a row in the table, such as $/cancelRequest and didSave, need no action. */
static const struct {
    const char *method;
    void (*run)(struct lsp_server *server, lsp_json *params);
} notifications[] = {
    {"textDocument/didOpen", did_open},
    {"textDocument/didChange", did_change},
    {"textDocument/didClose", did_close},
};

/* Files of the workspace ----------------------------------------------------------------------- */

/* Reads a new report, and notifies the client that earlier answers are outdated. */
static bool update(struct lsp_server *server)
{
    struct failure why;
    bool is_new = lsp_report_update(server, &why);
    if (*why.text && !log_message(why.text))
        return false;
    if (is_new && server->can_refresh_lenses && !request(server, "workspace/codeLens/refresh"))
        return false;
    if (is_new && server->can_refresh_hints && !request(server, "workspace/inlayHint/refresh"))
        return false;
    *why.text = 0;
    bool good = !server->report.loaded || lsp_findings_publish(server, is_new, &why);
    return good && (!*why.text || log_message(why.text));
}

/* Messages ------------------------------------------------------------------------------------- */

static bool is_id(lsp_json *id)
{
    return json_object_is_type(id, json_type_int) || json_object_is_type(id, json_type_string);
}

static bool run_request(struct lsp_server *server, const char *method, lsp_json *id,
                        lsp_json *params)
{
    if (server->is_shut_down)
        return refuse(id, INVALID_REQUEST, "the server is shut down");
    if (!server->is_initialized && strcmp(method, "initialize") != 0)
        return refuse(id, NOT_INITIALIZED, "the server is not initialized");
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        if (strcmp(requests[i].method, method) == 0)
            return (strncmp(method, "textDocument/", strlen("textDocument/")) != 0 ||
                    update(server)) &&
                   requests[i].run(server, id, params);
    }
    return refuse(id, METHOD_NOT_FOUND, "the method is not supported");
}

/* Runs a notification, and then checks the files of the workspace, so that a new client gets its
 * diagnostics at once. */
static bool run_notification(struct lsp_server *server, const char *method, lsp_json *params)
{
    if (!server->is_initialized || server->is_shut_down)
        return true;
    for (size_t i = 0; i < sizeof notifications / sizeof *notifications; i++) {
        if (strcmp(notifications[i].method, method) == 0)
            notifications[i].run(server, params);
    }
    return strcmp(method, "exit") == 0 || update(server);
}

/* Processes one message. Returns false if the client has disconnected. */
static bool run_message(struct lsp_server *server, lsp_json *message, bool *is_exit)
{
    const char *method = text_of(member(message, "method"));
    lsp_json *id = NULL, *params = member(message, "params");
    bool has_id = json_object_is_type(message, json_type_object) &&
                  json_object_object_get_ex(message, "id", &id);
    bool is_response =
        has_id && !method &&
        (member(message, "error") || json_object_object_get_ex(message, "result", NULL));
    if (is_response)
        return true;
    if (!method || (has_id && !is_id(id)))
        return refuse(is_id(id) ? id : NULL, INVALID_REQUEST, "the message is not a request");
    if (has_id)
        return run_request(server, method, id, params);
    *is_exit = strcmp(method, "exit") == 0;
    return run_notification(server, method, params);
}

/* Processes messages until the client ends. Returns false if the messages cannot be parsed. */
static bool serve(struct lsp_server *server, struct failure *why)
{
    bool is_exit = false, is_there = true;
    while (is_there && !is_exit) {
        lsp_json *message = NULL;
        switch (lsp_wire_read(&server->wire, CHECK_MILLISECONDS, &message, why)) {
        case LSP_MESSAGE:
            is_there = run_message(server, message, &is_exit);
            json_object_put(message);
            break;
        case LSP_BAD_JSON:
            is_there = refuse(NULL, PARSE_ERROR, "the message is not valid JSON");
            break;
        case LSP_TICK:
            is_there = !server->is_initialized || server->is_shut_down || update(server);
            break;
        case LSP_END:
            is_there = false;
            break;
        case LSP_BROKEN:
            return false;
        }
    }
    return true;
}

int lsp_serve(const struct lsp_options *options)
{
    struct lsp_server server = {.options = options};
    struct failure why;
    if (!serve(&server, &why))
        message_failure(&why);
    for (size_t i = 0; i < server.documents.count; i++)
        free_document(&server.documents.at[i]);
    for (size_t i = 0; i < server.published.count; i++)
        free(server.published.at[i]);
    vector_free(&server.documents);
    vector_free(&server.published);
    vector_free(&server.wire.bytes);
    lsp_report_free(&server.report);
    return server.is_shut_down ? STATUS_OK : STATUS_FAILED;
}
