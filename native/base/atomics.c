/* The compiler's hooks for atomic operations perform the operation in the requested memory order.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each atomic operation counts as a synchronisation operation, for any memory order. A store is
 * recorded before the operation, and a load after the operation. So if another thread synchronises
 * with an atomic operation, all accesses before this operation have been recorded.
 * Read-modify-write operations are recorded before they take place. Accesses recorded before the
 * operation belong to the epoch that the operation ends. After an acquire, no other context may
 * find a token that this context still uses (docs/parallel-trms.md). On x86-64 every locked
 * instruction is sequentially consistent, so memory orders differ only for stores and fences.
 *
 * A compare-and-exchange records its read before the operation. The write of a compare-and-exchange
 * is recorded after the operation, because only the result shows whether memory was written. If a
 * failed operation were recorded as a write, it would hide another thread's write. Between the
 * exchange and its record, another thread may read the new value with the old timestamp. So the
 * input of the other thread may lack the exchanged cell. Other data that the exchange publishes are
 * not affected, because their writes were recorded earlier.
 */
#include "native/base/native.h"
#include "native/base/watch.h"

typedef uint8_t a8;
typedef uint16_t a16;
typedef uint32_t a32;
typedef uint64_t a64;
typedef unsigned __int128 a128;

/* ---------------------------------------------------------------- 1 to 8 bytes */

#define LOAD_AND_STORE(bits)                                                                       \
    NATIVE_EXPORT a##bits __tsan_atomic##bits##_load(const volatile a##bits *at, int order);       \
    NATIVE_EXPORT void __tsan_atomic##bits##_store(volatile a##bits *at, a##bits value,            \
                                                   int order);                                     \
    a##bits __tsan_atomic##bits##_load(const volatile a##bits *at, int order)                      \
    {                                                                                              \
        (void)order;                                                                               \
        watch_thread_sync();                                                                       \
        a##bits value = __atomic_load_n(at, __ATOMIC_SEQ_CST);                                     \
        watch_access((uintptr_t)at, bits / 8, WATCH_READ);                                         \
        return value;                                                                              \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile a##bits *at, a##bits value, int order)               \
    {                                                                                              \
        watch_access((uintptr_t)at, bits / 8, WATCH_WRITE);                                        \
        watch_thread_sync();                                                                       \
        if (order == __ATOMIC_SEQ_CST)                                                             \
            __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                         \
        else                                                                                       \
            __atomic_store_n(at, value, __ATOMIC_RELEASE);                                         \
    }

#define MODIFY(bits, name, builtin)                                                                \
    NATIVE_EXPORT a##bits __tsan_atomic##bits##_##name(volatile a##bits *at, a##bits value,        \
                                                       int order);                                 \
    a##bits __tsan_atomic##bits##_##name(volatile a##bits *at, a##bits value, int order)           \
    {                                                                                              \
        (void)order;                                                                               \
        watch_thread_sync();                                                                       \
        watch_access((uintptr_t)at, bits / 8, WATCH_MODIFY);                                       \
        watch_thread_sync();                                                                       \
        return builtin(at, value, __ATOMIC_SEQ_CST);                                               \
    }

/* The operand `expected` of a compare-and-exchange is plain memory; the compiler inserts separate
 * hooks for its accesses. A failed compare-and-exchange only reads. */
#define COMPARE(bits)                                                                              \
    static bool compare_exchange_##bits(volatile a##bits *at, a##bits *expected, a##bits value)    \
    {                                                                                              \
        watch_thread_sync();                                                                       \
        watch_access((uintptr_t)at, bits / 8, WATCH_READ);                                         \
        bool done = __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,      \
                                                __ATOMIC_SEQ_CST);                                 \
        if (done)                                                                                  \
            watch_access((uintptr_t)at, bits / 8, WATCH_WRITE);                                    \
        return done;                                                                               \
    }

#define COMPARE_HOOKS(bits)                                                                        \
    NATIVE_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(                               \
        volatile a##bits *at, a##bits *expected, a##bits value, int order, int failure);           \
    NATIVE_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(                                 \
        volatile a##bits *at, a##bits *expected, a##bits value, int order, int failure);           \
    NATIVE_EXPORT a##bits __tsan_atomic##bits##_compare_exchange_val(                              \
        volatile a##bits *at, a##bits expected, a##bits value, int order, int failure);            \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile a##bits *at, a##bits *expected,     \
                                                      a##bits value, int order, int failure)       \
    {                                                                                              \
        (void)order, (void)failure;                                                                \
        return compare_exchange_##bits(at, expected, value);                                       \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile a##bits *at, a##bits *expected,       \
                                                    a##bits value, int order, int failure)         \
    {                                                                                              \
        (void)order, (void)failure;                                                                \
        return compare_exchange_##bits(at, expected, value);                                       \
    }                                                                                              \
    a##bits __tsan_atomic##bits##_compare_exchange_val(volatile a##bits *at, a##bits expected,     \
                                                       a##bits value, int order, int failure)      \
    {                                                                                              \
        (void)order, (void)failure;                                                                \
        compare_exchange_##bits(at, &expected, value);                                             \
        return expected;                                                                           \
    }

#define ALL_OF(bits)                                                                               \
    LOAD_AND_STORE(bits)                                                                           \
    MODIFY(bits, exchange, __atomic_exchange_n)                                                    \
    MODIFY(bits, fetch_add, __atomic_fetch_add)                                                    \
    MODIFY(bits, fetch_sub, __atomic_fetch_sub)                                                    \
    MODIFY(bits, fetch_and, __atomic_fetch_and)                                                    \
    MODIFY(bits, fetch_or, __atomic_fetch_or)                                                      \
    MODIFY(bits, fetch_xor, __atomic_fetch_xor)                                                    \
    MODIFY(bits, fetch_nand, __atomic_fetch_nand)                                                  \
    COMPARE(bits)                                                                                  \
    COMPARE_HOOKS(bits)
ALL_OF(8)
ALL_OF(16)
ALL_OF(32)
ALL_OF(64)

/* ---------------------------------------------------------------- 16 bytes */

#if defined(__x86_64__)
/* Programs with 16-byte atomic accesses require cmpxchg16b, the only atomic instruction of that
 * size. */
static bool exchange_if_equal(volatile a128 *at, a128 *expected, a128 value)
{
    uint64_t low = (uint64_t)*expected, high = (uint64_t)(*expected >> 64);
    bool done;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*at), "+a"(low), "+d"(high)
                     : "b"((uint64_t)value), "c"((uint64_t)(value >> 64))
                     : "memory");
    *expected = (a128)high << 64 | low;
    return done;
}
#else
/* Without the arm64 extension LSE2, only a successful store shows that both halves of a 16-byte
 * value were loaded at once. So if the comparison fails, the loaded value is stored back. */
static bool exchange_if_equal(volatile a128 *at, a128 *expected, a128 value)
{
    uint64_t low, high, stored_low, stored_high;
    uint64_t old_low = (uint64_t)*expected, old_high = (uint64_t)(*expected >> 64);
    __asm__ volatile("1: ldaxp %0, %1, %4\n\t"
                     "cmp %0, %5\n\t"
                     "ccmp %1, %6, #0, eq\n\t"
                     "csel %2, %7, %0, eq\n\t"
                     "csel %3, %8, %1, eq\n\t"
                     "stlxp w16, %2, %3, %4\n\t"
                     "cbnz w16, 1b"
                     : "=&r"(low), "=&r"(high), "=&r"(stored_low), "=&r"(stored_high), "+Q"(*at)
                     : "r"(old_low), "r"(old_high), "r"((uint64_t)value),
                       "r"((uint64_t)(value >> 64))
                     : "x16", "cc", "memory");
    *expected = (a128)high << 64 | low;
    return low == old_low && high == old_high;
}
#endif

static bool compare_exchange_128(volatile a128 *at, a128 *expected, a128 value)
{
    watch_thread_sync();
    watch_access((uintptr_t)at, 16, WATCH_READ);
    bool done = exchange_if_equal(at, expected, value);
    if (done)
        watch_access((uintptr_t)at, 16, WATCH_WRITE);
    return done;
}
COMPARE_HOOKS(128)

enum modification { EXCHANGE, ADD, SUB, AND, OR, XOR, NAND };

static a128 modified(enum modification how, a128 old, a128 value)
{
    switch (how) {
    case ADD:
        return old + value;
    case SUB:
        return old - value;
    case AND:
        return old & value;
    case OR:
        return old | value;
    case XOR:
        return old ^ value;
    case NAND:
        return ~(old & value);
    default:
        return value;
    }
}

static a128 modify_128(volatile a128 *at, a128 value, enum modification how)
{
    a128 old = 0;
    while (!exchange_if_equal(at, &old, modified(how, old, value)))
        ;
    return old;
}

NATIVE_EXPORT a128 __tsan_atomic128_load(const volatile a128 *at, int order);
NATIVE_EXPORT void __tsan_atomic128_store(volatile a128 *at, a128 value, int order);

a128 __tsan_atomic128_load(const volatile a128 *at, int order)
{
    a128 value = 0;
    (void)order;
    watch_thread_sync();
    exchange_if_equal((volatile a128 *)at, &value, 0);
    watch_access((uintptr_t)at, 16, WATCH_READ);
    return value;
}

void __tsan_atomic128_store(volatile a128 *at, a128 value, int order)
{
    (void)order;
    watch_access((uintptr_t)at, 16, WATCH_WRITE);
    watch_thread_sync();
    modify_128(at, value, EXCHANGE);
}

#define MODIFY_128(name, how)                                                                      \
    NATIVE_EXPORT a128 __tsan_atomic128_##name(volatile a128 *at, a128 value, int order);          \
    a128 __tsan_atomic128_##name(volatile a128 *at, a128 value, int order)                         \
    {                                                                                              \
        (void)order;                                                                               \
        watch_thread_sync();                                                                       \
        watch_access((uintptr_t)at, 16, WATCH_MODIFY);                                             \
        watch_thread_sync();                                                                       \
        return modify_128(at, value, how);                                                         \
    }
MODIFY_128(exchange, EXCHANGE)
MODIFY_128(fetch_add, ADD)
MODIFY_128(fetch_sub, SUB)
MODIFY_128(fetch_and, AND)
MODIFY_128(fetch_or, OR)
MODIFY_128(fetch_xor, XOR)
MODIFY_128(fetch_nand, NAND)

/* ---------------------------------------------------------------- fences */

NATIVE_EXPORT void __tsan_atomic_thread_fence(int order);
NATIVE_EXPORT void __tsan_atomic_signal_fence(int order);

void __tsan_atomic_thread_fence(int order)
{
    watch_thread_sync();
    if (order == __ATOMIC_SEQ_CST)
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    else
        __atomic_thread_fence(__ATOMIC_ACQ_REL);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
