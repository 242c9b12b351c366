/* The report of the events runtime, in the analysis's own format, with the program and the options.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/events/runtime.h"

#include "analyses/analysis_report.h"
#include "ground/event_code.h"
#include "ground/host.h"
#include "native/base/modules.h"
#include "native/base/report_output.h"
#include "native/base/process.h"

static struct {
    const void *total;
    const char *reason;
} report;

/* ---------------------------------------------------------------- places */

static void describe(void *context, uint64_t address, struct analysis_place *place)
{
    const struct native_module *module = native_modules_find(address);
    (void)context;
    *place = (struct analysis_place){.offset = address};
    if (!module)
        return;
    place->object = module->path;
    place->build_id = (struct record_bytes){module->build_id, module->build_id_bytes};
    place->offset = native_module_offset(module, address);
}

/* ---------------------------------------------------------------- head */

static void say(char *text, size_t size, size_t *n, const char *what, uint64_t value)
{
    native_text_append(text, size, n, what);
    native_text_append_decimal(text, size, n, value);
}

extern const char has_inline_code __asm__(EVENT_CODE_MARK) __attribute__((weak));

/* Returns the options that determine how many events were analysed. */
static const char *const *option_words(void)
{
    static char mode[64], sampling[64];
    static char made[32], seen[32];
    static const char *words[6];
    size_t n = 0;
    mode[0] = sampling[0] = 0;
    native_text_append(mode, sizeof mode, &n, "mode=");
    native_text_append(mode, sizeof mode, &n, events_mode_names[events_config.mode]);
    words[0] = mode;
    n = 0;
    native_text_append(sampling, sizeof sampling, &n, "sampling=");
    if (events_config.adapts_sampling)
        native_text_append(sampling, sizeof sampling, &n, "auto");
    else if (events_config.sampling > 0)
        native_text_append_real(sampling, sizeof sampling, &n, events_config.sampling * 100);
    else
        native_text_append(sampling, sizeof sampling, &n, "off");
    words[1] = sampling;
    /* lib/report/estimate.c computes intervals from the sampling rate */
    if (events_config.sampling > 0) {
        n = made[0] = 0;
        say(made, sizeof made, &n, "made=", events_sums.made);
        n = seen[0] = 0;
        say(seen, sizeof seen, &n, "seen=", events_sums.events);
        words[2] = made;
        words[3] = seen;
    }
    words[events_config.sampling > 0 ? 4 : 2] = &has_inline_code ? "code=inline" : "code=hooks";
    return words;
}

static void write_report(struct record_writer *out, void *context)
{
    const struct analysis_head head = {
        .creator = "aprof " APROF_VERSION,
        .command = native_arguments(),
        .process = native_output_process_words(),
        .options = option_words(),
        .end_reason = report.reason,
    };
    const struct analysis_places places = {describe, NULL};
    (void)context;
    analysis_report_write(events_analysis, report.total, &head, &places, out);
}

/* ---------------------------------------------------------------- statistics */

/* Writes one line for benchmarks. The line differs between runs, so it is not part of the
 * report. */
static void write_statistics(void)
{
    char text[512];
    size_t n = 0;
    text[0] = 0;
    say(text, sizeof text, &n, "streams=", events_sums.streams);
    say(text, sizeof text, &n, " events=", events_sums.events);
    say(text, sizeof text, &n, " chunks=", events_sums.chunks);
    say(text, sizeof text, &n, " overwritten_chunks=", events_sums.overwritten_chunks);
    say(text, sizeof text, &n, " producer_sleeps=", events_sums.producer_sleeps);
    say(text, sizeof text, &n, " consumer_sleeps=", events_sums.consumer_sleeps);
    say(text, sizeof text, &n, " largest_ring_bytes=", events_sums.largest_ring_bytes);
    native_message("events", text);
}

void events_report(const char *reason)
{
    report.total = events_consumed();
    report.reason = reason;
    native_output_write(write_report, NULL, reason);
    if (events_config.statistics && !native_is_still_running(reason))
        write_statistics();
}
