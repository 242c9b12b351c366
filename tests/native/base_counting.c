/* The smallest runtime, which counts entries and exits of routines, for the tests of native/base.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The report begins with the head of aprof-out(5) and the reason for the end. Next are the calls of
 * each thread and of all ended threads; the first calls have the file of the routine's object.
 */
#include "native/base/modules.h"
#include "native/base/dump.h"
#include "native/base/environment.h"
#include "native/base/report_output.h"
#include "native/base/process.h"
#include "native/base/syscalls.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

struct counting {
    uint64_t enters, leaves;
};

#define PLACES 64

static struct {
    struct counting ended;
    uint64_t n_ended, n_started;
    uintptr_t places[PLACES];
    uint32_t n_places;
} total;

static struct {
    char out[NATIVE_OPTION_TEXT_BYTES];
    uint64_t bytes, duration, number;
    uint64_t late; /* ns; another report is requested while exec's report is being written */
    double fraction;
    uint32_t colour;
    struct native_dump_settings dump;
} config = {.out = "aprof.counting.%p"};

NATIVE_EXPORT void __cyg_profile_func_enter(void *routine, void *site);
NATIVE_EXPORT void __cyg_profile_func_exit(void *routine, void *site);

static void remember(uintptr_t routine)
{
    uint32_t n = __atomic_load_n(&total.n_places, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < n; i++)
        if (total.places[i] == routine)
            return;
    if (n < PLACES && __atomic_compare_exchange_n(&total.n_places, &n, n + 1, 0, __ATOMIC_RELAXED,
                                                  __ATOMIC_RELAXED))
        total.places[n] = routine;
}

void __cyg_profile_func_enter(void *routine, void *site)
{
    struct native_thread *self = native_self;
    (void)site;
    if (UNLIKELY(!self) && !(self = native_thread_attach()))
        return;
    if (UNLIKELY(!native_enter(self)))
        return;
    ((struct counting *)native_thread_data(self))->enters++;
    remember((uintptr_t)routine);
    native_leave(self);
}

void __cyg_profile_func_exit(void *routine, void *site)
{
    struct native_thread *self = native_self;
    (void)routine, (void)site;
    if (UNLIKELY(!self) || UNLIKELY(!native_enter(self)))
        return;
    ((struct counting *)native_thread_data(self))->leaves++;
    native_leave(self);
}

static bool start(void)
{
    static const char *const colours[] = {"red", "green", "blue", NULL};
    static const struct native_option table[] = {
        {"out", NATIVE_TEXT, NATIVE_OFFSETOF(__typeof__(config), out), NULL, NULL},
        {"bytes", NATIVE_BYTES, NATIVE_OFFSETOF(__typeof__(config), bytes), NULL, NULL},
        {"duration", NATIVE_DURATION, NATIVE_OFFSETOF(__typeof__(config), duration), NULL, NULL},
        {"late", NATIVE_DURATION, NATIVE_OFFSETOF(__typeof__(config), late), NULL, NULL},
        {"number", NATIVE_NUMBER, NATIVE_OFFSETOF(__typeof__(config), number), NULL, NULL},
        {"fraction", NATIVE_FRACTION, NATIVE_OFFSETOF(__typeof__(config), fraction), NULL, NULL},
        {"colour", NATIVE_CHOICE, NATIVE_OFFSETOF(__typeof__(config), colour), colours, NULL},
        NATIVE_DUMP_OPTIONS(__typeof__(config), dump),
        {0},
    };
    native_options_read("APROF_COUNTING", table, &config);
    native_output_choose("APROF_COUNTING", config.out);
    native_dump_choose("APROF_COUNTING", &config.dump);
    return true;
}

static void prepare_copy(struct native_thread *self)
{
    struct timespec nap = {0, (long)config.late};
    if (!self || !config.late)
        return;
    native_dump_requested(SIGUSR1);
    native_syscall(SYS_nanosleep, &nap, 0);
}

static void thread_started(struct native_thread *self)
{
    (void)self;
    __atomic_add_fetch(&total.n_started, 1, __ATOMIC_RELAXED);
}

static void thread_ended(struct native_thread *self)
{
    struct counting *mine = native_thread_data(self);
    __atomic_add_fetch(&total.ended.enters, mine->enters, __ATOMIC_RELAXED);
    __atomic_add_fetch(&total.ended.leaves, mine->leaves, __ATOMIC_RELAXED);
    __atomic_add_fetch(&total.n_ended, 1, __ATOMIC_RELAXED);
}

static void put_counts(struct record_writer *out, const char *tag, uint64_t number,
                       const struct counting *counts)
{
    record_put_raw(out, tag);
    record_put_number(out, number);
    record_put_number(out, counts->enters);
    record_put_number(out, counts->leaves);
    record_end(out);
}

static void put_place(struct record_writer *out, uintptr_t place)
{
    const struct native_module *module = native_modules_find(place);
    record_put_raw(out, "routine");
    record_put_text(out, module ? module->path : NULL);
    record_put_hex_bytes(out, module ? module->build_id : NULL,
                         module ? module->build_id_bytes : 0);
    record_put_hex(out, module ? native_module_offset(module, place) : 0);
    record_end(out);
}

static void put_options(struct record_writer *out)
{
    char fraction[32];
    size_t n = 0;
    native_text_append_real(fraction, sizeof fraction, &n, config.fraction);
    record_put_raw(out, "options");
    record_put_number(out, config.bytes);
    record_put_number(out, config.duration);
    record_put_number(out, config.number);
    record_put_text(out, fraction);
    record_put_number(out, config.colour);
    record_end(out);
}

static void put_report(struct record_writer *out, void *context)
{
    record_put_raw(out, "counting");
    record_put_number(out, 1);
    record_end(out);
    record_put_line(out, "creator", "aprof " APROF_VERSION);
    record_put_raw(out, "command");
    record_put_words(out, native_arguments());
    record_end(out);
    record_put_raw(out, "process");
    record_put_words(out, native_output_process_words());
    record_end(out);
    put_options(out);
    record_put_raw(out, "end");
    record_put_text(out, context);
    record_end(out);
    put_counts(out, "ended", total.n_ended, &total.ended);
    for (struct native_thread *thread = native_threads(); thread; thread = thread->next)
        if (thread->live)
            put_counts(out, "thread", thread->id, native_thread_data(thread));
    for (uint32_t i = 0; i < total.n_places; i++)
        put_place(out, total.places[i]);
    record_writer_finish(out);
}

static void finish(const char *reason)
{
    native_output_write(put_report, (void *)reason, reason);
}

static void forked_child(void)
{
    memset(&total, 0, sizeof total);
    if (native_self)
        memset(native_thread_data(native_self), 0, sizeof(struct counting));
}

const struct native_client native_client = {
    .name = "counting",
    .thread_bytes = sizeof(struct counting),
    .start = start,
    .thread_started = thread_started,
    .thread_ended = thread_ended,
    .finish = finish,
    .prepare_copy = prepare_copy,
    .finish_in_copy = finish,
    .forked_child = forked_child,
};
