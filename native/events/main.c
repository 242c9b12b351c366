/* The events runtime's options, and its actions when threads and processes start and end.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *     APROF_EVENTS='analysis=callgraph,mode=concurrent,ring=auto,consumers=1,sampling=off'
 *
 * docs/native.md describes these options.
 */
#include "native/events/runtime.h"

#include "ground/host.h"
#include "native/base/report_output.h"
#include "native/base/process.h"

#define RING_LEAST    1024u
#define RING_MOST     ((uint64_t)1 << 30)
#define LINE_BYTES    64u
#define DEFAULT_CHUNK 16u /* of the ring */

struct events_config events_config = {
    .analysis = "methods", .out = "aprof.events.%p", .consumers = 1};
const struct analysis *events_analysis;
uint32_t events_wanted;

/* The names by which inline instrumentation uses these variables (ground/event_code.h). */
extern NATIVE_EXPORT uint32_t aprof_events_wanted __attribute__((alias("events_wanted")));
extern NATIVE_EXPORT NATIVE_TLS struct native_thread *aprof_events_self;

extern const char aprof_events_from_code __attribute__((weak));

static struct native_thread nobody; /* dummy record of a thread inside a hook */
NATIVE_TLS struct native_thread *aprof_events_self = &nobody;

/* ---------------------------------------------------------------- options */

static const char *set_ring(void *config, const char *value)
{
    struct events_config *events = config;
    static const char automatic[] = "auto";
    size_t n = 0;
    while (value[n] && value[n] == automatic[n])
        n++;
    uint64_t bytes = 0;
    if (value[n] || automatic[n]) {
        if (!native_parse_bytes(value, NULL, &bytes) || bytes < RING_LEAST || bytes > RING_MOST)
            return "must be auto, or 1K to 1G";
        bytes &= ~(uint64_t)(LINE_BYTES * DEFAULT_CHUNK - 1);
    }
    events->ring_bytes = bytes;
    return NULL;
}

static bool is_text(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* Valid values of the option `sampling` are off, auto, or a percentage with decimals. */
static const char *set_sampling(void *config, const char *value)
{
    struct events_config *events = config;
    const char *point = value;
    uint64_t whole, part = 0, scale = 1;
    events->adapts_sampling = is_text(value, "auto");
    events->sampling = events->adapts_sampling ? 1 : 0;
    if (events->adapts_sampling || is_text(value, "off"))
        return NULL;
    while (*point && *point != '.')
        point++;
    bool fine = native_parse_number(value, point, &whole);
    if (fine && *point) {
        fine = native_parse_number(point + 1, NULL, &part);
        for (const char *digit = point + 1; *digit && scale < 1000000; digit++)
            scale *= 10;
    }
    double percent = (double)whole + (double)part / (double)scale;
    if (!fine || percent <= 0 || percent > 100)
        return "must be off, auto, or a percentage up to 100";
    events->sampling = percent / 100;
    return NULL;
}

static const char *set_analysis(void *config, const char *value)
{
    struct events_config *events = config;
    static char expected[256];
    size_t n = 0, length = 0;
    if (analysis_find(value)) {
        native_text_append(events->analysis, sizeof events->analysis, &length, value);
        return NULL;
    }
    expected[0] = 0;
    native_text_append(expected, sizeof expected, &n, "must be ");
    for (unsigned i = 0; analyses[i]; i++) {
        const char *between = i == 0 ? "" : analyses[i + 1] ? ", " : " or ";
        native_text_append(expected, sizeof expected, &n, between);
        native_text_append(expected, sizeof expected, &n, analyses[i]->name);
    }
    return expected;
}

static const char *set_consumers(void *config, const char *value)
{
    struct events_config *events = config;
    uint64_t n;
    if (!native_parse_number(value, NULL, &n) || n < 1 || n > EVENTS_CONSUMERS_MAX)
        return "must be from 1 to 64";
    events->consumers = n;
    return NULL;
}

static void read_options(void)
{
    static const char *const answers[] = {"no", "yes", NULL};
    static const struct native_option table[] = {
        {"analysis", NATIVE_CUSTOM, 0, NULL, set_analysis},
        {"mode", NATIVE_CHOICE, NATIVE_OFFSETOF(struct events_config, mode), events_mode_names,
         NULL},
        {"ring", NATIVE_CUSTOM, 0, NULL, set_ring},
        {"chunk", NATIVE_BYTES, NATIVE_OFFSETOF(struct events_config, chunk_bytes), NULL, NULL},
        {"consumers", NATIVE_CUSTOM, 0, NULL, set_consumers},
        {"sampling", NATIVE_CUSTOM, 0, NULL, set_sampling},
        {"stats", NATIVE_CHOICE, NATIVE_OFFSETOF(struct events_config, statistics), answers, NULL},
        {"out", NATIVE_TEXT, NATIVE_OFFSETOF(struct events_config, out), NULL, NULL},
        NATIVE_DUMP_OPTIONS(struct events_config, dump),
        {0},
    };
    native_options_read("APROF_EVENTS", table, &events_config);
}

/* Checks that the sizes of ring and chunk fit together. */
static void check_sizes(void)
{
    if (!events_config.chunk_bytes)
        return;
    if (!events_config.ring_bytes)
        events_config.ring_bytes = CAB_RING_BYTES;
    struct cab_config config = {.mode = CAB_EXHAUSTIVE,
                                .word_bytes = 8,
                                .ring_bytes = events_config.ring_bytes,
                                .chunk_bytes = events_config.chunk_bytes,
                                .burst_words = 1,
                                .stride_words = 1,
                                .wait = events_wait,
                                .wake = events_wake};
    if (cab_memory_bytes(&config))
        return;
    native_message("APROF_EVENTS: chunk", "must be a multiple of 64, at least 128; ring must be a "
                                          "multiple of chunk, at least three chunks");
    events_config.chunk_bytes = 0;
}

/* ---------------------------------------------------------------- threads */

/* Starts a thread. EVENT_CALL needs a stack of active routines, which only the hooks maintain. */
static void thread_started(struct native_thread *self)
{
    events_stream_begin(native_thread_data(self), self->id);
    aprof_events_self = events_wanted & EVENT_BIT(EVENT_CALL) ? &nobody : self;
}

static void thread_ended(struct native_thread *self)
{
    struct events_local *local = native_thread_data(self);
    aprof_events_self = &nobody;
    events_stream_end(local);
    events_calls_release(&local->calls);
}

/* ---------------------------------------------------------------- beginning and end */

static void begin(void)
{
    if (events_mode()->has_consumers && !events_consumers_start()) {
        native_message("APROF_EVENTS", "cannot start an analysis thread; using mode=sequential");
        events_config.mode = EVENTS_SEQUENTIAL;
    }
    events_wanted = events_mode()->makes_events ? events_analysis->events : 0;
    /* EVENT_CALL is used if the analysis, such as a call graph, accepts call events instead of
     * enter and leave events. An analysis that counts methods does not need callers. If sampling is
     * off, code that emits its own events is faster with two events per call, enter and leave, than
     * with EVENT_CALL. */
    bool is_sampled = events_config.sampling > 0;
    if (!(events_wanted & EVENT_BIT(EVENT_LEAVE)) || (&aprof_events_from_code && !is_sampled))
        events_wanted &= ~EVENT_BIT(EVENT_CALL);
}

static bool start(void)
{
    read_options();
    check_sizes();
    if (!events_mode()->has_rings) {
        events_config.sampling = 0;
        events_config.adapts_sampling = 0;
    }
    events_analysis = analysis_find(events_config.analysis);
    native_output_choose("APROF_EVENTS", events_config.out);
    native_dump_choose("APROF_EVENTS", &events_config.dump);
    events_calls_init();
    begin();
    return true;
}

static void for_all_threads(void (*act)(struct events_local *local))
{
    for (struct native_thread *thread = native_threads(); thread; thread = thread->next)
        if (thread->live == 1)
            act(native_thread_data(thread));
}

static void finish(const char *reason)
{
    for_all_threads(events_stream_end);
    events_consumers_settle();
    events_report(reason);
}

static void prepare_copy(struct native_thread *self)
{
    (void)self;
    for_all_threads(events_stream_drain);
    events_consumers_settle();
}

static void add_states(struct events_local *local)
{
    if (local->ended || local->analysing)
        return;
    events_stream_sum(local);
    events_total_add(local->stream->states);
}

/* The copy of the process has no analysis threads and needs none, because all events have been
 * analysed. */
static void finish_in_copy(const char *reason)
{
    for_all_threads(add_states);
    events_report(reason);
}

static void forked_child(void)
{
    events_consumers_forked();
    memset(&events_sums, 0, sizeof events_sums);
    if (native_self)
        events_stream_forget(native_thread_data(native_self));
    begin();
    if (native_self)
        thread_started(native_self);
}

const struct native_client native_client = {
    .name = "events",
    .thread_bytes = sizeof(struct events_local),
    .start = start,
    .thread_started = thread_started,
    .thread_ended = thread_ended,
    .finish = finish,
    .prepare_copy = prepare_copy,
    .finish_in_copy = finish_in_copy,
    .forked_child = forked_child,
};
