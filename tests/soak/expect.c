/* Computes the points of a generated program by the definition, from the program's log.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * usage: soak_expect LOG machine|compiled RESOLUTION
 *
 * The program prints, unsorted, a line for each routine, metric and input size,
 *
 *     f3 trms 17 calls 4 thread 2 external 0 again 1
 *
 * or, for a routine during which the C library has accessed memory of its own,
 *
 *     f3 noisy calls 12
 *
 * and on standard error how many events there were.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/property/oracle.h"
#include "tests/soak/log.h"

enum { ROUTINES = 24, EXEC_CONTEXTS_MAX = 1 << 16, DEPTH_MAX = 1 << 16 };

/* The pending routines, which the oracle does not store. */
struct recorded {
    unsigned oracle;
    bool runs;
    unsigned *routine;
    size_t depth, room;
};

struct checker {
    struct oracle *oracle;
    struct recorded exec_contexts[EXEC_CONTEXTS_MAX];
    bool noisy[ROUTINES];
};

static void push(struct recorded *s, unsigned routine)
{
    if (s->depth == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        s->routine = realloc(s->routine, s->room * sizeof(*s->routine));
        if (!s->routine)
            abort();
    }
    s->routine[s->depth++] = routine;
}

static void make_noise(struct checker *c, const struct recorded *s)
{
    for (size_t i = 0; i < s->depth; i++)
        if (s->routine[i] < ROUTINES)
            c->noisy[s->routine[i]] = true;
}

static void consume(struct checker *c, const struct soak_event *e)
{
    struct recorded *s = &c->exec_contexts[e->ctx];
    switch (e->kind) {
    case SOAK_EXEC_CONTEXT_START:
        s->oracle = oracle_exec_context_start(c->oracle, 0);
        s->runs = true;
        break;
    case SOAK_EXEC_CONTEXT_END:
        oracle_exec_context_end(c->oracle, s->oracle);
        s->runs = false;
        break;
    case SOAK_CALL:
        push(s, (unsigned)e->a);
        oracle_call(c->oracle, s->oracle, (unsigned)e->a, true);
        break;
    case SOAK_RETURN:
        s->depth--;
        oracle_return(c->oracle, s->oracle);
        break;
    case SOAK_LAND:
        for (; s->depth > e->a; s->depth--)
            oracle_return(c->oracle, s->oracle);
        break;
    case SOAK_NOISE:
        make_noise(c, s);
        break;
    case SOAK_FORGET:
        oracle_forget(c->oracle, e->a, e->b);
        break;
    case SOAK_MAP_FILE:
        oracle_map_file(c->oracle, e->a, e->b);
        break;
    default:
        if (e->b == 0)
            break;
        if (e->kind == SOAK_READ)
            oracle_read(c->oracle, s->oracle, e->a, e->b, true);
        else if (e->kind == SOAK_WRITE)
            oracle_write(c->oracle, s->oracle, e->a, e->b);
        else
            oracle_kernel_write(c->oracle, e->a, e->b);
    }
}

/* Prints one line for each activation; the reader adds up the lines. */
static void print(const struct checker *c)
{
    static const char *const metrics[] = {"trms", "rms"};
    size_t n;
    const struct oracle_activation *a = oracle_activations(c->oracle, &n);
    for (size_t i = 0; i < n; i++) {
        if (a[i].routine >= ROUTINES)
            continue;
        if (c->noisy[a[i].routine]) {
            printf("f%u noisy 0 1 0 0 0\n", a[i].routine);
            continue;
        }
        for (int m = 0; m < ORACLE_METRICS; m++)
            printf("f%u %s %llu 1 %llu %llu %llu\n", a[i].routine, metrics[m],
                   (unsigned long long)a[i].input[m], (unsigned long long)a[i].induced[0],
                   (unsigned long long)a[i].induced[1], (unsigned long long)a[i].thread_again);
    }
}

int main(int argc, char **argv)
{
    FILE *log = argc == 4 ? fopen(argv[1], "r") : NULL;
    if (!log) {
        fprintf(stderr, "usage: soak_expect LOG machine|compiled RESOLUTION\n");
        return 2;
    }
    unsigned view = strcmp(argv[2], "machine") == 0 ? VIEW_MACHINE : VIEW_COMPILED;
    static struct checker c;
    c.oracle = oracle_new((unsigned)strtoul(argv[3], NULL, 10));
    struct soak_event event;
    size_t n = 0;
    for (; fread(&event, sizeof(event), 1, log) == 1; n++)
        if (event.view & view && event.ctx < EXEC_CONTEXTS_MAX)
            consume(&c, &event);
    for (unsigned i = 0; i < EXEC_CONTEXTS_MAX; i++) {
        if (c.exec_contexts[i].runs)
            oracle_exec_context_end(c.oracle, c.exec_contexts[i].oracle);
        free(c.exec_contexts[i].routine);
    }
    print(&c);
    oracle_delete(c.oracle);
    fclose(log);
    fprintf(stderr, "%zu\n", n);
    return 0;
}
