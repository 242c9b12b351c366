/* Unit tests of the five analyses and of their report.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/unit/cmocka_all.h"

#include <stdio.h>

#include "analyses/counts.h"
#include "tests/analyses/harness.h"
#include "tests/host_test.h"

/* Routines with the names of the call trees in the comments. */
enum { MAIN = 0x1000, F = 0x2000, G = 0x3000 };

#define FEED(analysis, state, ...)                                                                 \
    do {                                                                                           \
        const uint64_t fed[] = {__VA_ARGS__};                                                      \
        (analysis)->consume(state, fed, sizeof(fed) / sizeof(fed[0]));                             \
    } while (0)

/* The rows of a report that has only addresses: the text between the routines and the last line. */
static void rows_are(const struct analysis *analysis, const void *state, const char *expected)
{
    char *report = report_of(analysis, state), *rows = strstr(report, "\nanalysis\t") + 1;

    while ((rows = strchr(rows, '\n') + 1) && (!strncmp(rows, "object", 6) || *rows == 'r'))
        ;
    strstr(rows, "complete")[0] = 0;
    assert_string_equal(rows, expected);
    free(report);
}

static int nothing_is_left(void **state)
{
    (void)state;
    return host_test_report_live() != 0;
}

/* ---------------------------------------------------------------- Table */

static void analyses_are_found_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; analyses[i]; i++) {
        assert_ptr_equal(analysis_find(analyses[i]->name), analyses[i]);
        assert_int_not_equal(analyses[i]->events, 0);
    }
    assert_null(analysis_find("path"));
    assert_null(analysis_find("pathss"));
    assert_null(analysis_find(""));
}

static void events_keep_what_they_are_made_of(void **state)
{
    uint64_t words[2];

    (void)state;
    assert_int_equal(event_routine(event_enter(0x7fffdeadbeef)), 0x7fffdeadbeef);
    assert_int_equal(event_kind_of(event_leave(1)), EVENT_LEAVE);
    assert_int_equal(event_caller_code(event_call(0x3fffffff, 5)), 0x3fffffff);
    assert_int_equal(event_callee_code(event_call(3, 0x3ffffffe)), 0x3ffffffe);
    assert_int_equal(event_address(event_access(EVENT_LOAD, 0x7ffffffff123, 255)), 0x7ffffffff123);
    assert_int_equal(event_bytes(event_access(EVENT_STORE, 0x1234, 255)), 255);
    assert_int_equal(event_path(words, 0xffffff, (UINT64_C(1) << 36) - 1), 1);
    assert_int_equal(event_procedure(words[0]), 0xffffff);
    assert_int_equal(event_number(words[0]), (UINT64_C(1) << 36) - 1);
    assert_int_equal(event_path(words, 7, UINT64_C(1) << 36), 2);
    assert_int_not_equal(event_path_word(EVENT_PATH_LOW, 0xffffff, UINT64_MAX), UINT64_MAX);
}

/* ---------------------------------------------------------------- Methods */

static uint64_t routine_of(void *context, uint32_t code)
{
    return (uintptr_t)context + code;
}

static void methods_counts_entries(void **state)
{
    const struct analysis *methods = analysis_find("methods");
    void *own = calloc(1, methods->state_bytes);
    struct analysis_options options = {.routine_of_code = routine_of, .context = (void *)0x1000};

    (void)state;
    methods->init(own, &options);
    FEED(methods, own, event_enter(F), event_enter(G), event_leave(G), event_enter(G),
         event_call(1, 0x2000), event_access(EVENT_LOAD, F, 4));
    methods->finish(own);
    rows_are(methods, own, "method\t0\t1\nmethod\t1\t3\n");
    state_free(methods, own);
}

/* ---------------------------------------------------------------- Call graph */

static void callgraph_counts_pairs(void **state)
{
    const struct analysis *graph = analysis_find("callgraph");
    void *own = state_new(graph);

    (void)state;
    FEED(graph, own, event_enter(MAIN), event_enter(F), event_enter(G), event_leave(G),
         event_enter(G), event_leave(G), event_leave(F), event_enter(G), event_leave(G));
    graph->finish(own);
    rows_are(graph, own, "call\t-\t0\t1\ncall\t0\t1\t1\ncall\t0\t2\t1\ncall\t1\t2\t2\n");
    state_free(graph, own);
}

/* A longjmp to MAIN leaves G: the next leave event is of F, or even of MAIN. */
static void activations_end_with_their_callers(void **state)
{
    const struct analysis *graph = analysis_find("callgraph");
    void *own = state_new(graph);

    (void)state;
    FEED(graph, own, event_enter(MAIN), event_enter(F), event_enter(G), event_leave(F),
         event_enter(G), event_leave(MAIN), event_enter(F));
    rows_are(graph, own,
             "call\t-\t0\t1\ncall\t-\t1\t1\ncall\t0\t1\t1\ncall\t0\t2\t1\n"
             "call\t1\t2\t1\n");
    state_free(graph, own);
}

static void calls_with_unknown_callers_are_not_counted(void **state)
{
    const struct analysis *graph = analysis_find("callgraph");
    void *own = state_new(graph);

    (void)state;
    FEED(graph, own, event_enter(MAIN));
    graph->gap(own);
    /* F is left without a recorded entry, so the callers of G and F are unknown. */
    FEED(graph, own, event_leave(F), event_enter(G), event_enter(F), event_leave(F), event_leave(G),
         event_enter(F), event_call(MAIN, G));
    rows_are(graph, own, "call\t-\t0\t1\ncall\t0\t2\t1\ncall\t2\t1\t1\n");
    state_free(graph, own);
}

/* ---------------------------------------------------------------- Call tree */

/* The example in the head comment of calltree.c. */
static void calltree_counts_patterns(void **state)
{
    const struct analysis *tree = analysis_find("calltree");
    void *own = state_new(tree);

    (void)state;
    FEED(tree, own, event_enter(MAIN), event_enter(F), event_enter(G), event_leave(G),
         event_leave(F), event_enter(F), event_leave(F), event_leave(MAIN));
    tree->finish(own);
    rows_are(tree, own, "tree\t0\t1\t1\ntree\t1\t1\ntree\t1\t2\t1\ntree\t2\t1\n");
    state_free(tree, own);
}

static void patterns_do_not_depend_on_order(void **state)
{
    const struct analysis *tree = analysis_find("calltree");
    void *own = state_new(tree);

    (void)state;
    FEED(tree, own, event_enter(MAIN), event_enter(F), event_leave(F), event_enter(G),
         event_leave(G), event_enter(F), event_leave(F), event_leave(MAIN), event_enter(MAIN),
         event_enter(G), event_leave(G), event_enter(F), event_leave(F));
    tree->finish(own);
    rows_are(tree, own, "tree\t0\t1\t2\t2\ntree\t1\t3\ntree\t2\t2\n");
    state_free(tree, own);
}

static void subtrees_that_a_gap_cuts_are_not_counted(void **state)
{
    const struct analysis *tree = analysis_find("calltree");
    void *own = state_new(tree);

    (void)state;
    FEED(tree, own, event_enter(MAIN), event_enter(F), event_leave(F), event_enter(F));
    tree->gap(own);
    FEED(tree, own, event_enter(G), event_leave(G), event_enter(F), event_leave(MAIN),
         event_enter(G));
    tree->finish(own);
    rows_are(tree, own, "tree\t0\t1\ntree\t1\t1\n");
    state_free(tree, own);
}

/* ---------------------------------------------------------------- Paths */

static void paths_of_two_words_are_put_together(void **state)
{
    const struct analysis *paths = analysis_find("paths");
    void *own = state_new(paths);
    const uint64_t number = UINT64_C(0xfedcba9876543210);
    uint64_t words[2];

    (void)state;
    assert_int_equal(event_path(words, 3, number), 2);
    paths->consume(own, words, 2);
    paths->consume(own, words, 1);
    paths->consume(own, words + 1, 1); /* the batch was cut between the two words of the event */
    paths->consume(own, words + 1, 1); /* half an event */
    paths->consume(own, words, 1);
    paths->gap(own);
    paths->consume(own, words + 1, 1); /* two halves of different events */
    FEED(paths, own, event_path_word(EVENT_PATH, 3, 9), event_path_word(EVENT_PATH, 2, 10));
    rows_are(paths, own, "path\t2\t10\t1\npath\t3\t9\t1\npath\t3\t18364758544493064720\t2\n");
    state_free(paths, own);
}

/* ---------------------------------------------------------------- Report */

static void place(void *context, uint64_t address, struct analysis_place *found)
{
    static const uint8_t build_id[] = {0x00, 0xff};
    (void)context;
    /* The objects are loaded in the opposite order of their paths. */
    if (address < F)
        *found =
            (struct analysis_place){"/z", {build_id, sizeof build_id}, address - 0x800, "main"};
    else
        *found = (struct analysis_place){"/a\tb", {NULL, 0}, address - F, NULL};
}

static void reports_are_sorted_and_sealed(void **state)
{
    const struct analysis *graph = analysis_find("callgraph");
    void *own = state_new(graph);
    struct text text = {NULL, 0, 0};
    const struct analysis_places places = {place, NULL};
    struct record_writer writer;
    const struct analysis_head head = {
        .creator = "a test",
        .command = (const char *const[]){"./app", "", "-", "a\nb\\\x7f", NULL},
        .process = (const char *const[]){"1", NULL},
        .options = (const char *const[]){NULL},
        .end_reason = "exit",
    };
    const char expected[] = "aprof-analysis\t1\n"
                            "creator\ta test\n"
                            "command\t./app\t-\t\\x2d\ta\\nb\\\\\\x7f\n"
                            "process\t1\n"
                            "options\n"
                            "end\texit\n"
                            "analysis\tcallgraph\n"
                            "object\t0\t/a\\tb\t-\n"
                            "object\t1\t/z\t00ff\n"
                            "routine\t0\t0\t0x0\t-\n"
                            "routine\t1\t0\t0x1000\t-\n"
                            "routine\t2\t1\t0x800\tmain\n"
                            "call\t-\t2\t1\n"
                            "call\t2\t0\t1\n"
                            "call\t2\t1\t1\n";
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    char last[64];

    (void)state;
    FEED(graph, own, event_enter(MAIN), event_enter(G), event_leave(G), event_enter(F));
    record_writer_start(&writer, (struct record_sink){text_write, &text});
    analysis_report_write(graph, own, &head, &places, &writer);
    for (size_t i = 0; expected[i]; i++)
        hash = (hash ^ (unsigned char)expected[i]) * UINT64_C(0x100000001b3);
    snprintf(last, sizeof(last), "complete\t15\t%016llx\n", (unsigned long long)hash);
    assert_memory_equal(text.bytes, expected, sizeof(expected) - 1);
    assert_string_equal(text.bytes + sizeof(expected) - 1, last);
    free(text.bytes);
    state_free(graph, own);
}

static void an_empty_state_has_a_report(void **state)
{
    (void)state;
    for (size_t i = 0; analyses[i]; i++) {
        void *own = state_new(analyses[i]);
        char *report;
        analyses[i]->finish(own);
        report = report_of(analyses[i], own);
        assert_non_null(strstr(report, "complete\t"));
        free(report);
        state_free(analyses[i], own);
    }
}

/* ---------------------------------------------------------------- Sampling error */

static void the_error_is_the_papers(void **state)
{
    struct counts actual = {NULL, 0, 0}, sampled = {NULL, 0, 0};

    (void)state;
    assert_true(counts_sampling_error(&actual, &sampled, 0.5) == 0);
    counts_add(&actual, 1, 1, 100);
    counts_add(&actual, 1, 2, 4);
    counts_add(&actual, 2, 1, 8);
    assert_true(counts_sampling_error(&actual, &sampled, 0.5) == 1);
    counts_add(&sampled, 1, 1, 55); /* estimated 110: 10 % too many */
    counts_add(&sampled, 1, 2, 1);  /* estimated 2: 50 % too few; (2, 1) is missing: 100 % */
    assert_float_equal(counts_sampling_error(&actual, &sampled, 0.5), (0.1 + 0.5 + 1) / 3, 1e-12);
    assert_true(counts_sampling_error(&actual, &actual, 1) == 0);
    counts_release(&actual);
    counts_release(&sampled);
}

static void tables_grow(void **state)
{
    struct counts counts = {NULL, 0, 0};

    (void)state;
    for (uint64_t round = 0; round < 2; round++)
        for (uint64_t i = 0; i < 5000; i++)
            counts_add(&counts, i << 12, i % 7, i + 1);
    assert_int_equal(counts.used, 5000);
    for (uint64_t i = 0; i < 5000; i++)
        assert_int_equal(counts_get(&counts, i << 12, i % 7), 2 * (i + 1));
    assert_int_equal(counts_get(&counts, 1, 1), 0);
    counts_release(&counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(analyses_are_found_by_name),
        cmocka_unit_test(events_keep_what_they_are_made_of),
        cmocka_unit_test_teardown(methods_counts_entries, nothing_is_left),
        cmocka_unit_test_teardown(callgraph_counts_pairs, nothing_is_left),
        cmocka_unit_test_teardown(activations_end_with_their_callers, nothing_is_left),
        cmocka_unit_test_teardown(calls_with_unknown_callers_are_not_counted, nothing_is_left),
        cmocka_unit_test_teardown(calltree_counts_patterns, nothing_is_left),
        cmocka_unit_test_teardown(patterns_do_not_depend_on_order, nothing_is_left),
        cmocka_unit_test_teardown(subtrees_that_a_gap_cuts_are_not_counted, nothing_is_left),
        cmocka_unit_test_teardown(paths_of_two_words_are_put_together, nothing_is_left),
        cmocka_unit_test_teardown(reports_are_sorted_and_sealed, nothing_is_left),
        cmocka_unit_test_teardown(an_empty_state_has_a_report, nothing_is_left),
        cmocka_unit_test_teardown(the_error_is_the_papers, nothing_is_left),
        cmocka_unit_test_teardown(tables_grow, nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
