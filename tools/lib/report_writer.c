/* Writes a report; see report_writer.h and aprof-out(5).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The profiler's own writer (aprof/report.c) knows an engine and must do without a C library; this
 * one writes what the tools have made of reports. A test reads, writes and compares the bytes of
 * the former's files, so that the two cannot drift apart.
 */
#include "report_writer.h"

#include <inttypes.h>
#include <string.h>

#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME  UINT64_C(0x100000001b3)

struct writer {
    FILE *to;
    uint64_t hash, lines;
};

static void put_bytes(struct writer *w, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        w->hash = (w->hash ^ (unsigned char)bytes[i]) * FNV_PRIME;
        w->lines += bytes[i] == '\n';
    }
    fwrite(bytes, 1, count, w->to);
}

static void put_word(struct writer *w, const char *word)
{
    put_bytes(w, word, strlen(word));
}

/* One field, with the TAB before it. */
static void put_field(struct writer *w, const char *text)
{
    put_word(w, "\t");
    if (!*text || strcmp(text, "-") == 0) {
        put_word(w, *text ? "\\x2d" : "-");
        return;
    }
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        char escape[8];
        if (c == '\\' || c == '\t' || c == '\n')
            snprintf(escape, sizeof escape, "\\%c", c == '\\' ? '\\' : c == '\t' ? 't' : 'n');
        else if (c < 0x20 || c == 0x7f)
            snprintf(escape, sizeof escape, "\\x%02x", c);
        else
            snprintf(escape, sizeof escape, "%c", c);
        put_word(w, escape);
    }
}

static void put_number(struct writer *w, u128 number)
{
    char digits[U128_DIGITS];
    put_word(w, "\t");
    put_word(w, u128_format(number, digits));
}

static void put_line(struct writer *w, const char *tag, const char *text)
{
    put_word(w, tag);
    put_field(w, text);
    put_word(w, "\n");
}

static void put_list(struct writer *w, const char *tag, const string_list *words)
{
    put_word(w, tag);
    for (size_t i = 0; i < words->count; i++)
        put_field(w, words->at[i]);
    put_word(w, "\n");
}

static void put_totals(struct writer *w, const struct totals *t)
{
    put_word(w, "totals");
    put_number(w, t->cost);
    put_number(w, t->activations);
    put_number(w, t->reads);
    put_number(w, t->induced_thread);
    put_number(w, t->induced_external);
    put_word(w, "\n");
}

static void put_head(struct writer *w, const struct report *r)
{
    put_line(w, "aprof", "1");
    put_line(w, "creator", r->creator);
    put_line(w, "tool", r->tool);
    put_line(w, "arch", r->arch);
    put_list(w, "command", &r->command);
    put_list(w, "process", &r->process);
    put_list(w, "options", &r->options);
    put_word(w, "metrics");
    for (int m = 0; m < METRIC_COUNT; m++) {
        if (r->has_metric[m])
            put_field(w, metric_names[m]);
    }
    put_word(w, "\nresolution");
    put_number(w, r->resolution_bytes);
    put_word(w, "\n");
    put_line(w, "cost", r->cost_unit);
    put_line(w, "threads", r->threads_separate ? "separate" : "merged");
    put_line(w, "end", r->end_reason);
    put_totals(w, &r->totals);
}

static void put_routine(struct writer *w, size_t id, const struct routine *routine)
{
    char offset[24];
    snprintf(offset, sizeof offset, "0x%" PRIx64, routine->offset);
    put_word(w, "routine");
    put_number(w, id);
    put_number(w, routine->object);
    put_field(w, offset);
    put_number(w, routine->size_bytes);
    put_field(w, routine->symbol);
    put_field(w, routine->file);
    put_number(w, routine->line);
    put_word(w, "\n");
}

static void put_point(struct writer *w, enum metric m, const struct point *p)
{
    put_word(w, metric_names[m]);
    put_number(w, p->input);
    put_number(w, p->calls);
    put_number(w, p->cost_sum);
    put_number(w, p->cost_min);
    put_number(w, p->cost_max);
    put_number(w, p->cost_squares);
    put_number(w, p->self_sum);
    put_number(w, p->induced_thread);
    put_number(w, p->induced_external);
    put_word(w, "\n");
}

static void put_profile(struct writer *w, const struct report *r, const struct profile *profile)
{
    put_word(w, "profile");
    put_number(w, profile->routine);
    put_number(w, profile->thread);
    put_number(w, profile->calls);
    put_number(w, profile->cost_total);
    put_number(w, profile->cost_self);
    put_word(w, "\n");
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct point *points = profile_points(r, profile, (enum metric)m);
        for (size_t i = 0; i < profile->count[m]; i++)
            put_point(w, (enum metric)m, &points[i]);
    }
}

void report_write(const struct report *r, FILE *to)
{
    struct writer w = {.to = to, .hash = FNV_OFFSET};
    put_head(&w, r);
    for (size_t i = 0; i < r->objects.count; i++) {
        put_word(&w, "object");
        put_number(&w, i);
        put_field(&w, r->objects.at[i]);
        put_word(&w, "\n");
    }
    for (size_t i = 0; i < r->routines.count; i++)
        put_routine(&w, i, &r->routines.at[i]);
    for (size_t i = 0; i < r->profiles.count; i++)
        put_profile(&w, r, &r->profiles.at[i]);
    fprintf(to, "complete\t%" PRIu64 "\t%016" PRIx64 "\n", w.lines, w.hash);
}
