/* Measures the rate of the time stamp counter, and converts cycles to nanoseconds.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * On current processors, the counter runs at a constant rate. If the processor does not report the
 * rate, the rate is measured for two milliseconds. The measurement is repeated if the clock jumps
 * in the meantime.
 */
#include "native/base/syscalls.h"
#include "native/contexts/runtime.h"

#include <time.h>

/* Plausible range of the rate of a processor's counter. */
#define LEAST_CYCLES_PER_MS 1000
#define MOST_CYCLES_PER_MS  100000000
#define MEASUREMENTS_MOST   8

static uint64_t cycles_per_ms = 1000000;

static uint64_t clock_ns(int clock)
{
    struct timespec now = {0};
    native_syscall(SYS_clock_gettime, clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t contexts_processor_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t contexts_process_ns(void)
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Reads the counter's rate from CPUID leaf 0x15 (crystal frequency times a ratio), or on arm64 from
 * the register cntfrq_el0. Returns false if the processor does not report the rate. */
#if defined(__x86_64__)
static bool rate_from_processor(void)
{
    uint32_t a, b, c, d;
    __asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0), "c"(0));
    if (a < 0x15)
        return false;
    __asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0x15), "c"(0));
    if (!a || !b || !c)
        return false;
    cycles_per_ms = (uint64_t)c * b / a / 1000;
    return true;
}
#else
uint64_t contexts_long_cycles = 20000;

static bool rate_from_processor(void)
{
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    if (hz < (uint64_t)LEAST_CYCLES_PER_MS * 1000)
        return false;
    cycles_per_ms = hz / 1000;
    contexts_long_cycles = hz / 50000;
    return true;
}
#endif

static bool rate_from_clock(void)
{
    uint64_t ns = clock_ns(CLOCK_MONOTONIC), cycles = contexts_cycles(), now;
    do
        now = clock_ns(CLOCK_MONOTONIC);
    while (now - ns < 2000000);
    uint64_t rate = (contexts_cycles() - cycles) * 1000000 / (now - ns);
    if (rate < LEAST_CYCLES_PER_MS || rate > MOST_CYCLES_PER_MS)
        return false;
    cycles_per_ms = rate;
    return true;
}

void contexts_clock_start(void)
{
    bool is_known = rate_from_processor();
    for (int i = 0; i < MEASUREMENTS_MOST && !is_known; i++)
        is_known = rate_from_clock();
}

uint64_t contexts_cycles_to_ns(uint64_t cycles)
{
    return (uint64_t)((unsigned __int128)cycles * 1000000 / cycles_per_ms);
}

static uint64_t ns_to_cycles(uint64_t ns)
{
    return (uint64_t)((unsigned __int128)ns * cycles_per_ms / 1000000);
}

/* The thread may have waited during a part of the interval, so the kernel's processor time is
 * used. */
KEEPS_REGISTERS uint64_t contexts_processor_cycles(struct contexts_thread *t, uint64_t elapsed)
{
    uint64_t now = ns_to_cycles(contexts_processor_ns());
    uint64_t since = now - t->cpu;
    uint64_t left = since > t->cpu_used ? since - t->cpu_used : 0;
    t->cpu = now;
    t->cpu_used = -(left < elapsed ? left : elapsed); /* the caller adds the cycles that this
                                                       * function returns */
    return left < elapsed ? left : elapsed;
}
