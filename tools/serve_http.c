/* The server of `aprof serve`, made with libmicrohttpd.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Other programs of the machine, and pages of other sites in the browser, must not be able to read
 * reports:
 *
 *     the socket is bound to 127.0.0.1
 *     each address begins with a random token
 *     Host must be this server, so that a name of another site that resolves to 127.0.0.1 (DNS
 *         rebinding) is refused
 *     no header lets other sites read an answer, or show it in a frame
 *     only GET and HEAD are answered, and nothing is written
 *     names in a request select from the list of reports, and are never part of a path
 *
 * All requests run in one thread, one after another. The number of connections, their memory and
 * their time are limited. The last pages that were made are kept in memory until their reports
 * change.
 */
#include "aprof-config.h"

#include "tools/serve.h"
#include "tools/history_command.h"
#include "tools/html_page.h"
#include "lib/base/page_template.h"

#ifdef HAVE_LIBMICROHTTPD
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define CONNECTIONS_MAX    32
#define CONNECTION_BYTES   (32 << 10)
#define CONNECTION_SECONDS 20
#define TOKEN_BYTES        16
#define PAGES_KEPT         4
#define WATCHED_SECONDS    15
#define POLICY_COMMON                                                                              \
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "   \
    "frame-ancestors 'self'; base-uri 'none'; form-action 'none'"

struct kept_page {
    char *key;
    struct MHD_Response *response;
};

struct serve_server {
    struct MHD_Daemon *daemon;
    struct serve_source *source;
    char token[2 * TOKEN_BYTES + 1];
    char *address, *hosts[2];
    struct kept_page pages[PAGES_KEPT]; /* stored pages; the page that was sent last is the first */
    time_t watched;                     /* time when the state was last read; atomic */
};

/* A request that is being answered. */
struct request {
    struct serve_server *server;
    struct MHD_Connection *connection;
};

/* Answers -------------------------------------------------------------------------------------- */

static struct MHD_Response *make_response(char *text, size_t bytes, const char *type)
{
    static const char *const headers[][2] = {
        {"Cache-Control", "no-store"},
        {"Content-Security-Policy", POLICY_COMMON "; connect-src 'self'; frame-src 'self'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "SAMEORIGIN"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Referrer-Policy", "no-referrer"},
    };
    struct MHD_Response *response =
        MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE);
    MHD_add_response_header(response, "Content-Type", type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    return response;
}

static enum MHD_Result send_response(const struct request *r, unsigned status,
                                     struct MHD_Response *response)
{
    enum MHD_Result result = MHD_queue_response(r->connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result send_words(const struct request *r, unsigned status, const char *words)
{
    char *text = memory_format("%s\n", words);
    return send_response(r, status, make_response(text, strlen(text), "text/plain; charset=utf-8"));
}

/* A text that is written by means of a stream. */
struct answer_text {
    char *at;
    size_t bytes;
    FILE *stream;
};

static bool text_open(struct answer_text *text)
{
    text->at = NULL;
    text->stream = open_memstream(&text->at, &text->bytes);
    return text->stream != NULL;
}

/* Returns the text; after a failure, frees the text and returns NULL. */
static char *text_close(struct answer_text *text, bool good)
{
    bool whole = !ferror(text->stream);
    if (fclose(text->stream) == 0 && whole && good)
        return text->at;
    free(text->at);
    return NULL;
}

/* Pages ---------------------------------------------------------------------------------------- */

static void page_free(struct kept_page *page)
{
    if (page->response)
        MHD_destroy_response(page->response);
    free(page->key);
}

/* Sends the stored page; false if the page is not stored. A response counts the connections that
 * use it, so a page may be replaced while it is sent. */
static bool send_kept(const struct request *r, const char *key, enum MHD_Result *result)
{
    struct kept_page *pages = r->server->pages;
    for (size_t i = 0; i < PAGES_KEPT; i++) {
        if (!pages[i].key || strcmp(pages[i].key, key) != 0)
            continue;
        struct kept_page found = pages[i];
        memmove(&pages[1], &pages[0], i * sizeof *pages);
        pages[0] = found;
        *result = MHD_queue_response(r->connection, MHD_HTTP_OK, found.response);
        return true;
    }
    return false;
}

static enum MHD_Result keep_and_send(const struct request *r, char *key, char *text, size_t bytes)
{
    struct kept_page *pages = r->server->pages;
    page_free(&pages[PAGES_KEPT - 1]);
    memmove(&pages[1], &pages[0], (PAGES_KEPT - 1) * sizeof *pages);
    pages[0] = (struct kept_page){key, make_response(text, bytes, "text/html; charset=utf-8")};
    return MHD_queue_response(r->connection, MHD_HTTP_OK, pages[0].response);
}

static const char *argument(const struct request *r, const char *name)
{
    return MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result make_page(const struct request *r, const struct serve_report *a,
                                 const struct serve_report *b)
{
    enum MHD_Result result;
    struct failure why;
    struct answer_text text;
    char *key =
        memory_format("%s %s\n%s %s", a->name, a->stamp, b ? b->name : "", b ? b->stamp : "");
    if (send_kept(r, key, &result)) {
        free(key);
        return result;
    }
    if (!text_open(&text)) {
        free(key);
        return MHD_NO;
    }
    char *page = text_close(&text, serve_write_page(a, b, text.stream, &why));
    if (page)
        return keep_and_send(r, key, page, text.bytes);
    free(key);
    return send_words(r, MHD_HTTP_INTERNAL_SERVER_ERROR, why.text);
}

static enum MHD_Result answer_page(const struct request *r)
{
    const char *a_name = argument(r, "a"), *b_name = argument(r, "b");
    serve_reports reports = {0};
    serve_list(r->server->source, &reports);
    const struct serve_report *a = a_name ? serve_find(&reports, a_name) : NULL;
    const struct serve_report *b = b_name ? serve_find(&reports, b_name) : NULL;
    enum MHD_Result result = a && (b || !b_name)
                                 ? make_page(r, a, b)
                                 : send_words(r, MHD_HTTP_NOT_FOUND, "no such report");
    serve_list_free(&reports);
    return result;
}

static enum MHD_Result answer_history(const struct request *r)
{
    struct failure why;
    struct answer_text text;
    if (!text_open(&text))
        return MHD_NO;
    char *page =
        text_close(&text, history_html_write(r->server->source->database, text.stream, &why));
    return page ? send_response(r, MHD_HTTP_OK,
                                make_response(page, text.bytes, "text/html; charset=utf-8"))
                : send_words(r, MHD_HTTP_NOT_FOUND, why.text);
}

static enum MHD_Result answer_state(const struct request *r)
{
    struct answer_text text;
    __atomic_store_n(&r->server->watched, time(NULL), __ATOMIC_RELAXED);
    if (!text_open(&text))
        return MHD_NO;
    serve_write_state(r->server->source, text.stream);
    char *state = text_close(&text, true);
    return state
               ? send_response(r, MHD_HTTP_OK, make_response(state, text.bytes, "application/json"))
               : MHD_NO;
}

static enum MHD_Result answer_index(const struct request *r)
{
    struct answer_text text;
    if (!text_open(&text))
        return MHD_NO;
    fputs(html_write_head(serve_template, text.stream), text.stream);
    char *page = text_close(&text, true);
    return page ? send_response(r, MHD_HTTP_OK,
                                make_response(page, text.bytes, "text/html; charset=utf-8"))
                : MHD_NO;
}

/* Requests ------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum MHD_Result (*answer)(const struct request *);
} routes[] = {
    {"", answer_index},
    {"state", answer_state},
    {"page", answer_page},
    {"history", answer_history},
};

static bool is_this_host(const struct request *r)
{
    const char *host = MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Host");
    for (size_t i = 0; host && i < sizeof r->server->hosts / sizeof *r->server->hosts; i++) {
        if (strcmp(host, r->server->hosts[i]) == 0)
            return true;
    }
    return false;
}

/* The part of the address after the token; NULL if the token is wrong. The comparison takes the
 * same time no matter how many characters of the token match. */
static const char *after_token(const struct serve_server *server, const char *url)
{
    size_t length = strlen(server->token);
    unsigned differences = 0;
    if (strlen(url) < length + 2 || url[0] != '/' || url[length + 1] != '/')
        return NULL;
    for (size_t i = 0; i < length; i++)
        differences |= (unsigned char)(url[i + 1] ^ server->token[i]);
    return differences == 0 ? url + length + 2 : NULL;
}

static enum MHD_Result answer(void *server, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_bytes, void **state)
{
    const struct request r = {server, connection};
    (void)version;
    (void)upload;
    (void)upload_bytes;
    (void)state;
    if (!is_this_host(&r))
        return send_words(&r, MHD_HTTP_FORBIDDEN, "wrong Host");
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return send_words(&r, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD are allowed");
    const char *rest = after_token(server, url);
    if (!rest)
        return send_words(&r, MHD_HTTP_NOT_FOUND,
                          "wrong address; `aprof serve` printed the right one");
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (strcmp(rest, routes[i].name) == 0)
            return routes[i].answer(&r);
    }
    return send_words(&r, MHD_HTTP_NOT_FOUND, "no such page");
}

/* Start and stop ------------------------------------------------------------------------------- */

static bool make_token(char *token)
{
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

struct serve_server *serve_start(struct serve_source *source, unsigned port, struct failure *why)
{
    struct serve_server *server = memory_get_zeroed(1, sizeof *server);
    const struct sockaddr_in loopback = {.sin_family = AF_INET,
                                         .sin_port = htons((uint16_t)port),
                                         .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    server->source = source;
    if (make_token(server->token))
        server->daemon = MHD_start_daemon(
            MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)port, NULL, NULL, answer, server,
            MHD_OPTION_SOCK_ADDR, &loopback, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
            MHD_OPTION_CONNECTION_TIMEOUT, CONNECTION_SECONDS, MHD_OPTION_END);
    if (!server->daemon) {
        failure_set(why, "serve: cannot listen on 127.0.0.1:%u: %s", port, strerror(errno));
        free(server);
        return NULL;
    }
    unsigned bound = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    server->address = memory_format("http://127.0.0.1:%u/%s/", bound, server->token);
    server->hosts[0] = memory_format("127.0.0.1:%u", bound);
    server->hosts[1] = memory_format("localhost:%u", bound);
    return server;
}

void serve_stop(struct serve_server *server)
{
    MHD_stop_daemon(server->daemon);
    for (size_t i = 0; i < PAGES_KEPT; i++)
        page_free(&server->pages[i]);
    free(server->hosts[0]);
    free(server->hosts[1]);
    free(server->address);
    free(server);
}

const char *serve_address(const struct serve_server *server)
{
    return server->address;
}

bool serve_is_watched(const struct serve_server *server)
{
    return time(NULL) - __atomic_load_n(&server->watched, __ATOMIC_RELAXED) < WATCHED_SECONDS;
}

#else
struct serve_server *serve_start(struct serve_source *source, unsigned port, struct failure *why)
{
    (void)source;
    (void)port;
    failure_set(why, "serve: built without libmicrohttpd; install libmicrohttpd-dev and configure "
                     "again");
    return NULL;
}

void serve_stop(struct serve_server *server)
{
    (void)server;
}

const char *serve_address(const struct serve_server *server)
{
    (void)server;
    return "";
}

bool serve_is_watched(const struct serve_server *server)
{
    (void)server;
    return false;
}
#endif
