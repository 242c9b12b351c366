/* Requests numbers for functions of scripts from the tool, for the hooks of Lua, Perl and Ruby.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A hook identifies a function by two words, such as addresses of the interpreter's data. At the
 * first call of a function, the hook requests a number from the tool. Each thread has a table of
 * its own, so that the table needs no lock.
 */
#ifndef APROF_HOOKS_HOOK_NAMES_H
#define APROF_HOOKS_HOOK_NAMES_H

#include <aprof.h>
#include <stdint.h>
#include <stdlib.h>

/* Thread-local data, which are accessed without a call of the dynamic linker. */
#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))

#define NOT_REPORTED UINTPTR_MAX /* number of a function that is not reported */

struct hook_name {
    uintptr_t a, b; /* key */
    uintptr_t number;
};

/* Hash table with open addressing; a free slot has the number 0. */
OF_THREAD struct hook_name *hook_slots;
OF_THREAD size_t hook_n_slots, hook_n_used;

static struct hook_name *hook_slot(uintptr_t a, uintptr_t b)
{
    size_t at = ((a >> 3) * 0x9e3779b97f4a7c15u + b * 0xc2b2ae3d27d4eb4fu) >> 20;
    for (;; at++) {
        struct hook_name *slot = &hook_slots[at & (hook_n_slots - 1)];
        if (slot->number == 0 || (slot->a == a && slot->b == b))
            return slot;
    }
}

static int hook_names_grow(void)
{
    struct hook_name *old = hook_slots;
    size_t n_old = hook_n_slots, n_new = n_old ? 2 * n_old : 1024;
    struct hook_name *slots = calloc(n_new, sizeof *slots);
    if (!slots)
        return 0;
    hook_slots = slots;
    hook_n_slots = n_new;
    for (size_t i = 0; i < n_old; i++) {
        if (old[i].number)
            *hook_slot(old[i].a, old[i].b) = old[i];
    }
    free(old);
    return 1;
}

/* Returns the number of the function; 0 if the table does not contain the function. */
static inline uintptr_t hook_number(uintptr_t a, uintptr_t b)
{
    return hook_n_slots ? hook_slot(a, b)->number : 0;
}

static inline uintptr_t hook_number_keep(uintptr_t a, uintptr_t b, uintptr_t number)
{
    if (2 * hook_n_used >= hook_n_slots && !hook_names_grow())
        return number;
    *hook_slot(a, b) = (struct hook_name){a, b, number};
    hook_n_used++;
    return number;
}

/* Appends as much of the text as fits; `end` is the last byte of the space. */
static inline char *hook_append(char *to, const char *end, const char *text)
{
    while (text && *text && to < end)
        *to++ = *text++;
    *to = 0;
    return to;
}

/* Returns the tool's number for the function with this name and source; NOT_REPORTED without the
 * tool. */
static inline uintptr_t hook_register(const char *name, const char *file, long line)
{
    char text[1000], *end = text + sizeof text - 1, *at = hook_append(text, end, "hook:");
    uintptr_t number;
    at = hook_append(at, end, name);
    at = hook_append(at, end, "\n");
    hook_append(at, end, file);
    number = VALGRIND_DO_CLIENT_REQUEST_EXPR(0, APROF_REQUEST_SCRIPT_NAME, text,
                                             line > 0 ? line : 0, 0, 0, 0);
    return number ? number : NOT_REPORTED;
}

/* Reports that a function begins. The current stack pointer must be the stack pointer of the
 * interpreter's routine. */
static inline void hook_begin(uintptr_t number)
{
    VALGRIND_DO_CLIENT_REQUEST_STMT(APROF_REQUEST_SCRIPT_BEGIN, number, 0, 0, 0, 0);
}

#endif
