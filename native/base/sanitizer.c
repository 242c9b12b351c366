/* The public interface that all sanitizers share (sanitizer/common_interface_defs.h).
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sources call this interface if the compiler reports that ThreadSanitizer is enabled
 * (annotations.c). The functions for memory accesses perform and record the access; all other
 * functions do nothing and return success. The functions are weak, as in annotations.c.
 */
#include "native/base/native.h"
#include "native/base/watch.h"

#define INTERFACE(type, name, ...)                                                                 \
    NATIVE_EXPORT __attribute__((weak)) type name(__VA_ARGS__);                                    \
    type name(__VA_ARGS__)

#define DOES_NOTHING(name)                                                                         \
    INTERFACE(void, name, void)                                                                    \
    {                                                                                              \
    }
#define GIVES(type, name, value)                                                                   \
    INTERFACE(type, name, void)                                                                    \
    {                                                                                              \
        return value;                                                                              \
    }

/* ---------------------------------------------------------------- Accesses */

/* The compiler replaces this call of memcpy by one instruction. */
#define UNALIGNED(bits)                                                                            \
    INTERFACE(uint##bits##_t, __sanitizer_unaligned_load##bits, const void *at)                    \
    {                                                                                              \
        uint##bits##_t value;                                                                      \
        watch_access((uintptr_t)at, sizeof value, WATCH_READ);                                     \
        __builtin_memcpy(&value, at, sizeof value);                                                \
        return value;                                                                              \
    }                                                                                              \
    INTERFACE(void, __sanitizer_unaligned_store##bits, void *at, uint##bits##_t value)             \
    {                                                                                              \
        watch_access((uintptr_t)at, sizeof value, WATCH_WRITE);                                    \
        __builtin_memcpy(at, &value, sizeof value);                                                \
    }
UNALIGNED(16)
UNALIGNED(32)
UNALIGNED(64)

/* -------------------------------------------------------------- Containers: nothing is poisoned */

DOES_NOTHING(__sanitizer_annotate_contiguous_container)
DOES_NOTHING(__sanitizer_annotate_double_ended_contiguous_container)
DOES_NOTHING(__sanitizer_copy_contiguous_container_annotations)
GIVES(int, __sanitizer_verify_contiguous_container, 1)
GIVES(int, __sanitizer_verify_double_ended_contiguous_container, 1)
GIVES(const void *, __sanitizer_contiguous_container_find_bad_address, NULL)
GIVES(const void *, __sanitizer_double_ended_contiguous_container_find_bad_address, NULL)

/* ---------------------------------------------------------------- Reports: there are none */

DOES_NOTHING(__sanitizer_set_report_path)
DOES_NOTHING(__sanitizer_set_report_fd)
GIVES(const char *, __sanitizer_get_report_path, "")
DOES_NOTHING(__sanitizer_sandbox_on_notify)
DOES_NOTHING(__sanitizer_report_error_summary)
DOES_NOTHING(__tsan_check_no_mutexes_held)
GIVES(void *, __tsan_get_current_report, NULL)
GIVES(int, __tsan_get_report_data, 0)
GIVES(int, __tsan_get_report_stack, 0)
GIVES(int, __tsan_get_report_mop, 0)
GIVES(int, __tsan_get_report_loc, 0)
GIVES(int, __tsan_get_report_mutex, 0)
GIVES(int, __tsan_get_report_thread, 0)
GIVES(int, __tsan_get_report_unique_tid, 0)
DOES_NOTHING(__sanitizer_set_death_callback)
DOES_NOTHING(__sanitizer_print_stack_trace)
DOES_NOTHING(__sanitizer_print_memory_profile)
GIVES(int, __sanitizer_acquire_crash_state, 1)
GIVES(int, __sanitizer_get_module_and_offset_for_pc, 0)

static void give_no_text(char *text, size_t bytes)
{
    if (text && bytes)
        *text = 0;
}

INTERFACE(void, __sanitizer_symbolize_pc, void *pc, const char *format, char *text, size_t bytes)
{
    (void)pc, (void)format;
    give_no_text(text, bytes);
}

INTERFACE(void, __sanitizer_symbolize_global, void *at, const char *format, char *text,
          size_t bytes)
{
    (void)at, (void)format;
    give_no_text(text, bytes);
}

/* ---------------------------------------------------------------- Fibers: stacks are noticed */

INTERFACE(void, __sanitizer_start_switch_fiber, void **save, const void *bottom, size_t size)
{
    (void)bottom, (void)size;
    if (save)
        *save = NULL;
    watch_thread_sync();
}

INTERFACE(void, __sanitizer_finish_switch_fiber, void *save, const void **bottom, size_t *size)
{
    (void)save;
    if (bottom)
        *bottom = NULL;
    if (size)
        *size = 0;
    watch_thread_sync();
}

/* --------------------------------------------------------- Comparisons reported to a fuzzer */

DOES_NOTHING(__sanitizer_weak_hook_memcmp)
DOES_NOTHING(__sanitizer_weak_hook_strncmp)
DOES_NOTHING(__sanitizer_weak_hook_strncasecmp)
DOES_NOTHING(__sanitizer_weak_hook_strcmp)
DOES_NOTHING(__sanitizer_weak_hook_strcasecmp)
DOES_NOTHING(__sanitizer_weak_hook_strstr)
DOES_NOTHING(__sanitizer_weak_hook_strcasestr)
DOES_NOTHING(__sanitizer_weak_hook_memmem)
