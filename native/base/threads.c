/* Records of threads: made at the first hook, released in the last round of destructors.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The destructor of a pthread key detects the end of a thread. The C library calls a key's
 * destructor up to four times if the destructor sets the key's value again. The runtime's
 * destructor sets the value again, because destructors of the program may still run instrumented
 * code. The last call of the destructor ends the thread.
 */
#define _GNU_SOURCE
#include "native/base/threads.h"

#include "ground/host.h"
#include "ground/pages.h"
#include "native/base/gate.h"
#include "native/base/process.h"
#include "native/base/syscalls.h"

#include <limits.h>
#include <pthread.h>

enum { RECORD_FREE, RECORD_LIVE, RECORD_CHANGING };

NATIVE_TLS struct native_thread *native_self;

/* While the thread's record is being made or ended, this value is not 0. */
static NATIVE_TLS uint8_t changing;
static NATIVE_TLS uint8_t has_ended;

static struct native_thread *records; /* atomic; only grows */
static uint32_t n_free;               /* atomic: upper bound of the number of free records */
static uint32_t last_id;
static pthread_key_t key;
static bool has_key;

static size_t record_bytes(void)
{
    size_t bytes = sizeof(struct native_thread) + native_client.thread_bytes;
    return pages_bytes(bytes);
}

struct native_thread *native_threads(void)
{
    /* This acquire load pairs with the release in record_new. */
    return __atomic_load_n(&records, __ATOMIC_ACQUIRE);
}

/* ---------------------------------------------------------------- records */

static struct native_thread *record_new(void)
{
    struct native_thread *record = host_map("native.threads", record_bytes());
    record->live = RECORD_CHANGING;
    record->next = __atomic_load_n(&records, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&records, &record->next, record, 1, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
    return record;
}

/* Takes a free record, or makes a new record. The record's memory is zero, except for its link in
 * the list. */
static struct native_thread *record_take(void)
{
    if (!__atomic_load_n(&n_free, __ATOMIC_RELAXED))
        return record_new();
    for (struct native_thread *record = native_threads(); record; record = record->next) {
        uint32_t expected = RECORD_FREE;
        if (__atomic_load_n(&record->live, __ATOMIC_RELAXED) == RECORD_FREE &&
            __atomic_compare_exchange_n(&record->live, &expected, RECORD_CHANGING, 0,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            __atomic_sub_fetch(&n_free, 1, __ATOMIC_RELAXED);
            record->round = record->postponed = 0;
            memset(record + 1, 0, native_client.thread_bytes);
            return record;
        }
    }
    return record_new();
}

static void record_free(struct native_thread *record)
{
    native_leave(record);
    __atomic_add_fetch(&n_free, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&record->live, RECORD_FREE, __ATOMIC_RELEASE); /* pairs with record_take */
}

/* Enters a hook if the gate is open; otherwise returns false. */
static bool enter_at_once(struct native_thread *self)
{
    __atomic_store_n(&self->idle, 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* this fence pairs with the fence in native_quiesce */
    if (__atomic_load_n(&native_gate, __ATOMIC_RELAXED) == NATIVE_OPEN)
        return true;
    native_leave(self);
    return false;
}

static bool is_closed(void)
{
    return __atomic_load_n(&native_gate, __ATOMIC_RELAXED) == NATIVE_CLOSED;
}

/* ---------------------------------------------------------------- begin and end */

/* Attaches the calling thread; returns NULL if the gate is not open. Threads get no record until
 * the gate opens, because thousands of threads may wait for it, and each record takes memory. */
static struct native_thread *attach(void)
{
    struct native_thread *self = record_take();
    self->tid = (int)native_syscall(SYS_gettid);
    self->late = has_ended;
    if (!enter_at_once(self)) {
        record_free(self);
        return NULL;
    }
    self->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    if (has_key)
        pthread_setspecific(key, self);
    native_signals_thread_started(self);
    native_self = self;
    if (native_client.thread_started)
        native_client.thread_started(self);
    __atomic_store_n(&self->live, RECORD_LIVE, __ATOMIC_RELEASE);
    native_leave(self);
    return self;
}

/* Signals are blocked while the record is made, so that hooks in a signal handler never find a
 * partly attached thread. */
static struct native_thread *try_attach(void)
{
    uint64_t mask;
    native_signals_block(&mask);
    changing = 1;
    struct native_thread *self = native_self ? native_self : attach();
    changing = 0;
    native_signals_restore(&mask);
    return self;
}

struct native_thread *native_thread_attach(void)
{
    struct native_thread *self = native_self;
    if (changing || !native_start())
        return self;
    while (!is_closed()) {
        native_await_gate();
        self = try_attach();
        if (self || native_has_the_end())
            return self;
    }
    return native_self;
}

/* Ends the thread's record. After the key's destructor has run for the last time, the thread may
 * run more code: the destructor of another key, or exit in the last thread. For this code, the
 * thread gets a new record, which is kept until the process ends. */
static void end_inside(struct native_thread *self)
{
    changing = has_ended = 1;
    native_signals_thread_ended(self);
    if (native_client.thread_ended)
        native_client.thread_ended(self);
    native_self = NULL;
    record_free(self);
    changing = 0;
}

/* Ends the thread; returns false if the gate is not open. */
static bool try_end(struct native_thread *self)
{
    uint64_t mask;
    native_signals_block(&mask);
    bool is_inside = enter_at_once(self);
    if (is_inside)
        end_inside(self);
    native_signals_restore(&mask);
    return is_inside;
}

/* Ends the thread. While the last report is being written, the thread does not end, because the
 * report reads the thread's record. */
static void end(struct native_thread *self)
{
    while (!try_end(self)) {
        native_await_gate();
        if (is_closed())
            native_await_report();
        if (is_closed() || native_has_the_end())
            return;
    }
}

static void on_destructor(void *value)
{
    struct native_thread *self = value;
    if (self != native_self)
        return;
    if (++self->round < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(key, self);
    else
        end(self);
}

void native_threads_init(void)
{
    has_key = pthread_key_create(&key, on_destructor) == 0;
}

void native_threads_forked(void)
{
    n_free = 0;
    for (struct native_thread *record = native_threads(); record; record = record->next)
        if (record != native_self)
            record_free(record);
    if (native_self)
        native_self->tid = (int)native_syscall(SYS_gettid);
}
