/* Measures the ring, N-way buffering and FastForward: nanoseconds per event.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Usage: bench_cab [RUNS [EVENTS [wall|cpu]]]       (defaults 5, 4 million and wall)
 *
 * Three measurements, each for rings of 16 KiB to 8 MiB:
 *
 *   enqueue        no consumer: the ring is emptied between rounds, which is not timed
 *   communication  the consumer reads each event, adds the event to a word, and frees the slot
 *   end to end     path profiling: the producer runs a program that takes paths, with more or less
 *                  work between two paths; the consumer counts each path in a hash table
 *
 * Times are wall times from the first event to the consumer's last event. With `cpu`, they are the
 * processor time of the busier thread: the wall time if neither thread had waited for a processor.
 * This option is for machines with other load.
 *
 * The runs of the three buffers are interleaved. The program prints the medians and their ratios to
 * the ring, and then the goals next to the results. The events that a consumer receives are
 * compared with the producer's events. If a buffer loses or changes an event, the program ends.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>

#include "analyses/event_words.h"
#include "bench/cab/fastforward.h"
#include "bench/cab/nway.h"

enum kind { ENQUEUE, COMMUNICATE, END_TO_END };

enum buffer { CAB, NWAY, FASTFORWARD, BUFFERS };

static const char *const buffer_names[] = {"CAB", "N-way", "FastForward"};

static const size_t ring_sizes[] = {16 << 10, 64 << 10, 256 << 10, 1 << 20, 2 << 20, 8 << 20};

#define RINGS (sizeof(ring_sizes) / sizeof(ring_sizes[0]))

/* Numbers of steps of the program between two events: about 1, 4, 15 and 55 ns. */
static const unsigned rates[] = {0, 1, 4, 16};

#define RATES (sizeof(rates) / sizeof(rates[0]))

struct ring {
    struct cab *cab;
    struct cab_cursor cursor;
};

union buffers {
    struct ring ring;
    struct nway nway;
    struct fastforward fastforward;
};

struct job {
    enum kind kind;
    enum buffer buffer;
    size_t ring_bytes;
    unsigned work;
    uint64_t events;
    union buffers *buffers;
    bool cpu;
    uint64_t produced_sum, consumed_sum; /* checksums */
    double consumer_cpu_ns;
};

/* The ring has chunks of 128 KiB, as in the paper, but at least 16 chunks. */
static size_t chunk_of(size_t ring_bytes)
{
    return ring_bytes / 16 < CAB_CHUNK_BYTES ? ring_bytes / 16 : CAB_CHUNK_BYTES;
}

static double now_ns(void)
{
    return (double)cab_clock_ns(NULL);
}

static double cpu_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_cab: %s\n", what);
    exit(1);
}

/* ---------------------------------------------------------------- The program that takes paths */

#define TABLE_WORDS (1u << 13) /* 64 KiB, more than the first-level cache, as in real programs */

static uint64_t table[TABLE_WORDS];

struct program {
    uint64_t state;
};

/* The event of the next path; few paths are frequent. */
static inline __attribute__((always_inline)) uint64_t program_path(struct program *program,
                                                                   unsigned work)
{
    uint64_t x = program->state;

    for (unsigned i = 0; i < work; i++)
        x = (x ^ table[x % TABLE_WORDS]) * UINT64_C(0x9e3779b97f4a7c15) + i;
    x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    program->state = x;
    return event_path_word(EVENT_PATH, (uint32_t)(x >> 60), x >> 33 & x >> 44 & 0xfff);
}

/* ---------------------------------------------------------------- The consumer's work */

#define PATHS (1u << 17) /* twice the maximum number of paths */

struct paths {
    uint64_t keys[PATHS], counts[PATHS];
};

static struct paths paths;

static inline void path_count(uint64_t event)
{
    uint64_t at = event * UINT64_C(0x9e3779b97f4a7c15) >> 47;

    while (paths.keys[at] != event && paths.keys[at] != 0)
        at = (at + 1) % PATHS;
    paths.keys[at] = event;
    paths.counts[at]++;
}

/* The checksum must not depend on the order of the table. */
static uint64_t paths_sum(void)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < PATHS; i++)
        sum += paths.counts[i] * (paths.keys[i] >> 7 | 1) * UINT64_C(0xd6e8feb86659fd93);
    return sum;
}

static inline uint64_t path_term(uint64_t event)
{
    return (event >> 7 | 1) * UINT64_C(0xd6e8feb86659fd93);
}

static inline __attribute__((always_inline)) void consume_event(struct job *job, uint64_t event,
                                                                bool counts)
{
    if (counts)
        path_count(event);
    else
        job->consumed_sum += path_term(event);
}

/* ---------------------------------------------------------------- One loop per buffer */

/* The barrier keeps the cursor in memory, as in instrumented code. */
#define BARRIER() __asm__ volatile("" ::: "memory")

#define PRODUCER(name, enqueue)                                                                    \
    static __attribute__((noinline)) void name##_produce(struct job *job, uint64_t mask)           \
    {                                                                                              \
        union buffers *buffers = job->buffers;                                                     \
        struct program program = {job->events};                                                    \
        const unsigned work = job->work;                                                           \
        uint64_t sum = 0;                                                                          \
        (void)mask;                                                                                \
        for (uint64_t i = 0; i < job->events; i++) {                                               \
            uint64_t event = program_path(&program, work);                                         \
            sum += path_term(event);                                                               \
            enqueue;                                                                               \
            BARRIER();                                                                             \
        }                                                                                          \
        job->produced_sum = sum;                                                                   \
    }                                                                                              \
    static __attribute__((noinline)) void name##_fill(union buffers *buffers, uint64_t mask,       \
                                                      uint64_t events)                             \
    {                                                                                              \
        (void)mask;                                                                                \
        for (uint64_t event = 1; event <= events; event++) {                                       \
            enqueue;                                                                               \
            BARRIER();                                                                             \
        }                                                                                          \
    }

PRODUCER(cab, cab_enqueue64(&buffers->ring.cursor, event))
PRODUCER(nway, nway_enqueue(&buffers->nway, mask, event))
PRODUCER(fastforward, fastforward_enqueue(&buffers->fastforward, mask, event))

static void cab_consume(struct job *job, bool counts)
{
    struct cab_batch batch;

    while (cab_batch_wait(job->buffers->ring.cab, &batch)) {
        const uint64_t *events = batch.events;
        for (size_t i = 0; i < batch.count; i++)
            consume_event(job, events[i], counts);
        cab_batch_release(job->buffers->ring.cab);
    }
}

static void nway_consume(struct job *job, bool counts)
{
    const uint64_t *events;

    for (uint32_t words; (words = nway_get(&job->buffers->nway, &events)) > 0;) {
        for (uint32_t i = 0; i < words; i++)
            consume_event(job, events[i], counts);
        nway_release(&job->buffers->nway);
    }
}

static void fastforward_consume(struct job *job, bool counts)
{
    for (uint64_t event; fastforward_dequeue(&job->buffers->fastforward, &event);)
        consume_event(job, event, counts);
}

/* ---------------------------------------------------------------- Opening and closing */

static void buffers_open(struct job *job)
{
    size_t chunk = chunk_of(job->ring_bytes);
    struct cab_config config = {.mode = CAB_EXHAUSTIVE,
                                .word_bytes = 8,
                                .ring_bytes = job->ring_bytes,
                                .chunk_bytes = chunk,
                                .wait = cab_futex_wait,
                                .wake = cab_futex_wake};

    if (job->buffer == NWAY) {
        nway_open(&job->buffers->nway, job->ring_bytes, chunk);
        return;
    }
    if (job->buffer == FASTFORWARD) {
        fastforward_open(&job->buffers->fastforward, job->ring_bytes, chunk);
        return;
    }
    job->buffers->ring.cab = cab_open(&config, peer_memory(4096, cab_memory_bytes(&config)));
    cab_cursor_init(&job->buffers->ring.cursor, job->buffers->ring.cab);
}

static void buffers_free(struct job *job)
{
    if (job->buffer == NWAY)
        nway_free(&job->buffers->nway);
    else if (job->buffer == FASTFORWARD)
        fastforward_free(&job->buffers->fastforward);
    else
        free(job->buffers->ring.cab);
}

/* Empties a filled buffer without a consumer. */
static void buffers_empty(struct job *job)
{
    buffers_free(job);
    buffers_open(job);
}

static void produce(struct job *job)
{
    if (job->buffer == NWAY) {
        nway_produce(job, chunk_of(job->ring_bytes) - 1);
        nway_close(&job->buffers->nway);
    } else if (job->buffer == FASTFORWARD) {
        fastforward_produce(job, job->ring_bytes / 8 - 1);
        fastforward_close(&job->buffers->fastforward);
    } else {
        cab_produce(job, 0);
        cab_close(&job->buffers->ring.cursor);
    }
}

static void *consume(void *argument)
{
    static void (*const consumers[])(struct job *, bool) = {cab_consume, nway_consume,
                                                            fastforward_consume};
    struct job *job = argument;

    if (job->kind == END_TO_END)
        consumers[job->buffer](job, true);
    else
        consumers[job->buffer](job, false);
    job->consumer_cpu_ns = cpu_ns();
    return NULL;
}

/* ---------------------------------------------------------------- Measurements */

/* Repeatedly writes as many events as fit without a consumer, job->events in total. */
static double enqueue_measure(struct job *job)
{
    size_t chunk = chunk_of(job->ring_bytes);
    uint64_t chunks = job->ring_bytes / chunk;
    uint64_t fit = job->buffer == FASTFORWARD ? job->ring_bytes / 8
                   : job->buffer == NWAY      ? (chunks - 1) * (chunk / 8)
                                              : chunks * (chunk / 8 - 1);
    double ns = 0;
    uint64_t done = 0;

    buffers_open(job);
    for (bool warm = false; done < job->events; warm = true) {
        double from = job->cpu ? cpu_ns() : now_ns();
        if (job->buffer == NWAY)
            nway_fill(job->buffers, chunk - 1, fit);
        else if (job->buffer == FASTFORWARD)
            fastforward_fill(job->buffers, job->ring_bytes / 8 - 1, fit);
        else
            cab_fill(job->buffers, 0, fit);
        ns += warm ? (job->cpu ? cpu_ns() : now_ns()) - from : 0;
        done += warm ? fit : 0;
        buffers_empty(job);
    }
    buffers_free(job);
    return ns / (double)done;
}

static double transfer_measure(struct job *job)
{
    pthread_t consumer;
    double from, cpu_from;

    memset(&paths, 0, sizeof(paths));
    job->consumed_sum = 0;
    buffers_open(job);
    from = now_ns();
    cpu_from = cpu_ns();
    if (pthread_create(&consumer, NULL, consume, job) != 0)
        fail("cannot create a thread");
    produce(job);
    cpu_from = cpu_ns() - cpu_from;
    pthread_join(consumer, NULL);
    from = now_ns() - from;
    if (job->cpu)
        from = fmax(cpu_from, job->consumer_cpu_ns);
    if (job->kind == END_TO_END)
        job->consumed_sum = paths_sum();
    if (job->consumed_sum != job->produced_sum)
        fail("the consumer has not seen what was produced");
    buffers_free(job);
    return from / (double)job->events;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

#define RUNS_MAX 99

/* Measures the medians of all buffers, with interleaved runs. */
static void medians(struct job job, unsigned runs, double median[BUFFERS])
{
    static union buffers buffers;
    double ns[BUFFERS][RUNS_MAX];

    job.buffers = &buffers;
    for (unsigned run = 0; run < runs; run++)
        for (unsigned i = 0; i < BUFFERS; i++) {
            job.buffer = (enum buffer)((i + run) % BUFFERS);
            ns[job.buffer][run] =
                job.kind == ENQUEUE ? enqueue_measure(&job) : transfer_measure(&job);
        }
    for (unsigned i = 0; i < BUFFERS; i++) {
        qsort(ns[i], runs, sizeof(double), compare);
        median[i] = (ns[i][(runs - 1) / 2] + ns[i][runs / 2]) / 2;
    }
}

/* ---------------------------------------------------------------- Tables */

struct results {
    double median[RINGS][BUFFERS];
};

static void table_print(struct job job, unsigned runs, struct results *results)
{
    printf("%9s %9s %9s %9s %12s %12s %16s\n", "ring", "chunk", buffer_names[0], buffer_names[1],
           buffer_names[2], "N-way / CAB", "FastForward / CAB");
    for (unsigned i = 0; i < RINGS; i++) {
        double *median = results->median[i];
        job.ring_bytes = ring_sizes[i];
        medians(job, runs, median);
        printf("%5zu KiB %5zu KiB %9.2f %9.2f %12.2f %12.2f %16.2f\n", ring_sizes[i] >> 10,
               chunk_of(ring_sizes[i]) >> 10, median[CAB], median[NWAY], median[FASTFORWARD],
               median[NWAY] / median[CAB], median[FASTFORWARD] / median[CAB]);
        fflush(stdout);
    }
    printf("\n");
}

static void goal_print(const char *what, double reached, const char *relation, double goal)
{
    bool met = relation[0] == '<' ? reached < goal : reached >= goal;

    printf("  %-62s %6.2f   goal %s %.2f   %s\n", what, reached, relation, goal,
           met ? "met" : "not met");
}

/* The ratio of the ring's largest median to its smallest, over sizes from 64 KiB on. A ring of 16
 * KiB is excluded, because its chunks of 1 KiB mostly measure the cost of chunk borders. */
static double flatness(const struct results *results)
{
    double least = HUGE_VAL, largest = 0;

    for (unsigned i = 1; i < RINGS; i++) {
        least = fmin(least, results->median[i][CAB]);
        largest = fmax(largest, results->median[i][CAB]);
    }
    return largest / least;
}

static double ratio_mean(const struct results *results, unsigned n, enum buffer buffer)
{
    double logs = 0;

    for (unsigned k = 0; k < n; k++)
        for (unsigned i = 0; i < RINGS; i++)
            logs += log(results[k].median[i][buffer] / results[k].median[i][CAB]);
    return exp(logs / (n * RINGS));
}

int main(int argc, char **argv)
{
    unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 5;
    uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 4000000;
    static struct results alone, communication[RATES], paths_load[RATES];
    bool cpu = argc > 3 && strcmp(argv[3], "cpu") == 0;
    double largest = 0;

    if (runs < 1 || runs > RUNS_MAX || events < 1 || argc > 4 ||
        (argc > 3 && !cpu && strcmp(argv[3], "wall") != 0)) {
        fprintf(stderr, "usage: bench_cab [RUNS [EVENTS [wall|cpu]]]\n");
        return 2;
    }
    for (unsigned i = 0; i < TABLE_WORDS; i++)
        table[i] = (i + 1) * UINT64_C(0xbf58476d1ce4e5b9);
    printf("Nanoseconds per event (%s), medians of %u runs of %llu events.\n\n",
           cpu ? "processor time of the busier thread" : "wall", runs, (unsigned long long)events);
    printf("Enqueue alone\n");
    table_print((struct job){.kind = ENQUEUE, .events = events, .cpu = cpu}, runs, &alone);
    for (unsigned i = 0; i < RATES; i++) {
        printf("Communication, %u steps of work per event\n", rates[i]);
        table_print(
            (struct job){.kind = COMMUNICATE, .work = rates[i], .events = events, .cpu = cpu}, runs,
            &communication[i]);
    }
    for (unsigned i = 0; i < RATES; i++) {
        printf("End to end (path profiling), %u steps of work per event\n", rates[i]);
        table_print(
            (struct job){.kind = END_TO_END, .work = rates[i], .events = events, .cpu = cpu}, runs,
            &paths_load[i]);
    }
    for (unsigned i = 0; i < RINGS; i++)
        largest = fmax(largest, alone.median[i][CAB]);
    printf("Goals\n");
    goal_print("enqueue alone, the slowest ring, ns", largest, "<", 1.5);
    goal_print("path profiling, N-way / CAB, geometric mean", ratio_mean(paths_load, RATES, NWAY),
               ">=", 1.08);
    goal_print("path profiling, FastForward / CAB, geometric mean",
               ratio_mean(paths_load, RATES, FASTFORWARD), ">=", 1.41);
    goal_print("communication, N-way / CAB, geometric mean", ratio_mean(communication, RATES, NWAY),
               ">=", 1);
    goal_print("communication, FastForward / CAB, geometric mean",
               ratio_mean(communication, RATES, FASTFORWARD), ">=", 1);
    goal_print("path profiling, slowest / fastest ring of 64 KiB to 8 MiB",
               flatness(&paths_load[1]), "<", 1.1);
    return 0;
}
