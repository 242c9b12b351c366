/* `aprof serve`: reports in a browser, updated while the program runs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The server answers in its own thread (serve_http.c). The main thread requests reports of the
 * running program while a browser shows them, and waits for the signal that ends the command.
 */
#include "tools/command.h"
#include "tools/html_page.h"
#include "tools/history_command.h"
#include "tools/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define EVERY_DEFAULT 5
#define TICK_NS       200000000

struct settings {
    const char *database;
    unsigned long port;
    double every;
};

static bool find_source(const char *operand, struct serve_source *source, struct failure *why)
{
    struct stat status;
    source->path = operand;
    bool exists = stat(operand, &status) == 0;
    if (!exists && live_process_is_pid(operand)) {
        source->kind = SERVE_PROCESS;
        return live_process_find(&source->process, operand, why);
    }
    if (!exists)
        return failure_set(why, "%s: %s", operand, strerror(errno));
    source->kind = S_ISDIR(status.st_mode) ? SERVE_FOLDER : SERVE_FILE;
    return true;
}

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Requests reports until SIGINT, SIGTERM or SIGHUP arrives. */
static void wait_and_request(struct serve_source *source, const struct serve_server *server,
                             double every, const sigset_t *ends)
{
    const struct timespec tick = {0, TICK_NS};
    double next = 0;
    while (sigtimedwait(ends, NULL, &tick) < 0) {
        if (source->kind != SERVE_PROCESS || now_seconds() < next || !serve_is_watched(server))
            continue;
        live_process_request(&source->process);
        next = now_seconds() + live_process_interval(&source->process, every);
    }
}

static bool serve(struct serve_source *source, const struct settings *s, struct failure *why)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, NULL); /* must precede the start of the server's thread */
    signal(SIGPIPE, SIG_IGN);
    struct serve_server *server = serve_start(source, (unsigned)s->port, why);
    if (!server)
        return false;
    const char *hint = source->kind == SERVE_PROCESS ? live_process_hint(&source->process) : NULL;
    if (hint)
        message_error("serve: process %s: %s", source->path, hint);
    puts(serve_address(server));
    fflush(stdout);
    wait_and_request(source, server, s->every, &ends);
    serve_stop(server);
    return true;
}

static int run(const struct command *command, char **argv)
{
    struct settings settings = {.database = HISTORY_DATABASE, .every = EVERY_DEFAULT};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    struct serve_source source = {.database = settings.database};
    bool good = html_has_page(&why) && find_source(options.operands.at[0], &source, &why) &&
                serve(&source, &settings, &why);
    live_process_free(&source.process);
    return good ? STATUS_OK : message_failure(&why);
}

static const struct option_entry serve_options[] = {
    {'p', "port", "N", "port to listen on [any free port]", OPTION_INTO(struct settings, port),
     .most = 65535},
    {'e', "every", "SECONDS", "interval between two requests for a report [5]",
     OPTION_INTO(struct settings, every), .most = 86400},
    {'d', "database", "FILE", "database of the history to show [" HISTORY_DATABASE "]",
     OPTION_INTO(struct settings, database)},
    {0},
};

const struct command command_serve = {
    .name = "serve",
    .summary = "shows reports in a browser, also of a running program",
    .usage = "[options] REPORT|FOLDER|PID",
    .details =
        "Prints the address of a page that shows the newest report, and that only browsers on\n"
        "this machine can open. The page is updated when the report changes, and can also\n"
        "compare the reports of a folder and show a history. The reports of a running program\n"
        "are requested while the page is open. Ctrl-C ends the server.",
    .options = serve_options,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "one report, folder or process",
    .run = run,
};
