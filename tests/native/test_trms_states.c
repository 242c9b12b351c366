/* Tests the states of an execution context: compares the code with docs/execution-contexts.md.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The page's first table has a row for each state, a column for each event, and in each cell the
 * resulting state. This test brings an execution context into each state, with and without a
 * direct-mapped shadow, and there executes each event. The processor's trap flag stops after each
 * instruction of an event, where a signal may arrive. All states that are visible there are
 * collected, and must equal the second table. The test also fails if a row or a column is missing.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/trms/shadow/words.h"
#include "tests/native/single_step.h"
#include "tests/native/trms_stage.h"
#include "tests/property/trms_embedder.h"
#include "tests/unit/cmocka_all.h"

/* ---------------------------------------------------------------- states */

enum state { EXCLUSIVE, CLEAN, WRITTEN, INTERRUPTED, BEHIND, STATES };
static const char *const state_names[STATES] = {"exclusive", "clean", "written", "interrupted",
                                                "behind"};

static enum state state_of(const struct trms_exec_context *s)
{
    if (!s->world->shared)
        return EXCLUSIVE;
    if (s->settled != s->generation)
        return INTERRUPTED;
    if (s->settled != s->world->generation)
        return BEHIND;
    return s->token_used ? WRITTEN : CLEAN;
}

static void nothing(void)
{
}

static void partner_begins(void)
{
    stage.partner = trms_exec_context_new(&stage.world, 2);
    stage_call(stage.partner, PARTNERS);
    trms_sync(stage.partner);
}

static void share(void)
{
    stage_call(stage.own, CALLED);
    partner_begins();
    trms_sync(stage.own);
}

static void handle(void)
{
    stage_handle(stage_read_all, nothing);
}

static void forget(void)
{
    trms_forgotten(stage.partner ? stage.partner : stage.own, stage_base, 16);
}

static void reach_exclusive(void)
{
    stage_call(stage.own, CALLED);
}

static void reach_written(void)
{
    share();
    stage_write(stage.own, SOME);
}

static void reach_interrupted(void)
{
    share();
    handle();
}

static void reach_behind(void)
{
    share();
    forget();
}

static void (*const reach[STATES])(void) = {reach_exclusive, share, reach_written,
                                            reach_interrupted, reach_behind};

/* ---------------------------------------------------------------- events */

static void write_cell(void)
{
    stage_write(stage.own, SOME + 1);
}

static void read_cell(void)
{
    stage_read(stage.own, SOME + 2);
}

static void call(void)
{
    stage_call(stage.own, LATER);
}

static void return_from_call(void)
{
    trms_exec_context_return(stage.own);
}

static void synchronise(void)
{
    trms_sync(stage.own);
}

static void kernel_writes(void)
{
    trms_kernel_wrote(stage.own, stage_base, 16);
}

static void begin_partner(void)
{
    if (!stage.partner)
        partner_begins();
}

static const struct event {
    const char *name;
    void (*play)(void);
} events[] = {
    {"read", read_cell},          {"write", write_cell}, {"call", call},
    {"return", return_from_call}, {"sync", synchronise}, {"kernel write", kernel_writes},
    {"handler", handle},          {"unmap", forget},     {"new context", begin_partner},
};
enum { EVENTS = sizeof events / sizeof *events };

/* ---------------------------------------------------------------- what a signal sees */

enum { EXACT = 1, LOW = 2, HIGH = 4 };

static volatile struct seen {
    unsigned states, floor, near;
} seen;

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static unsigned compare(uint32_t is, uint32_t should_be)
{
    return is == should_be ? EXACT : is < should_be ? LOW : HIGH;
}

static void look(void)
{
    const struct trms_exec_context *s = stage.own;
    const struct trms_activation *top = s->activation;
    seen.states |= 1u << state_of(s);
    seen.floor |= compare(s->floor, later(top->stamp, s->synced));
    seen.near |= compare(top->near, later(top[-1].stamp, s->synced));
}

/* Like a signal, the trap waits while signals are blocked. */
static void on_trap(int sig)
{
    (void)sig;
    if (!stage.world.lock && !trms_test_quiet)
        look();
}

static void step_through(const struct event *event)
{
    struct sigaction action = {.sa_handler = on_trap, .sa_flags = SA_NODEFER}, was;
    sigaction(SIGTRAP, &action, &was);
    trap_flag(TRAP_FLAG, 0);
    event->play();
    trap_flag(0, TRAP_FLAG);
    sigaction(SIGTRAP, &was, NULL);
}

/* ---------------------------------------------------------------- the page */

enum { LINE_BYTES = 512, CELLS_MOST = EVENTS + 1, TEXT_BYTES = 64 };

static struct page_table {
    char cells[STATES + EVENTS + 1][CELLS_MOST][TEXT_BYTES];
    unsigned rows, columns;
} transitions, seen_versions;

static unsigned split(char *line, char cells[][TEXT_BYTES])
{
    unsigned n = 0;
    for (char *cell = strtok(line, "|\n"); cell && n < CELLS_MOST; cell = strtok(NULL, "|\n")) {
        char *end = cell + strlen(cell);
        while (end > cell && end[-1] == ' ')
            *--end = 0;
        snprintf(cells[n++], TEXT_BYTES, "%s", cell + strspn(cell, " "));
    }
    return n;
}

/* The table with `corner` as its first cell. */
static void read_table(struct page_table *table, const char *corner)
{
    char path[1024], line[LINE_BYTES];
    const char *source = getenv("srcdir");
    bool is_in = false;
    snprintf(path, sizeof path, "%s/docs/execution-contexts.md", source ? source : ".");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    table->rows = 0;
    while (fgets(line, sizeof line, file)) {
        is_in |= strncmp(line, corner, strlen(corner)) == 0;
        if (is_in && *line != '|')
            break;
        if (!is_in || strstr(line, "---"))
            continue;
        assert_true(table->rows < STATES + EVENTS + 1);
        table->columns = split(line, table->cells[table->rows++]);
    }
    fclose(file);
    assert_true(is_in);
}

static const char *cell_of(const struct page_table *table, const char *row, const char *column)
{
    for (unsigned r = 1; r < table->rows; r++)
        for (unsigned c = 1; c < table->columns && strcmp(table->cells[r][0], row) == 0; c++)
            if (strcmp(table->cells[0][c], column) == 0)
                return table->cells[r][c];
    return "not in the table";
}

static unsigned differs(const char *row, const char *column, const char *page, const char *code)
{
    if (strcmp(page, code) == 0)
        return 0;
    print_error("%s, %s: the page has '%s', the code '%s'\n", row, column, page, code);
    return 1;
}

/* ---------------------------------------------------------------- the tests */

static enum state play(enum state from, const struct event *event, bool has_direct_shadow)
{
    static struct trms_scene scene;
    scene = (struct trms_scene){.has_direct_shadow = has_direct_shadow, .before = reach[from]};
    stage.scene = &scene;
    stage_begin();
    assert_int_equal(state_of(stage.own), from);
    step_through(event);
    look();
    return state_of(stage.own);
}

static void each_event_leads_from_each_state_to_the_one_in_the_table(void **state)
{
    unsigned wrong = 0;
    (void)state;
    read_table(&transitions, "| state | read |");
    assert_int_equal(transitions.rows, STATES + 1);
    assert_int_equal(transitions.columns, EVENTS + 1);
    for (int i = 0; i < 2 * STATES * EVENTS; i++) {
        enum state from = (enum state)(i / 2 % STATES);
        const struct event *event = &events[i / 2 / STATES];
        enum state to = play(from, event, i % 2);
        wrong += differs(state_names[from], event->name,
                         cell_of(&transitions, state_names[from], event->name), state_names[to]);
        trms_world_free(&stage.world);
    }
    assert_int_equal(wrong, 0);
}

static const char *values(unsigned set)
{
    static const char *const names[] = {"-",    "exact",       "low",       "exact, low",
                                        "high", "exact, high", "low, high", "exact, low, high"};
    return names[set];
}

static const char *states(unsigned set, char text[TEXT_BYTES])
{
    *text = 0;
    for (int s = 0; s < STATES; s++)
        if (set >> s & 1)
            snprintf(text + strlen(text), TEXT_BYTES - strlen(text), "%s%s", *text ? ", " : "",
                     state_names[s]);
    return *text ? text : "none";
}

static void a_signal_sees_what_the_table_says(void **state)
{
    unsigned wrong = 0;
    char text[TEXT_BYTES];
    (void)state;
    read_table(&seen_versions, "| event | floor |");
    assert_int_equal(seen_versions.rows, EVENTS + 1);
    for (const struct event *event = events; event < events + EVENTS; event++) {
        unsigned others = 0;
        seen = (struct seen){0};
        for (int i = 0; i < 2 * STATES; i++) {
            enum state from = (enum state)(i / 2);
            unsigned before = seen.states;
            seen.states = 0;
            enum state to = play(from, event, i % 2);
            others |= seen.states & ~(1u << from) & ~(1u << to);
            seen.states |= before;
            trms_world_free(&stage.world);
        }
        wrong += differs(event->name, "floor", cell_of(&seen_versions, event->name, "floor"),
                         values(seen.floor));
        wrong += differs(event->name, "near", cell_of(&seen_versions, event->name, "near"),
                         values(seen.near));
        wrong +=
            differs(event->name, "other states",
                    cell_of(&seen_versions, event->name, "other states"), states(others, text));
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_event_leads_from_each_state_to_the_one_in_the_table),
        cmocka_unit_test(a_signal_sees_what_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
