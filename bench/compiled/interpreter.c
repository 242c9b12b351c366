/* A small virtual machine that computes primes: calls, a computed switch, short-lived frames.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each thread interprets the same program on memory of its own; nothing is shared during the run.
 */
#include <pthread.h>

#include "bench/programs/kernel.h"

enum { DEFAULT_SIZE = 2000000, THREADS_MAX = 64, FRAMES = 64 };

enum instruction { NEXT, CALL, DIVIDES, COUNT, LEAVE };

struct machine {
    int limit, candidate, divisor;
    int depth;
    long found;
    uint8_t composite;
    int frames[FRAMES];
};

/* The routine at 2 tries divisors and is called for each candidate. */
enum { ROUTINE = 2 };
static const uint8_t program[] = {NEXT, CALL, DIVIDES, COUNT, LEAVE};

static int step_call(struct machine *m, int at)
{
    m->frames[m->depth++] = at;
    m->divisor = 1;
    m->composite = 0;
    return ROUTINE - 1; /* the next instruction follows this instruction */
}

static int step_divides(struct machine *m)
{
    m->divisor += m->divisor < 3 ? 1 : 2;
    m->composite |= m->candidate % m->divisor == 0 && m->candidate != m->divisor;
    return m->composite || (long)m->divisor * m->divisor > m->candidate;
}

static void machine_run(struct machine *m)
{
    for (int at = 0;; at++) {
        switch (program[at]) {
        case NEXT:
            if (++m->candidate > m->limit)
                return;
            break;
        case CALL:
            at = step_call(m, at);
            break;
        case DIVIDES:
            if (!step_divides(m))
                at--;
            break;
        case COUNT:
            m->found += !m->composite;
            break;
        default:
            at = m->frames[--m->depth] - ROUTINE; /* back to NEXT */
            break;
        }
    }
}

static void *run(void *machine)
{
    machine_run(machine);
    return NULL;
}

int main(int argc, char **argv)
{
    struct kernel_args args = kernel_args_parse(argc, argv, DEFAULT_SIZE);
    static struct machine machines[THREADS_MAX];
    pthread_t threads[THREADS_MAX];
    uint64_t sum = 0;
    int n = args.threads < THREADS_MAX ? args.threads : THREADS_MAX;

    for (int i = 0; i < n; i++) {
        machines[i].limit = args.size;
        machines[i].candidate = 1;
        pthread_create(&threads[i], NULL, run, &machines[i]);
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    sum = kernel_checksum_add(sum, (uint64_t)machines[0].found);
    return kernel_checksum_print("interpreter", args.size, sum);
}
