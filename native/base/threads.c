/* Records of threads: made at the first hook, given back in the last round of destructors.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A thread's end is noticed by the destructor of a pthread key. The C library calls such
 * destructors up to four times, as long as they set their values again; ours does, so that
 * destructors of the program that run instrumented code are still profiled, and ends the thread
 * when called last.
 */
#define _GNU_SOURCE
#include "native/base/threads.h"

#include "ground/host.h"
#include "ground/pages.h"
#include "native/base/process.h"
#include "native/base/syscalls.h"

#include <limits.h>
#include <pthread.h>

enum { RECORD_FREE, RECORD_LIVE, RECORD_CHANGING };

NATIVE_TLS struct native_thread *native_self;

/* The record is being made or ended. */
static NATIVE_TLS uint8_t changing;
static NATIVE_TLS uint8_t has_ended;

static struct native_thread *records; /* atomic; only grows */
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
    /* Acquire: partner of the release in record_new. */
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

/* A free record, or a new one; its memory but for what the list needs is zero. */
static struct native_thread *record_take(void)
{
    for (struct native_thread *record = native_threads(); record; record = record->next) {
        uint32_t expected = RECORD_FREE;
        if (__atomic_load_n(&record->live, __ATOMIC_RELAXED) == RECORD_FREE &&
            __atomic_compare_exchange_n(&record->live, &expected, RECORD_CHANGING, 0,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
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
    __atomic_store_n(&record->live, RECORD_FREE, __ATOMIC_RELEASE); /* partner: record_take */
}

/* Inside, unless the report is being written: then the record stays as it is for the report. */
static bool enter_or_leave_alone(struct native_thread *self)
{
    __atomic_store_n(&self->idle, 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* partner: the fence of native_quiesce */
    if (__atomic_load_n(&native_gate, __ATOMIC_RELAXED) == NATIVE_OPEN)
        return true;
    return native_enter_slowly(self);
}

/* ---------------------------------------------------------------- begin and end */

/* Before the client has been told, its bytes are of no use to a report that is written while this waits. */
static struct native_thread *attach(void)
{
    struct native_thread *self = record_take();
    self->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    self->tid = (int)native_syscall(SYS_gettid);
    self->late = has_ended;
    if (!enter_or_leave_alone(self)) {
        record_free(self);
        return NULL;
    }
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

/* Signals wait meanwhile: a handler's hooks find the thread attached or not at all. */
struct native_thread *native_thread_attach(void)
{
    uint64_t mask;
    if (changing || !native_start() ||
        __atomic_load_n(&native_gate, __ATOMIC_RELAXED) == NATIVE_CLOSED)
        return native_self;
    native_signals_block(&mask);
    changing = 1;
    struct native_thread *self = native_self ? native_self : attach();
    changing = 0;
    native_signals_restore(&mask);
    return self;
}

/* What the thread still runs (another key's last destructor; exit, if it is the last of all
 * threads) gets a new record, which lives until the process ends. */
static void end(struct native_thread *self)
{
    uint64_t mask;
    native_signals_block(&mask);
    changing = has_ended = 1;
    native_signals_thread_ended(self);
    if (enter_or_leave_alone(self)) {
        if (native_client.thread_ended)
            native_client.thread_ended(self);
        native_self = NULL;
        record_free(self);
    } else {
        native_await_report();
    }
    changing = 0;
    native_signals_restore(&mask);
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
    for (struct native_thread *record = native_threads(); record; record = record->next)
        if (record != native_self)
            record_free(record);
    if (native_self)
        native_self->tid = (int)native_syscall(SYS_gettid);
}
