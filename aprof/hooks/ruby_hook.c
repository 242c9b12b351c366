/* Reports the methods of Ruby scripts to the Valgrind tool: Ruby 2.7 and later.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The extension `_aprof` needs no headers of Ruby. Ruby calls the hook when a method begins and
 * when it ends, even if it ends by an exception, `throw` or `break`. A block belongs to the method
 * that calls it.
 *
 * A method is identified by the address of its entry in Ruby's tables.
 *
 * Known limits: if the script calls GC.compact, Ruby may move this entry.
 */
#include "aprof/hooks/hook_names.h"

typedef uintptr_t value;

#define EVENT_CALL   0x08
#define EVENT_RETURN 0x10

extern void rb_add_event_hook(void (*hook)(uint32_t event, value data, value self, value method,
                                           value class),
                              uint32_t events, value data);
extern int rb_profile_frames(int first, int n, value *frames, int *lines);
extern value rb_profile_frame_qualified_method_name(value frame);
extern value rb_profile_frame_path(value frame);
extern value rb_profile_frame_first_lineno(value frame);
extern value rb_profile_frame_label(value frame);
extern value rb_obj_as_string(value object);
extern char *rb_string_value_cstr(value *text);

static const char *skip_prefix(const char *text, const char *prefix)
{
    const char *at = text;
    while (*prefix && *at == *prefix) {
        at++;
        prefix++;
    }
    return *prefix ? text : at;
}

/* Methods without a class have the class Object. Ruby's built-in methods that are written in Ruby
 * have the file "<internal:kernel>". */
static uintptr_t number_of_new(value frame)
{
    value name = rb_obj_as_string(rb_profile_frame_qualified_method_name(frame));
    value path = rb_obj_as_string(rb_profile_frame_path(frame));
    value line = rb_profile_frame_first_lineno(frame);
    const char *file = rb_string_value_cstr(&path), *text = rb_string_value_cstr(&name);
    if (skip_prefix(file, "<internal:") != file)
        return NOT_REPORTED;
    if (!*text) {
        name = rb_obj_as_string(rb_profile_frame_label(frame));
        text = rb_string_value_cstr(&name);
    }
    return hook_register(skip_prefix(text, "Object#"), file, line & 1 ? (long)(line >> 1) : 0);
}

static void hook(uint32_t event, value data, value self, value method, value class)
{
    value frame = 0;
    uintptr_t number = 0;
    (void)data, (void)self, (void)method, (void)class;
    APROF_REQUEST(APROF_REQUEST_PAUSE);
    if (rb_profile_frames(0, 1, &frame, NULL) == 1) {
        number = hook_number(frame, 0);
        if (!number && event == EVENT_CALL)
            number = hook_number_keep(frame, 0, number_of_new(frame));
    }
    APROF_REQUEST(APROF_REQUEST_RESUME);
    if (!number || number == NOT_REPORTED)
        return;
    if (event == EVENT_CALL)
        hook_begin(number);
    else
        APROF_REQUEST(APROF_REQUEST_SCRIPT_END);
}

__attribute__((visibility("default"))) void Init__aprof(void);
void Init__aprof(void)
{
    if (hook_register("start", "", 0) != NOT_REPORTED)
        rb_add_event_hook(hook, EVENT_CALL | EVENT_RETURN, 0);
}
