/* Client requests (aprof.h) and the corresponding monitor commands (vgdb, gdb).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A request is executed between two superblocks, so it becomes a record in the stream. A monitor
 * command may arrive in the middle of a superblock: the stream then contains the superblock's
 * accesses, but not its end. Such a command waits until the program has stopped
 * (threads_when_stopped).
 */
#include "aprof/valgrind_core.h"

#include "aprof/aprof.h"
#include "aprof/client_requests.h"
#include "aprof/stream.h"
#include "aprof/symbols.h"
#include "aprof/threads.h"

static void (*write_dump)(void);

static void request_start(void)
{
    stream_put(EVENT_COLLECT_ON, 0, 0, 0);
}

static void request_stop(void)
{
    stream_put(EVENT_COLLECT_OFF, 0, 0, 0);
}

static void request_toggle(void)
{
    stream_put(EVENT_COLLECT_TOGGLE, 0, 0, 0);
}

static void request_zero(void)
{
    stream_put(EVENT_ZERO, 0, 0, 0);
}

static void request_dump(void)
{
    write_dump();
}

/* Copies a text from the client's memory: at most `room` - 1 bytes, and only as far as the memory
 * is readable. */
static void copy_client_text(HChar *to, SizeT room, Addr from)
{
    SizeT n = 0;

    while (n + 1 < room && VG_(am_is_valid_for_client)(from + n, 1, VKI_PROT_READ)) {
        HChar c = *(const HChar *)(from + n);

        if (c == '\0')
            break;
        to[n++] = c;
    }
    to[n] = '\0';
}

static void region_begin(ThreadId tid, Addr text)
{
    HChar name[256];

    copy_client_text(name, sizeof name, text);
    stream_put(EVENT_REGION_BEGIN,
               (aprof_word)symbols_region(name[0] ? name : "(unnamed)", VG_(get_IP)(tid)), 0, 0);
}

/* Returns the number by which the hook identifies the function; 0 if the function's name is
 * empty. */
static UWord script_name(Addr text, UWord line)
{
    HChar name[1024];

    copy_client_text(name, sizeof name, text);
    return name[0] ? (UWord)symbols_script(name, line)->id + 1 : 0;
}

static void script_begin(UWord number, Addr slot)
{
    const struct routine *routine;

    if (number == 0 || number > symbols_count())
        return;
    routine = &symbols_get(number - 1)->routine;
    if (routine->is_script)
        stream_put(EVENT_SCRIPT_BEGIN, (aprof_word)routine, slot, 0);
}

/* Handles requests of interpreters' hooks. */
static Bool hook_request(const UWord *arguments, UWord *result)
{
    switch (arguments[0]) {
    case APROF_REQUEST_SCRIPT_NAME:
        *result = script_name(arguments[1], arguments[2]);
        return True;
    case APROF_REQUEST_SCRIPT_BEGIN:
        script_begin(arguments[1], arguments[2]);
        return True;
    case APROF_REQUEST_SCRIPT_END:
        stream_put(EVENT_SCRIPT_END, 0, 0, 0);
        return True;
    case APROF_REQUEST_PAUSE:
        stream_put(EVENT_PAUSE, 0, 0, 0);
        return True;
    case APROF_REQUEST_RESUME:
        stream_put(EVENT_RESUME, 0, 0, 0);
        return True;
    default:
        return False;
    }
}

static const struct {
    UWord request;
    const HChar *command;
    const HChar *help;
    void (*act)(void);
} requests[] = {
    {APROF_REQUEST_START, "start", "measure from here on", request_start},
    {APROF_REQUEST_STOP, "stop", "stop the measurement", request_stop},
    {APROF_REQUEST_TOGGLE, "toggle", "start if stopped, stop if started", request_toggle},
    {APROF_REQUEST_ZERO, "zero", "discard all measurements", request_zero},
    {APROF_REQUEST_DUMP, "dump", "write the measurements to FILE.N and discard them", request_dump},
};

#define N_REQUESTS (sizeof requests / sizeof requests[0])

static void print_commands(void)
{
    VG_(gdb_printf)("\naprof monitor commands:\n");
    for (UInt i = 0; i < N_REQUESTS; i++)
        VG_(gdb_printf)("  %-8s %s\n", requests[i].command, requests[i].help);
    VG_(gdb_printf)("\n");
}

static Bool monitor_command(const HChar *line)
{
    SizeT length = VG_(strcspn)(line, " ");

    if (length == 4 && VG_(strncmp)(line, "help", 4) == 0) {
        print_commands();
        return False; /* the core prints its own help text afterwards */
    }
    for (UInt i = 0; i < N_REQUESTS; i++) {
        if (VG_(strlen)(requests[i].command) == length &&
            VG_(strncmp)(line, requests[i].command, length) == 0) {
            threads_when_stopped(requests[i].act);
            return True;
        }
    }
    return False;
}

static Bool client_request(ThreadId tid, UWord *arguments, UWord *result)
{
    *result = 0;
    if (arguments[0] == VG_USERREQ__GDB_MONITOR_COMMAND) {
        *result = monitor_command((const HChar *)arguments[1]);
        return *result;
    }
    if (!VG_IS_TOOL_USERREQ('A', 'P', arguments[0]))
        return False;
    threads_switch(tid);
    if (arguments[0] == APROF_REQUEST_REGION_BEGIN) {
        region_begin(tid, arguments[1]);
        return True;
    }
    if (arguments[0] == APROF_REQUEST_REGION_END) {
        stream_put(EVENT_REGION_END, 0, 0, 0);
        return True;
    }
    if (hook_request(arguments, result))
        return True;
    for (UInt i = 0; i < N_REQUESTS; i++) {
        if (requests[i].request == arguments[0]) {
            requests[i].act();
            return True;
        }
    }
    return False;
}

void client_requests_register(void (*dump)(void))
{
    write_dump = dump;
    VG_(needs_client_requests)(client_request);
}
