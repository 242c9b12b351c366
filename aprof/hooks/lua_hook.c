/* Reports the functions of Lua scripts to the Valgrind tool: Lua 5.3 and 5.4.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The library needs no headers of Lua. Lua calls the hook when a function begins and when it ends,
 * but not when an error or a yield leaves functions. The hook therefore keeps a list of the frames
 * of all running functions, also of C functions. Each event shows which frames of the list still
 * exist:
 *
 *     main  pcall  f  g         g raises an error, which pcall catches
 *     main                      the return from pcall removes f and g as well
 *
 * A coroutine runs between the call and the return of coroutine.resume. When a coroutine continues,
 * its frames are added to the list again, so each resumption of a coroutine counts as a call. The
 * caller of a tail call ends at the same time as the called function. A tail call of a function
 * that is already in the same chain of tail calls is a loop, as in machine code.
 *
 * Functions have no names in Lua. The name is taken from the source line where the function begins.
 */
#include "aprof/hooks/hook_names.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef struct lua_State lua_State;
typedef int lua_function(lua_State *);
typedef void hook_function(lua_State *, void *record);

extern void lua_sethook(lua_State *L, hook_function *hook, int mask, int count);
extern int lua_getinfo(lua_State *L, const char *what, void *record);
extern int lua_getstack(lua_State *L, int level, void *record);
extern lua_function *lua_tocfunction(lua_State *L, int index);
extern const char *lua_tolstring(lua_State *L, int index, size_t *length);
extern void lua_settop(lua_State *L, int index);

enum { HOOK_CALL, HOOK_RETURN, HOOK_TAIL_CALL = 4 };
#define MASK_CALL_RETURN 3

/* The structure lua_Debug of Lua 5.4. */
struct record_54 {
    int event;
    const char *name, *name_what, *what, *source;
    size_t n_source;
    int current_line, line, last_line;
    unsigned char n_upvalues, n_parameters;
    char is_vararg, is_tail_call;
    unsigned short first_value, n_values;
    char short_source[60];
    void *frame;
};

/* The structure lua_Debug of Lua 5.3. */
struct record_53 {
    int event;
    const char *name, *name_what, *what, *source;
    int current_line, line, last_line;
    unsigned char n_upvalues, n_parameters;
    char is_vararg, is_tail_call;
    char short_source[60];
    void *frame;
};

union record {
    struct record_54 v54;
    struct record_53 v53;
};

static int is_53;

/* The function and the frame of an event. */
struct call {
    const char *what, *source;
    int line;
    void *frame;
};

/* A function that runs. In the list, the frames of a coroutine are adjacent. */
struct frame {
    lua_State *state;
    void *frame;
    uintptr_t number; /* number of the function; NOT_REPORTED: for example a function in C */
    int is_foreign;   /* whether this is a C function outside the interpreter */
};

OF_THREAD struct frame *frames;
OF_THREAD size_t n_frames, frames_capacity;

/* ---------------------------------------------------------------- names */

#define INIT_SOURCE "=LUA_INIT"

static int is_name_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '.' || byte == ':';
}

/* Copies the name of the function that begins in this line: "function Book.insert(" or
 * "insert = function(". */
static void name_in_line(const char *text, char *name, size_t room)
{
    const char *word = strstr(text, "function"), *begin, *end;
    if (!word)
        return;
    for (begin = word + strlen("function"); *begin == ' ' || *begin == '\t';)
        begin++;
    for (end = begin; is_name_byte(*end);)
        end++;
    if (end == begin) {
        for (end = word; end > text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '=');)
            end--;
        for (begin = end; begin > text && is_name_byte(begin[-1]);)
            begin--;
        if (!memchr(end, '=', (size_t)(word - end)))
            return;
    }
    if (end > begin && (size_t)(end - begin) < room)
        snprintf(name, room, "%.*s", (int)(end - begin), begin);
}

/* Reads a line of the source. The source is "@FILE" or the text of the program. */
static void line_read(const char *source, int number, char *line, int room)
{
    FILE *file = *source == '@' ? fopen(source + 1, "r")
                                : fmemopen((void *)(uintptr_t)source, strlen(source), "r");
    *line = 0;
    for (int at = 0; file && at < number && fgets(line, room, file);)
        at += strchr(line, '\n') != NULL || feof(file);
    if (file)
        fclose(file);
}

static uintptr_t number_of_new(const struct call *call)
{
    char line[1000], name[200] = "";
    const char *file = *call->source == '@' ? call->source + 1 : "";
    if (*call->what == 'm') {
        snprintf(name, sizeof name, "main chunk");
    } else {
        line_read(call->source, call->line, line, sizeof line);
        name_in_line(line, name, sizeof name);
    }
    if (!*name)
        snprintf(name, sizeof name, "(anonymous):%d", call->line);
    return hook_register(name, file, call->line);
}

/* Functions in C, and the code that starts the hook, are not reported. */
static uintptr_t number_of(const struct call *call)
{
    uintptr_t a = (uintptr_t)call->source, b = (uintptr_t)call->line, number;
    if (*call->what == 'C' || strncmp(call->source, INIT_SOURCE, strlen(INIT_SOURCE)) == 0)
        return NOT_REPORTED;
    number = hook_number(a, b);
    return number ? number : hook_number_keep(a, b, number_of_new(call));
}

/* ---------------------------------------------------------------- frames */

static const void *object_of(const void *address)
{
    Dl_info found;
    return dladdr(address, &found) ? found.dli_fbase : NULL;
}

static void *address_of_function(lua_function *function)
{
    void *address;
    memcpy(&address, &function, sizeof address);
    return address;
}

/* Returns whether the C function of this record is outside the interpreter. */
static int is_foreign(lua_State *L, union record *record)
{
    OF_THREAD struct {
        const void *function;
        int is_foreign;
    } known[64];
    const void *function;
    size_t slot;
    lua_getinfo(L, "f", record);
    function = address_of_function(lua_tocfunction(L, -1));
    lua_settop(L, -2);
    slot = (uintptr_t)function / 16 % 64;
    if (known[slot].function != function) {
        known[slot].function = function;
        known[slot].is_foreign = object_of(function) != object_of((void *)lua_getinfo);
    }
    return known[slot].is_foreign;
}

/* Removes all frames from index n on. If an error has jumped out of machine code of other objects,
 * the tool has already ended all functions that this code called. */
static void frames_remove(size_t n)
{
    size_t n_ends = 0;
    for (; n_frames > n; n_frames--) {
        const struct frame *frame = &frames[n_frames - 1];
        n_ends = frame->is_foreign ? 0 : n_ends + (frame->number != NOT_REPORTED);
    }
    for (; n_ends > 0; n_ends--)
        APROF_REQUEST(APROF_REQUEST_SCRIPT_END);
    APROF_REQUEST(APROF_REQUEST_PAUSE);
}

static void frame_add(lua_State *L, union record *record, const struct call *call)
{
    struct frame added = {L, call->frame, number_of(call), 0};
    if (n_frames == frames_capacity) {
        size_t capacity = frames_capacity ? 2 * frames_capacity : 256;
        struct frame *grown = realloc(frames, capacity * sizeof *frames);
        if (!grown)
            return;
        frames = grown;
        frames_capacity = capacity;
    }
    added.is_foreign = *call->what == 'C' && is_foreign(L, record);
    frames[n_frames++] = added;
    if (added.number != NOT_REPORTED)
        hook_begin(added.number);
    APROF_REQUEST(APROF_REQUEST_PAUSE);
}

/* Returns the index after the newest matching frame; 0 if no frame matches. If `frame` is NULL,
 * every frame of the state `L` matches. */
static size_t frames_find(const lua_State *L, const void *frame)
{
    size_t n = n_frames;
    while (n > 0 && (frames[n - 1].state != L || (frame && frames[n - 1].frame != frame)))
        n--;
    return n;
}

static struct call call_of(lua_State *L, union record *record)
{
    lua_getinfo(L, "S", record);
    if (is_53)
        return (struct call){record->v53.what, record->v53.source, record->v53.line,
                             record->v53.frame};
    return (struct call){record->v54.what, record->v54.source, record->v54.line, record->v54.frame};
}

/* Adds the frames of a coroutine that continues, except the frame of the event. */
static void coroutine_continue(lua_State *L)
{
    union record record;
    int n = 0;
    while (lua_getstack(L, n, &record))
        n++;
    for (int level = n - 1; level > 0 && lua_getstack(L, level, &record); level--) {
        struct call call = call_of(L, &record);
        frame_add(L, &record, &call);
    }
}

/* The first members of Lua's own data about a frame. */
struct lua_frame {
    void *function, *top;
    struct lua_frame *caller;
};

static void frame_called(lua_State *L, union record *record, const struct call *call)
{
    const struct lua_frame *frame = call->frame;
    size_t n = frames_find(L, frame->caller);
    if (n)
        frames_remove(n);
    else if (!frames_find(L, NULL))
        coroutine_continue(L);
    else
        while (n_frames && frames[n_frames - 1].state == L)
            frames_remove(n_frames - 1);
    frame_add(L, record, call);
}

static void frame_replaced(lua_State *L, union record *record, const struct call *call)
{
    size_t n = frames_find(L, call->frame);
    uintptr_t number = number_of(call);
    frames_remove(n);
    for (; n > 0 && frames[n - 1].state == L && frames[n - 1].frame == call->frame; n--) {
        if (frames[n - 1].number == number) {
            frames_remove(n);
            return;
        }
    }
    frame_add(L, record, call);
}

/* All functions in a chain of tail calls have the same frame address. */
static void frame_returned(lua_State *L, const struct call *call)
{
    size_t n = frames_find(L, call->frame);
    if (!n) {
        if (!frames_find(L, NULL))
            coroutine_continue(L);
        return;
    }
    while (n > 0 && frames[n - 1].state == L && frames[n - 1].frame == call->frame)
        n--;
    frames_remove(n);
}

/* ---------------------------------------------------------------- events */

static void hook(lua_State *L, void *data)
{
    union record *record = data;
    int event = record->v54.event; /* the event is the first member in all releases */
    struct call call;
    APROF_REQUEST(APROF_REQUEST_PAUSE);
    call = call_of(L, record);
    if (event == HOOK_CALL)
        frame_called(L, record, &call);
    else if (event == HOOK_TAIL_CALL)
        frame_replaced(L, record, &call);
    else
        frame_returned(L, &call);
    APROF_REQUEST(APROF_REQUEST_RESUME);
}

/* The argument is Lua's _VERSION. */
__attribute__((visibility("default"))) int aprof_start(lua_State *L);
int aprof_start(lua_State *L)
{
    const char *version = lua_tolstring(L, 1, NULL);
    if (hook_register("start", "", 0) == NOT_REPORTED)
        return 0;
    is_53 = version && strcmp(version, "Lua 5.3") == 0;
    if (is_53 || (version && strcmp(version, "Lua 5.4") == 0))
        lua_sethook(L, hook, MASK_CALL_RETURN, 0);
    else
        fprintf(stderr, "aprof: run: this Lua cannot report functions of scripts\n");
    return 0;
}
