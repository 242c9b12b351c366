/* Implements ThreadSanitizer's public interface, for sources that call it.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * clang reports ThreadSanitizer as enabled (__has_feature(thread_sanitizer)), because the runtimes
 * use ThreadSanitizer's hooks. Functions that annotate synchronisation are recorded as
 * synchronisation operations; the other functions in this file do nothing. The functions are weak,
 * because some programs define functions of the same names. All functions here declare fewer
 * parameters than callers pass, which the x86-64 ABI allows.
 */
#include "native/base/native.h"
#include "native/base/watch.h"

#define INTERFACE(type, name)                                                                      \
    NATIVE_EXPORT __attribute__((weak)) type name(void);                                           \
    type name(void)

#define SYNCHRONISES(name)                                                                         \
    INTERFACE(void, name)                                                                          \
    {                                                                                              \
        watch_thread_sync();                                                                       \
    }
#define DOES_NOTHING(name)                                                                         \
    INTERFACE(void, name)                                                                          \
    {                                                                                              \
    }
#define GIVES(type, name, value)                                                                   \
    INTERFACE(type, name)                                                                          \
    {                                                                                              \
        return value;                                                                              \
    }

/* ---------------------------------------------------------------- sanitizer/tsan_interface.h */

SYNCHRONISES(__tsan_acquire)
SYNCHRONISES(__tsan_release)
SYNCHRONISES(__tsan_mutex_pre_lock)
SYNCHRONISES(__tsan_mutex_post_lock)
DOES_NOTHING(__tsan_mutex_post_unlock)
SYNCHRONISES(__tsan_mutex_pre_signal)
DOES_NOTHING(__tsan_mutex_post_signal)
SYNCHRONISES(__tsan_mutex_pre_divert)
SYNCHRONISES(__tsan_mutex_post_divert)
DOES_NOTHING(__tsan_mutex_create)
DOES_NOTHING(__tsan_mutex_destroy)
DOES_NOTHING(__tsan_external_register_header)
DOES_NOTHING(__tsan_external_assign_tag)
DOES_NOTHING(__tsan_external_read)
DOES_NOTHING(__tsan_external_write)
DOES_NOTHING(__tsan_flush_memory)
GIVES(void *, __tsan_external_register_tag, NULL)

/* Returns the number of times that the thread has locked the mutex. */
INTERFACE(int, __tsan_mutex_pre_unlock)
{
    watch_thread_sync();
    return 1;
}

/* Most functions for fibers do nothing, because stacks.c detects switches between stacks by
 * itself. */
SYNCHRONISES(__tsan_switch_to_fiber)
DOES_NOTHING(__tsan_destroy_fiber)
DOES_NOTHING(__tsan_set_fiber_name)
GIVES(void *, __tsan_create_fiber, NULL)
GIVES(void *, __tsan_get_current_fiber, NULL)

/* sanitizer/linux_syscall_hooks.h has hooks for each system call; libuv uses the following
 * hooks. */
DOES_NOTHING(__sanitizer_syscall_pre_impl_close)
DOES_NOTHING(__sanitizer_syscall_post_impl_close)

/* ---------------------------------------------------------------- dynamic annotations */

SYNCHRONISES(AnnotateHappensBefore)
SYNCHRONISES(AnnotateHappensAfter)
SYNCHRONISES(AnnotateRWLockAcquired)
SYNCHRONISES(AnnotateRWLockReleased)
SYNCHRONISES(AnnotateCondVarWait)
SYNCHRONISES(AnnotateCondVarSignal)
SYNCHRONISES(AnnotateCondVarSignalAll)
SYNCHRONISES(AnnotatePCQPut)
SYNCHRONISES(AnnotatePCQGet)
SYNCHRONISES(AnnotatePublishMemoryRange)
SYNCHRONISES(AnnotateUnpublishMemoryRange)
DOES_NOTHING(AnnotatePCQCreate)
DOES_NOTHING(AnnotatePCQDestroy)
DOES_NOTHING(AnnotateMutexIsNotPHB)
DOES_NOTHING(AnnotateMutexIsUsedAsCondVar)
DOES_NOTHING(AnnotateExpectRace)
DOES_NOTHING(AnnotateFlushExpectedRaces)
DOES_NOTHING(AnnotateTraceMemory)
DOES_NOTHING(AnnotateRWLockCreate)
DOES_NOTHING(AnnotateRWLockCreateStatic)
DOES_NOTHING(AnnotateRWLockDestroy)
DOES_NOTHING(AnnotateBenignRace)
DOES_NOTHING(AnnotateBenignRaceSized)
DOES_NOTHING(WTFAnnotateBenignRaceSized)
SYNCHRONISES(WTFAnnotateHappensBefore)
SYNCHRONISES(WTFAnnotateHappensAfter)
DOES_NOTHING(AnnotateEnableRaceDetection)
DOES_NOTHING(AnnotateFlushState)
DOES_NOTHING(AnnotateIgnoreReadsBegin)
DOES_NOTHING(AnnotateIgnoreReadsEnd)
DOES_NOTHING(AnnotateIgnoreWritesBegin)
DOES_NOTHING(AnnotateIgnoreWritesEnd)
DOES_NOTHING(AnnotateIgnoreSyncBegin)
DOES_NOTHING(AnnotateIgnoreSyncEnd)
DOES_NOTHING(AnnotateNewMemory)
DOES_NOTHING(AnnotateNoOp)
DOES_NOTHING(AnnotateThreadName)
GIVES(int, RunningOnValgrind, 0)
