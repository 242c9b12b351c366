/* Unit tests of the report's writer: every byte of a small report, escapes, order, checksum.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>

#include "points/points_report.h"
#include "tests/unit/feed.h"
#include "tests/host_test.h"

struct report_text {
    char *bytes;
    size_t n;
};

static void append(void *context, const char *bytes, size_t n)
{
    struct report_text *t = context;
    t->bytes = realloc(t->bytes, t->n + n + 1);
    assert_non_null(t->bytes);
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
    t->bytes[t->n] = '\0';
}

static struct routine_info infos[1000];

static void describe(const struct routine *routine, struct routine_info *info)
{
    *info = infos[routine->id];
}

static const char *const command[] = {"./app", "two words", "a\tb\nc\\d\x01\x7f", "", "-",
                                      "--",    NULL};
static const char *const process[] = {"1234", NULL};
static const char *const options[] = {NULL};

static const struct report_info report_info = {.creator = "aprof 0.1.0",
                                               .tool = "valgrind 3.19.0",
                                               .arch = "amd64",
                                               .command = command,
                                               .process = process,
                                               .options = options,
                                               .cost_unit = "bb",
                                               .end_reason = "signal 11",
                                               .describe = describe};

static struct report_text write_report(struct feed *f)
{
    struct report_text text = {0};
    struct record_writer writer;
    record_writer_start(&writer, (struct record_sink){append, &text});
    engine_report_write(f->engine, &report_info, &writer);
    return text;
}

/* FNV-1a, implemented a second time. */
static uint64_t checksum(const char *bytes, size_t n)
{
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * 1099511628211u;
    return sum;
}

/* Checks the checksum of the last line; the other lines remain in `text`. */
static void assert_proof(struct report_text *text)
{
    char *proof = strstr(text->bytes, "\ncomplete\t") + 1;
    unsigned long lines = 0;
    char expected[64];
    for (char *c = text->bytes; c < proof; c++)
        lines += *c == '\n';
    snprintf(expected, sizeof(expected), "complete\t%lu\t%016llx\n", lines,
             (unsigned long long)checksum(text->bytes, (size_t)(proof - text->bytes)));
    assert_string_equal(proof, expected);
    *proof = '\0';
}

static struct routine r_main = {.id = 7}, r_f = {.id = 3}, r_plugin = {.id = 5};

/* main calls f twice, with one and with two cells of input, and stays pending; the plug-in never
 * runs. */
static void run_example(struct feed *f)
{
    memset(infos, 0, sizeof(infos));
    infos[7] = (struct routine_info){"/bin/app", 0x1139, 45, "main", "/src/app.c", 12, NULL};
    infos[3] = (struct routine_info){"/bin/app", 0x1000, 0, NULL, NULL, 0, NULL};
    feed_block(f, &r_main, BLOCK_ENTRY, BLOCK_CALL, pushed(0xff00));
    feed_block(f, &r_f, BLOCK_ENTRY, BLOCK_JUMP, access_of(ACCESS_READ, 0x5000, 8));
    feed_block(f, &r_f, 0, BLOCK_RETURN, slot(0xff00));
    feed_block(f, &r_main, 0, BLOCK_CALL, pushed(0xff00));
    FEED(f, EVENT_KERNEL_WRITE, 0x5000, 4);
    feed_block(f, &r_f, BLOCK_ENTRY, BLOCK_RETURN,
               (struct payload){1, 1, ACCESS_READ, 4, 0x5000, 0xff00});
    feed_block(f, &r_main, 0, BLOCK_JUMP, nothing());
}

static const char header[] = "aprof\t1\n"
                             "creator\taprof 0.1.0\n"
                             "tool\tvalgrind 3.19.0\n"
                             "arch\tamd64\n"
                             "command\t./app\ttwo words\ta\\tb\\nc\\\\d\\x01\\x7f\t-\t\\x2d\t--\n"
                             "process\t1234\n"
                             "options\n"
                             "metrics\ttrms\trms\n"
                             "resolution\t4\n"
                             "cost\tbb\n"
                             "threads\tmerged\n"
                             "end\tsignal 11\n";

static void a_small_report_is_exactly_this(void **state)
{
    (void)state;
    struct feed f;
    feed_new(&f);
    run_example(&f);
    engine_finish(f.engine);
    struct report_text text = write_report(&f);
    assert_proof(&text);
    assert_memory_equal(text.bytes, header, sizeof(header) - 1);
    assert_string_equal(text.bytes + sizeof(header) - 1,
                        "totals\t6\t3\t3\t0\t1\n"
                        "object\t0\t/bin/app\n"
                        "routine\t0\t0\t0x1000\t0\t-\t-\t0\n"
                        "routine\t1\t0\t0x1139\t45\tmain\t/src/app.c\t12\n"
                        "profile\t0\t0\t2\t3\t3\n"
                        "trms\t1\t1\t1\t1\t1\t1\t1\t0\t1\n"
                        "trms\t2\t1\t2\t2\t2\t4\t2\t0\t0\n"
                        "rms\t1\t1\t1\t1\t1\t1\t1\t0\t1\n"
                        "rms\t2\t1\t2\t2\t2\t4\t2\t0\t0\n"
                        "profile\t1\t0\t1\t6\t3\n"
                        "trms\t3\t1\t6\t6\t6\t36\t3\t0\t1\n"
                        "rms\t2\t1\t6\t6\t6\t36\t3\t0\t1\n");
    free(text.bytes);
    feed_delete(&f);
}

static void an_empty_run_has_a_header_and_a_proof(void **state)
{
    (void)state;
    struct feed f;
    feed_new(&f);
    engine_finish(f.engine);
    struct report_text text = write_report(&f);
    assert_proof(&text);
    assert_string_equal(text.bytes + sizeof(header) - 1, "totals\t0\t0\t0\t0\t0\n");
    free(text.bytes);
    feed_delete(&f);
}

static void only_the_metric_asked_for_is_written(void **state)
{
    (void)state;
    struct feed f;
    struct engine_config config = feed_config;
    config.trms = false;
    config.separate_threads = true;
    config.resolution_log2 = 4;
    feed_new_with(&f, &config);
    run_example(&f);
    engine_finish(f.engine);
    struct report_text text = write_report(&f);
    assert_non_null(strstr(text.bytes, "\nmetrics\trms\nresolution\t16\n"));
    assert_non_null(strstr(text.bytes, "\nthreads\tseparate\n"));
    assert_non_null(strstr(text.bytes, "\nprofile\t0\t1\t2\t3\t3\nrms\t1\t2\t"));
    assert_null(strstr(text.bytes, "\ntrms"));
    free(text.bytes);
    feed_delete(&f);
}

/* An intermediate report omits pending activations; the next report contains them whole. */
static void a_dump_leaves_pending_activations_to_the_next(void **state)
{
    (void)state;
    struct feed f;
    feed_new(&f);
    run_example(&f);
    engine_gather(f.engine);
    struct report_text text = write_report(&f);
    assert_proof(&text);
    assert_non_null(strstr(text.bytes, "profile\t0\t0\t2\t3\t3\n"));
    assert_null(strstr(text.bytes, "\tmain\t"));
    free(text.bytes);

    engine_clear(f.engine);
    engine_finish(f.engine);
    text = write_report(&f);
    assert_proof(&text);
    assert_null(strstr(text.bytes, "routine\t0\t0\t0x1000"));
    assert_non_null(
        strstr(text.bytes, "\nprofile\t0\t0\t1\t6\t3\ntrms\t3\t1\t6\t6\t6\t36\t3\t0\t1\n"));
    free(text.bytes);
    feed_delete(&f);
}

static void contexts_follow_the_profiles(void **state)
{
    (void)state;
    struct feed f;
    struct engine_config config = feed_config;
    config.contexts.mode = CONTEXTS_FULL;
    feed_new_with(&f, &config);
    run_example(&f);
    engine_finish(f.engine);
    struct report_text text = write_report(&f);
    assert_proof(&text);
    assert_memory_equal(text.bytes, "aprof\t2\n", 8);
    assert_string_equal(strstr(text.bytes, "contexts\t"), "contexts\tfull\t0\t0\tcalls\tunfolded\n"
                                                          "tree\t0\t3\t2\n"
                                                          "context\t0\t-\t1\t1\t6\t3\t0\n"
                                                          "trms\t3\t1\t6\t6\t6\t36\t3\t0\t1\n"
                                                          "rms\t2\t1\t6\t6\t6\t36\t3\t0\t1\n"
                                                          "context\t1\t0\t0\t2\t3\t3\t0\n"
                                                          "trms\t1\t1\t1\t1\t1\t1\t1\t0\t1\n"
                                                          "trms\t2\t1\t2\t2\t2\t4\t2\t0\t0\n"
                                                          "rms\t1\t1\t1\t1\t1\t1\t1\t0\t1\n"
                                                          "rms\t2\t1\t2\t2\t2\t4\t2\t0\t0\n");
    free(text.bytes);
    feed_delete(&f);
}

/* main has no ended activation, but its call of f has ended. */
static void a_pending_caller_has_a_context_without_numbers(void **state)
{
    (void)state;
    struct feed f;
    struct engine_config config = feed_config;
    config.contexts =
        (struct contexts_config){.mode = CONTEXTS_HOT, .phi = 500000000, .epsilon = 100000000};
    feed_new_with(&f, &config);
    run_example(&f);
    engine_gather(f.engine);
    struct report_text text = write_report(&f);
    assert_proof(&text);
    assert_non_null(strstr(text.bytes, "routine\t1\t0\t0x1139\t45\tmain\t/src/app.c\t12\nprofile"));
    assert_non_null(strstr(text.bytes, "contexts\thot\t0.5\t0.1\tcalls\tunfolded\n"
                                       "tree\t0\t2\t2\n"
                                       "context\t0\t-\t1\t0\t0\t0\t0\n"
                                       "context\t1\t0\t0\t2\t3\t3\t0\n"
                                       "trms\t1\t"));
    free(text.bytes);
    engine_clear(f.engine);
    engine_finish(f.engine);
    text = write_report(&f);
    assert_non_null(strstr(text.bytes, "tree\t0\t1\t1\ncontext\t0\t-\t0\t1\t6\t3\t0\n"));
    free(text.bytes);
    feed_delete(&f);
}

/* A routine that is called once by main. */
static void call_from_main(struct feed *f, struct routine *routine)
{
    feed_block(f, &r_main, 0, BLOCK_CALL, pushed(0xff00));
    feed_block(f, routine, BLOCK_ENTRY, BLOCK_RETURN, slot(0xff00));
}

static void routines_are_sorted_by_object_and_offset(void **state)
{
    (void)state;
    static struct routine routines[] = {{.id = 0}, {.id = 1}, {.id = 2}, {.id = 900}};
    struct feed f;
    feed_new(&f);
    memset(infos, 0, sizeof(infos));
    infos[7] = (struct routine_info){"/b", 0x10, 1, "main", NULL, 0, NULL};
    infos[0] = (struct routine_info){"/c", 0x1, 1, "last", NULL, 0, "12ef"};
    infos[1] = (struct routine_info){"/b", 0xffffffffffffffff, 1, "far", NULL, 0, NULL};
    infos[2] = (struct routine_info){NULL, 0x7f0000000000, 0, NULL, NULL, 0, NULL};
    infos[900] = (struct routine_info){"/b", 0x2, 1, "near", NULL, 0, NULL};
    for (int i = 0; i < 4; i++)
        call_from_main(&f, &routines[i]);
    engine_finish(f.engine);
    struct report_text text = write_report(&f);
    assert_proof(&text);
    assert_memory_equal(text.bytes, "aprof\t5\n", 8); /* version 5, because there is a build id */
    assert_non_null(strstr(text.bytes, "\nobject\t0\t-\nobject\t1\t/b\nobject\t2\t/c\t12ef\n"
                                       "routine\t0\t0\t0x7f0000000000\t0\t-\t-\t0\n"
                                       "routine\t1\t1\t0x2\t1\tnear\t-\t0\n"
                                       "routine\t2\t1\t0x10\t1\tmain\t-\t0\n"
                                       "routine\t3\t1\t0xffffffffffffffff\t1\tfar\t-\t0\n"
                                       "routine\t4\t2\t0x1\t1\tlast\t-\t0\n"
                                       "profile\t0\t"));
    free(text.bytes);
    feed_delete(&f);
}

/* 2^64 - 1 twice, and squares that saturate. */
static void large_numbers_are_written_whole(void **state)
{
    (void)state;
    struct feed f;
    feed_new(&f);
    memset(infos, 0, sizeof(infos));
    feed_block(&f, &r_main, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    struct measurement m = {.input = {~(uint64_t)0, 0}, .cost = ~(uint64_t)0, .self = 1};
    profile_add(profile_get(&f.engine->ctx->profile, &r_plugin), &m, 3);
    profile_add(profile_get(&f.engine->ctx->profile, &r_plugin), &m, 3);
    engine_finish(f.engine);
    struct report_text text = write_report(&f);
    assert_proof(&text);
    assert_non_null(strstr(text.bytes, "\ntrms\t18446744073709551615\t2\t36893488147419103230\t"
                                       "18446744073709551615\t18446744073709551615\t"
                                       "340282366920938463463374607431768211455\t2\t0\t0\n"));
    free(text.bytes);
    feed_delete(&f);
}

/* More than one buffer, and points in another order than they came. */
static void many_points_come_sorted(void **state)
{
    (void)state;
    struct feed f;
    feed_new(&f);
    memset(infos, 0, sizeof(infos));
    feed_block(&f, &r_main, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    struct routine_profile *p = profile_get(&f.engine->ctx->profile, &r_plugin);
    for (uint64_t i = 0; i < 1000; i++) {
        struct measurement m = {.input = {i * 377 % 1000, 0}, .cost = i};
        profile_add(p, &m, 3);
    }
    engine_finish(f.engine);
    struct report_text text = write_report(&f);
    assert_proof(&text);
    const char *at = text.bytes;
    for (unsigned i = 0; i < 1000; i++) {
        char start[32];
        snprintf(start, sizeof(start), "\ntrms\t%u\t1\t", i);
        at = strstr(at, start);
        assert_non_null(at);
    }
    free(text.bytes);
    feed_delete(&f);
}

static int nothing_is_left(void **state)
{
    (void)state;
    return host_test_report_live() != 0;
}

#define TEST(function) cmocka_unit_test_teardown(function, nothing_is_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_small_report_is_exactly_this),
        TEST(an_empty_run_has_a_header_and_a_proof),
        TEST(only_the_metric_asked_for_is_written),
        TEST(a_dump_leaves_pending_activations_to_the_next),
        TEST(contexts_follow_the_profiles),
        TEST(a_pending_caller_has_a_context_without_numbers),
        TEST(routines_are_sorted_by_object_and_offset),
        TEST(large_numbers_are_written_whole),
        TEST(many_points_come_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
