/* Reports the subroutines of Perl scripts to the Valgrind tool: Perl 5.24 and later, with threads.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The library needs no headers of Perl. Perl's operations are functions in the table PL_ppaddr. The
 * library replaces the operations that begin a subroutine. When Perl has entered the subroutine,
 * the hook pushes a destructor on Perl's save stack. Perl calls the destructor when the subroutine
 * ends, by return, `die`, `last` or `goto`.
 *
 *     entersub:    Perl_pp_entersub        enters the subroutine
 *                  SCRIPT_BEGIN number     the destructor will report the end
 *
 * A subroutine is identified by its first operation, so that all closures with the same code are
 * one subroutine. At the first call, the subroutine Aprof::describe finds its name.
 *
 * Known limits: subroutines that `sort` calls are part of their caller.
 */
#include "aprof/hooks/hook_names.h"

#include <stdio.h>
#include <string.h>

typedef struct interpreter interpreter;
typedef struct sv sv;

/* The first member of Perl's data about an operation. */
struct op {
    struct op *next;
};

typedef struct op *operation(interpreter *);

extern operation *PL_ppaddr[];         /* the functions of all operations */
extern const char *const PL_op_name[]; /* the names of all operations */
extern sv *Perl_find_runcv(interpreter *perl, uint32_t *unused);
extern void *Perl_caller_cx(interpreter *perl, int32_t level, void **unused);
extern void Perl_save_destructor_x(interpreter *perl, void (*f)(interpreter *, void *), void *data);
extern int32_t Perl_call_argv(interpreter *perl, const char *name, int32_t flags, char **arguments);
extern sv *Perl_get_sv(interpreter *perl, const char *name, int32_t flags);
extern char *Perl_sv_2pv_flags(interpreter *perl, sv *value, size_t *length, uint32_t flags);

/* Each release since 5.24 has more operations, but the first N_OPERATIONS include the replaced
 * operations. */
#define N_OPERATIONS 300

#define NO_RESULT (1 | 4) /* G_VOID | G_DISCARD */

/* the replaced functions of Perl */
static operation *entersub_of_perl, *goto_of_perl;

OF_THREAD int is_naming;  /* whether the hook is running Perl code of its own */
OF_THREAD long n_running; /* number of reported subroutines that are still running */

/* Aprof::describe stores "LINE FILE\nNAME". */
static uintptr_t number_of_new(interpreter *perl)
{
    char address[24], *arguments[] = {address, NULL}, *text, *name;
    sv *result;
    long line;
    snprintf(address, sizeof address, "%lu", (unsigned long)Perl_find_runcv(perl, NULL));
    is_naming = 1;
    Perl_call_argv(perl, "Aprof::describe", NO_RESULT, arguments);
    is_naming = 0;
    result = Perl_get_sv(perl, "Aprof::description", 0);
    text = result ? Perl_sv_2pv_flags(perl, result, NULL, 0) : NULL;
    if (!text)
        return NOT_REPORTED;
    line = strtol(text, &text, 10);
    name = strchr(text, '\n');
    if (!name)
        return NOT_REPORTED;
    *name++ = 0;
    return hook_register(name, text + 1, line);
}

/* ---------------------------------------------------------------- calls of C functions */

/* Stack addresses of the pending calls of C functions, the latest last. */
OF_THREAD char **c_calls;
OF_THREAD size_t n_c_calls, c_calls_capacity;

/* n_dead: number of subroutines that `die` has left and that are not yet reported as ended.
 * dead_depth: the least number of C calls that were pending when any of these subroutines began. */
OF_THREAD size_t n_dead, dead_depth;

static void c_call_add(char *frame)
{
    if (n_c_calls == c_calls_capacity) {
        size_t capacity = c_calls_capacity ? 2 * c_calls_capacity : 64;
        char **grown = realloc(c_calls, capacity * sizeof *grown);
        if (!grown)
            return;
        c_calls = grown;
        c_calls_capacity = capacity;
    }
    c_calls[n_c_calls++] = frame;
}

/* Removes the calls with frames below `frame`: these calls have returned, or a jump has left them.
 * The tool has then ended the activations of these C functions. So the ends of the subroutines that
 * called the C functions can be reported. */
static void c_calls_leave(const char *frame)
{
    while (n_c_calls > 0 && c_calls[n_c_calls - 1] < frame)
        n_c_calls--;
    for (; n_dead > 0 && n_c_calls <= dead_depth; n_dead--)
        APROF_REQUEST(APROF_REQUEST_SCRIPT_END);
}

/* ---------------------------------------------------------------- subroutines */

/* A C function may call a subroutine that calls `die`. Perl then ends the subroutines that called
 * the C function before it leaves the C function itself. */
static void left(interpreter *perl, void *depth_at_begin)
{
    size_t depth = (uintptr_t)depth_at_begin;
    (void)perl;
    n_running--;
    c_calls_leave(__builtin_frame_address(0));
    if (n_c_calls <= depth) {
        APROF_REQUEST(APROF_REQUEST_SCRIPT_END);
        return;
    }
    dead_depth = n_dead == 0 || depth < dead_depth ? depth : dead_depth;
    n_dead++;
}

/* Reports that the subroutine with the first operation `first` was entered. */
static void entered(interpreter *perl, const struct op *first)
{
    uintptr_t number;
    APROF_REQUEST(APROF_REQUEST_PAUSE);
    number = hook_number((uintptr_t)first, 0);
    if (!number)
        number = hook_number_keep((uintptr_t)first, 0, number_of_new(perl));
    if (number == NOT_REPORTED) {
        APROF_REQUEST(APROF_REQUEST_RESUME);
        return;
    }
    Perl_save_destructor_x(perl, left, (void *)n_c_calls);
    n_running++;
    hook_begin(number);
}

/* The second member of Perl's state points to the running operation. */
static struct op *op_running(interpreter *perl)
{
    return ((struct op **)perl)[1];
}

/* If the called subroutine is in C, Perl_pp_entersub runs the subroutine to its end, and then
 * returns the next operation. */
static struct op *entersub(interpreter *perl)
{
    const struct op *next = op_running(perl)->next;
    char *frame = __builtin_frame_address(0);
    struct op *first;
    c_calls_leave(frame);
    c_call_add(frame);
    first = entersub_of_perl(perl);
    c_calls_leave(frame + 1);
    if (first && first != next && !is_naming)
        entered(perl, first);
    return first;
}

/* `goto &f` ends the subroutine and enters f in its place, unless f is in C. */
static struct op *go_to(interpreter *perl)
{
    const void *place = Perl_caller_cx(perl, 0, NULL);
    long before = n_running;
    struct op *first = goto_of_perl(perl);
    if (n_running < before && !is_naming && Perl_caller_cx(perl, 0, NULL) == place)
        entered(perl, first);
    return first;
}

/* Replaces the function of the operation with this name, and stores the replaced function in `old`.
 * Perl 5.40 does not export the functions of operations. */
static void replace(const char *name, operation *new, operation **old)
{
    for (int i = 0; i < N_OPERATIONS; i++) {
        if (strcmp(PL_op_name[i], name) == 0) {
            *old = PL_ppaddr[i];
            PL_ppaddr[i] = new;
            return;
        }
    }
}

/* Aprof.pm loads the library before Perl compiles the script. */
__attribute__((constructor)) static void start(void)
{
    if (hook_register("start", "", 0) == NOT_REPORTED)
        return;
    replace("entersub", entersub, &entersub_of_perl);
    replace("goto", go_to, &goto_of_perl);
}
