/* Generates a random C program that runs identically under every profiler; see runtime.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * usage: soak_generate SEED
 *
 * Routines f0, f1, ... take six arguments, in registers: the thread, its private memory, memory
 * that threads share, a size, fuel and a mode. A routine calls later routines and itself, each call
 * with a part of its fuel, so that every program ends. First, the generator chooses the kinds of
 * statements in the program. Some threads run a script of phases with barriers in between, perhaps
 * several times. In each phase, some of the shared regions belong to one thread each; all threads
 * only read the other regions.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/property/rng.h"

enum { ROUTINES_MAX = 24, STATEMENTS_MAX = 7, PHASES_MAX = 5, GENERATIONS_MAX = 3 };

struct generator {
    struct rng rng;
    unsigned n_routines, n_threads, n_coroutines, n_phases, n_generations;
    unsigned at;     /* number of the routine that is being written */
    unsigned row;    /* counter for the addresses of rows */
    bool jumpy;      /* routine with a landing: it has no variables that change */
    unsigned weight; /* of all statements */
};

/* ---------------------------------------------------------------- expressions */

static unsigned below(struct generator *g, unsigned n)
{
    return rng_below(&g->rng, n);
}

static bool once_in(struct generator *g, unsigned n)
{
    return rng_once_in(&g->rng, n);
}

struct scalar {
    const char *name;
    unsigned bytes, aligned;
};

static struct scalar any_scalar(struct generator *g)
{
    static const struct scalar scalars[] = {{"u32", 4, 4},     {"u32", 4, 4},     {"u64", 8, 8},
                                            {"u8", 1, 1},      {"u16", 2, 2},     {"loose16", 2, 1},
                                            {"loose32", 4, 1}, {"loose64", 8, 1}, {"u32", 4, 4}};
    return scalars[below(g, sizeof(scalars) / sizeof(*scalars))];
}

/* The offset in a region; in a loop, it depends on `i`. */
static void print_offset(struct generator *g, unsigned bytes, unsigned aligned, bool loop)
{
    unsigned places = (1024 - bytes) / aligned + 1;
    if (loop && once_in(g, 2))
        printf("i * %u %% %u * %u", 1 + below(g, 7), places, aligned);
    else if (loop)
        printf("(i + %u) %% %u * %u", below(g, 256), places, aligned);
    else if (once_in(g, 2))
        printf("(n * %u + %u) %% %u * %u", 1 + below(g, 5), below(g, 256), places, aligned);
    else
        printf("%u", below(g, places) * aligned);
}

static const char *readable(struct generator *g)
{
    static const char *const regions[] = {"p", "p", "q", "q", "soak_pages(me)"};
    return regions[below(g, sizeof(regions) / sizeof(*regions))];
}

/* Writes go to shared memory only if the region belongs to the thread in this phase. */
static const char *writable(struct generator *g)
{
    static const char *const regions[] = {"p", "p", "(mode & WRITABLE ? q : p)",
                                          "(mode & WRITABLE ? q : p)", "soak_pages(me)"};
    return regions[below(g, sizeof(regions) / sizeof(*regions))];
}

static void print_size(struct generator *g)
{
    static const char *const sizes[] = {"n", "n / 2", "n + 3", "n * 2 % 64", "sum % 32"};
    if (once_in(g, 3))
        printf("%u", below(g, 50));
    else
        printf("%s", sizes[below(g, g->jumpy ? 4 : 5)]);
}

/* A call of a later routine with `part` of the fuel. */
static void print_call(struct generator *g, const char *region, const char *mode, unsigned part)
{
    unsigned left = g->n_routines - g->at - 1;
    unsigned callee = g->at + 1 + below(g, left);
    if (once_in(g, 6))
        printf("LOAD(routine *, &table[%u])(me, ", callee);
    else
        printf("f%u(me, ", callee);
    printf("p, %s, ", region);
    print_size(g);
    printf(", fuel / %u - 1, %s)", part, mode);
}

/* ---------------------------------------------------------------- statements */

static void read_loop(struct generator *g)
{
    struct scalar of = any_scalar(g);
    printf("    for (u32 i = 0; i < n; i++)\n        sum += ALL(LOAD(%s, %s + ", of.name,
           readable(g));
    print_offset(g, of.bytes, of.aligned, true);
    printf("));\n");
}

static void write_loop(struct generator *g)
{
    struct scalar of = any_scalar(g);
    printf("    for (u32 i = 0; i < n; i++)\n        STORE(%s, %s + ", of.name, writable(g));
    print_offset(g, of.bytes, of.aligned, true);
    printf(", i * %u + n);\n", below(g, 1000));
}

static void modify_loop(struct generator *g)
{
    struct scalar of = any_scalar(g);
    printf("    for (u32 i = 0; i < n; i++) {\n        u8 *at = %s + ", writable(g));
    print_offset(g, of.bytes, of.aligned, true);
    printf(";\n        STORE(%s, at, LOAD(%s, at) + %u);\n    }\n", of.name, of.name,
           1 + below(g, 9));
}

static void one_access(struct generator *g)
{
    struct scalar of = any_scalar(g);
    if (once_in(g, 2)) {
        printf("    sum ^= ALL(LOAD(%s, %s + ", of.name, readable(g));
        print_offset(g, of.bytes, of.aligned, false);
        printf("));\n");
    } else {
        printf("    STORE(%s, %s + ", of.name, writable(g));
        print_offset(g, of.bytes, of.aligned, false);
        printf(", sum);\n");
    }
}

/* Fields and elements at constant distances from one address, and perhaps from a second address
 * between them. The compiler may reorder accesses that it knows to be disjoint. Therefore no cell
 * at a distance from one address is both read and written, and the compiler does not know the
 * distance of the two addresses. */
static void neighbours(struct generator *g)
{
    static const char *const loose[] = {
        [1] = "u8", [2] = "loose16", [4] = "loose32", [8] = "loose64"};
    enum { ROOM = 256, PART = 128, READ = 0, WRITTEN = 64, LENGTH = 32 };
    const unsigned aligned = once_in(g, 3) ? 1 : 8;
    bool loop = once_in(g, 2);
    printf("    for (u32 i = 0; i < %s; i++) {\n        u8 *at = %s + ", loop ? "n" : "1",
           writable(g));
    print_offset(g, ROOM, aligned, loop);
    printf(", *other = %s + ", writable(g));
    print_offset(g, ROOM, aligned, loop);
    printf(";\n        __asm__(\"\" : \"+r\"(other));\n");
    for (unsigned left = 2 + below(g, 5); left; left--) {
        struct scalar of = any_scalar(g);
        const char *from = once_in(g, 4) ? "other" : "at";
        const char *type = aligned == 1 ? loose[of.bytes] : of.name;
        unsigned offset = below(g, (LENGTH - of.bytes) / of.aligned + 1) * of.aligned;
        offset += below(g, ROOM / PART) * PART;
        if (once_in(g, 3))
            printf("        STORE(%s, %s + %u, sum + i);\n", type, from, offset + WRITTEN);
        else
            printf("        sum += ALL(LOAD(%s, %s + %u));\n", type, from, offset + READ);
    }
    printf("    }\n");
}

/* The direction and the number of rounds of a loop. */
static void print_rounds(struct generator *g, unsigned most)
{
    unsigned times = 1 + below(g, 4);
    if (once_in(g, 3))
        printf("    for (u64 i = n * %u %% %u; i-- > 0;) {\n", times, most + 1);
    else
        printf("    for (u64 i = 0; i < n * %u %% %u; i++) {\n", times, most + 1);
}

/* A loop over elements that are only read or only written. */
static void row_loop(struct generator *g)
{
    const unsigned bytes = 512;
    printf("    u8 *row%u = %s;\n", g->row, readable(g));
    print_rounds(g, 56);
    for (unsigned left = 1 + below(g, 3); left; left--) {
        struct scalar of = any_scalar(g);
        unsigned offset = below(g, (bytes - 57 * of.bytes) / of.aligned) * of.aligned;
        printf("        sum += ALL(LOAD(%s, row%u + %u + i * %u));\n", of.name, g->row, offset,
               of.bytes);
    }
    g->row++;
    printf("    }\n    u8 *row%u = %s + %u;\n", g->row, writable(g), bytes);
    print_rounds(g, 56);
    for (unsigned left = 1 + below(g, 2); left; left--) {
        struct scalar of = any_scalar(g);
        unsigned offset = below(g, (bytes - 57 * of.bytes) / of.aligned) * of.aligned;
        printf("        STORE(%s, row%u + %u + i * %u, i + n);\n", of.name, g->row, offset,
               of.bytes);
    }
    g->row++;
    printf("    }\n");
}

/* One access of `mixed_rows`. */
static void print_mixed(struct generator *g, unsigned row, bool whole)
{
    static const char *const types[] = {"u32", "u64"};
    enum { CELL = 16, PLACES = 5 };
    const char *from = once_in(g, 3) ? "other" : "row", *type = whole ? "quad" : types[below(g, 2)];
    unsigned offset = CELL * below(g, PLACES);
    if (once_in(g, 2))
        printf("        STORE(%s, %s%u + %u + i * step%u, %s);\n", type, from, row, offset, row,
               whole ? "((quad){n, 1, n, 2})" : "i + n");
    else if (whole)
        printf("        four%u = LOAD(quad, %s%u + %u + i * step%u);\n"
               "        sum += four%u[0] + four%u[1] + four%u[2] + four%u[3];\n",
               row, from, row, offset, row, row, row, row, row);
    else
        printf("        sum += ALL(LOAD(%s, %s%u + %u + i * step%u));\n", type, from, row, offset,
               row);
}

/* A loop that reads and writes; the elements do not share cells. The compiler does not know the
 * distance of the two addresses and, mostly, how far the loop goes in a round. The known distances
 * are so large that no vector has more than one element. */
static void mixed_rows(struct generator *g)
{
    enum {
        KNOWN,
        WHOLE,
        DOWN,
        KINDS,
        CELL = 16,
        PLACES = 8,
        ROOM = 832,
        FAR = 8192,
        FAR_PLACES = 200
    };
    bool is_far = once_in(g, 2);
    unsigned kind = below(g, KINDS + 1), row = g->row++;
    unsigned step = kind == KNOWN ? 80 : kind == WHOLE ? CELL : CELL * (1 + below(g, 5));
    unsigned most = (is_far ? FAR : ROOM) / step + 1;
    printf("    u64 step%u = %u;\n    u8 *row%u = %s, *other%u = row%u + %u;\n", row, step, row,
           is_far ? "soak_pages(me) + 16384" : writable(g), row, row,
           CELL * below(g, is_far ? FAR_PLACES : PLACES));
    printf("    __asm__(\"\" : \"+r\"(other%u));\n", row);
    if (kind >= DOWN)
        printf("    __asm__(\"\" : \"+r\"(step%u));\n", row);
    if (kind == DOWN)
        printf("    row%u += %u, other%u += %u, step%u = -step%u;\n", row, (most - 1) * step, row,
               (most - 1) * step, row, row);
    if (kind == WHOLE)
        printf("    quad four%u;\n", row);
    print_rounds(g, most);
    for (unsigned left = 2 + below(g, 3); left; left--)
        print_mixed(g, row, kind == WHOLE);
    printf("    }\n");
}

static void access_if(struct generator *g)
{
    printf("    if (sum & %u) {\n", 1 + below(g, 7));
    one_access(g);
    printf("    } else {\n");
    one_access(g);
    printf("    }\n");
}

/* The address of the next read depends on the value of the previous read. */
static void chase(struct generator *g)
{
    printf("    for (u32 i = 0, at = n; i < n; i++) {\n"
           "        at = LOAD(u32, %s + at %% 256 * 4) + i;\n        sum += at;\n    }\n",
           readable(g));
}

static void call(struct generator *g)
{
    printf("    if (fuel > 3)\n        sum += ");
    print_call(g, "q", "mode", 3);
    printf(";\n");
}

static void call_loop(struct generator *g)
{
    printf("    for (u32 i = 0; i < 4 && fuel > 8; i++)\n        sum ^= ");
    print_call(g, "q", "mode", 8);
    printf(";\n");
}

static void call_local(struct generator *g)
{
    unsigned words = 4 + below(g, 60);
    printf("    if (fuel > 3) {\n        u32 local[%u] ALONE;\n", 256);
    printf("        for (u32 i = 0; i < 256; i++)\n            STORE(u32, &local[i], i + n);\n");
    printf("        sum += ");
    print_call(g, "(u8 *)local", "(mode | WRITABLE)", 3);
    printf(";\n        for (u32 i = 0; i < %u; i++)\n            sum += LOAD(u32, &local[i]);\n    "
           "}\n",
           words);
}

static void recurse(struct generator *g)
{
    printf("    if (n > 1 && fuel > 2)\n        sum += f%u(me, %s, q, n %s, fuel / 2 - 1, mode);\n",
           g->at, once_in(g, 3) ? "soak_pages(me)" : "p", once_in(g, 2) ? "- 1" : "/ 2");
}

static void recurse_deeply(struct generator *g)
{
    printf("    if (fuel > 30)\n        sum += f%u(me, p, q, n, fuel - %u, mode);\n", g->at,
           29 - below(g, 12));
}

static void land(struct generator *g)
{
    printf("    if (fuel > 3 && LEVEL(mode) < LEVELS) {\n"
           "        RECORD(struct soak_place here = soak_here();)\n        KEEP(sum);\n"
           "        if (SAVE(me, mode) == 0) {\n            KEEP(");
    print_call(g, "q", "((mode + (1 << LEVEL_SHIFT)) | CAN_JUMP)", 3);
    printf(");\n        } else {\n            RECORD(soak_land(here);)\n            (void)0;\n     "
           "   }\n"
           "        sum = n;\n    }\n");
}

static void jump(struct generator *g)
{
    printf("    if (mode & CAN_JUMP && sum %% %u == 0)\n        JUMP(me, mode);\n",
           2 + below(g, 5));
}

/* A handler gets its task by memory, and runs immediately. */
static void raise_signal(struct generator *g)
{
    bool jumps = once_in(g, 3);
    printf("    if (KIND(mode) != 1 && fuel > 3%s) {\n", jumps ? " && LEVEL(mode) < LEVELS" : "");
    if (jumps)
        printf("        RECORD(struct soak_place here = soak_here();)\n"
               "        u32 later = mode + (1 << LEVEL_SHIFT);\n");
    printf("        STORE(u64, &soak_handed[me][0], (u64)p);\n"
           "        STORE(u64, &soak_handed[me][1], (u64)q);\n"
           "        STORE(u64, &soak_handed[me][2], n);\n"
           "        STORE(u64, &soak_handed[me][3], fuel / 3 - 1);\n"
           "        STORE(u64, &soak_handed[me][4], %s);\n",
           jumps ? "later" : "mode");
    if (!jumps) {
        printf("        SOAK_RAISE(FIRST_SIGNAL + 2 * me);\n    }\n");
        return;
    }
    printf(
        "        KEEP(sum);\n        if (SAVE(me, mode) == 0) {\n            "
        "SOAK_RAISE(FIRST_SIGNAL + 2 * me + 1);\n"
        "        } else {\n            RECORD(soak_land(here);)\n            (void)0;\n        }\n"
        "        sum = n;\n    }\n");
}

static void take_turn(struct generator *g)
{
    printf("    if (KIND(mode) != 1 && !(mode & IN_TURN) && fuel > 3 && soak_turn(me)) {\n        "
           "sum += ");
    print_call(g, "soak_baton", "((mode | IN_TURN | WRITABLE) & ~(u32)CAN_JUMP)", 3);
    printf(";\n        soak_pass(me);\n    }\n");
}

static void yield(struct generator *g)
{
    (void)g;
    printf("    if (KIND(mode) >= 2 && !(mode & IN_TURN))\n        soak_yield(me, mode);\n");
}

static void resume(struct generator *g)
{
    if (g->n_coroutines)
        printf("    if (KIND(mode) == 0 && !(mode & IN_TURN))\n        soak_resume(me, %u);\n",
               below(g, g->n_coroutines));
}

static void input(struct generator *g)
{
    unsigned from = below(g, 512);
    if (once_in(g, 2))
        printf("    sum += soak_input(me, %s + %u, n * %u %% 500);\n", writable(g), from,
               1 + below(g, 9));
    else
        printf("    sum += soak_input_at(me, %s + %u, n * 4 %% 500, %u);\n", writable(g), from,
               once_in(g, 3) ? 99900 + below(g, 200) : below(g, 90000));
}

static void output(struct generator *g)
{
    printf("    soak_output(%s + %u, 1 + n %% 256);\n", readable(g), below(g, 512));
}

static void copy(struct generator *g)
{
    printf("    soak_copy(soak_pages(me) + %u, %s + %u, n * 4 %% 512);\n", 2048 + 16 * below(g, 32),
           once_in(g, 2) ? "p" : "q", below(g, 512));
}

static void set(struct generator *g)
{
    printf("    soak_set(%s + %u, (int)n, n * %u %% 512);\n", writable(g), below(g, 512),
           1 + below(g, 8));
}

static void copy_piece(struct generator *g)
{
    static const char *const pieces[] = {"struct piece12", "struct piece20", "struct piece40",
                                         "quad"};
    printf("    COPY(%s, soak_pages(me) + %u, %s + %u);\n", pieces[below(g, 4)],
           16 * below(g, 60) + 4096, once_in(g, 2) ? "p" : "q", 16 * below(g, 60));
}

static void atomic(struct generator *g)
{
    printf("    {\n        u32 *at = (u32 *)(%s + %u);\n"
           "        soak_log(SOAK_READ, VIEW_BOTH, (uint64_t)at, 4);\n"
           "        soak_log(SOAK_WRITE, VIEW_BOTH, (uint64_t)at, 4);\n"
           "        sum += __atomic_fetch_add(at, n, __ATOMIC_SEQ_CST);\n    }\n",
           writable(g), 4 * below(g, 256));
}

static void use_volatile(struct generator *g)
{
    printf("    sum += LOAD(volatile u32, %s + %u);\n", readable(g), 4 * below(g, 256));
}

static void fresh_pages(struct generator *g)
{
    printf("    %s soak_pages(me)%s, %u);\n", once_in(g, 2) ? "soak_fresh(" : "soak_map_file(me,",
           once_in(g, 2) ? "" : " + 4096", 4096 * (1 + below(g, 8)));
}

static const struct statement {
    void (*print)(struct generator *g);
    unsigned weight, present_percent;
    bool calls; /* a later routine */
} statements[] = {
    {read_loop, 30, 100, false},  {write_loop, 14, 90, false}, {modify_loop, 8, 80, false},
    {one_access, 20, 100, false}, {neighbours, 12, 70, false}, {access_if, 8, 70, false},
    {chase, 6, 60, false},        {call, 40, 100, true},       {call_loop, 8, 60, true},
    {call_local, 6, 60, true},    {recurse, 8, 60, false},     {recurse_deeply, 2, 20, false},
    {land, 8, 60, true},          {jump, 10, 80, false},       {raise_signal, 6, 50, false},
    {take_turn, 10, 80, true},    {yield, 8, 70, false},       {resume, 8, 70, false},
    {input, 8, 70, false},        {output, 4, 50, false},      {copy, 5, 60, false},
    {set, 5, 60, false},          {copy_piece, 6, 60, false},  {atomic, 4, 40, false},
    {use_volatile, 3, 30, false}, {fresh_pages, 3, 40, false}, {row_loop, 14, 80, false},
    {mixed_rows, 20, 90, false},
};

enum { STATEMENTS = sizeof(statements) / sizeof(*statements) };
static unsigned weights[STATEMENTS];

static void statement(struct generator *g)
{
    unsigned left = below(g, g->weight), i = 0;
    while (left >= weights[i])
        left -= weights[i++];
    if (!statements[i].calls || g->at + 1 < g->n_routines)
        statements[i].print(g);
}

static void choose_statements(struct generator *g)
{
    for (unsigned i = 0; i < STATEMENTS; i++) {
        bool present = below(g, 100) < statements[i].present_percent;
        weights[i] = present ? statements[i].weight * (1 + below(g, 3)) : 0;
        g->weight += weights[i];
    }
}

/* ---------------------------------------------------------------- the program */

static void print_routine(struct generator *g)
{
    printf("KEPT u32 f%u(int me, u8 *p, u8 *q, u32 n, u32 fuel, u32 mode)\n{\n", g->at);
    printf("    ENTER(%u);\n    u32 sum = n;\n    n %%= 64;\n"
           "    (void)me, (void)p, (void)q, (void)fuel, (void)mode;\n",
           g->at);
    unsigned n = 1 + below(g, STATEMENTS_MAX);
    for (unsigned i = 0; i < n; i++)
        statement(g);
    if (g->at + 1 < g->n_routines && once_in(g, 6)) {
        printf(
            "    if (fuel > 3)\n        TAIL(f%u(me, p, q, n + sum %% 8, fuel / 3 - 1, mode));\n",
            g->at + 1 + below(g, g->n_routines - g->at - 1));
    }
    printf("    KEEP(sum);\n    LEAVE();\n    return sum;\n}\n\n");
}

static void print_handler(struct generator *g)
{
    unsigned plain = below(g, g->n_routines), jumping = below(g, g->n_routines);
    printf("static void handler(int signal)\n{\n    int me = (signal - FIRST_SIGNAL) / 2;\n"
           "    RECORD(struct soak_place before = soak_begin_exec_context();)\n    ENTER(%u);\n"
           "    u8 *p = once ? soak_handlers[me] : (u8 *)LOAD(u64, &soak_handed[me][0]);\n"
           "    u8 *q = (u8 *)LOAD(u64, &soak_handed[me][1]);\n"
           "    u32 n = (u32)LOAD(u64, &soak_handed[me][2]);\n"
           "    u32 fuel = (u32)LOAD(u64, &soak_handed[me][3]);\n"
           "    u32 mode = (u32)LOAD(u64, &soak_handed[me][4]);\n"
           "    u32 inside = (mode & (IN_TURN | WRITABLE)) | 1 << KIND_SHIFT;\n",
           ROUTINES_MAX);
    printf("    if (signal %% 2 == FIRST_SIGNAL %% 2) {\n"
           "        KEEP(f%u(me, p, q, n, fuel, inside));\n    } else {\n"
           "        KEEP(f%u(me, p, q, n, fuel, inside));\n        JUMP(me, mode);\n    }\n"
           "    LEAVE();\n    RECORD(soak_end_exec_context(before);)\n}\n\n",
           plain, jumping);
}

/* Runs routines until none is left, but may end earlier. */
static void print_coroutine(struct generator *g)
{
    printf("static void coroutine(int me, int c)\n{\n    ENTER(%u);\n"
           "    u32 sum = 0, mode = (u32)(2 + c) << KIND_SHIFT;\n",
           ROUTINES_MAX + 1);
    unsigned n = 1 + below(g, 6);
    for (unsigned i = 0; i < n; i++) {
        printf("    sum += f%u(me, soak_private[me], soak_pages(me) + 8192, %u, %u, mode | "
               "WRITABLE);\n",
               below(g, g->n_routines), below(g, 64), 4 + below(g, 40));
        if (once_in(g, 2))
            printf("    soak_yield(me, mode);\n");
    }
    printf("    KEEP(sum);\n    STORE(u32, &soak_done[me][c], 1);\n    NOISE();\n    LEAVE();\n"
           "    RECORD(soak_end_exec_context(soak_resumers[me][c]); NOISE();)\n}\n\n");
    printf("static void make_coroutines(int me)\n{\n    for (int c = 0; c < %u; c++) {\n"
           "        getcontext(&soak_co[me][c]);\n"
           "        soak_co[me][c].uc_stack.ss_sp = soak_stacks[me][c];\n"
           "        soak_co[me][c].uc_stack.ss_size = STACK_BYTES;\n"
           "        soak_co[me][c].uc_link = &soak_back[me][c];\n"
           "        makecontext(&soak_co[me][c], (void (*)(void))coroutine, 2, me, c);\n"
           "        STORE(u32, &soak_done[me][c], 0);\n"
           "        RECORD(struct soak_place before = soak_begin_exec_context();\n"
           "               soak_coroutines[me][c] = soak_here(); soak_go(before);)\n    }\n}\n\n",
           g->n_coroutines);
}

static void print_script_call(struct generator *g, const char *region, const char *mode)
{
    printf("    sum = sum * 3 + f%u(me, soak_private[me], %s, %u, %u, %s);\n",
           below(g, g->n_routines), region, below(g, 100), 4 + below(g, 80), mode);
}

/* A phase: region k belongs to one thread if k and the phase are both even or both odd; otherwise
 * it is shared by all. */
static void print_phase(struct generator *g, unsigned generation, unsigned phase)
{
    unsigned calls = 1 + below(g, 6), n = g->n_threads;
    unsigned own = phase + generation + below(g, n);
    for (unsigned i = 0; i < calls; i++) {
        char region[80];
        bool writes = once_in(g, 2);
        if (writes)
            snprintf(region, sizeof(region), "soak_shared[(me + %u) %% %u * 2 + %u]", own, n,
                     phase % 2);
        else
            snprintf(region, sizeof(region), "soak_shared[%u]", 2 * below(g, n) + !(phase % 2));
        if (once_in(g, 3))
            printf("    if (me %% %u == %u)\n", 2 + below(g, 2), below(g, 2));
        print_script_call(g, region, writes ? "WRITABLE" : "0");
    }
    printf("    soak_barrier(me, %u);\n", phase + 1 < g->n_phases ? below(g, 12) : 0);
}

static void print_thread(struct generator *g, unsigned generation)
{
    printf("static void *thread_%u(void *number)\n{\n    int me = (int)(intptr_t)number;\n    u32 "
           "sum = 0;\n"
           "    RECORD(soak_begin_exec_context();)\n    ENTER(%u);\n    soak_thread_signals(me);\n"
           "    make_coroutines(me);\n    soak_barrier(me, %u);\n",
           generation, ROUTINES_MAX + 2 + generation, below(g, 8));
    for (unsigned phase = 0; phase < g->n_phases; phase++)
        print_phase(g, generation, phase);
    printf("    STORE(u32, &soak_sums[me][0], LOAD(u32, &soak_sums[me][0]) * 7 + sum);\n"
           "    LEAVE();\n    RECORD(soak_log(SOAK_EXEC_CONTEXT_END, VIEW_BOTH, 0, 0);)\n"
           "    return NULL;\n}\n\n");
}

static void print_main(struct generator *g)
{
    printf("int main(void)\n{\n    int me = THREADS;\n    u32 sum = 0;\n    soak_start();\n    "
           "ENTER(%u);\n"
           "    for (int i = 0; i < %u; i++)\n        table[i] = routines[i];\n"
           "    soak_log(SOAK_WRITE, VIEW_BOTH, (uint64_t)table, sizeof(table));\n"
           "    for (int i = 0; i <= 2 * THREADS + 1; i++) {\n"
           "        struct sigaction action = {.sa_handler = handler, .sa_flags = SA_NODEFER%s};\n"
           "        sigaction(FIRST_SIGNAL + i, &action, NULL);\n    }\n    make_coroutines(me);\n",
           ROUTINES_MAX + 10, g->n_routines, once_in(g, 2) ? " | SA_ONSTACK" : "");
    for (unsigned generation = 0; generation < g->n_generations; generation++) {
        for (unsigned i = below(g, 5); i > 0; i--) {
            char region[40];
            snprintf(region, sizeof(region), "soak_shared[%u]", below(g, 2 * g->n_threads));
            print_script_call(g, region, "WRITABLE");
        }
        printf("    soak_run_threads(%u, thread_%u);\n", g->n_threads, generation);
    }
    print_script_call(g, "soak_baton", "WRITABLE");
    printf("    soak_sums[me][0] = sum;\n    LEAVE();\n    return soak_end();\n}\n");
}

int main(int argc, char **argv)
{
    uint64_t seed = argc == 2 ? strtoull(argv[1], NULL, 0) : 0;
    struct generator g = {.rng = {seed}};
    g.n_routines = 3 + below(&g, ROUTINES_MAX - 3);
    g.n_threads = once_in(&g, 5) ? 1 : 2 + below(&g, 4);
    g.n_coroutines = below(&g, 4);
    g.n_phases = 1 + below(&g, PHASES_MAX);
    g.n_generations = 1 + below(&g, GENERATIONS_MAX);
    choose_statements(&g);
    printf("/* Seed %" PRIu64 ". */\n#include \"tests/soak/runtime.h\"\n\n"
           "typedef u32 routine(int me, u8 *p, u8 *q, u32 n, u32 fuel, u32 mode);\n"
           "routine *table[%u] ALONE;\nenum { once = %u };\n\n",
           seed, (g.n_routines + 7) / 8 * 8, below(&g, 2));
    for (unsigned i = 0; i < g.n_routines; i++)
        printf("static routine f%u;\n", i);
    printf("\n");
    for (g.at = 0; g.at < g.n_routines; g.at++)
        print_routine(&g);
    g.at = 0;
    print_handler(&g);
    print_coroutine(&g);
    for (unsigned i = 0; i < g.n_generations; i++)
        print_thread(&g, i);
    printf("static routine *const routines[] = {");
    for (unsigned i = 0; i < g.n_routines; i++)
        printf("%sf%u", i ? ", " : "", i);
    printf("};\n\n");
    print_main(&g);
    return ferror(stdout) || fflush(stdout) != 0;
}
